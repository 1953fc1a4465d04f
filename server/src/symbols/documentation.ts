/** What a text says of a definition: a comment before or behind it, or a string, where its language has such. */

import type { Node } from "web-tree-sitter";

const maxLength = 8000;
/** Comments of one line each, above one another. */
const maxComments = 1000;
/** What stands between a definition and its comment. */
const maxLineLength = 2000;

/** `end`: where the definition ends. `isLine`: it may be said behind it, as of fields. */
export function documentationOf(
  whole: Node | null,
  body: Node | null,
  end: number,
  isLine: boolean,
  root: Node,
  text: string,
): string {
  const found =
    (whole !== null && commentBefore(whole, text)) ||
    stringAtBeginning(body, text) ||
    attributeIn(whole) ||
    (whole !== null && isLine && commentBehind(whole, end, root, text)) ||
    "";
  return found.slice(0, maxLength);
}

export function isComment(node: Node): boolean {
  return /comment|haddock/.test(node.type);
}

/** The comment that ends right before it, decorators and attributes aside. */
function commentBefore(whole: Node, text: string): string {
  const node = outermost(whole);
  const comments: string[] = [];
  let next = node;
  for (let before = node.previousSibling; before !== null && comments.length < maxComments; ) {
    const isSaid = isComment(before);
    if (!isSaid && !isAttribute(before)) break;
    const between = text.slice(before.endIndex, next.startIndex);
    const gap = (between.match(/\n/g) ?? []).length + (text[before.endIndex - 1] === "\n" ? 1 : 0);
    if (gap > 1 || between.trim() !== "") break;
    // What stands behind code on its line speaks of that.
    const line = text.slice(text.lastIndexOf("\n", before.startIndex - 1) + 1, before.startIndex);
    if (isSaid && (line.trim() !== "" || isBehindItsField(before, node))) break;
    const said = isSaid ? withoutMarks(before.text.trimEnd()) : saidIn(before);
    if (!isSaid && said !== undefined) return said;
    if (said !== undefined) comments.push(said);
    next = before;
    before = before.previousSibling;
  }
  return comments.reverse().join("\n").trim();
}

/** What is exported, decorated or made a template is one with its word. */
function outermost(whole: Node): Node {
  let node = whole;
  for (let parent = node.parent; parent?.parent; parent = parent.parent) {
    if (parent.startPosition.row !== node.startPosition.row && !/decorat|template/.test(parent.type)) break;
    if (node.startIndex - parent.startIndex > maxLineLength) break;
    if (/block|body|program|source|module|unit|list/.test(parent.type)) break;
    node = parent;
  }
  return node;
}

function isAttribute(node: Node): boolean {
  if (/attribute|annotation|decorator/.test(node.type)) return true;
  return /^(?:doc|typedoc|spec|impl|deprecated|dialyzer)$/.test(attributeName(node));
}

/** OCaml's comments of fields and constructors stand behind them. */
function isBehindItsField(comment: Node, node: Node): boolean {
  return comment.text.startsWith("(*") && /^(?:field|constructor)_declaration$/.test(node.type);
}

/** Behind it on its line, or where its language has it so on the next one. */
function commentBehind(whole: Node, end: number, root: Node, text: string): string {
  const from = Math.max(end, whole.endIndex);
  const last = whole.lastChild;
  if (last !== null && isComment(last)) return withoutMarks(last.text.trimEnd()).trim();
  const mark = /^[ \t]*[;,]?[ \t]*(?:\r?\n[ \t]*(?=\(\*))?/.exec(text.slice(from, from + maxLineLength));
  const start = from + (mark?.[0].length ?? 0);
  if (start >= text.length) return "";
  let comment = root.descendantForIndex(start, start);
  while (comment !== null && !isComment(comment) && comment.startIndex === start) comment = comment.parent;
  if (comment === null || comment.startIndex !== start) return "";
  const isNextLine = comment.startPosition.row !== whole.endPosition.row;
  if (isNextLine && !isBehindItsField(comment, whole)) return "";
  return withoutMarks(comment.text.trimEnd()).trim();
}

function stringAtBeginning(body: Node | null, text: string): string {
  const first = body?.firstNamedChild;
  if (first?.type !== "expression_statement" || first.firstNamedChild?.type !== "string") return "";
  const written = text.slice(first.startIndex, first.endIndex);
  return dedented(written.replace(/^[a-zA-Z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, ""));
}

/** Elixir's `@moduledoc`, one of the first in its module. */
function attributeIn(whole: Node | null): string {
  const block = whole?.lastNamedChild;
  if (block?.type !== "do_block") return "";
  for (const child of block.namedChildren.slice(0, 20)) {
    const said = child === null ? undefined : saidIn(child, /^moduledoc$/);
    if (said !== undefined) return said;
  }
  return "";
}

/** The name of Elixir's `@name …`; `""` of anything else. */
function attributeName(node: Node): string {
  const call = node.type === "unary_operator" ? node.childForFieldName("operand") : null;
  return call?.childForFieldName("target")?.text ?? "";
}

/** The text of Elixir's `@doc "…"`. */
function saidIn(attribute: Node, names = /^(?:type)?doc$/): string | undefined {
  if (!names.test(attributeName(attribute))) return undefined;
  const written = attribute.childForFieldName("operand")?.lastNamedChild?.firstNamedChild;
  if (written?.type !== "string" && written?.type !== "sigil") return undefined;
  const quoted = written.namedChildren.find((child) => child?.type === "quoted_content");
  return quoted === undefined ? undefined : dedented(quoted?.text ?? "");
}

function withoutMarks(comment: string): string {
  if (/^(?:\/\*|\(\*|\{-)/.test(comment))
    return dedented(
      comment
        .replace(/^(?:\/\*+[!<]*|\(\*+|\{-\s?[|^]?)/, "")
        .replace(/(?:\**\*[/)]|-\})$/, "")
        .replace(/^[ \t]*\*(?!\/) ?/gm, ""),
    );
  return comment
    .split("\n")
    .map((line) =>
      line.trim().replace(/^(?:\/\/[/!]?<?|#+(?:'(?=\s|$))?|--+(?: [|^](?=\s|$))?|;+|%+)[ \t]?/, ""),
    )
    .join("\n");
}

function dedented(text: string): string {
  const [first = "", ...rest] = text.replace(/\t/g, "    ").split("\n");
  const filled = rest.filter((line) => line.trim() !== "");
  const indentation = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return [first.trim(), ...rest.map((line) => line.slice(indentation).trimEnd())].join("\n").trim();
}
