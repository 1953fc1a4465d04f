import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueryFilter } from "#contract/queries";
import {
  asLiteral,
  escaped,
  exactAuthor,
  exactFile,
  exactRepository,
  type Filter,
  filterText,
  inFolder,
  pastedText,
  quoted,
  withExtensionOf,
  withFilter,
  withFiltersReplaced,
  withoutRange,
  withWordsToggled,
} from "#contract/queryText";

function check<Row extends readonly unknown[]>(
  name: string,
  run: (...row: Row) => unknown,
  rows: readonly (readonly [...Row, expected: unknown])[],
): void {
  test(name, () => {
    for (const row of rows) {
      const input = row.slice(0, -1) as unknown as Row;
      assert.deepEqual(run(...input), row.at(-1), JSON.stringify(input));
    }
  });
}

/** Parses a filter such as `-lang:Go`. */
function filter(text: string): Filter {
  const [, dash, prefix = "", value = ""] = /^(-?)(\w+):(.*)$/s.exec(text) ?? [];
  return { prefix, value, isNegated: dash === "-" };
}

check(
  "a filter is formatted as one word, with its value quoted if needed",
  (text: string) => filterText(filter(text)),
  [
    ["lang:Go", "lang:Go"],
    ["-lang:Go", "-lang:Go"],
    ["lang:Jupyter Notebook", 'lang:"Jupyter Notebook"'],
    ["file:^my notes\\.md$", 'file:"^my notes\\\\.md$"'],
    ['file:a"b', 'file:"a\\"b"'],
    ["file:", 'file:""'],
    ["file:repo:x", 'file:"repo:x"'],
    ["repo:^user@host/x$", 'repo:"^user@host/x$"'],
    ["repo:web@v2", "repo:web@v2"],
    ["file:^a\\(1\\)\\.ts$", "file:^a\\(1\\)\\.ts$"],
    ["rev:fix(ui", 'rev:"fix(ui"'],
    ["file:^日本/", "file:^日本/"],
  ],
);

check("a filter is added once", (query: string, text: string) => withFilter(query, filter(text)), [
  ["foo tests:only", "tests:no", "foo tests:no"],
  ["foo tests:no", "tests:no", "foo tests:no"],
  ["", "lang:Go", "lang:Go"],
  ["foo", "lang:Go", "foo lang:Go"],
  ["foo  ", "lang:Go", "foo lang:Go"],
  ["foo lang:Go", "lang:Go", "foo lang:Go"],
  ["lang:Go foo", "-lang:Go", "foo -lang:Go"],
  ["foo -lang:Go", "lang:Go", "foo lang:Go"],
  ["foo lang:Gosu", "lang:Go", "foo lang:Gosu lang:Go"],
  ["a or b", "lang:Go", "(a or b) lang:Go"],
  ["(a or b) lang:Go", "-file:x", "(a or b) lang:Go -file:x"],
  ["((a or b) c) or d", "lang:Go", "(((a or b) c) or d) lang:Go"],
  ['"a or b"', "lang:Go", '"a or b" lang:Go'],
  ['"a\n or b"', "lang:Go", '"a\n or b" lang:Go'],
  ["for or_else", "lang:Go", "for or_else lang:Go"],
  ["(a lang:Go) or b", "lang:Go", "((a lang:Go) or b) lang:Go"],
  ['"lang:Go"', "lang:Go", '"lang:Go" lang:Go'],
]);

/** The range to replace is in brackets. */
check(
  "pasted text with several lines becomes a phrase",
  (marked: string, text: string) => {
    const offset = marked.indexOf("[");
    const length = marked.indexOf("]") - offset - 1;
    const query = marked.replace("[", "").replace("]", "");
    const inserted = pastedText(query, offset, length, text);
    return query.slice(0, offset) + inserted + query.slice(offset + length);
  },
  [
    ["[]", "  a\r\n\tb\n", '"a\n\tb"'],
    ["[]", "a b\n", "a b"],
    ["[x]", 'if ("\\d" or lang:go)\n(', '"if (\\"\\\\d\\" or lang:go)\n("'],
    ["lang:go[]", "a\nb", 'lang:go "a\nb"'],
    ["[]lang:go", "a\nb", '"a\nb" lang:go'],
    ["([])", "a\nb", '("a\nb")'],
    ["content:[]", "a\nb", 'content:"a\nb"'],
    ['"x [] y"', 'a"\nb', '"x a\\"\nb y"'],
    ['"x" []', "a\nb", '"x" "a\nb"'],
  ],
);

