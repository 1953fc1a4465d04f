import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseQuery } from "#query/parse";
import { type ReadQuery, readQuery } from "#query/read";

const contexts = new Set(["web", "p1", "p2"]);
const flags = { isCaseSensitivityEnabled: false, contexts };

function read(text: string, isRegexEnabled: boolean): ReadQuery {
  return readQuery(text, { ...flags, isRegexEnabled });
}

/** One line each: `stretch > -prefix=value, read as ...` for filters. */
function printFilters(text: string): string[] {
  return read(text, false).filters.map(({ offset, length, prefix, value, isNegated, readAs }) => {
    const sign = isNegated ? "-" : "";
    const foreign = readAs === undefined ? "" : `, read as ${readAs}`;
    return `${text.slice(offset, offset + length)} > ${sign}${prefix}=${value}${foreign}`;
  });
}

/** `error [stretch] message`, then `title > query` for each fix. */
function printProblems(text: string, isRegexEnabled: boolean): string[] {
  return read(text, isRegexEnabled).problems.flatMap(({ offset, length, severity, message, fixes }) => [
    `${severity} ${offset} [${text.slice(offset, offset + length)}] ${message}`,
    ...fixes.map((fix) => `${fix.title} > ${fix.query}${fix.isRegexEnabled === false ? " (literal)" : ""}`),
  ]);
}

function checkFilters(rows: Readonly<Record<string, readonly string[]>>): void {
  for (const [text, expected] of Object.entries(rows)) {
    test(`filters  ${text}`, () => assert.deepEqual(printFilters(text), expected));
  }
}

function checkProblems(mode: "L" | "R", rows: Readonly<Record<string, readonly string[]>>): void {
  for (const [text, expected] of Object.entries(rows)) {
    test(`problems  ${mode}  ${text}`, () => assert.deepEqual(printProblems(text, mode === "R"), expected));
  }
}

checkFilters({
  "retry lang:go -file:_test": ["lang:go > lang=go", "-file:_test > -file=_test"],
  'file:"my file" x': ['file:"my file" > file=my file'],
  "r:a path:b l:go language:go b:c branch:d scope:web": [
    "r:a > repo=a, read as repo:",
    "path:b > file=b, read as file:",
    "l:go > lang=go, read as lang:",
    "language:go > lang=go, read as lang:",
    "b:c > rev=c, read as rev:",
    "branch:d > rev=d, read as rev:",
    "scope:web > context=web, read as context:",
  ],
  "NOT lang:go": ["NOT lang:go > -lang=go, read as -lang:"],
  "NOT -r:a": ["NOT -r:a > repo=a, read as repo:"],
  "- repo:x": ["- repo:x > -repo=x"],
  "repo:x@v1": ["repo:x@v1 > repo=x@v1, read as repo:x rev:v1"],
  "-r:x@v1": ["-r:x@v1 > -repo=x@v1, read as -(repo:x rev:v1)"],
  'repo:"x@v1"': ['repo:"x@v1" > repo=x@v1'],
  "-(lang:go or -file:x) y": ["lang:go > -lang=go", "-file:x > file=x"],
  "(a or rev:x) case:yes type:file": ["rev:x > rev=x", "case:yes > case=yes", "type:file > type=file"],
  "é😀 file:ü": ["file:ü > file=ü"],
  'NOT foo "lang:go" http://x org:y': [],
  "lang:pyton lang:go file:(": ["lang:go > lang=go"],
  "lang: file:x": ["file:x > file=x"],
  "": [],
});

checkProblems("R", {
  "foo(": [
    'error 3 [(] Unclosed "(".',
    "Treat as literal > foo( (literal)",
    "Escape it > foo\\(",
    'Quote it > "foo("',
  ],
  "a lang:go f(x)(y": [
    'error 14 [(] Unclosed "(".',
    "Treat as literal > a lang:go f(x)(y (literal)",
    "Escape it > a lang:go f(x)\\(y",
    'Quote it > a lang:go "f(x)(y"',
  ],
  "a)": [
    'error 1 [)] There is no "(" for this ")".',
    "Treat as literal > a) (literal)",
    "Escape it > a\\)",
    'Quote it > "a)"',
  ],
  "x[a": [
    'error 1 [[] Unclosed "[".',
    "Treat as literal > x[a (literal)",
    "Escape it > x\\[a",
    'Quote it > "x[a"',
  ],
  "a*|*": [
    'error 3 [*] There is nothing that "*" could repeat.',
    "Treat as literal > a*|* (literal)",
    "Escape it > a*|\\*",
    'Quote it > "a*|*"',
  ],
  "foo(?=bar)": [
    "error 3 [(?=] Look-around is not supported.",
    "Treat as literal > foo(?=bar) (literal)",
    "Escape it > foo\\(\\?=bar\\)",
    'Quote it > "foo(?=bar)"',
  ],
  "a\\": [
    "error 1 [\\] The last backslash escapes nothing.",
    "Treat as literal > a\\ (literal)",
    "Escape it > a\\\\",
    'Quote it > "a\\\\"',
  ],
  "file:( b": ['error 5 [(] Unclosed "(".', "Escape it > file:\\( b", 'Quote it > "file:(" b'],
});

