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
check("a or b", "(a or b) c (d or e)", { narrowed: ["c", "d or e"] });
check("a or b", "(a or b) archived:no", { defaults: { includeArchived: false } });
check("a archived:only", "a archived:only", { defaults: { includeArchived: false } });

const scoped = { scope: "reposet:one,two", revisions: "rev:*" };
check("a", "a reposet:one,two rev:*", { defaults: scoped });
check("a r:x", "a r:x rev:*", { defaults: scoped });
check("a -repo:x", "a -repo:x rev:*", { defaults: scoped });
check("a (b context:web)", "a (b context:web) rev:*", { defaults: scoped });
check("a b:main", "a b:main reposet:one,two", { defaults: scoped });
check("repo:x@v1 a", "repo:x@v1 a", { defaults: scoped });

test("flags go beside the query", () => {
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
