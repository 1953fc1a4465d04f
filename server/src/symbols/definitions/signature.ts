/** Extracts the head and the documentation of a definition, for hovers. */

import type { Node } from "web-tree-sitter";
import type { Definition, SymbolKind } from "#model/symbol";
import type { DecodedText } from "#symbols/sourceText";
import type { Signature } from "#symbols/symbols";
import { documentationOf, isComment } from "./documentation";

const maxSignatureLines = 12;
const maxSignatureLength = 2000;
/** Kinds whose value is part of the signature. */
const valued: ReadonlySet<SymbolKind> = new Set(["variable", "constant", "field", "property", "enumMember"]);

export function signatureOf(definition: Definition, root: Node, source: DecodedText): Signature {
  const { text } = source;
  const start = source.indexAt(definition.start);
  const end = source.indexAt(definition.end);
  const nameStart = source.indexAt(definition.nameStart);
  const nameEnd = source.indexAt(definition.nameEnd);
  const name = root.descendantForIndex(nameStart, Math.max(nameStart, nameEnd - 1));
  const whole = wholeNode(name, start, end);
  const body = whole === null ? null : bodyOf(whole, nameEnd);
  const includesBody =
    body !== null && (valued.has(definition.kind) || whole?.type === "bind") && isValue(body);
  const headEnd = whole === null ? end : endOfHead(whole, includesBody ? null : body, nameEnd);
  const isLine = valued.has(definition.kind) || definition.kind === "macro";
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const from = isBalanced(text.slice(lineStart, start)) ? lineStart : start;
  const to = Math.min(headEnd, from + maxSignatureLength);
  return {
    signature: headOf(text.slice(from, to), headEnd < end),
    documentation: documentationOf(whole, body, end, isLine, root, text),
  };
}

/** Returns the node of a definition. If it consists of parts, returns the part with the name. */
function wholeNode(name: Node | null, start: number, end: number): Node | null {
  let found = name;
  for (let node = name; node !== null && node.startIndex >= start && node.endIndex <= end; node = node.parent)
    if (found === null || node.startIndex < found.startIndex || node.endIndex > found.endIndex) found = node;
  return found;
}

/** Finds the body of a definition, which may be a few levels down: `x = () => { … }`. */
function bodyOf(whole: Node, nameEnd: number): Node | null {
  let level: Node[] = [whole];
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    const nextLevel: Node[] = [];
    for (const node of level.slice(0, 50)) {
      for (const field of ["body", "computed_value", "match"]) {
        const body = node.childForFieldName(field);
        if (body !== null && body.startIndex >= nameEnd) return body;
      }
      for (let index = 0; index < Math.min(node.namedChildCount, 20); index++) {
        const child = node.namedChild(index);
        if (child === null) continue;
        if (
          /(?:_|^)(?:body|block|compound_statement|declaration_list|field_declaration_list)$/.test(child.type)
        ) {
          if (child.startIndex >= nameEnd) return child;
        } else nextLevel.push(child);
      }
    }
    level = nextLevel;
  }
  return null;
}

/** Whether a body is a value, as in `let x = 5`. */
function isValue(body: Node): boolean {
  return body.startPosition.row === body.endPosition.row && !body.text.startsWith("{");
}

/**
 * Returns the end of a definition's head, before any comments at the start of its body. In the tree, these precede the
 * node of the body, and a body that consists only of comments has no node.
 */
function endOfHead(whole: Node, body: Node | null, nameEnd: number): number {
  let end = body?.startIndex ?? whole.endIndex;
  for (let before = body === null ? whole.lastChild : body.previousSibling; before !== null; ) {
    if (before.startIndex < nameEnd || (before.isNamed && !isComment(before))) break;
    if (isComment(before)) end = before.startIndex;
    else if (body !== null) break;
    before = before.previousSibling;
  }
  return end;
}

/** Whether the text before a definition has balanced parentheses. */
function isBalanced(text: string): boolean {
  if (text.length > maxSignatureLength) return false;
  const count = (brackets: RegExp) => text.match(brackets)?.length ?? 0;
  return count(/[([{]/g) === count(/[)\]}]/g);
}

/** Strips the common indentation, and the token that opens a body. */
function headOf(text: string, isCut: boolean): string {
  const lines = text.replace(/\t/g, "    ").trimEnd().split("\n").slice(0, maxSignatureLines);
  const filled = lines.filter((line) => line.trim() !== "");
  const indentation = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  const head = filled
    .map((line) => line.slice(indentation).trimEnd())
    .join("\n")
    .replace(isCut ? /\s*(?:\{|=>|=|:|\bdo|\bthen|\bwhere)?$/ : /\s*(?:\{|=>|=|\n\s*end)?$/, "");
  return head.trim();
}
