import assert from "node:assert/strict";
import { test } from "node:test";
import { type QueryDefaults, type SearchState, searchRequest } from "#client/search/searchState";

const none: QueryDefaults = { scope: "", revisions: "", includeArchived: true };

function check(
  query: string,
  expected: string,
  { defaults = {}, ...change }: Partial<SearchState> & { readonly defaults?: Partial<QueryDefaults> } = {},
): void {
  const state: SearchState = {
    query,
    caseSensitivity: "insensitive",
    isRegex: false,
    isWholeWord: false,
    narrowed: [],
    ...change,
  };
  test(`${query} ${JSON.stringify({ ...change, ...defaults })}`, () => {
    assert.equal(searchRequest(state, { ...none, ...defaults }, 10).query, expected);
  });
}

check("a b", "a b");
check("a b", "a b case:auto", { caseSensitivity: "smart" });
check("a case:yes", "a case:yes", { caseSensitivity: "smart" });
check("a or b", "(a or b) AND c AND (d or e)", { narrowed: ["c", "d or e"] });
check("a or b", "(a or b) archived:no", { defaults: { includeArchived: false } });
const smart = { caseSensitivity: "smart" } as const;
// Words that would become operators with what follows them.
check("IS NOT", "(IS NOT) case:auto", smart);
check("a", "a AND (or) case:auto", { ...smart, narrowed: ["or"] });
check("a", "a AND (or b) case:auto", { ...smart, narrowed: ["or b"] });
check("a or b\\", "(a or b\\ ) case:auto", smart);
// Parentheses without a partner are text, and so are those inside a word.
check("(a or b", "(a case:auto or b case:auto", smart);
check("a) or (b or c", "a) case:auto or (b case:auto or c case:auto", smart);
check("f(a or b)", "(f(a or b)) case:auto", smart);
check("(a or b) f(c)", "(a or b) f(c) case:auto", smart);
check("-(a or b)", "-(a or b) case:auto", smart);
check('"a or b" c\\(', '"a or b" c\\( case:auto', smart);
check("return new", "return new AND retry case:auto", { ...smart, narrowed: ["retry"] });
check("(a or b", "(a AND c case:auto or b AND c case:auto", { ...smart, narrowed: ["c"] });
// Text in quotes does not replace the defaults.
check('"case: 1\n repo:x"', '"case: 1\n repo:x" case:auto', smart);
check("a archived:only", "a archived:only", { defaults: { includeArchived: false } });

const scoped = { scope: "reposet:one,two", revisions: "rev:*" };
check("a", "a reposet:one,two rev:*", { defaults: scoped });
check("a r:x", "a r:x rev:*", { defaults: scoped });
check('"f(\n  r:x"', '"f(\n  r:x" reposet:one,two rev:*', { defaults: scoped });
check("a -repo:x", "a -repo:x rev:*", { defaults: scoped });
check("a (b context:web)", "a (b context:web) rev:*", { defaults: scoped });
check("a b:main", "a b:main reposet:one,two", { defaults: scoped });
check("repo:x@v1 a", "repo:x@v1 a", { defaults: scoped });

test("toggles become fields of the request", () => {
  const state: SearchState = {
    query: "a",
    caseSensitivity: "sensitive",
    isRegex: true,
    isWholeWord: true,
    narrowed: [],
  };
  assert.deepEqual(searchRequest(state, none, 7), {
    query: "a",
    matches: 7,
    isRegexEnabled: true,
    isCaseSensitivityEnabled: true,
    isWholeWordEnabled: true,
    explain: true,
  });
});
