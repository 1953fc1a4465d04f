/**
 * Estimates how long V8 takes to compile an expression. Nothing can interrupt V8 while it compiles: no time limit, no
 * cancellation, not even terminating the thread. So this file decides from the syntax tree alone, before V8 sees
 * anything.
 *
 * Two things make compilation slow. Both were found by measurement, and this file counts them in V8's own steps:
 *
 * - *Lookahead.* Before V8 emits code, it visits every path from a choice until it has seen up to eight characters, and
 *   it does not remember which nodes it has visited. `a?` sixty times before eight `a` has about 3 billion such paths,
 *   because every choice of up to eight pieces is one. `reach` counts these paths.
 * - *Copies.* V8 emits the code after a choice again for each way of arriving there, up to ten times, and repeats a
 *   shorter lookahead (four characters) for each copy. `arrivals` counts these ways. Loops are emitted once.
 *
 * Small counted repetitions are unrolled, and a character class above U+FFFF is a choice between surrogate pairs, of
 * which `\pL` has hundreds.
 */
import { type Assertion, childrenOf, type Syntax } from "./syntax";

/** The two forms that `translate.ts` generates. */
export type Form = "ascii" | "unicode";

/** A step takes about 30 ns, so this is a few milliseconds. */
const maxSteps = 250_000;
/** For threads that must stay responsive, and compile several forms of several expressions. */
export const fewCompileSteps = 150_000;
const maxCopies = 10;
const longLookahead = 8;
const shortLookahead: Readonly<Record<Form, number>> = { ascii: 4, unicode: 2 };
/** Emitting the code of one branch takes as long as this many steps of a lookahead. */
const stepsPerBranch = 100;
/** Branches past this many, such as those for surrogate pairs, are hardly more than a comparison each. */
const maxFullBranches = 8;
/**
 * V8 unrolls repetitions of up to `maxUnrolled` iterations, and nested ones if they have up to `maxExpansion` in all.
 */
const maxUnrolled = 3;
const maxExpansion = 6;

/** Whether V8 compiles this form of the expression within a few milliseconds. */
export function compilesQuickly(root: Syntax, form: Form, limit = maxSteps): boolean {
  const walk = new CompileWalk(form);
  const reach = walk.visit(root, noReach, 1, 1);
  return walk.steps + (reach[longLookahead] ?? 0) <= limit;
}

/** For each number of characters still to be seen, how many steps a lookahead from a position takes. */
type Reach = Float64Array;

const noReach: Reach = new Float64Array(longLookahead + 1);

/** Walks the tree from its end to its beginning, in the order in which V8 builds its graph. */
class CompileWalk {
  steps = 0;
  readonly #form: Form;
  readonly #growths = new Map<Syntax, number>();

  constructor(form: Form) {
    this.#form = form;
  }

  /**
   * Returns the reach of a node. `after` is the reach of what follows it; `expansion`, how often outer nodes repeat it.
   */
  visit(node: Syntax, after: Reach, arrivals: number, expansion: number): Reach {
    if (this.steps > maxSteps) return noReach;
    this.steps++;
    switch (node.kind) {
      case "nothing":
        return noReach;
      case "empty":
        return after;
      case "literal":
        return choiceOf([consuming(after, this.#unitsOf(node.codePoints))]);
      case "class":
        return this.#visitClass(node.ranges, after, arrivals);
      case "repeat":
        return this.#visitRepeat(node, after, arrivals, expansion);
      case "concat":
        return this.#visitAll(node.children, after, arrivals, expansion);
      case "alternate": {
        const branches = node.children.map((child) => this.visit(child, after, arrivals, expansion));
        return this.#choose(branches, arrivals);
      }
      default:
        return choiceOf(new Array<Reach>(waysOf(node.kind)).fill(after));
    }
  }

  #visitAll(children: readonly Syntax[], after: Reach, arrivals: number, expansion: number): Reach {
    const arriving: number[] = [];
    let now = arrivals;
    for (const child of children) {
      arriving.push(now);
      now = grown(now, this.#growthOf(child));
    }
    return children.reduceRight(
      (reach, child, index) => this.visit(child, reach, arriving[index] ?? 1, expansion),
      after,
    );
  }

  #visitRepeat(
    node: Extract<Syntax, { kind: "repeat" }>,
    after: Reach,
    arrivals: number,
    expansion: number,
  ): Reach {
    const { child, min, max } = node;
    const copies = Math.max(1, min) + (max > min && min > 0 ? 1 : 0);
    const isShort = min <= maxUnrolled && (min > 0 || max <= maxUnrolled);
    const inner = expansion * (min > 0 ? copies : max);
    if (isShort && inner <= maxExpansion) {
      let reach = after;
      if (max === Number.POSITIVE_INFINITY) reach = this.#loop(child, after, inner);
      else
        for (let count = min; count < max; count++)
          reach = this.#option(child, reach, after, arrivals, inner);
      for (let count = 0; count < min; count++) reach = this.visit(child, reach, arrivals, inner);
      return reach;
    }
    return this.#loop(child, after, expansion);
  }

  #option(child: Syntax, next: Reach, after: Reach, arrivals: number, expansion: number): Reach {
    return this.#choose([this.visit(child, next, arrivals, expansion), after], arrivals);
  }

  /** A lookahead enters a loop once, and everything that arrives at one jumps to the same code. */
  #loop(child: Syntax, after: Reach, expansion: number): Reach {
    return this.#choose([this.visit(child, after, 1, expansion), after], 1);
  }

