import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { foldingOrbit, parseSyntax } from "#query/regexp/re2";
import { compileExpression, escapeExpression, literalTrigrams } from "#query/regexp/regexp";
import type { ExpressionSource } from "#query/regexp/translate";
import { printFormula } from "./printFormula";

// Expressions that Go accepts, with texts that match (`+text`) or do not (`-text`).
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

/** Whether the ASCII form may be used. */
function isPlain(text: string): boolean {
  return !text.includes("\r") && Array.from(text).every((character) => character <= "\x7f");
}

function runForm(form: ExpressionSource | undefined, text: string): boolean {
  assert.ok(form !== undefined, "V8 may take long to compile it");
  return new RegExp(form.source, form.flags).test(text);
}

for (const [source, ...rows] of accepted) {
  test(`accepts ${JSON.stringify(source)}`, () => {
    const { forms, findLinear } = compileExpression(source, true);
    for (const row of rows) {
      const text = row.slice(1);
      const found = {
        linear: findLinear(text, 0) !== undefined,
        unicode: runForm(forms.unicode, text),
        ...(isPlain(text) ? { ascii: runForm(forms.ascii, text) } : {}),
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

/** Returns the error message without its prefix. */
function errorOf(source: string): string {
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
  test(`rejects ${source}`, () => assert.equal(errorOf(source), message));
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

test("trigrams of literals", () => {
  const of = (text: string, caseSensitive: boolean) =>
    printFormula(literalTrigrams(new TextEncoder().encode(text), caseSensitive));
  assert.equal(of("Ab", true), "all");
  assert.equal(of("ABcd", true), '"abc" "bcd"');
  assert.equal(of("é.", false), '("Ã\u0089.")|("Ã©.")'.replaceAll(/[()]/g, ""));
  assert.equal(of("a\nbcd", false), '"bcd"');
  const long = String.fromCodePoint(...Array.from({ length: 256 }, (_, at) => 0x20000 + 37 * at));
  assert.ok(of(long, true).split(" ").length <= 512);
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
    const { literal, required, isSafe, needsWholeDocument } = compileExpression(source, true);
    const shown = (each: typeof literal) => each && each.text + (each.caseSensitive ? "" : "/i");
    const found = {
      required: shown(required),
      literal: shown(literal),
      safe: isSafe,
      whole: needsWholeDocument,
    };
    assert.deepEqual(found, { required: undefined, literal: undefined, ...expected });
  });
}

// An expression whose compilation is not linear would time out here.
test("compiles large and hostile expressions within seconds", { timeout: 30_000 }, () => {
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
    `${"a?".repeat(60)}aaaaaaaa`,
    `${"[ab]?".repeat(60)}${"ab".repeat(20)}`,
    `(?i)${"k?".repeat(60)}kkkkkkkk`,
    `${"\\w?\\d?".repeat(30)}abcdefgh`,
    `${"a{0,2}".repeat(60)}aaaaaaaa`,
    `${"(?:ab)?".repeat(200)}${"(?:ab)?".repeat(200)}abababab`,
    `${"(?:a|b|)".repeat(60)}aaaaaaaa`,
    `${"\\ba?".repeat(80)}aaaa`,
    `${".?".repeat(40)}aaaaaaaa`,
    "\\pL".repeat(25),
    "[\u{42}-\u{1e942}]".repeat(1600),
    `[${"B-\u{1e942}".repeat(2400)}]`,
    `(?i)${"[B-\u{1e942}]".repeat(1600)}`,
  ];
  for (const source of large) {
    for (const caseSensitive of [true, false]) {
      const { forms, formsOfLine, trigrams, findLinear } = compileExpression(source, caseSensitive);
      for (const form of [forms.ascii, forms.unicode, formsOfLine.ascii, formsOfLine.unicode]) {
        if (form !== undefined) for (const text of ["zz", "z\u{100}"]) runForm(form, text);
      }
      assert.ok(trigrams.kind.length > 0);
      findLinear("zz", 0);
    }
  }
});

test("a case-insensitive range contains all cases of its code points", () => {
  const ranges = [
    [0x41, 0x5a],
    [0x4b, 0x4b],
    [0x17f, 0x17f],
    [0x100, 0x24f],
    [0x30, 0x1e942],
    [0x42, 0x1e942],
    [0x390, 0x1f00],
    [0x2100, 0x2200],
    [0x10400, 0x10410],
    [0x20, 0x10ffff],
    [0x4e00, 0x9fff],
  ] as const;
  for (const [first, last] of ranges) {
    const expected = new Set<number>();
    for (let codePoint = first; codePoint <= last; codePoint++)
      for (const each of foldingOrbit(codePoint)) expected.add(each);
    const syntax = parseSyntax(`[\\x{${first.toString(16)}}-\\x{${last.toString(16)}}_]`, false);
    expected.add(0x5f);
    const found = new Set<number>();
    assert.equal(syntax.kind, "class");
    if (syntax.kind !== "class") continue;
    for (let at = 0; at < syntax.ranges.length; at += 2)
      for (let codePoint = syntax.ranges[at] ?? 0; codePoint <= (syntax.ranges[at + 1] ?? 0); codePoint++)
        found.add(codePoint);
    assert.deepEqual(found, expected);
  }
});

test("any literal of up to 100 ASCII characters is safe", () => {
  const ascii = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));
  const mixed = ascii.map((_, at) => [...ascii, ...ascii].slice(at, at + 100).join(""));
  for (const text of [...ascii.map((character) => character.repeat(100)), ...mixed])
    assert.ok(compileExpression(escapeExpression(text), false).isSafe, JSON.stringify(text));
});

test("rejects expressions that are too large", () => {
  const large = [
    "[a-z]{1000}".repeat(21),
    "\\pL".repeat(100),
    `[${"\\pL".repeat(3300)}]`,
    "(?:ab{900})+".repeat(23),
    "((x{30}){30}|y)+".repeat(30),
  ];
  assert.deepEqual(large.map(errorOf), Array(5).fill("expression too large"));
  assert.match(errorOf("(".repeat(2000) + "a" + ")".repeat(2000)), /^expression nests too deeply/);
});
