/** Patterns that regular expression engines are slow to analyze, compile or match. */
import type { Random } from "#test/support/corpus";

/** None contains whitespace, quotes or a prefix with a colon, so that each is a single value in a query. */
const atoms =
  "a|b|k|s|K|é|ab|abc|aab|.|\\w|\\d|\\D|[ab]|[^a]|[a-z]|[^\\n]|(?i:k)|(?i:s)|(?s:.)|\\pL|\\PL|\\p{Greek}|\\pN|[é-ž]|\\x{1f600}|[\\x{100}-\\x{1ffff}]|\\b|\\B|^|$|_|\\."
    .split("|")
    .concat("(?:a|b)", "(?:a|ab|abc|abcd)", "(?:a|)");
const quantifiers = "?|*|+|??|*?|+?|{0,2}|{0,3}|{1,3}|{2}|{3,}|{0,9}|{20}|{2,40}|{1,200}".split("|");
const tails = ["", "a", "aaaa", "aaaaaaaa", "z", "zzzzzzzz", "(?:ab){8}", "$", "\\b", "kkkkkkkk", "!end"];
const lengths = [2, 5, 10, 20, 30, 60, 100, 200, 400];
/** The limit of a query's length, minus room for prefixes. */
const maxLength = 9900;

const shapes: readonly ((random: Random) => string)[] = [
  // Sequences of pieces that can match the empty string.
  (random) => repeated(`${atom(random)}${random.pick(["?", "*", "{0,2}", "{0,3}"])}`, random),
  (random) => repeated(`(?:${atomRun(random, 3)})${random.pick(["?", "*", "??"])}`, random),
  (random) =>
    Array.from(
      { length: random.pick(lengths) },
      () => `${atom(random)}${random.pick(["?", "?", "*", ""])}`,
    ).join(""),
  // Nested repetitions.
  (random) => nested(random, atomRun(random, 2), random.between(1, 8)),
  (random) =>
    `(?:${atom(random)}${quantifier(random)}${atom(random)}${quantifier(random)})${quantifier(random)}`,
  // Counted repetitions.
  (random) => repeated(`${atom(random)}{${random.between(0, 4)},${random.between(4, 60)}}`, random),
  (random) => `(?:${atomRun(random, 4)}){${random.between(1, 500)}}`,
  // Many alternatives with a common prefix.
  (random) => `(?:${Array.from({ length: random.between(2, 60) }, (_, at) => "a".repeat(at)).join("|")})+b`,
  (random) =>
    `(?:${Array.from({ length: random.pick(lengths) }, () => atomRun(random, random.between(1, 8))).join("|")})`,
  (random) => repeated(`(?:${atomRun(random, 2)}|${atomRun(random, 3)}|${atom(random)}?)`, random),
  // Long literals, in any case.
  (random) =>
    `${random.pick(["", "(?i)"])}${random.pick(["a", "ks", "abé", "word_"]).repeat(random.pick(lengths))}`,
  // As many and as wide character classes as fit.
  (random) =>
    repeated(
      random.pick(["\\pL", "\\PL", "[\\pL\\pN]", "[^\\pL]", "(?i)\\w", "[\\x{42}-\\x{1e942}]"]),
      random,
    ),
  (random) => `(?i)[${"B-\u{1e942}".repeat(random.pick(lengths))}]`,
  // Interspersed assertions.
  (random) => repeated(`${random.pick(["\\b", "\\B", "^", "$", "(?-m:^)", "\\z"])}${atom(random)}?`, random),
  // Anything between letters.
  (random) =>
    repeated(
      `${random.pick([".*", ".*?", "\\w*", "[^a]*", "(?s:.*)"])}${random.pick(["a", "b", "x"])}`,
      random,
    ),
  (random) => Array.from({ length: random.between(1, 12) }, () => tree(random, 0)).join(""),
];

export function hostilePattern(random: Random): string {
  const flags = random.pick(["", "", "", "(?i)", "(?s)", "(?U)", "(?-m)"]);
  const pattern = `${flags}${random.pick(shapes)(random)}${random.pick(tails)}`;
  return pattern.slice(0, maxLength);
}

function atom(random: Random): string {
  const found = random.pick(atoms);
  // Assertions cannot be repeated.
  return /^(?:\^|\$|\\b|\\B)$/.test(found) ? `(?:${found}|a)` : found;
}

function atomRun(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(atoms)).join("");
}

function quantifier(random: Random): string {
  return random.pick(quantifiers);
}

function repeated(piece: string, random: Random): string {
  return piece.repeat(Math.min(random.pick(lengths), Math.floor(maxLength / piece.length)));
}

function nested(random: Random, inner: string, depth: number): string {
  return depth === 0 ? inner : `(?:${nested(random, inner, depth - 1)})${quantifier(random)}`;
}

function tree(random: Random, depth: number): string {
  switch (depth > 3 ? 0 : random.between(0, 4)) {
    case 0:
      return random.pick(atoms);
    case 1:
      return tree(random, depth + 1) + tree(random, depth + 1);
    case 2:
      return `(?:${tree(random, depth + 1)}|${tree(random, depth + 1)})`;
    case 3:
      return `(${tree(random, depth + 1)})${quantifier(random)}`;
    default:
      return repeated(`(?:${tree(random, depth + 2)})${quantifier(random)}`, random)
        .slice(0, 600)
        .replace(/[^)]*$/, "");
  }
}
