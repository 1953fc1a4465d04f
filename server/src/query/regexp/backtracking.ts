import { childrenOf, classHas, newline, type Syntax } from "./syntax";

/** An upper bound on the work of V8's backtracking engine at one position of a text. */
interface Cost {
  /** The number of ways in which the node can match there. */
  readonly ways: number;
  readonly steps: number;
}

/** The limit for all positions of a text: tens of milliseconds in the worst case. */
const maxStepsPerText = 200 * 64 * 1024;

/**
 * Returns true if no text of up to `maxLength` characters can make the backtracking engine slow.
 *
 * Two kinds of unbounded repetition are allowed: one at the end of the expression, because nothing after it can fail
 * and cause backtracking, and a single one after `^`, which is tried once per line.
 */
export function isHarmless(root: Syntax, maxLength: number): boolean {
  const maxStepsPerPosition = maxStepsPerText / maxLength;
  if (costOf(root, true).steps <= maxStepsPerPosition) return true;
  if (root.kind !== "concat" || root.children[0]?.kind !== "lineStart") return false;
  const unbounded = root.children.filter((child) => child.kind === "repeat" && !Number.isFinite(child.max));
  const rest = root.children.filter((child) => !unbounded.includes(child));
  const [first] = unbounded;
  return (
    unbounded.length === 1 &&
    first?.kind === "repeat" &&
    staysInLine(first.child) &&
    costOf({ kind: "concat", children: rest }, false).steps <= maxStepsPerPosition
  );
}

function costOf(node: Syntax, isLast: boolean): Cost {
  switch (node.kind) {
    case "literal":
      return { ways: 1, steps: node.codePoints.length };
    case "concat":
      return costOfAll(node.children, isLast);
    case "alternate": {
      const branches = childrenOf(node).map((child) => costOf(child, isLast));
      return {
        ways: branches.reduce((sum, branch) => sum + branch.ways, 0),
        steps: branches.reduce((sum, branch) => sum + branch.steps + 1, 0),
      };
    }
    case "repeat":
      return costOfRepeat(node.child, node.min, node.max, isLast);
    default:
      return { ways: 1, steps: 1 };
  }
}

function costOfAll(children: readonly Syntax[], isLast: boolean): Cost {
  let ways = 1;
  let steps = 0;
  for (const [index, child] of children.entries()) {
    const cost = costOf(child, isLast && index === children.length - 1);
    steps += ways * cost.steps;
    ways *= cost.ways;
  }
  return { ways, steps };
}

function costOfRepeat(child: Syntax, min: number, max: number, isLast: boolean): Cost {
  const once = costOf(child, false);
  if (!Number.isFinite(max)) {
    // The search continues after the match, so no character of such a run is visited twice.
    if (isLast && isCharacter(child)) return { ways: 1, steps: min + 1 };
    return { ways: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };
  }
  let ways = 0;
  let steps = 0;
  let arriving = 1;
  for (let count = 0; count <= max && Number.isFinite(steps); count++) {
    if (count >= min) ways += arriving;
    if (count < max) steps += arriving * once.steps + 1;
    arriving *= once.ways;
  }
  return { ways, steps };
}

function isCharacter(node: Syntax): boolean {
  return node.kind === "class" || (node.kind === "literal" && node.codePoints.length === 1);
}

function staysInLine(node: Syntax): boolean {
  if (node.kind === "class") return !classHas(node.ranges, newline);
  return node.kind === "literal" && node.codePoints.length === 1 && node.codePoints[0] !== newline;
}
