import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { parseQuery } from "#query/parser/parse";
import { printQuery } from "#query/print";

const contexts = new Set(["web", "p1", "p2"]);
const modes = {
  L: { isRegexEnabled: false, isCaseSensitivityEnabled: false, contexts },
  R: { isRegexEnabled: true, isCaseSensitivityEnabled: false, contexts },
  LC: { isRegexEnabled: false, isCaseSensitivityEnabled: true, contexts },
  RC: { isRegexEnabled: true, isCaseSensitivityEnabled: true, contexts },
};
type Mode = keyof typeof modes;

/** A row is a mode, a query, and its tree or error message. */
function check(rows: readonly (readonly [Mode | "both", string, string])[]): void {
  for (const [mode, text, expected] of rows) {
    for (const each of mode === "both" ? (["L", "R"] as const) : [mode]) {
      test(`${each}  ${text}`, () =>
        assert.equal(outcome(text, each), expected.replaceAll("~", each === "L" ? '"' : "/")));
    }
  }
}

function outcome(text: string, mode: Mode): string {
  try {
    return printQuery(parseQuery(text, modes[mode]).query);
  } catch (error) {
    if (isServiceError(error, "FAILED_TO_PARSE_QUERY")) return `! ${error.message}`;
    throw error;
  }
}

// Commits. Their filters are text elsewhere.
check([
  ["L", "type:commit", "(type:commit true)"],
  ["both", "fix type:commit leak", "(type:commit (and ~fix~ ~leak~))"],
  ["L", "author:ann", '"author:ann"'],
  ["L", "since:2024-01-01 type:file", '(type:file "since:2024-01-01")'],
  ["both", "author:Ann|Bob type:commit", "(type:commit author:/Ann|Bob/)"],
  ["L", 'type:commit author:"Ann Author"', "(type:commit author:/Ann Author/)"],
  ["L", "type:commit case:yes author:Ann Fix", '(type:commit (and author:/Ann/ "Fix"c))'],
  [
    "L",
    'type:commit (after:2024-01-01 before:"2 weeks ago") or -until:yesterday',
    '(type:commit (or (and since:"2024-01-01" until:"2 weeks ago") (not until:"yesterday")))',
  ],
  ["R", "(author:x) type:commit", "(type:commit author:/x/)"],
  ["L", "repo:a@b type:commit", "(type:commit (and repository:/a/ revision:b))"],
  [
    "L",
    "type:commit or x",
    '! Expected a term next to "type:" at offset 0. "or" needs a term on both sides.',
  ],
  ["L", "type:commit author:", '! Expected a value after "author:" at offset 19.'],
  [
    "L",
    "type:commit since:soon",
    '! Expected a date after "since:", found "soon" at offset 18. Use a date such as 2026-01-31 or "2 weeks ago".',
  ],
  [
    "L",
    "type:commit author:(",
    "! Invalid regular expression at offset 19: missing closing ): (. Escape it, or quote the value to search for the text.",
  ],
  [
    "L",
    "type:commit file:x",
    '! "file:" filters files and cannot be combined with "type:commit" at offset 12. Remove one of them.',
  ],
  [
    "L",
    "type:commit l:go",
    '! "l:" filters files and cannot be combined with "type:commit" at offset 12. Remove one of them.',
  ],
  ["L", "type:commit type:file", '! A group can have only one "type:" at offset 12. Remove one of them.'],
  [
    "L",
    "a (type:commit b)",
    '! "type:commit" cannot be inside a group at offset 3. Move it out of the parentheses.',
  ],
]);

