import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { parseSyntax } from "#query/regexp/re2";
import { compileExpression, type Expression, literalTrigrams } from "#query/regexp/regexp";
import { type ExpressionSource, toAsciiExpression, toUnicodeExpression } from "#query/regexp/translate";
import type { TrigramFormula } from "#query/regexp/trigramFormula";

/**
 * Runs random expressions on random texts: V8 must find what the linear engine finds, and no trigram formula may be
 * false for a matching text. Seeds are fixed, so failures are reproducible.
 */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

const atoms =
  "a|b|ab|abc|K|k|s|ks|.|[ab]|[^a]|[a-s]|[^\\n]|\\w|\\d|\\s|\\S|\\W|\\pL|\\PL|[[:alpha:]]|é|É|ß|σ|ж|^|$|\\b|\\B|\\A|\\z|\\x41|(?i:k)|(?i:s)|(?-i:k)|ſ|\u212a|\\n|\\r|😀|\\x{fffd}|_|1|\\x{2028}|(?s:.)|(?-m:$)".split(
    "|",
  );
const characters = [..."aabbckKsSABé\u00c9ßẞσςжЖ1 _\n\n\r\t\u2028\u2029😀\u212aſ\ufffd"];
const letters = [..."aaabbbccKkkSssABCéÉ\u212aſ\n "];
const ascii = characters.filter((character) => character < "\x80" && character !== "\r");

/** Mostly literals, which have trigrams. */
const texts = "a|b|ab|abc|k|K|ks|s|(?i:k)|(?i:s)|ſ|\u212a|é|(?i:é)|[ab]|[a-c]|[é-ë]|.|\\b|^"
  .split("|")
  .concat("(?:ab|ka)");

function expression(random: Random, depth: number, from: readonly string[] = atoms): string {
  switch (depth > 3 ? 0 : random.below(6)) {
    case 0:
    case 1:
      return random.pick(from);
    case 2:
      return expression(random, depth + 1, from) + expression(random, depth + 1, from);
    case 3:
      return `(?:${expression(random, depth + 1, from)}|${expression(random, depth + 1, from)})`;
    case 4:
      return `(${expression(random, depth + 1, from)})${random.pick(["*", "+", "?", "{0,2}", "*?", "+?", "??", "{2}", "{2,}", "{1,3}?"])}`;
    default:
      return (
        random.pick(["(?i)", "(?s)", "(?-m)", "(?-i)", "(?U)", ""]) + expression(random, depth + 1, from)
      );
  }
}

function compile(source: string, caseSensitive: boolean): Expression | undefined {
  try {
    return compileExpression(source, caseSensitive);
  } catch (error) {
    if (isServiceError(error, "FAILED_TO_PARSE_QUERY")) return undefined;
    throw error;
  }
}

/** The V8 form of an expression, even if V8 would not run it. */
function formOf({ source, caseSensitive }: Expression, isAscii = false): ExpressionSource {
  const syntax = parseSyntax(source, caseSensitive);
  return isAscii ? toAsciiExpression(syntax) : toUnicodeExpression(syntax);
}

function text(random: Random, from: readonly string[], maxLength: number): string {
  return Array.from({ length: random.below(maxLength) }, () => random.pick(from)).join("");
}

