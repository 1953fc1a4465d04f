import { newline, type Syntax } from "./syntax";

/**
 * Restricts an expression to single lines, for lists of one-line texts such as paths: nothing matches a newline, and
 * the ends of the text become the ends of the line.
 */
export function withinLine(node: Syntax): Syntax {
  switch (node.kind) {
    case "textStart":
      return { kind: "lineStart" };
    case "textEnd":
      return { kind: "lineEnd" };
    case "literal":
      return node.codePoints.includes(newline) ? { kind: "nothing" } : node;
    case "class":
      return withoutNewline(node.ranges);
    case "repeat":
      return { ...node, child: withinLine(node.child) };
    case "concat":
    case "alternate":
      return { ...node, children: node.children.map(withinLine) };
    default:
      return node;
  }
}

function withoutNewline(ranges: readonly number[]): Syntax {
  const remaining: number[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] ?? 0;
    const last = ranges[at + 1] ?? 0;
    if (first > newline || last < newline) remaining.push(first, last);
    else {
      if (first < newline) remaining.push(first, newline - 1);
      if (last > newline) remaining.push(newline + 1, last);
    }
  }
  return remaining.length === 0 ? { kind: "nothing" } : { kind: "class", ranges: remaining };
}
