/** Asking for one repository by its id, and for the identity of the credentials. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf, dialects } from "./dialects";
import type { Fault } from "./fakeHost";
import { listOnly, never, withFake } from "./openFake";

const signInPage = { "content-type": "text/html" };

/** None of these proves that a repository is gone. */
const unclear: readonly Omit<Fault, "page">[] = [
  ...[401, 403, 407, 408, 500, 502, 503, 504].map((status) => ({ kind: "answer", status }) as const),
  { kind: "answer", status: 429, headers: { "retry-after": "1" } },
  { kind: "answer", status: 404, headers: signInPage, body: "<html>No such page</html>" },
  { kind: "answer", status: 302, headers: { location: "/login" } },
  { kind: "answer", headers: signInPage, body: "<html>Sign in</html>" },
  { kind: "answer", body: "{" },
  { kind: "answer", body: "{}" },
  { kind: "cut" },
];

for (const dialect of dialects) {
  test(`${dialect.type}: a listed repository is present, a deleted one is gone, and failures prove nothing`, async () => {
    await withFake(dialect, { token: "right" }, async (fake, host) => {
      const [first, second] = (await listOnly(host)).repositories;
      assert.ok(first && second);
      const found = await host.lookUp(first, never);
      assert.equal(found.kind, "present");
      if (found.kind === "present") assert.equal(found.repository.path, first.path);
      // A manifest is data, not the host's word on one repository.
      const isManifest = dialect.type === "genericGitHost";
      for (const fault of unclear) {
        if (isManifest && fault.body === "{}") continue;
        fake.faults.splice(0, 1, fault);
        const { kind } = await host.lookUp(first, never);
        assert.equal(kind, "unknown", JSON.stringify(fault));
      }
      fake.faults.length = 0;
      fake.repositories.splice(1, 1);
      assert.deepEqual(await host.lookUp(second, never), { kind: "gone", status: 404 });
      for (const status of isManifest ? [] : [410, 451]) {
        fake.faults.splice(0, 1, { kind: "answer", status });
        assert.deepEqual(await host.lookUp(second, never), { kind: "gone", status });
      }
    });
  });

  test(`${dialect.type}: the credentials are proved`, async () => {
    await withFake(dialect, { token: "right" }, async (_, host) => {
      const identity = await host.identify(never);
      assert.ok(!("message" in identity), JSON.stringify(identity));
      const named = ["gitlab", "gitea", "gerrit", "bitbucketServer"].includes(dialect.type);
      assert.equal(identity.account, named ? "octocat" : undefined);
    });
    await withFake(dialect, { token: "right", givenToken: "wrong" }, async (_, host) => {
      const problem = await host.identify(never);
      assert.ok("message" in problem);
      assert.equal(problem.status, 401);
    });
    await withFake(dialect, {}, async (_, host) => {
      assert.ok(!("message" in (await host.identify(never))));
      assert.equal(await host.gitCredentials(), undefined);
    });
  });
}

test("a repository that was moved is present under its new path", async () => {
  for (const type of ["github", "gitlab", "gitea", "azuredevops"]) {
    const repositories = [{ id: 1, path: "acme/old" }];
    await withFake(dialectOf(type), { token: "right", repositories }, async (fake, host) => {
      const [old] = (await listOnly(host)).repositories;
      assert.ok(old && fake.repositories[0]);
      fake.repositories[0].path = "acme/new";
      const found = await host.lookUp(old, never);
      assert.ok(found.kind === "present");
      assert.equal(found.repository.hostId, old.hostId);
      assert.match(found.repository.path, /new$/);
    });
  }
});

test("Bitbucket Data Center is asked by path: another repository there means that the old one is gone", async () => {
  await withFake(dialectOf("bitbucketServer"), {}, async (fake, host) => {
    const [first] = (await listOnly(host)).repositories;
    assert.ok(first);
    fake.repositories.splice(0, 1, { id: 1000, path: "acme/repo-0001" });
    assert.deepEqual(await host.lookUp(first, never), { kind: "gone", status: 404 });
  });
});

test("Gitea is asked by path without a token: what was moved is present, and what was replaced is gone", async () => {
  const repositories = [{ id: 1, path: "acme/old" }];
  await withFake(dialectOf("gitea"), { repositories }, async (fake, host) => {
    const [old] = (await listOnly(host)).repositories;
    const [moved] = fake.repositories;
    assert.ok(old && moved);
    moved.path = "acme/new";
    fake.renamed.set("acme/old", moved);
    const found = await host.lookUp(old, never);
    assert.ok(found.kind === "present");
    assert.deepEqual([found.repository.hostId, found.repository.path], [old.hostId, "acme/new"]);
    fake.renamed.clear();
    assert.deepEqual(await host.lookUp(old, never), { kind: "gone", status: 404 });
    fake.repositories.push({ id: 2, path: "acme/old" });
    assert.deepEqual(await host.lookUp(old, never), { kind: "gone", status: 404 });
  });
});