// Terms and groups. `~` is the quote of literal mode and the slash of regex mode.
check([
  ["both", "hello", "~hello~"],
  ["both", "hello world", "(and ~hello~ ~world~)"],
  ["both", "  a\tb\r\nc  ", "(and ~a~ ~b~ ~c~)"],
  ["both", '"hello world"', '"hello world"'],
  ["L", "console.log error_handler", '(and "console.log" "error_handler")'],
  ["L", "[a-z]+", '"[a-z]+"'],
  ["R", "[a-z]+", "/[a-z]+/"],
  ["both", "foo or bar", "(or ~foo~ ~bar~)"],
  ["both", "foo OR bar", "(or ~foo~ ~bar~)"],
  ["both", "one or two or three", "(or ~one~ ~two~ ~three~)"],
  ["both", "a b or c d", "(or (and ~a~ ~b~) (and ~c~ ~d~))"],
  ["both", "(a or b) c", "(and (or ~a~ ~b~) ~c~)"],
  ["both", "a (b or c) d", "(and ~a~ (or ~b~ ~c~) ~d~)"],
  ["both", "(a or b) and (c or d)", "(and (or ~a~ ~b~) ~and~ (or ~c~ ~d~))"],
  ["both", "(a or b) AND (c or d)", "(and (or ~a~ ~b~) (or ~c~ ~d~))"],
  ["both", "a AND b or c", "(or (and ~a~ ~b~) ~c~)"],
  ["both", "or test", "(and ~or~ ~test~)"],
  ["both", "or", "~or~"],
  [
    "both",
    "test or",
    '! Expected a term after "or" at offset 7. Remove it, or quote it to search for the word.',
  ],
  [
    "both",
    "lang:go AND ",
    '! Expected a term after "AND" at offset 11. Remove it, or quote it to search for the word.',
  ],
  [
    "both",
    "(a OR ) b",
    '! Expected a term after "OR" at offset 5. Remove it, or quote it to search for the word.',
  ],
  [
    "L",
    "(timeout or",
    '! Expected a term after "or" at offset 11. Remove it, or quote it to search for the word.',
  ],
  ["both", "test orb", "(and ~test~ ~orb~)"],
  ["both", 'test "or"', '(and ~test~ "or")'],
  ["both", "AND test", "(and ~AND~ ~test~)"],
  ["both", "(or x)", "(and ~or~ ~x~)"],
  ["both", "not and", "(and ~not~ ~and~)"],
  [
    "both",
    "test or or example",
    '! Expected a term, found "or" at offset 8. Remove it, or quote it to search for the word.',
  ],
  [
    "both",
    "a AND OR b",
    '! Expected a term, found "OR" at offset 6. Remove it, or quote it to search for the word.',
  ],
  ["both", "order before orange", "(and ~order~ ~before~ ~orange~)"],
  ["L", "foo or(bar)", '(or "foo" "bar")'],
  ["both", 'a or"b c"', '(or ~a~ "b c")'],
  ["L", "()", '"()"'],
  ["L", "main ()", '(and "main" "()")'],
  ["L", "foo ();", '(and "foo" "();")'],
  ["L", "( )", '(and "(" ")")'],
  ["L", "() or a b", '(or "()" (and "a" "b"))'],
  ["L", "(a () b) or()", '(and (and "a" "()" "b") "or()")'],
  ["L", "-() a", '(and "-()" "a")'],
  [
    "R",
    "()",
    "! Expected a term inside the parentheses at offset 0. Remove the parentheses, or escape them to search for the text.",
  ],
  [
    "R",
    "main ()",
    "! Expected a term inside the parentheses at offset 5. Remove the parentheses, or escape them to search for the text.",
  ],
  [
    "R",
    "foo (  );",
    "! Expected a term inside the parentheses at offset 4. Remove the parentheses, or escape them to search for the text.",
  ],
  [
    "R",
    "a (b or -())",
    "! Expected a term inside the parentheses at offset 9. Remove the parentheses, or escape them to search for the text.",
  ],
  ["R", "main \\(\\)", "(and /main/ /\\(\\)/)"],
  ["R", "main()", "/main()/"],
  ["L", "(test)", '"test"'],
  ["R", "(test)", "/(test)/"],
  ["L", "(a)(b)(c)", '(and "a" "b" "c")'],
  ["R", "(a)(b)", "/(a)(b)/"],
  ["L", "(foo|bar)baz", '(and "foo|bar" "baz")'],
  ["R", "(foo|bar)baz", "/(foo|bar)baz/"],
  ["R", "(test|render) or (foo|bar)", "(or /(test|render)/ /(foo|bar)/)"],
  ["R", "( foo )", "/foo/"],
  ["R", "( FROM\\s+node or RUN\\s+npm )", "(or /FROM\\s+node/ /RUN\\s+npm/)"],
  ["R", "((foo bar))", "(and /foo/ /bar/)"],
  ["R", "((foo|bar))", "/((foo|bar))/"],
  ["R", '("a b")', '"a b"'],
  ["R", '("a"|"b")', '/("a"|"b")/'],
  ["R", "foo(bar baz)", "/foo(bar baz)/"],
  ["R", "[^ ]+ x", "(and /[^ ]+/ /x/)"],
  ["R", "a\\ b c", "(and /a\\ b/ /c/)"],
  ["R", "x[(] (a b)", "(and /x[(]/ (and /a/ /b/))"],
  ["R", "([[:alpha:]]+ [])(]x)", "(and /[[:alpha:]]+/ /[])(]x/)"],
  ["L", "test() func(arg) test((nested)) test)", '(and "test()" "func(arg)" "test((nested))" "test)")'],
  ["L", "test( (grouped)", '(and "test(" "grouped")'],
  ["L", "(foo", '"(foo"'],
  [
    "R",
    "(foo",
    "! Invalid regular expression at offset 0: missing closing ): (foo. Escape it, or quote the value to search for the text.",
  ],
  ["R", "func\\(arg\\)", "/func\\(arg\\)/"],
  ["L", "(\\) a)", '(and "\\\\)" "a")'],
  ["both", "", "! Expected a search term at offset 0."],
  ["both", " \t ", "! Expected a search term at offset 3."],
]);

