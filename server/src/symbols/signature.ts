/** What a person reads of a definition before they go there: its head, and what is said of it. */

import type { Node } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import type { DecodedText } from "./sourceText";
import type { Signature } from "./symbols";

const maxSignatureLines = 12;
const maxSignatureLength = 2000;
const maxDocumentationLength = 8000;
/** Comments of one line each, above one another. */
const maxComments = 100;

export function signatureOf(definition: Definition, root: Node, source: DecodedText): Signature {
  const { text } = source;
  const start = source.indexAt(definition.start);
  const end = source.indexAt(definition.end);
  const nameEnd = source.indexAt(definition.nameEnd);
  const whole = wholeNode(root.descendantForIndex(start, Math.max(start, end - 1)), start, end);
  const body = whole === null ? null : bodyOf(whole, nameEnd);
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const from = text.slice(lineStart, start).length <= maxSignatureLength ? lineStart : start;
  const to = Math.min(body?.startIndex ?? end, from + maxSignatureLength);
  return {
    signature: headOf(text.slice(from, to)),
    documentation: (commentBefore(whole, text) || stringAtBeginning(body, text)).slice(
      0,
      maxDocumentationLength,
    ),
  };
}

/** The node of the definition itself: the smallest with its range. */
function wholeNode(node: Node | null, start: number, end: number): Node | null {
  let found = node;
  while (found !== null && (found.startIndex > start || found.endIndex < end)) found = found.parent;
  return found;
}

/** A body may stand a few levels down: `x = () => { … }`. */
function bodyOf(whole: Node, nameEnd: number): Node | null {
  let level: Node[] = [whole];
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    const below: Node[] = [];
    for (const node of level.slice(0, 50)) {
      const body = node.childForFieldName("body");
      if (body !== null && body.startIndex >= nameEnd) return body;
      for (let index = 0; index < Math.min(node.namedChildCount, 20); index++) {
        const child = node.namedChild(index);
        if (child === null) continue;
        if (
          /(?:_|^)(?:body|block|compound_statement|declaration_list|field_declaration_list)$/.test(child.type)
        ) {
          if (child.startIndex >= nameEnd) return child;
        } else below.push(child);
      }
    }
    level = below;
  }
  return null;
}

/** Without the indentation that all lines share, and without what opens a body. */
function headOf(text: string): string {
  const lines = text.replace(/\t/g, "    ").trimEnd().split("\n").slice(0, maxSignatureLines);
  const filled = lines.filter((line) => line.trim() !== "");
  const indentation = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return filled
    .map((line) => line.slice(indentation).trimEnd())
    .join("\n")
    .replace(/\s*(?:\{|=>|=|\bdo|\bthen|\bwhere)?$/, "")
    .trim();
}

/** The comment that ends right before it, decorators and attributes aside. */
function commentBefore(whole: Node | null, text: string): string {
  let node = whole;
  if (node === null) return "";
  // What is exported, decorated or made a template is one with its word.
  for (let parent = node.parent; parent?.parent; parent = parent.parent) {
    if (parent.startPosition.row !== node.startPosition.row && !/decorat|template/.test(parent.type)) break;
    if (text.slice(parent.startIndex, node.startIndex).length > maxSignatureLength) break;
    if (/block|body|program|source|module|unit|list/.test(parent.type)) break;
    node = parent;
  }
  const comments: string[] = [];
  let next = node;
  for (let before = node.previousSibling; before !== null && comments.length < maxComments; ) {
    const isComment = /comment/.test(before.type);
    if (!isComment && !/attribute|annotation|decorator/.test(before.type)) break;
    const between = text.slice(before.endIndex, next.startIndex);
    const gap = (between.match(/\n/g) ?? []).length + (text[before.endIndex - 1] === "\n" ? 1 : 0);
    if (gap > 1 || between.trim() !== "") break;
    // What stands behind code on its line speaks of that.
    const line = text.slice(text.lastIndexOf("\n", before.startIndex - 1) + 1, before.startIndex);
    if (isComment && line.trim() !== "") break;
    if (isComment) comments.unshift(before.text);
    next = before;
    before = before.previousSibling;
  }
  return comments.map(withoutMarks).join("\n").trim();
}

function stringAtBeginning(body: Node | null, text: string): string {
  const first = body?.firstNamedChild;
  if (first?.type !== "expression_statement" || first.firstNamedChild?.type !== "string") return "";
  const written = text.slice(first.startIndex, first.endIndex);
  return dedented(written.replace(/^[a-zA-Z]*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, ""));
}

function withoutMarks(comment: string): string {
  if (comment.startsWith("/*"))
    return dedented(
      comment
        .replace(/^\/\*+!?/, "")
        .replace(/\**\*\/$/, "")
        .replace(/^[ \t]*\*(?!\/) ?/gm, ""),
    );
  return comment
    .split("\n")
    .map((line) => line.trim().replace(/^(?:\/\/[/!]?|#+|--+|;+|%+)[ \t]?/, ""))
    .join("\n");
}

function dedented(text: string): string {
  const [first = "", ...rest] = text.replace(/\t/g, "    ").split("\n");
  const filled = rest.filter((line) => line.trim() !== "");
  const indentation = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return [first.trim(), ...rest.map((line) => line.slice(indentation).trimEnd())].join("\n").trim();
}
