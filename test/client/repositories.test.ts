/** How the view groups and names repositories. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixingCommand, groupsOf, shortNames } from "#client/model/grouping";
import type { RepositoryItem } from "#contract/repositories";

/** `clones` are the names of repositories with a clone on this computer. */
function checkGroups(
  name: string,
  names: readonly string[],
  clones: readonly string[],
  expected: string,
): void {
  test(`groups: ${name}`, () => {
    const items = names.map((repoName, repoId) => ({ repoId, repoName }) as RepositoryItem);
    const groups = groupsOf(items, (id) => clones.includes(names[id] ?? ""));
    const text = groups.map(
      ({ namespace, ids }) => `${namespace || "local"}: ${ids.map((id) => names[id]).join(" ")}`,
    );
    assert.equal(text.join("\n"), expected);
  });
}

checkGroups("all are on this computer", ["a/b/c", "local/x"], ["a/b/c", "local/x"], "local: a/b/c local/x");
checkGroups(
  "others are grouped by host and owner",
  ["github.com/acme/billing", "github.com/acme/orders", "gitlab.com/group/sub/tool", "github.com/acme/here"],
  ["github.com/acme/here"],
  "local: github.com/acme/here\ngithub.com/acme: github.com/acme/billing github.com/acme/orders\ngitlab.com/group: gitlab.com/group/sub/tool",
);

function checkNames(names: readonly string[], expected: readonly string[]): void {
  test(`short names of ${names.join(", ")}`, () => {
    const short = shortNames(names);
    assert.deepEqual(
      names.map((name) => short.get(name)),
      expected,
    );
  });
}

checkNames(["github.com/acme/billing", "github.com/acme/orders"], ["billing", "orders"]);
checkNames(["github.com/acme/api", "github.com/other/api"], ["acme/api", "other/api"]);
checkNames(["github.com/acme/api", "gitlab.com/acme/api"], ["github.com/acme/api", "gitlab.com/acme/api"]);
checkNames(["api", "github.com/acme/api"], ["api", "acme/api"]);

test("the command that fixes a failure is the one its message ends with", () => {
  const command = "git config --global --add safe.directory /srv/x";
  assert.equal(fixingCommand(`Git does not trust /srv/x. To allow it: ${command}`), command);
  assert.equal(fixingCommand("git log failed in /srv/x: fatal"), undefined);
});