checkProblems("L", {
  'sym:"a(b"': ['error 5 [a(b] Unclosed "(".', 'Escape it > sym:"a\\\\(b"', 'Quote it > "sym:\\"a(b\\""'],
  "lang:pyton x": [
    'error 5 [pyton] Unknown language "pyton".',
    'Use "Python" > lang:Python x',
    'Use "Cython" > lang:Cython x',
    'Use "STON" > lang:STON x',
    'Use "Python console" > lang:"Python console" x',
  ],
  '-lang:"qq qq"': ['error 7 [qq qq] Unknown language "qq qq".', 'Quote it > "-lang:\\"qq qq\\""'],
  "context:wep": [
    'error 8 [wep] Unknown context "wep" (known are p1, p2 or web).',
    'Use "web" > context:web',
    'Quote it > "context:wep"',
  ],
  "archived:y a": [
    'error 9 [y] Expected yes, no or only after "archived:", found "y".',
    'Use "yes" > archived:yes a',
    'Quote it > "archived:y" a',
  ],
  "type:commit since:soon": [
    'error 18 [soon] Expected a date after "since:", found "soon".',
    'Use "2026-01-31" > type:commit since:2026-01-31',
    'Use "2 weeks ago" > type:commit since:"2 weeks ago"',
    'Use "yesterday" > type:commit since:yesterday',
    'Quote it > type:commit "since:soon"',
  ],
  "a (type:commit b)": [
    'error 3 [type:commit] Expected "type:commit" outside of groups, because it speaks of the whole query.',
    "Remove it > a ( b)",
    'Quote it > a ("type:commit" b)',
  ],
  "a lang:": ['error 7 [] Expected a value after "lang:".', 'Quote it > a "lang:"'],
  "--file:x": [
    "error 0 [--] Expected one dash before a filter (quotes make it text), found two.",
    "Use one dash > -file:x",
    'Quote it > "--file:x"',
  ],
  "a or or b": ['error 5 [or] Expected a term, found "or".', "Remove it > a or  b"],
  "a case:yes case:no": [
    'error 11 [case:no] Expected one "case:", found two.',
    "Remove it > a case:yes ",
    'Quote it > a case:yes "case:no"',
  ],
  "a -type:file": [
    'error 2 [-type:file] Expected a term to negate, found "case:" or "type:".',
    "Remove it > a ",
    'Quote it > a "-type:file"',
  ],
  "case:yes or a": [
    "error 0 [] Expected a term beside what speaks of the whole group.",
    'Quote it > "case:yes" or a',
  ],
  "lang:pyton file:(": [
    'error 5 [pyton] Unknown language "pyton".',
    "Mend all > lang:Python file:\\(",
    'error 16 [(] Unclosed "(".',
  ],
  "lnag:go x": ['hint 0 [lnag:] "lnag:" is read as text. Did you mean "lang:"?', 'Use "lang:" > lang:go x'],
  "-fiel:x": ['hint 1 [fiel:] "fiel:" is read as text. Did you mean "file:"?', 'Use "file:" > -file:x'],
  "lnag:gggg": ['hint 0 [lnag:] "lnag:" is read as text. Did you mean "lang:"?'],
  "org:acme x": [
    'hint 0 [org:acme] "org:" is read as text. Did you mean "repo:/acme/"?',
    'Use "repo:/acme/" > repo:/acme/ x',
  ],
  "-ext:.c++": [
    'hint 1 [ext:.c++] "ext:" is read as text. Did you mean "file:\\.c\\+\\+$"?',
    'Use "file:\\.c\\+\\+$" > -file:\\.c\\+\\+$',
  ],
  "is:fork is:this http://x std::x org: user::x": [
    'hint 0 [is:fork] "is:" is read as text. Did you mean "fork:only"?',
    'Use "fork:only" > fork:only is:this http://x std::x org: user::x',
  ],
  "author:ada fix": [
    'hint 0 [author:ada] "author:" is read as text. Did you mean "type:commit author:ada"?',
    'Use "type:commit author:ada" > type:commit author:ada fix',
  ],
  '"foo bar lang:go': [
    'hint 0 ["] This quote is not closed, so it is read as text.',
    'Close the quote > "foo bar" lang:go',
  ],
  '(a "b c) d': [
    'hint 3 ["] This quote is not closed, so it is read as text.',
    'Close the quote > (a "b c") d',
  ],
  'content:"a b': [
    'hint 8 ["] This quote is not closed, so it is read as text.',
    'Close the quote > content:"a b"',
  ],
  '" x"': [],
  '"': [],
  "a) (b": [],
  " ": [],
});

