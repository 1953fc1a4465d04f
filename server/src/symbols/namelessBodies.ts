/** Bodies of classes without a name, and of objects: no definitions, but what is in them is in no function around them. */
import type { Node } from "web-tree-sitter";

/** In indices of the text. */
export interface Body {
  readonly start: number;
  readonly end: number;
}

/** Deeper ones are written by nobody. */
const maxDepth = 32;
const bodies = /^(?:class_body|template_body|object)$/;

/** The innermost one around `index` that begins at `from` or behind. */
export function bodyAround(index: number, from: number, root: Node): Body | undefined {
  let node = root.descendantForIndex(index);
  for (let depth = 0; node !== null && depth < maxDepth && node.startIndex >= from; depth++) {
    const { type, startIndex: start, endIndex: end } = node;
    node = node.parent;
    const isAnonymous = type === "declaration_list" && node?.type === "anonymous_class";
    if (isAnonymous || bodies.test(type)) return { start, end };
  }
  return undefined;
}
