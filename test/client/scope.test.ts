import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultRevisions,
  defaultScope,
  optionalFilterText,
  pickersOf,
  repositoriesFilter,
  type ScopeSettings,
} from "#client/search/scope";
import type { QueryFilter } from "#contract/queries";
import { english } from "#test/support/english";

const plain: ScopeSettings = { scope: "all", revisions: "head", workspace: [] };

/** Parses filters as the service does: `-repo:web`, `repo:a@v1`. */
function filters(text: string): QueryFilter[] {
  return text.split(" ").flatMap((word, at) => {
    const [, dash, prefix = "", value = ""] = /^(-?)(\w+):(.+)$/.exec(word) ?? [];
    if (value === "") return [];
    const sign = prefix === "repo" ? value.indexOf("@") : -1;
    const readAs = sign < 0 ? {} : { readAs: `repo:${value.slice(0, sign)} rev:${value.slice(sign + 1)}` };
    return [{ offset: at, length: word.length, prefix, value, isNegated: dash === "-", ...readAs }];
  });
}

const rows: readonly [query: string, settings: Partial<ScopeSettings>, expected: string][] = [
  ["", {}, "All repositories · HEAD · Code"],
  ["", { scope: "workspace", workspace: ["o/a"] }, "This workspace · HEAD · Code"],
  ["", { scope: "workspace" }, "All repositories · HEAD · Code"],
  ["", { scope: "team" }, "team · HEAD · Code"],
  ["", { revisions: "branches" }, "All repositories · All branches · Code"],
  ["", { revisions: "all" }, "All repositories · All branches and tags · Code"],
  ["repo:.*", { scope: "team" }, "All repositories · HEAD · Code"],
  ["repo:.*@v1", { scope: "team" }, "All repositories · v1 · Code"],
  ["repo:^github\\.com/o/api$", {}, "api · HEAD · Code"],
  ["repo:web", {}, "web · HEAD · Code"],
  ["repo:web@v2", {}, "web · v2 · Code"],
  ["-repo:web", {}, "All repositories · HEAD · Code"],
  ["repo:a repo:b", {}, "2 scopes · HEAD · Code"],
  ["reposet:o/a,o/b", {}, "2 repositories · HEAD · Code"],
  ["reposet:o/b,o/a", { workspace: ["o/a", "o/b"] }, "This workspace · HEAD · Code"],
  ["repo:^o/a$", { workspace: ["o/a"] }, "This workspace · HEAD · Code"],
  ["context:team", {}, "team · HEAD · Code"],
  ["rev:HEAD", { revisions: "all" }, "All repositories · HEAD · Code"],
  ["rev:refs/heads/**", {}, "All repositories · All branches · Code"],
  ["rev:refs/tags/**", {}, "All repositories · All tags · Code"],
  ["rev:*", {}, "All repositories · All branches and tags · Code"],
  ["rev:refs/heads/fix/ui", {}, "All repositories · fix/ui · Code"],
  ["rev:v1 rev:v2", {}, "All repositories · 2 revisions · Code"],
  ["type:file", {}, "All repositories · HEAD · Files"],
  ["type:repo", {}, "All repositories · HEAD · Repositories"],
  ["type:symbol", {}, "All repositories · HEAD · Symbols"],
  ["type:commit", {}, "All repositories · HEAD · Commits"],
];
for (const [query, settings, expected] of rows) {
  test(`the buttons of "${query}" ${JSON.stringify(settings)}`, () => {
    const { scope, revision, type } = pickersOf(filters(query), { ...plain, ...settings }, english);
    assert.equal([scope, revision, type].join(" · "), expected);
  });
}

test("settings add what a query does not specify", () => {
  const added = (settings: Partial<ScopeSettings>) =>
    [defaultScope, defaultRevisions].map((of) => optionalFilterText(of({ ...plain, ...settings }))).join(" ");
  assert.equal(added({}), " ");
  assert.equal(added({ scope: "" }), " ");
  assert.equal(added({ scope: "workspace" }), " ");
  assert.equal(added({ scope: "workspace", workspace: ["git.hub/o/a"] }), "repo:^git\\.hub/o/a$ ");
  assert.equal(added({ scope: "workspace", workspace: ["o/a", "my b"] }), 'reposet:"o/a,my b" ');
  assert.equal(added({ scope: "team", revisions: "branches" }), "context:team rev:refs/heads/**");
  assert.equal(added({ revisions: "all" }), " rev:*");
  assert.equal(repositoriesFilter([]), undefined);
});