// Quotes.
check([
  ["both", '"foo \\"bar\\" \\\\ \\d"', '"foo \\"bar\\" \\\\ \\\\d"'],
  ["both", '""', "true"],
  ["both", '"repo:x" "or" "(a)"', '(and "repo:x" "or" "(a)")'],
  ["L", '"hello', '"\\"hello"'],
  ["L", 'hello"', '"hello\\""'],
  ["both", '"a""b"', '(and "a" "b")'],
  ["both", '"a"b', '(and "a" ~b~)'],
  ["L", 'a"b c"d', '(and "a\\"b" "c\\"d")'],
  ["both", '"a (\n\tb"', "/a \\(\\r?\\n\tb/"],
  ["both", '"a\r\nlang:go" c', "(and /a\\r?\\nlang:go/ ~c~)"],
  ["L", '"a\nb', '(and "\\"a" "b")'],
  ["both", '("a)" b)', '(and "a)" ~b~)'],
  ["R", 'name\\s*=\\s*"proj lang:HCL', '(and /name\\s*=\\s*"proj/ language:HCL)'],
]);

// Negation.
check([
  ["both", "-test", "~-test~"],
  ["both", "-Wall -one", "(and ~-Wall~ ~-one~)"],
  ["both", "test-case", "~test-case~"],
  ["both", '"-excluded"', '"-excluded"'],
  ["both", "-file:test.js", "(not name:/test.js/)"],
  ["both", "- file:test.js", "(not name:/test.js/)"],
  ["both", "-f:x -r:y", "(and (not name:/x/) (not repository:/y/))"],
  ["both", "-c:x", "(not content:~x~)"],
  ["both", "-(test exclude)", "(not (and ~test~ ~exclude~))"],
  ["L", "-(foo)", '(not "foo")'],
  ["R", "-(foo)", "/-(foo)/"],
  ["both", "-((file:test.js))", "(not name:/test.js/)"],
  ["both", "(-(a b))", "(not (and ~a~ ~b~))"],
  ["both", "-(a b) or c", "(or (not (and ~a~ ~b~)) ~c~)"],
  ["both", "a or -b or c", "(or ~a~ ~-b~ ~c~)"],
  ["both", "NOT foo bar", "(and (not ~foo~) ~bar~)"],
  ["both", "NOT NOT foo", "(not (not ~foo~))"],
  ["both", 'NOT "a b" NOT lang:go', '(and (not "a b") (not language:Go))'],
  ["both", "NOT (a or b)", "(not (or ~a~ ~b~))"],
  ["both", "foo NOT", "(and ~foo~ ~NOT~)"],
  ["both", "NOTE", "~NOTE~"],
  ["both", "-http://x -a:b", "(and ~-http://x~ ~-a:b~)"],
  ["both", "- foo:bar", "(and ~-~ ~foo:bar~)"],
  [
    "both",
    "--file:x",
    "! Expected one dash before a filter, found two at offset 0. Remove one, or quote the term to search for the text.",
  ],
  ["both", "-case:yes a", '! Cannot negate "case:" at offset 0. Remove the negation.'],
]);

