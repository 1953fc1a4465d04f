import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { compileExpression, literalTrigrams } from "#query/regexp";
import { printFormula } from "./printFormula";

// What Go accepts, and what then matches: `+text` does, `-text` does not.
const accepted: readonly (readonly [source: string, ...texts: string[]])[] = [
  ["(?i)abc", "+xABC"],
  ["(?s)a.b", "+a\nb"],
  ["a.b", "-a\nb"],
  ["^b$", "+a\nb\nc", "-ab"],
  ["(?-m)^b$", "-a\nb\nc", "+b"],
  ["abc\\z", "+abc", "-abc\n"],
  ["\\Aabc", "+abc", "-x\nabc"],
  ["\\pL+", "+é", "-1"],
  ["\\p{Greek}", "+λ", "-l"],
  ["\\PL", "+1"],
  ["\\p{^L}", "+1", "-a"],
  ["[[:alpha:]]+", "+a", "-1"],
  ["[[:^alpha:]]", "+1"],
  ["(?P<n>a)b", "+ab"],
  ["(?<n>a)b", "+ab"],
  ["\\Qa.b\\E", "+a.b", "-axb"],
  ["(?U)a+", "+aaa"],
  ["x{2,3}?", "+xx", "-x"],
  ["\\x{10FFFF}|\\x41", "+A"],
  ["\\012|\\07", "+\n"],
  ["\\a\\f\\t\\n\\r\\v", "+\x07\f\t\n\r\v"],
  ["(?i:a)b", "+Ab", "-AB"],
  ["a(?i)b", "+aB", "-AB"],
  ["(?i-s:a.)", "-A\n"],
  ["\\bé", "-é"],
  ["\\w+é", "+aé"],
  ["(?i)k", "+\u212a"],
  ["[^a]", "+\n"],
  ["\\d", "-٣", "+3"],
  ["\\s", "-\v", "-\u00a0", "+ "],
  ["[\\d-z]", "+-"],
  ["{", "+{"],
  ["a{,2}", "+a{,2}"],
  ["]", "+]"],
  ['\\-\\/\\:\\"', '+-/:"'],
  ["\\_", "+_"],
  ["(?i)ſ", "+s", "+S"],
  ["x*", "+"],
  [".", "+😀", "-\n"],
  ["^.$", "+😀"],
  ["[^x]$", "+\r\n"],
];

/** What the expression for ASCII may be asked. */
function isPlain(text: string): boolean {
  return !text.includes("\r") && Array.from(text).every((character) => character <= "\x7f");
}

for (const [source, ...rows] of accepted) {
  test(`accepts ${JSON.stringify(source)}`, () => {
    const { ascii, unicode, findLinear } = compileExpression(source, true);
    for (const row of rows) {
      const text = row.slice(1);
      const found = {
        linear: findLinear(text, 0) !== undefined,
        unicode: new RegExp(unicode.source, unicode.flags).test(text),
        ...(isPlain(text) ? { ascii: new RegExp(ascii.source, ascii.flags).test(text) } : {}),
      };
      assert.deepEqual(
        [...new Set(Object.values(found))],
        [row.startsWith("+")],
        JSON.stringify({ row, found }),
      );
    }
  });
}

const refused: Record<string, string> = {
  "a**": "invalid nested repetition operator: `**`",
  "a{1001}": "invalid repeat count: `{1001}`",
  "(?=a)b": "invalid or unsupported Perl syntax: `(?=`",
  "(a)\\1": "invalid escape sequence: `\\1`",
  "(?<=a)b": "invalid named capture: `(?<=a)b`",
  "a++": "invalid nested repetition operator: `++`",
  "\\C": "invalid escape sequence: `\\C`",
  "\\y": "invalid escape sequence: `\\y`",
  "a|*": "missing argument to repetition operator: `*`",
  "[a-\\d]": "invalid escape sequence: `\\d`",
  "(?P<n>a)(?P<n>b)": "duplicate capture group name: `n`",
  "\\N{a}": "invalid escape sequence: `\\N`",
  "(?#c)a": "invalid or unsupported Perl syntax: `(?#`",
  "(?x) a b": "invalid or unsupported Perl syntax: `(?x`",
  "((a{100}){100}){100}": "invalid repeat count: `{100}`",
};

/** Gives the message without its first words. */
function refusal(source: string): string {
  try {
    compileExpression(source, true);
  } catch (error) {
    if (isServiceError(error, "FAILED_TO_PARSE_QUERY"))
      return error.message.replace("error parsing regexp: ", "");
    throw error;
  }
  return "accepted";
}

for (const [source, message] of Object.entries(refused)) {
  test(`refuses ${source}`, () => assert.equal(refusal(source), message));
}

