/** Finds the documentation of a definition: a comment before or after it, or a docstring. */

import type { Node } from "web-tree-sitter";

const maxLength = 8000;
/** The limit for consecutive line comments. */
const maxComments = 1000;
/** The limit for text between a definition and its comment. */
const maxLineLength = 2000;

/**
 * Returns the documentation of a definition, or `""`. `whole` is its node, and `end` its end (a UTF-16 index). With
 * `isLine`, the comment may also follow the definition, as for fields.
 */
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
    (whole !== null && isLine && commentAfter(whole, end, root, text)) ||
    "";
  return found.slice(0, maxLength);
}

export function isComment(node: Node): boolean {
  return /comment|haddock/.test(node.type);
}

/** Returns the comment directly before a definition, ignoring decorators and attributes. */
function commentBefore(whole: Node, text: string): string {
  const node = outermost(whole);
  const comments: string[] = [];
  let next = node;
  for (let before = node.previousSibling; before !== null && comments.length < maxComments; ) {
    const isDocumentation = isComment(before);
    if (!isDocumentation && !isAttribute(before)) break;
    const gapText = text.slice(before.endIndex, next.startIndex);
    const gap = (gapText.match(/\n/g) ?? []).length + (text[before.endIndex - 1] === "\n" ? 1 : 0);
    if (gap > 1 || gapText.trim() !== "") break;
    // A comment after code belongs to that code.
    const line = text.slice(text.lastIndexOf("\n", before.startIndex - 1) + 1, before.startIndex);
    if (isDocumentation && (line.trim() !== "" || followsField(before, node))) break;
    const docText = isDocumentation ? stripCommentMarkers(before.text.trimEnd()) : documentationIn(before);
    if (!isDocumentation && docText !== undefined) return docText;
    if (docText !== undefined) comments.push(docText);
    next = before;
    before = before.previousSibling;
  }
  return comments.reverse().join("\n").trim();
}

/** Extends a definition to include `export`, decorators and `template`. */
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

/** In OCaml, comments of fields and constructors follow them. */
function followsField(comment: Node, node: Node): boolean {
  return comment.text.startsWith("(*") && /^(?:field|constructor)_declaration$/.test(node.type);
}

/** Returns the comment after a definition, on its line or, in OCaml, on the next one. */
function commentAfter(whole: Node, end: number, root: Node, text: string): string {
  const from = Math.max(end, whole.endIndex);
  const last = whole.lastChild;
  if (last !== null && isComment(last)) return stripCommentMarkers(last.text.trimEnd()).trim();
  const mark = /^[ \t]*[;,]?[ \t]*(?:\r?\n[ \t]*(?=\(\*))?/.exec(text.slice(from, from + maxLineLength));
  const start = from + (mark?.[0].length ?? 0);
  if (start >= text.length) return "";
  let comment = root.descendantForIndex(start, start);
  while (comment !== null && !isComment(comment) && comment.startIndex === start) comment = comment.parent;
  if (comment === null || comment.startIndex !== start) return "";
  const isNextLine = comment.startPosition.row !== whole.endPosition.row;
  if (isNextLine && !followsField(comment, whole)) return "";
  return stripCommentMarkers(comment.text.trimEnd()).trim();
}

function stringAtBeginning(body: Node | null, text: string): string {
  const first = body?.firstNamedChild;
  if (first?.type !== "expression_statement" || first.firstNamedChild?.type !== "string") return "";
  const written = text.slice(first.startIndex, first.endIndex);
  return dedented(written.replace(/^[a-zA-Z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, ""));
}

/** Returns Elixir's `@moduledoc`, which is near the start of its module. */
function attributeIn(whole: Node | null): string {
  const block = whole?.lastNamedChild;
  if (block?.type !== "do_block") return "";
  for (const child of block.namedChildren.slice(0, 20)) {
    const docText = child === null ? undefined : documentationIn(child, /^moduledoc$/);
    if (docText !== undefined) return docText;
  }
  return "";
}

/** Returns the name of Elixir's `@name …`; `""` for anything else. */
function attributeName(node: Node): string {
  const call = node.type === "unary_operator" ? node.childForFieldName("operand") : null;
  return call?.childForFieldName("target")?.text ?? "";
}

/** Returns the text of Elixir's `@doc "…"`. */
function documentationIn(attribute: Node, names = /^(?:type)?doc$/): string | undefined {
  if (!names.test(attributeName(attribute))) return undefined;
  const written = attribute.childForFieldName("operand")?.lastNamedChild?.firstNamedChild;
  if (written?.type !== "string" && written?.type !== "sigil") return undefined;
  const quoted = written.namedChildren.find((child) => child?.type === "quoted_content");
  return quoted === undefined ? undefined : dedented(quoted?.text ?? "");
}

function stripCommentMarkers(comment: string): string {
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