  #visitClass(ranges: readonly number[], after: Reach, arrivals: number): Reach {
    const { single, pairs } = this.#branchesOf(ranges);
    if (single === 1 && pairs === 0) return choiceOf([consuming(after, 1)]);
    const ones = new Array<Reach>(single).fill(consuming(after, 1));
    return this.#choose([...ones, ...new Array<Reach>(pairs).fill(consuming(after, 2))], arrivals);
  }

  #choose(branches: readonly Reach[], arrivals: number): Reach {
    const reach = choiceOf(branches);
    const emitted = stepsPerBranch * Math.min(branches.length, maxFullBranches) + branches.length;
    this.steps += Math.min(maxCopies, arrivals) * (emitted + (reach[shortLookahead[this.#form]] ?? 0));
    return reach;
  }

  #unitsOf(codePoints: readonly number[]): number {
    if (codePoints.length >= longLookahead) return longLookahead;
    return codePoints.reduce((sum, codePoint) => sum + (codePoint > lastSingle ? 2 : 1), 0);
  }

  /** Counts the branches into which V8 splits a class: single UTF-16 units and surrogate pairs. */
  #branchesOf(ranges: readonly number[]): { readonly single: number; readonly pairs: number } {
    if (this.#form === "ascii") return { single: 1, pairs: 0 };
    const isSurrogate = (index: number) =>
      (ranges[index] ?? 0) <= lastSurrogate && (ranges[index + 1] ?? 0) >= firstSurrogate;
    let single = 1;
    let pairs = 0;
    for (let at = 0; at < ranges.length; at += 2) {
      if (isSurrogate(at)) single = 3;
      const first = Math.max(ranges[at] ?? 0, lastSingle + 1);
      const last = ranges[at + 1] ?? 0;
      if (first > last) continue;
      const isPartial = (first & unitMask) !== 0 || (last & unitMask) !== unitMask;
      pairs += first >> unitBits === last >> unitBits || !isPartial ? 1 : 3;
    }
    return { single, pairs };
  }

  /**
   * Returns the factor by which a node multiplies the ways of arriving after it; 0 if there is only one way regardless.
   */
  #growthOf(node: Syntax): number {
    const known = this.#growths.get(node);
    if (known !== undefined) return known;
    const growth = this.#measureGrowth(node);
    this.#growths.set(node, growth);
    return growth;
  }

  #measureGrowth(node: Syntax): number {
    switch (node.kind) {
      case "class": {
        const { single, pairs } = this.#branchesOf(node.ranges);
        return single + pairs;
      }
      case "concat":
        return node.children.reduce((growth, child) => grown(growth, this.#growthOf(child)), 1);
      case "alternate":
        return childrenOf(node).reduce((sum, child) => sum + Math.max(1, this.#growthOf(child)), 0);
      case "repeat":
        if (node.max > maxUnrolled) return 0;
        return 1 + node.max * Math.max(1, this.#growthOf(node.child));
      case "literal":
      case "empty":
      case "nothing":
        return 1;
      default:
        return waysOf(node.kind);
    }
  }
}

const lastSingle = 0xffff;
const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;
/** Code points that share a lead surrogate differ in their last ten bits. */
const unitBits = 10;
const unitMask = (1 << unitBits) - 1;

function grown(arrivals: number, growth: number): number {
  return growth === 0 ? 1 : Math.min(maxCopies, arrivals * growth);
}

/** Most assertions are translated to a choice of two, and V8 emits what follows a word boundary for both its sides. */
function waysOf(kind: Assertion): number {
  return kind === "textStart" || kind === "textEnd" ? 1 : 2;
}

function consuming(after: Reach, units: number): Reach {
  const reach = new Float64Array(longLookahead + 1);
  for (let left = units; left <= longLookahead; left++) reach[left] = after[left - units] ?? 0;
  return reach;
}

function choiceOf(branches: readonly Reach[]): Reach {
  const reach = new Float64Array(longLookahead + 1);
  for (let left = 1; left <= longLookahead; left++) {
    let steps = 1;
    for (const branch of branches) steps += branch[left] ?? 0;
    reach[left] = steps;
  }
  return reach;
}
