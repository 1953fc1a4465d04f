import assert from "node:assert/strict";
import { test } from "node:test";
import { formatHover } from "#transport/lsp/hoverText";

/** Renders the doc comment of a definition as Markdown. */
function render(documentation: string): string {
  const position = { byteOffset: 0, lineNumber: 1, column: 1 };
  const range = { start: position, end: position };
  const found = { repository: "kit", fileName: "src/my_file.ts", range };
  const definition = { signature: "x", documentation, language: "Go", found, others: 0 };
  const { value } = formatHover(definition as Parameters<typeof formatHover>[0], "markdown");
  const [, text = ""] = /^```go\nx\n```\n\n(.*)\n\nkit · src\/my_file\.ts:1$/s.exec(value) ?? [];
  return text;
}

const rows: readonly (readonly [name: string, text: string, markdown: string])[] = [
  ["plain text", "Adds up: a/b (c) {d}, e-f. 50 % #1!", "Adds up: a/b (c) {d}, e-f. 50 % #1!"],
  ["a name in snake case", "my_long_name, __init__", "my_long_name, \\_\\_init\\_\\_"],
  ["emphasis and code", "*a* ~~b~~ `c` \\d", "\\*a\\* \\~\\~b\\~\\~ \\`c\\` \\\\d"],
  ["a link and an image", "![a](b) [c]: d", "!\\[a\\](b) \\[c\\]: d"],
  ["HTML and entities", "<b>x</b> &lt; a && b", "\\<b>x\\</b> \\&lt; a && b"],
  ["addresses", "https://x.org www.x.org a@x.org", "https:\\//x.org www\\.x.org a\\@x.org"],
  ["an icon", "$(trash) $x", "\\$(trash) $x"],
  ["headings", "# a\n===", "\\# a  \n\\==="],
  ["lists", "- a\n+ b\n1. c\n2) d", "\\- a  \n\\+ b  \n1\\. c  \n2\\) d"],
  ["a quotation and code by indentation", "> a\n\n    b", "\\> a\n\n b"],
  ["a table", "|a|b|\n|-|-|", "\\|a|b|  \n\\|-|-|"],
  ["a table without bars at the ends", "a|b\n:-|-:", "a|b  \n\\:-|-:"],
];

for (const [name, text, markdown] of rows) {
  test(`${name}: rendered as text`, () => assert.equal(render(text), markdown));
}