// Filters.
check([
  ["both", "file:README.md f:index.ts path:x", "(and name:/README.md/ name:/index.ts/ name:/x/)"],
  ["both", "file:*.ts", "name:/(?:^|/)[^/]*\\.ts$/"],
  ["both", "file:src/*.ts", "name:/(?:^|/)src/[^/]*\\.ts$/"],
  ["both", "file:src/**", "name:/(?:^|/)src/.*$/"],
  ["both", "file:**/a/*.{c,h}", "name:/(?:^|/)(?:.*/)?a/[^/]*\\.(?:c|h)$/"],
  ["both", "file:/src/*", "name:/^src/[^/]*$/"],
  ["both", "file:*[!a-c]?", "name:/(?:^|/)[^/]*[^/a-c][^/]$/"],
  ["both", "file:/src/*\\.ts/", "name:/src/*\\.ts/"],
  ["both", "file:(test|spec) lang:TypeScript", "(and name:/(test|spec)/ language:TypeScript)"],
  ["both", "file:\\(pr", "name:/\\(pr/"],
  [
    "both",
    "file:(pr",
    "! Invalid regular expression at offset 5: missing closing ): (pr. Escape it, or quote the value to search for the text.",
  ],
  ["both", 'file:"my file.txt"', "name:/my file.txt/"],
  ["both", "file: test", "name:/test/"],
  ["both", "repo:^github\\.com/org/project$", "repository:/^github\\.com/org/project$/"],
  ["both", "r:a or r:b", "(or repository:/a/ repository:/b/)"],
  ["both", "repo:x@rel/1", "(and repository:/x/ revision:rel/1)"],
  ["both", "-repo:x@v1", "(not (and repository:/x/ revision:v1))"],
  ["both", 'repo:"x@v1"', "repository:/x@v1/"],
  ["both", "repo:x@", '! Expected a revision after "@" at offset 7.'],
  ["both", "repo:or foo", "(and repository:/or/ ~foo~)"],
  ["both", "rev:feature/x foo", "(and ~foo~ revision:feature/x)"],
  ["both", "rev:a b branch:c rev:a", "(and ~b~ revision:a,c)"],
  ["both", "rev:a or rev:b", "(or revision:a revision:b)"],
  ["both", "-rev:a rev:*", "(and (not revision:a) revision:*)"],
  ["both", "lang:typescript l:js language:c++", "(and language:TypeScript language:JavaScript language:C++)"],
  ["both", 'lang:"objective-c"', "language:Objective-C"],
  [
    "both",
    "lang:pyton",
    '! Unknown language "pyton" at offset 5. Did you mean Python, Cython, STON or Python console?',
  ],
  ["both", "lang:qqqqqq", '! Unknown language "qqqqqq" at offset 5.'],
  ["both", "sym:MyClass", "symbol:/MyClass/"],
  ["both", "s:a symbol:\\bb", "(and symbol:/a/ symbol:/\\bb/)"],
  ["both", 'content:"TODO: fix"', 'content:"TODO: fix"'],
  ["both", "content:file:x", "content:~file:x~"],
  ["both", "context:web login", "(and context:web ~login~)"],
  ["both", "( context:p1 or scope:p2 ) x", "(and (or context:p1 context:p2) ~x~)"],
  ["both", "context:no", '! Unknown context "no" at offset 8. Use p1, p2 or web.'],
  ["both", 'reposet:"a, b,,a"', "repositorySet:a,b"],
  ["both", "archived:no fork:only visibility:any", "(and archived:no fork:only visibility:any)"],
  ["both", "topic:Search,,go", "topic:search,go"],
  ["both", "tests:yes login", "(and true ~login~)"],
  ["both", "repo:npm/zod@4.6.7", "repository:/npm/zod@4.6.7/"],
  ["both", "repo:^go/x.org/y@v1", "repository:/^go/x.org/y@v1/"],
  ["both", "repo:x/npm/y@v1", "(and repository:/x/npm/y/ revision:v1)"],
  ["both", "dependencies:only dependencies: no", "(and dependencies:only ~dependencies:~ ~no~)"],
  ["both", 'tests:"yes" login', "(and true ~login~)"],
  ["both", "tests:e2e tests: no", "(and ~tests:e2e~ ~tests:~ ~no~)"],
  ["both", "archived:maybe", '! Expected yes, no or only after "archived:", found "maybe" at offset 9.'],
  ["both", "fork:NO", '! Expected yes, no or only after "fork:", found "NO" at offset 5.'],
  ["both", "file:", '! Expected a value after "file:" at offset 5.'],
  ["both", "(rev:)", '! Expected a value after "rev:" at offset 5.'],
  [
    "both",
    "file:lang:go",
    '! Expected a value after "file:", found "lang:" at offset 5. Quote the value to use it as text.',
  ],
  [
    "both",
    "FILE:x foo:bar http://x std::vector foo-file:x",
    "(and ~FILE:x~ ~foo:bar~ ~http://x~ ~std::vector~ ~foo-file:x~)",
  ],
]);

