/** What limited views contain when many callers share what is kept of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RepositoryScope } from "#contract/access";
import type { Repository } from "#model/repository";
import { SharedContents } from "#service/repositories/sharedContents";
import { visibleRepositories } from "#service/repositories/visibleRepositories";
import { repository, viewOf } from "#test/support/service";

test("each caller sees their own repositories, beyond what is kept, and after the list or rights have changed", () => {
  const packages = [1, 2].map((id) => repository(id, `npm/p${id}@1.0.0`, { kind: "package" }));
  const create = () =>
    Array.from({ length: 300 }, (_, at) => {
      const change = { dependencies: [packages[at % 2]?.id ?? assert.fail()] };
      return repository(at + 3, `git.example.com/acme/r${String(at).padStart(3, "0")}`, change);
    });
  let all = create();
  let revision = 0;
  const view = {
    ...viewOf([]),
    all: () => all,
    packages: () => packages,
    get: (id: number) => all.find((each) => each.id === id),
  };
  const memberOf = ({ email = "" }: RepositoryScope["codeHostUser"] & object) => Number(email);
  const sees = (member: number, { id }: Repository) =>
    ((Math.imul(id + 7919 * member, 0x9e3779b1) >>> 13) + revision) % 2 === 0;
  const rights = {
    get revision() {
      return revision;
    },
    visibility: (each: Repository, user: RepositoryScope["codeHostUser"] & object) =>
      sees(memberOf(user), each) ? ("visible" as const) : ("unknown" as const),
  };
  const shared = new SharedContents(view, 10_000);
  const views = Array.from({ length: 30 }, (_, member) =>
    visibleRepositories(
      view,
      { grants: [], codeHostUser: { email: `${member}`, logins: {} } },
      rights,
      shared,
    ),
  );
  const check = () => {
    for (const [member, each] of [...views.entries(), ...views.slice(0, 10).entries()]) {
      const expected = all.filter((repository) => sees(member, repository));
      assert.equal(each.all().length, expected.length);
      assert.ok(each.all().every((repository, at) => repository === expected[at]));
      const used = new Set(expected.flatMap(({ dependencies = [] }) => dependencies));
      assert.deepEqual(
        each.packages().map(({ id }) => id),
        packages.map(({ id }) => id).filter((id) => used.has(id)),
      );
      for (const repository of all.slice(0, 20))
        assert.equal(each.get(repository.id) !== undefined, sees(member, repository));
      assert.equal(each.hasUnknownRights(), true);
    }
  };
  check();
  revision++;
  check();
  all = create().reverse();
  check();
});
