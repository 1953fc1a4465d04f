import assert from "node:assert/strict";
import { test } from "node:test";
import { commitText, lineCountOf, linesOf, rowText } from "#client/results/resultLines";
import { codeBlock } from "#client/text/markdown";
import { visible } from "#client/text/visible";
import type { FileMatch } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

const at = (lineNumber: number, column: number) => ({ byteOffset: 0, lineNumber, column });

/** A file with one chunk, whose ranges are `[line, column, line, column]`. */
function chunk(content: string, first: number, ranges: readonly (readonly number[])[]): FileMatch {
  const matchRanges = ranges.map(([a = 0, b = 0, c = 0, d = 0]) => ({ start: at(a, b), end: at(c, d) }));
  return {
    ...fileMatch("r", "x"),
    chunks: [{ content, contentStart: at(first, 1), matchRanges, symbols: [] }],
  };
}

function checkLines(name: string, file: FileMatch, expected: readonly string[]): void {
  test(name, () => {
    const lines = linesOf(file).map(({ lineNumber, text, matches }) => {
      const marked = matches.toReversed().reduce((line, [start, end]) => {
        return `${line.slice(0, start)}<${line.slice(start, end)}>${line.slice(end)}`;
      }, text);
      return `${lineNumber} ${marked}`;
    });
    assert.deepEqual(lines, expected);
    assert.equal(lineCountOf(file), expected.length);
  });
}

checkLines("context lines are omitted", chunk("a\nbcd\ne\n", 7, [[8, 2, 8, 3]]), ["8 b<c>d"]);
checkLines(
  "line breaks are not part of lines",
  chunk("a\r\nb\r\n", 1, [
    [1, 1, 1, 2],
    [2, 1, 2, 2],
  ]),
  ["1 <a>", "2 <b>"],
);
checkLines(
  "several matches on a line share its row",
  chunk("aa a", 1, [
    [1, 1, 1, 2],
    [1, 4, 1, 5],
  ]),
  ["1 <a>a <a>"],
);
checkLines("columns count code points", chunk("😀é😀x", 1, [[1, 3, 1, 5]]), ["1 😀é<😀x>"]);
checkLines("a match over several lines ends with the first line", chunk("ab\ncd\n", 1, [[1, 2, 2, 2]]), [
  "1 a<b>",
]);
checkLines("an empty match has a position", chunk("ab", 1, [[1, 2, 1, 2]]), ["1 a<>b"]);
checkLines("a match past the end of the content is at the end", chunk("ab", 1, [[1, 9, 1, 12]]), ["1 ab<>"]);

test("a line has the kind of a definition if each match names one", () => {
  const file = chunk("a b\nc\n", 1, [
    [1, 1, 1, 2],
    [2, 1, 2, 2],
  ]);
  const kindsOf = (...kinds: string[]) => {
    const parent = { symbol: "", kind: "" };
    const symbols = kinds.map((kind) => ({ symbol: "x", kind, parent }));
    return linesOf({ ...file, chunks: file.chunks.map((each) => ({ ...each, symbols })) }).map(
      ({ symbolKind }) => symbolKind,
    );
  };
  assert.deepEqual(kindsOf("class", "method"), ["class", "method"]);
  assert.deepEqual(kindsOf("class"), [undefined, undefined]);
});

function checkRow(text: string, found: string, expected: string): void {
  test(`a row of ${text.length} characters with ${found}`, () => {
    const start = text.indexOf(found);
    const row = rowText({ text, matches: [[start, start + found.length]] });
    const [mark = [0, 0]] = row.marks;
    const marked = `${row.text.slice(0, mark[0])}<${row.text.slice(...mark)}>${row.text.slice(mark[1])}`;
    assert.equal(marked, expected);
  });
}

checkRow("\t\tif (found) {", "found", "if (<found>) {");
checkRow("   found", "   ", "<   >found");
checkRow(`${"word ".repeat(100)}found`, "found", `…${"word ".repeat(4)}<found>`);
checkRow(`${"x".repeat(500)}found`, "found", `…${"x".repeat(21)}<found>`);
checkRow(
  "\tif err := client.execute(request, found); err != nil {",
  "found",
  "…ent.execute(request, <found>); err != nil {",
);
checkRow(
  "export const handler = createHandler({ retryWithBackoff });",
  "retryWithBackoff",
  "…Handler({ <retryWithBackoff> });",
);
checkRow("const limit = { deadlineMs: 1 };", "deadlineMs", "const limit = { <deadlineMs>: 1 };");
checkRow(`found ${"y".repeat(500)}`, "found", `<found> ${"y".repeat(244)}…`);
checkRow(`a${"\u202e"}b found`, "found", "a\uFFFDb <found>");
checkRow("found\t\u0007!", "found", "<found> \uFFFD!");

test("a line is cut only if its match would not be visible in a row of that width", () => {
  const text = "const response = await client.execute(request, found);";
  const first = text.indexOf("found");
  const rowOf = (columns: number) => rowText({ text, matches: [[first, first + 5]] }, columns).text;
  assert.equal(rowOf(60), text);
  assert.equal(rowOf(40), "…client.execute(request, found);");
  assert.equal(rowOf(20), "…e(request, found);");
  assert.equal(rowOf(12), "…st, found);");
});

function checkCommit(columns: number, subject: string, author: string, expected: string): void {
  test(`a commit in ${columns} columns: ${subject}`, () => {
    const summary = { subject, author, age: "3 days ago", repository: "go-kit" };
    const { label, description } = commitText(summary, columns);
    assert.equal(`${label} | ${description}`, expected);
  });
}

checkCommit(
  80,
  "Name the longest wait",
  "Ada Lovelace",
  "Name the longest wait | Ada Lovelace · 3 days ago · go-kit",
);
checkCommit(
  59,
  "Name the longest wait of all",
  "Ada Lovelace",
  "Name the longest wait o… | Ada Lovelace · 3 days ago · go-kit",
);
checkCommit(34, "Name the longest wait of all", "Ada Lovelace", "Name the lo… | Ada · 3 days ago · go-kit");
checkCommit(34, "👍👍👍👍👍👍👍👍👍👍👍👍👍", "Ada", "👍👍👍👍👍👍👍👍👍👍👍… | Ada · 3 days ago · go-kit");

test("a match longer than a row is marked up to the row's end", () => {
  const row = rowText({ text: "z".repeat(400), matches: [[0, 400]] });
  assert.deepEqual(row.marks, [[0, 250]]);
});

test("control characters are replaced without moving other text", () => {
  const text = "a\u202eb\u2066c\u0000d\ud800e";
  assert.equal(visible(text), "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe");
  assert.equal(visible(text).length, text.length);
});

function checkBlock(text: string, language: string, expected: string): void {
  test(`code block of ${JSON.stringify(text)}`, () => assert.equal(codeBlock(text, language), expected));
}

checkBlock("a", "Go", "```go\na\n```\n");
checkBlock("a\n```\n[x](command:evil)", "", "````\na\n```\n[x](command:evil)\n````\n");
checkBlock("a\r```\u2028````b", "C++\n", "`````c++\na\n```\n````b\n`````\n");