// `case:` and `type:` apply to their group.
check([
  ["LC", "Foo file:x", '(and "Foo"c name:/x/c)'],
  ["RC", "Foo case:no", "/Foo/"],
  ["L", "Foo case:yes file:x repo:y", '(and "Foo"c name:/x/c repository:/y/)'],
  ["L", "case:auto Foo bar Éa", '(and "Foo"c "bar" "Éa"c)'],
  ["R", "case:auto \\Sa \\pLb \\x{1F}Cd", "(and /\\Sa/ /\\pLb/ /\\x{1F}Cd/c)"],
  ["L", "(case:yes a b) c", '(and (and "a"c "b"c) "c")'],
  ["L", "case:yes (a or (case:no b))", '(or "a"c "b")'],
  ["L", "a or b case:yes", '(or "a"c "b"c)'],
  ["L", "case:yes", "true"],
  ["L", "case:yes or a", '! Expected a term next to "case:" at offset 0. "or" needs a term on both sides.'],
  ["L", "case:yes case:no", '! A group can have only one "case:" at offset 9. Remove one of them.'],
  ["L", "case:Yes", '! Expected yes, no or auto after "case:", found "Yes" at offset 5.'],
  ["L", "type:file a or b", '(type:file (or "a" "b"))'],
  ["L", "(type:repo a) b", '(and (type:repo "a") "b")'],
  ["L", "type:symbol", "(type:symbol true)"],
  ["L", "type:path", '! Expected file, symbol, repo or commit after "type:", found "path" at offset 5.'],
]);