/** A loop whose body may match the empty string: matches may end elsewhere (see `translate.ts`). */
const mayLoopOnNothing = /[)][*+?{]/;

test("V8 and the linear engine find the same matches", () => {
  const random = new Random(20_26);
  let compared = 0;
  let matched = 0;
  while (compared < 20_000) {
    const source = expression(random, 0);
    const compiled = compile(source, random.below(2) === 0);
    if (compiled === undefined) continue;
    for (let round = 0; round < 4; round++) {
      const isAscii = round % 2 === 0;
      const dialect = formOf(compiled, isAscii);
      const haystack = text(random, isAscii ? ascii : characters, 12);
      const found = new RegExp(dialect.source, dialect.flags).exec(haystack);
      const expected: [number, number] | undefined = compiled.findLinear(haystack, 0);
      const shown: string = JSON.stringify({
        source,
        haystack,
        dialect,
        caseSensitive: compiled.caseSensitive,
      });
      assert.equal(found !== null, expected !== undefined, shown);
      if (found !== null && !mayLoopOnNothing.test(source)) {
        assert.deepEqual([found.index, found.index + found[0].length], expected, shown);
      }
      compared++;
      if (found !== null) matched++;
    }
  }
  assert.ok(matched > compared / 4, `only ${matched} of ${compared} matched`);
});

test("the linear engine continues from an offset", () => {
  const random = new Random(7);
  for (let round = 0; round < 3000; round++) {
    const compiled = compile(expression(random, 0), true);
    if (compiled === undefined || mayLoopOnNothing.test(compiled.source)) continue;
    const haystack = text(random, characters, 20);
    const from = random.below(haystack.length + 2);
    // No search begins between the halves of a surrogate pair.
    if (/[\udc00-\udfff]/.test(haystack[from] ?? "")) continue;
    const form = formOf(compiled);
    const script = new RegExp(form.source, `${form.flags}g`);
    script.lastIndex = from;
    const found = script.exec(haystack);
    const shown = JSON.stringify({ source: compiled.source, haystack, from });
    assert.deepEqual(
      compiled.findLinear(haystack, from),
      found === null ? undefined : [found.index, script.lastIndex],
      shown,
    );
  }
});

test("searching line by line is equivalent unless an expression needs the whole document", () => {
  const random = new Random(99);
  for (let round = 0; round < 6000; round++) {
    const compiled = compile(expression(random, 0), true);
    if (compiled === undefined || compiled.needsWholeDocument) continue;
    const haystack = text(random, characters, 20);
    const form = formOf(compiled);
    const script = new RegExp(form.source, form.flags);
    const whole = script.test(haystack);
    const byLine = haystack.split("\n").some((line) => script.test(line));
    assert.equal(byLine, whole, JSON.stringify({ source: compiled.source, haystack }));
  }
});

/** The trigrams of a text in the index, as `folding.ts` describes. Brute force, on strings of bytes. */
function indexedTrigrams(haystack: string): Set<number> {
  const found = new Set<number>();
  const forms = [haystack, haystack.replaceAll("\u212a", "k").replaceAll("ſ", "s")];
  for (const form of forms) {
    const bytes = new TextEncoder().encode(form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
    for (let at = 0; at + 3 <= bytes.length; at++) {
      const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
      if (first !== 10 && second !== 10 && third !== 10) found.add((first << 16) | (second << 8) | third);
    }
  }
  return found;
}

function holds(formula: TrigramFormula, trigrams: ReadonlySet<number>): boolean {
  switch (formula.kind) {
    case "all":
      return true;
    case "none":
      return false;
    case "trigram":
      return trigrams.has(formula.value);
    case "and":
      return formula.parts.every((part) => holds(part, trigrams));
    case "or":
      return formula.parts.some((part) => holds(part, trigrams));
  }
}

test("no formula is false for a matching text", () => {
  const random = new Random(4711);
  let useful = 0;
  for (let round = 0; round < 4000; round++) {
    const source = Array.from({ length: 1 + random.below(4) }, () => expression(random, 1, texts)).join("");
    const compiled = compile(source, random.below(2) === 0);
    if (compiled === undefined || compiled.trigrams.kind === "all") continue;
    for (let each = 0; each < 4; each++) {
      const haystack = text(random, letters, 30);
      if (compiled.findLinear(haystack, 0) === undefined) continue;
      useful++;
      const shown = JSON.stringify({ source, haystack, caseSensitive: compiled.caseSensitive });
      assert.ok(holds(compiled.trigrams, indexedTrigrams(haystack)), shown);
      const { required } = compiled;
      if (required === undefined) continue;
      const fold = (value: string) =>
        required.caseSensitive ? value : value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      assert.ok(fold(haystack).includes(required.text), `${shown} requires ${JSON.stringify(required)}`);
    }
  }
  assert.ok(useful > 150, `only ${useful} texts matched`);
});

test("no formula of a literal is false for a text that contains it", () => {
  const random = new Random(42);
  for (let round = 0; round < 3000; round++) {
    const haystack = text(random, characters, 20).replaceAll("\ufffd", "");
    const points = [...haystack];
    const start = random.below(points.length);
    const needle = points.slice(start, start + 1 + random.below(8)).join("");
    for (const caseSensitive of [true, false]) {
      const literal = caseSensitive
        ? needle
        : random.pick([needle, needle.toUpperCase().replaceAll("SS", "ß"), needle.toLowerCase()]);
      const formula = literalTrigrams(new TextEncoder().encode(literal), caseSensitive);
      const script = new RegExp(
        literal.replace(/[^\p{L}\d]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`),
        caseSensitive ? "u" : "iu",
      );
      if (script.test(haystack))
        assert.ok(
          holds(formula, indexedTrigrams(haystack)),
          JSON.stringify({ literal, haystack, caseSensitive }),
        );
    }
  }
});