/** The range to remove is in brackets. */
check(
  "removing a range leaves no dangling operator",
  (marked: string) => {
    const offset = marked.indexOf("[");
    const length = marked.indexOf("]") - offset - 1;
    return withoutRange(marked.replace("[", "").replace("]", ""), offset, length);
  },
  [
    ["[lang:Go]", ""],
    ["foo [lang:Go]", "foo"],
    ["[lang:Go] foo", "foo"],
    ["foo [lang:Go] bar", "foo bar"],
    ["foo  [lang:Go]  bar", "foo bar"],
    ["foo or [lang:Go]", "foo"],
    ["[lang:Go] or foo", "foo"],
    ["a or [lang:Go] or b", "a or b"],
    ["a AND [lang:Go] or b", "a or b"],
    ["(a or [lang:Go]) b", "(a) b"],
    ["([lang:Go]) b", "b"],
    ["a -([lang:Go])", "a"],
    ["a NOT ([lang:Go]) b", "a b"],
    ["a or ([lang:Go])", "a"],
    ["a (([lang:Go])) b", "a b"],
    ["f() [lang:Go]", "f()"],
    ["for [lang:Go]", "for"],
    ["[lang:Go] orange", "orange"],
  ],
);

test("new filters replace all filters of the same kinds", () => {
  const query = "repo:a foo repo:b -lang:Go";
  const currentFilters: QueryFilter[] = [
    { offset: 0, length: 6, prefix: "repo", value: "a", isNegated: false },
    { offset: 11, length: 6, prefix: "repo", value: "b", isNegated: false },
    { offset: 18, length: 8, prefix: "lang", value: "Go", isNegated: true },
  ];
  assert.equal(withFiltersReplaced(query, currentFilters, ["repo"], []), "foo -lang:Go");
  assert.equal(
    withFiltersReplaced(query, currentFilters, ["repo", "context"], [filter("context:web")]),
    "foo -lang:Go context:web",
  );
  assert.equal(withFiltersReplaced(query, currentFilters, ["rev"], [filter("rev:*")]), `${query} rev:*`);
});

test("words become a description, and words again", () => {
  const lang = { offset: 12, length: 7, prefix: "lang", value: "Go", isNegated: false };
  const described = 'words:"retry request" lang:go';
  const words = { offset: 0, length: 21, prefix: "words", value: "retry request", isNegated: false };
  assert.equal(
    withWordsToggled("retry or not lang:go", [{ ...lang, offset: 13 }]),
    'words:"retry or not" lang:go',
  );
  assert.equal(withWordsToggled('"retry" now lang:go', [lang]), 'words:"retry now" lang:go');
  assert.equal(withWordsToggled(described, [words, { ...lang, offset: 22 }]), "retry request lang:go");
  assert.equal(withWordsToggled("retry", []), "words:retry");
  for (const query of [
    "(repo:a or repo:b) retry",
    "retry or repo:a",
    "NOT repo:a retry",
    "repo:a OR retry",
  ]) {
    const parsed = [...query.matchAll(/repo:(.)/g)].map(({ 0: { length }, 1: value = "", index: offset }) => {
      return { offset, length, prefix: "repo", value, isNegated: false };
    });
    assert.equal(withWordsToggled(query, parsed), undefined, query);
  }
  const value = "don't (retry) or -x http://a lang:go now";
  const syntax = `words:"${value}"`;
  assert.equal(
    withWordsToggled(syntax, [
      { offset: 0, length: syntax.length, prefix: "words", value, isNegated: false },
    ]),
    'don\'t "(retry)" "or" "-x" "http://a" "lang:go" now',
  );
  assert.equal(withWordsToggled("(words:a or b)", [{ ...words, offset: 1, length: 7 }]), undefined);
  assert.equal(withWordsToggled("lang:go", [{ ...lang, offset: 0 }]), undefined);
});

check("values that match exactly one thing", (value: string | undefined) => value, [
  [exactRepository("github.com/o/r.js"), "^github\\.com/o/r\\.js$"],
  [exactAuthor("Ann (QA)"), "^Ann \\(QA\\) <"],
  [exactAuthor("", "a@b.c"), "^ <a@b\\.c>$"],
  [exactFile("src/a+b.ts"), "^src/a\\+b\\.ts$"],
  [inFolder("src"), "^src/"],
  [inFolder(""), ""],
  [withExtensionOf("src/a.d.ts"), "\\.ts$"],
  [withExtensionOf("Makefile"), undefined],
  [withExtensionOf("src/.gitignore"), undefined],
  [withExtensionOf("a.b/c"), undefined],
  [escaped("a[0]{1}|^$"), "a\\[0\\]\\{1\\}\\|\\^\\$"],
  [quoted('say "a\\b"'), '"say \\"a\\\\b\\""'],
]);

check("selected text is searched literally", asLiteral, [
  ["retryWithBackoff", "retryWithBackoff"],
  [" a-b.c ", "a-b.c"],
  ["-Wall", '"-Wall"'],
  ["or", '"or"'],
  ["NOT", '"NOT"'],
  ["lang:go", '"lang:go"'],
  ["f(a, b)", '"f(a, b)"'],
  ['say "x"', '"say \\"x\\""'],
]);