// The value of an enumerated filter may be quoted.
check([
  ["both", 'case:"auto" Foo', "~Foo~c"],
  ["L", 'case:"yes" foo', '"foo"c'],
  ["L", 'type:"file" a', '(type:file "a")'],
  ["L", 'type:"commit" author:ann', "(type:commit author:/ann/)"],
  ["L", 'fork:"only"', "fork:only"],
  ["L", 'archived:"no"', "archived:no"],
  ["L", 'visibility:"any"', "visibility:any"],
]);

// Messages name what was expected, what was found, and the offset in UTF-16 units.
check([
  ["both", 'case:"nope"', '! Expected yes, no or auto after "case:", found "nope" at offset 6.'],
  ["both", 'case:""', '! Expected yes, no or auto after "case:", found "" at offset 6.'],
  ["both", "case:'yes'", '! Expected yes, no or auto after "case:", found "\'yes\'" at offset 5.'],
  ["both", "😀 case: a", '! Expected yes, no or auto after "case:", found "a" at offset 9.'],
  [
    "both",
    'type:"files"',
    '! Expected file, symbol, repo or commit after "type:", found "files" at offset 6.',
  ],
  ["both", "type:", '! Expected a value after "type:" at offset 5.'],
  [
    "both",
    'visibility:"all"',
    '! Expected public, private or any after "visibility:", found "all" at offset 12.',
  ],
  ["both", 'lang:""', '! Expected a language after "lang:" at offset 6.'],
  [
    "both",
    'l:"pyton"',
    '! Unknown language "pyton" at offset 3. Did you mean Python, Cython, STON or Python console?',
  ],
  ["both", 'context:""', '! Expected a context after "context:" at offset 9.'],
  ["both", 'scope:"no"', '! Unknown context "no" at offset 7. Use p1, p2 or web.'],
  ["both", 'reposet:","', '! Expected repositories after "reposet:" at offset 9.'],
  ["both", 'rev:""', '! Expected a revision after "rev:" at offset 5.'],
  ["both", 'b:""', '! Expected a revision after "b:" at offset 3.'],
  ["both", 'r:""', '! Expected a repository after "r:" at offset 3.'],
  ["both", "repo:@v1", '! Expected a repository after "repo:" at offset 5.'],
  [
    "both",
    "since:soon type:commit",
    '! Expected a date after "since:", found "soon" at offset 6. Use a date such as 2026-01-31 or "2 weeks ago".',
  ],
  [
    "both",
    'before:"soon" type:commit',
    '! Expected a date after "before:", found "soon" at offset 8. Use a date such as 2026-01-31 or "2 weeks ago".',
  ],
  [
    "both",
    "a path: x type:commit",
    '! "path:" filters files and cannot be combined with "type:commit" at offset 2. Remove one of them.',
  ],
  ["both", "a (b -type:file)", '! Cannot negate "type:" at offset 5. Remove the negation.'],
  ["both", "a NOT case:yes", '! Cannot negate "case:" at offset 2. Remove the negation.'],
  [
    "both",
    "a ( type:file or b)",
    '! Expected a term next to "type:" at offset 4. "or" needs a term on both sides.',
  ],
  [
    "both",
    "a or type:file",
    '! Expected a term next to "type:" at offset 5. "or" needs a term on both sides.',
  ],
  ["both", "a type:file type:repo", '! A group can have only one "type:" at offset 12. Remove one of them.'],
]);

// Invalid expressions, including constructs of other dialects.
check([
  [
    "R",
    "a (?=b)",
    "! Invalid regular expression at offset 2: lookaround is not supported: (?=. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "x(?<!b)c",
    "! Invalid regular expression at offset 1: lookaround is not supported: (?<!b)c. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "(a)\\1",
    "! Invalid regular expression at offset 3: a backreference is not supported: \\1. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "a**",
    "! Invalid regular expression at offset 1: invalid nested repetition operator: **. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "a++",
    "! Invalid regular expression at offset 1: a possessive quantifier is not supported: ++. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "(?>a)",
    "! Invalid regular expression at offset 0: an atomic group is not supported: (?>. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "x [b-a]",
    "! Invalid regular expression at offset 3: invalid character class range: b-a. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "a{1001}",
    "! Invalid regular expression at offset 1: invalid repeat count: {1001}. Escape it, or quote the value to search for the text.",
  ],
  [
    "R",
    "(?:a{1000})+".repeat(21),
    "! Invalid regular expression at offset 0: expression too large. Escape it, or quote the value to search for the text.",
  ],
  [
    "L",
    "sym:[",
    "! Invalid regular expression at offset 4: missing closing ]: [. Escape it, or quote the value to search for the text.",
  ],
]);

