import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { explainQuery, type QueryExplanation } from "#query/parser/explain";
import { parseQuery } from "#query/parser/parse";
import { quoteText } from "#query/parser/write";

const contexts = new Set(["web", "p1", "p2"]);
const flags = { isCaseSensitivityEnabled: false, contexts };

function explain(text: string, isRegexEnabled: boolean): QueryExplanation {
  return explainQuery(text, { ...flags, isRegexEnabled });
}

/** One line for each filter: `range > -prefix=value, read as ...`. */
function printFilters(text: string): string[] {
  return explain(text, false).filters.map(({ offset, length, prefix, value, isNegated, readAs }) => {
    const sign = isNegated ? "-" : "";
    const foreign = readAs === undefined ? "" : `, read as ${readAs}`;
    return `${text.slice(offset, offset + length)} > ${sign}${prefix}=${value}${foreign}`;
  });
}

/** `error offset [range] message`, then `title > query` for each fix. */
function printProblems(text: string, isRegexEnabled: boolean): string[] {
  return explain(text, isRegexEnabled).problems.flatMap(({ offset, length, severity, message, fixes }) => [
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
    'error 1 [)] Unmatched ")".',
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
    'error 3 [*] "*" has nothing to repeat.',
    "Treat as literal > a*|* (literal)",
    "Escape it > a*|\\*",
    'Quote it > "a*|*"',
  ],
  "foo(?=bar)": [
    "error 3 [(?=] Lookaround is not supported.",
    "Treat as literal > foo(?=bar) (literal)",
    "Escape it > foo\\(\\?=bar\\)",
    'Quote it > "foo(?=bar)"',
  ],
  "a\\": [
    "error 1 [\\] Trailing backslash.",
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
    'error 8 [wep] Unknown context "wep".',
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
  'file:"x y" type:commit': [
    'error 0 [file:"x y"] "file:" filters files and cannot be combined with "type:commit".',
    'Quote it > "file:\\"x y\\"" type:commit',
  ],
  "a (type:commit b)": [
    'error 3 [type:commit] "type:commit" cannot be inside a group.',
    "Remove it > a ( b)",
    'Quote it > a ("type:commit" b)',
  ],
  "a lang:": ['error 7 [] Expected a value after "lang:".', 'Quote it > a "lang:"'],
  "--file:x": [
    "error 0 [--] Expected one dash before a filter, found two.",
    "Use one dash > -file:x",
    'Quote it > "--file:x"',
  ],
  "a or or b": ['error 5 [or] Expected a term, found "or".', "Remove it > a or  b"],
  "lang:go or": [
    'error 10 [] Expected a term after "or".',
    "Remove it > lang:go ",
    'Quote it > lang:go "or"',
  ],
  "a case:yes case:no": [
    'error 11 [case:no] A group can have only one "case:".',
    "Remove it > a case:yes ",
    'Quote it > a case:yes "case:no"',
  ],
  "a -type:file": [
    'error 2 [-type:file] Cannot negate "type:".',
    "Remove it > a ",
    'Quote it > a "-type:file"',
  ],
  "case:yes or a": ['error 0 [] Expected a term next to "case:".', 'Quote it > "case:yes" or a'],
  "lang:pyton file:(": [
    'error 5 [pyton] Unknown language "pyton".',
    "Fix all > lang:Python file:\\(",
    'error 16 [(] Unclosed "(".',
  ],
  "lnag:go x": [
    'hint 0 [lnag:] "lnag:" is searched as text. Did you mean "lang:"?',
    'Use "lang:" > lang:go x',
  ],
  "-fiel:x": ['hint 1 [fiel:] "fiel:" is searched as text. Did you mean "file:"?', 'Use "file:" > -file:x'],
  "lnag:gggg": ['hint 0 [lnag:] "lnag:" is searched as text. Did you mean "lang:"?'],
  "org:acme x": [
    'hint 0 [org:acme] "org:" is searched as text. Did you mean "repo:/acme/"?',
    'Use "repo:/acme/" > repo:/acme/ x',
  ],
  "-ext:.c++": [
    'hint 1 [ext:.c++] "ext:" is searched as text. Did you mean "file:\\.c\\+\\+$"?',
    'Use "file:\\.c\\+\\+$" > -file:\\.c\\+\\+$',
  ],
  "is:fork is:this http://x std::x org: user::x": [
    'hint 0 [is:fork] "is:" is searched as text. Did you mean "fork:only"?',
    'Use "fork:only" > fork:only is:this http://x std::x org: user::x',
  ],
  "author:ada fix": [
    'hint 0 [author:ada] "author:" is searched as text. Did you mean "type:commit author:ada"?',
    'Use "type:commit author:ada" > type:commit author:ada fix',
  ],
  '"foo bar lang:go': [
    'hint 0 ["] This quote is not closed, so it is searched as text.',
    'Close the quote > "foo bar" lang:go',
  ],
  '(a "b c) d': [
    'hint 3 ["] This quote is not closed, so it is searched as text.',
    'Close the quote > (a "b c") d',
  ],
  'content:"a b': [
    'hint 8 ["] This quote is not closed, so it is searched as text.',
    'Close the quote > content:"a b"',
  ],
  "(timeout or deadline lang:go": [
    "hint 0 [(] This parenthesis is not closed, so it is searched as text.",
    "Close the parenthesis > (timeout or deadline) lang:go",
  ],
  "(timeout deadline": [],
  '" x"': [],
  '"': [],
  "a) (b": [],
  " ": [],
});

const phraseQueries: Readonly<Record<string, string | undefined>> = {
  "return new Error": '"return new Error"',
  "lang:go return  new -file:test Error": 'lang:go "return  new Error" -file:test',
  "case:yes if err": 'case:yes "if err"',
  // Code is quoted as it is written.
  'f( "a \\\\ b", d\\e )': '"f( \\"a \\\\\\\\ b\\", d\\\\e )"',
  "if (x == y) return": '"if (x == y) return"',
  "while ((x == y) return lang:go": '"while ((x == y) return" lang:go',
  "f(a,\n  b)": '"f(a,\n  b)"',
  "lang:go (return new)": 'lang:go ("return new")',
  "(lang:go or lang:c) return new": '(lang:go or lang:c) "return new"',
  "return new (old or older)": '"return new" (old or older)',
  "return new AND timeout": '"return new" AND timeout',
  "timeout AND (return lang:go new or old)": undefined,
  "(lang:go return) new": undefined,
  "return -(lang:go) new": undefined,
  "return NOT (lang:go file:x) new": undefined,
  return: undefined,
  "return lang:go": undefined,
  "return or new": undefined,
  "(return new) or old": undefined,
  "return content:new": undefined,
  "return NOT new": undefined,
};
for (const [text, expected] of Object.entries(phraseQueries)) {
  test(`phrase  ${text}`, () => {
    const { phraseQuery, phrase } = explain(text, false);
    assert.equal(phraseQuery, expected);
    assert.equal(phrase === undefined, phraseQuery === undefined);
    if (phrase !== undefined) assert.ok(phraseQuery?.includes(quoteText(phrase)));
    if (phraseQuery === undefined) return;
    assert.deepEqual(explain(phraseQuery, false).problems, []);
    assert.equal(explain(phraseQuery, false).phraseQuery, undefined);
    assert.equal(explain(text, true).phraseQuery, undefined);
  });
}

/** Whether a query searches text, and whether the index narrows that down. */
function checkCost(rows: Readonly<Record<string, string>>): void {
  for (const [text, expected] of Object.entries(rows)) {
    const isRegexEnabled = text.startsWith("R ");
    test(`cost  ${text}`, () => {
      const { hasText, isCheap } = explain(text.replace(/^R /, ""), isRegexEnabled);
      assert.equal(`${hasText ? "text" : "no text"}, ${isCheap ? "cheap" : "expensive"}`, expected);
    });
  }
}

checkCost({
  foo: "text, cheap",
  fo: "text, expensive",
  "fo bar": "text, cheap",
  "fo or bar": "text, expensive",
  "foo or bar": "text, cheap",
  "lang:go": "no text, cheap",
  "lang:go x": "text, expensive",
  "file:x": "no text, cheap",
  "file:x or fo": "text, expensive",
  "type:file fo": "text, cheap",
  "type:repo fo": "text, expensive",
  "-(foo)": "no text, expensive",
  "-content:foo bar": "text, cheap",
  "-lang:go repo:x": "no text, cheap",
  "sym:x": "text, cheap",
  "R .": "text, expensive",
  "R ab.*": "text, expensive",
  "R abc.*": "text, cheap",
  "R (abc|de)": "text, expensive",
  "R foo(": "no text, expensive",
  日: "text, cheap",
  '""': "no text, cheap",
  "": "no text, expensive",
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

test("suggests only fixes that lead to valid queries", () => {
  fc.assert(
    fc.property(queries, fc.boolean(), (text, isRegexEnabled) => {
      const { filters, problems, query } = explain(text, isRegexEnabled);
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

// Measures CPU time, because the machine may be busy. A quadratic step takes up to ten times the limit.
test("explains any 10,000 characters within a few time slices", () => {
  const pieces = [
    '( ) "',
    "file:( ",
    "(",
    ") ",
    "[",
    '"a ',
    '"',
    "lang:x ",
    "lang:zzz ",
    "NOT ",
    "a*|*",
    "or ",
    "lnag:x ",
  ]
    .concat("org:x ", "since:1 ", "[[:", "[a ", "[a", '("a" ', "type:zzz ", "fille:a ", "sym:*+ ", "\\pL")
    .concat(
      "\\pL ",
      "(?i)[B-\u{1e942}]",
      "\\d",
      "(?:a|b|cd)?",
      "file:*[",
      "file:*{",
      "(a or ",
      "-(",
      "type:commit author:a ",
    );
  for (const piece of pieces) {
    for (const prefix of ["", "sym:", "file:*"]) {
      const text = (prefix + piece.repeat(10_000 / piece.length)).slice(0, 10_000);
      for (const isRegexEnabled of [true, false]) {
        const spent = [1, 2, 3].map(() => {
          const before = process.cpuUsage();
          explain(text, isRegexEnabled);
          isAccepted(text, isRegexEnabled);
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1000;
        });
        assert.ok(Math.min(...spent) < 150, `${prefix}${piece}: ${Math.round(Math.min(...spent))} ms`);
      }
    }
  }
});