const formulas: Record<string, string> = {
  "foo.*bar": '"foo" "bar"',
  "(?i)FooBar": '"foo" "oob" "oba" "bar"',
  "(abc|def)ghi": '"ghi" ("abc" "bcg" "cgh")|("def" "efg" "fgh")',
  "abc(def|ghi)": '"abc" ("bcd" "cde" "def")|("bcg" "cgh" "ghi")',
  "[ab]cde": '"cde" "acd"|"bcd"',
  "(foo|bar)+baz": '"foo"|"bar" "baz" ("oob" "oba")|("arb" "rba")',
  "a+hello": '"hel" "ell" "llo" "ahe"',
  "v[0-3]x": '"v0x"|"v1x"|"v2x"|"v3x"',
  "x{3}y": '"xxx" "xxy"',
  "(ab){2,}c": '"aba" "bab" "abc"',
  "^abc$": '"abc"',
  "ab\\b.*cd": "all",
  "foo\\nbar": '"foo" "bar"',
  "fo\\no": "all",
  "(?s)a.b": "all",
  "abc|": "all",
  "a*": "all",
  "(?:)": "all",
  "[^\\x00-\\x{10FFFF}]": "none",
  "abc[^\\x00-\\x{10FFFF}]|def": '"def"',
  "\\x{fffd}abc": '"abc"',
  "a\\x{212a}b": '"akb"',
  "(?i)ask": '"ask"',
  "é.": "all",
  aéb: '"aÃ©" "Ã©b"',
  "(?i)λog": '("Î\u009bo" "\u009bog")|("Î»o" "»og")',
  "\\pL+Exc": '"exc"',
  "(a|b|c|d|e|f|g|h|i|j)(a|b|c|d|e|f|g|h|i|j)x.*foo": '"foo"',
};

for (const [source, formula] of Object.entries(formulas)) {
  test(`trigrams of ${source}`, () => {
    assert.equal(printFormula(compileExpression(source, true).trigrams), formula);
  });
}

test("trigrams of plain text", () => {
  const of = (text: string, caseSensitive: boolean) =>
    printFormula(literalTrigrams(new TextEncoder().encode(text), caseSensitive));
  assert.equal(of("Ab", true), "all");
  assert.equal(of("ABcd", true), '"abc" "bcd"');
  assert.equal(of("é.", false), '("Ã\u0089.")|("Ã©.")'.replaceAll(/[()]/g, ""));
  assert.equal(of("a\nbcd", false), '"bcd"');
});

interface Traits {
  readonly required?: string;
  readonly literal?: string;
  readonly safe: boolean;
  readonly whole: boolean;
}

const traits: Record<string, Traits> = {
  foo: { required: "foo", literal: "foo", safe: true, whole: false },
  "(?i)Foo-1": { required: "foo-1/i", literal: "foo-1/i", safe: true, whole: false },
  "(?i)task_x": { required: "ta/i", literal: "task_x/i", safe: true, whole: false },
  "(?i)123": { required: "123", literal: "123", safe: true, whole: false },
  "(?i)é": { safe: true, whole: false },
  "(foo)": { required: "foo", literal: "foo", safe: true, whole: false },
  "a\\nlong": { required: "long", literal: "a\nlong", safe: true, whole: true },
  "foo\\b(bar)": { required: "foobar", safe: true, whole: false },
  "ab|cd": { safe: true, whole: false },
  "x(?:abcd)+y": { required: "abcd", safe: false, whole: false },
  "foo\\w*": { required: "foo", safe: true, whole: false },
  "\\w+foo": { required: "foo", safe: false, whole: false },
  "^#define.*SHIFT": { required: "#define", safe: true, whole: false },
  "^\\s*import .* from": { required: "import ", safe: false, whole: true },
  "(a+)+$": { required: "a", safe: false, whole: false },
  "(a|aa){30}$": { required: "a", safe: false, whole: false },
  "a{0,30}b": { required: "b", safe: true, whole: false },
  "[^)]*x": { required: "x", safe: false, whole: true },
  "\\Aab\\z": { required: "ab", safe: true, whole: true },
};

for (const [source, expected] of Object.entries(traits)) {
  test(`traits of ${source}`, () => {
    const { literal, required, safe, needsWholeDocument } = compileExpression(source, true);
    const shown = (each: typeof literal) => each && each.text + (each.caseSensitive ? "" : "/i");
    const found = { required: shown(required), literal: shown(literal), safe, whole: needsWholeDocument };
    assert.deepEqual(found, { required: undefined, literal: undefined, ...expected });
  });
}

// An expression that takes more than linear work to compile would not come to its end here.
test("compiles large and wicked expressions in a moment", { timeout: 20_000 }, () => {
  const words = Array.from({ length: 1000 }, (_, index) => `word${index * 7919}`);
  const large = [
    words.join("|"),
    `(?i)${words.map((word) => `(${word}.*)?`).join("")}`,
    "a".repeat(10_000),
    `(?i)${"ж".repeat(9_000)}`,
    "(?i)[a-k]".repeat(1000),
    "(x?)".repeat(2500),
    "(ab|cd)*".repeat(1250),
    "[ab].".repeat(2000),
    "(".repeat(900) + "abc" + ")".repeat(900),
    "(a|".repeat(400) + "abc" + ")".repeat(400),
    "\\pL".repeat(20),
    "(((a{10}){10}){10})*b",
    "(a*)*b",
    "(?:a?){50}a{50}",
  ];
  for (const source of large) {
    const { ascii, unicode, findLinear } = compileExpression(source, true);
    for (const { source: script, flags } of [ascii, unicode]) new RegExp(script, flags).test("zz");
    findLinear("zz", 0);
  }
});

test("refuses what would be too large", () => {
  const large = [
    "[a-z]{1000}".repeat(21),
    "\\pL".repeat(100),
    "(?:ab{900})+".repeat(23),
    "((x{30}){30}|y)+".repeat(30),
  ];
  assert.deepEqual(large.map(refusal), Array(4).fill("expression too large"));
  assert.match(refusal("(".repeat(2000) + "a" + ")".repeat(2000)), /^expression nests too deeply/);
});