test("suggests prefixes for misspelled ones", () => {
  const { suggestions } = parseQuery("-fiel:a http://x std::b langauge:go x:y port:1 (repos:z)", modes.L);
  assert.deepEqual(suggestions, [
    { offset: 1, length: 5, prefix: "fiel:", suggestion: "file:" },
    { offset: 24, length: 9, prefix: "langauge:", suggestion: "language:" },
    { offset: 48, length: 6, prefix: "repos:", suggestion: "repo:" },
  ]);
});

test("reports whether a revision is named", () => {
  const named = (text: string) => parseQuery(text, modes.L).hasRevision;
  assert.deepEqual(["a", '"rev:x"', "a (b rev:x)", "repo:a@b", "-rev:x"].map(named), [
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("limits the size of a query", () => {
  const message = (text: string, mode: Mode) => outcome(text, mode).split(". ")[0];
  assert.equal(
    message("a".repeat(10_001), "L"),
    "! The query is longer than 10000 characters at offset 10000",
  );
  assert.equal(message("a ".repeat(1001), "L"), "! The query has more than 1000 terms at offset 2000");
  const groups = "(".repeat(200) + "a b" + ")".repeat(200);
  assert.equal(message(groups, "R"), "! Groups are nested more than 100 deep at offset 101");
  assert.equal(
    message("NOT ".repeat(500) + "a", "L"),
    "! Groups are nested more than 100 deep at offset 404",
  );
});

// A parser that is not linear would time out here.
test("parses any 10,000 characters quickly", { timeout: 20_000 }, () => {
  const pieces = '( ) " [ ] \\ -( a: file:( (a :" [: a|( \\( "( ['.split(" ");
  for (const piece of [...pieces, ...pieces.map((each) => `${each} `), "NOT ", "or "]) {
    for (const mode of ["L", "R"] as const) outcome(piece.repeat(10_000 / piece.length), mode);
  }
});

// Descriptions. They rank files, and are not part of the tree.
check([
  ["both", 'words:"retry a request"', "true"],
  ["both", 'words:retry lang:go needle words:"failed request"', "(and true language:Go ~needle~ true)"],
  ["L", "words: string[]", '(and "words:" "string[]")'],
  ["L", "(words:) a", '(and "words:" "a")'],
  [
    "both",
    'a words:"?!"',
    '! Expected words after "words:", found "?!" at offset 9. Describe what to find, as in words:"retry failed requests".',
  ],
  ["both", "-words:a b", '! Cannot negate "words:" at offset 0. Remove the negation.'],
  ["both", "a (words:b)", '! "words:" cannot be inside a group at offset 3. Move it out of the parentheses.'],
  [
    "both",
    "words:a or b",
    '! "words:" cannot be combined with "or" at offset 0. Remove one of them: "words:" needs only some of its words.',
  ],
  [
    "both",
    "type:file words:a",
    '! "words:" cannot be combined with "type:" at offset 10. Remove one of them.',
  ],
  [
    "both",
    "type:commit words:a",
    '! "words:" filters files and cannot be combined with "type:commit" at offset 12. Remove one of them.',
  ],
]);

test("the values of several words: form one description", () => {
  const { description } = parseQuery('words:"retries of requests" lang:go words:backoff', modes.L);
  assert.deepEqual(description?.stems, ["retr", "request", "backoff"]);
  assert.equal(parseQuery("retries", modes.L).description, undefined);
});