/** Whether text is looked for, and whether the index narrows that down. */
function checkReach(rows: Readonly<Record<string, string>>): void {
  for (const [text, expected] of Object.entries(rows)) {
    const isRegexEnabled = text.startsWith("R ");
    test(`reach  ${text}`, () => {
      const { hasText, isCheap } = read(text.replace(/^R /, ""), isRegexEnabled);
      assert.equal(`${hasText ? "text" : "no text"}, ${isCheap ? "cheap" : "dear"}`, expected);
    });
  }
}

checkReach({
  foo: "text, cheap",
  fo: "text, dear",
  "fo bar": "text, cheap",
  "fo or bar": "text, dear",
  "foo or bar": "text, cheap",
  "lang:go": "no text, cheap",
  "lang:go x": "text, dear",
  "file:x": "no text, cheap",
  "file:x or fo": "text, dear",
  "type:file fo": "text, cheap",
  "type:repo fo": "text, dear",
  "-(foo)": "no text, dear",
  "-content:foo bar": "text, cheap",
  "-lang:go repo:x": "no text, cheap",
  "sym:x": "text, cheap",
  "R .": "text, dear",
  "R ab.*": "text, dear",
  "R abc.*": "text, cheap",
  "R (abc|de)": "text, dear",
  "R foo(": "no text, dear",
  日: "text, cheap",
  '""': "no text, cheap",
  "": "no text, dear",
});

const pieces = [
  ...'( ) " [ ] \\ - -- : , @ * + ? | . / or OR AND NOT foo x1 é 😀 \n'.split(" "),
  ...'file: repo: lang: case: type: rev: context: content: sym: lnag: org: is: "a b" lang:go "\\" a*'.split(
    " ",
  ),
];
const queries = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom("", " ")), { maxLength: 12 })
    .map((parts) => parts.flat().join("")),
);

test("says of any text what would mend it", () => {
  fc.assert(
    fc.property(queries, fc.boolean(), (text, isRegexEnabled) => {
      const { filters, problems, query } = read(text, isRegexEnabled);
      for (const { offset, length } of [...filters, ...problems]) {
        assert.ok(
          offset >= 0 && length >= 0 && offset + length <= text.length,
          JSON.stringify({ offset, length }),
        );
      }
      for (const fix of problems.flatMap(({ fixes }) => fixes)) {
        parseQuery(fix.query, { ...flags, isRegexEnabled: fix.isRegexEnabled ?? isRegexEnabled });
      }
      const runs = isAccepted(text, isRegexEnabled);
      assert.equal(query !== undefined, runs);
      const isBlank = /^[ \t\n\r\f\v]*$/.test(text);
      assert.equal(
        problems.some(({ severity }) => severity === "error"),
        !runs && !isBlank,
      );
    }),
    { numRuns: 3000 },
  );
});

function isAccepted(text: string, isRegexEnabled: boolean): boolean {
  try {
    parseQuery(text, { ...flags, isRegexEnabled });
    return true;
  } catch {
    return false;
  }
}

test("takes any 10 000 characters in a moment", { timeout: 20_000 }, () => {
  for (const piece of [
    '( ) "',
    "file:( ",
    "(",
    ") ",
    "[",
    '"a ',
    "lang:x ",
    "NOT ",
    "a*|*",
    "or ",
    "lnag:x ",
    "org:x ",
  ]) {
    const text = piece.repeat(10_000 / piece.length);
    read(text, true);
    read(text, false);
  }
});
