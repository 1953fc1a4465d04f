/**
 * Finds the bodies of anonymous classes and objects. They are not definitions, but their members are not local to the
 * enclosing function.
 */
import type { Node } from "web-tree-sitter";

/** A range of UTF-16 indices. */
export interface Body {
  readonly start: number;
  readonly end: number;
}

/** Real code is not nested deeper. */
const maxDepth = 32;
const bodies = /^(?:class_body|template_body|object)$/;

/** Returns the innermost body that contains `index` and begins at or after `from`. */
export function enclosingBody(index: number, from: number, root: Node): Body | undefined {
  let node = root.descendantForIndex(index);
  for (let depth = 0; node !== null && depth < maxDepth && node.startIndex >= from; depth++) {
    const { type, startIndex: start, endIndex: end } = node;
    node = node.parent;
    const isAnonymous = type === "declaration_list" && node?.type === "anonymous_class";
    if (isAnonymous || bodies.test(type)) return { start, end };
  }
  return undefined;
}
