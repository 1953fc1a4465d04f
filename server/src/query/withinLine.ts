import { newline, type Syntax } from "./syntax";

/**
 * The same expression for texts of one line that stand under one another, such as paths: nothing matches a newline, and
 * the ends of the text are those of the line.
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
  const kept: number[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] ?? 0;
    const last = ranges[at + 1] ?? 0;
    if (first > newline || last < newline) kept.push(first, last);
    else {
      if (first < newline) kept.push(first, newline - 1);
      if (last > newline) kept.push(newline + 1, last);
    }
  }
  return kept.length === 0 ? { kind: "nothing" } : { kind: "class", ranges: kept };
}
