/** Who may read a repository, as code hosts say: lists, single answers, refusals, and hosts that say nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodeHost, HostRepository } from "#hosts/codeHost";
import { parseConnections } from "#hosts/parseConnections";
import { dialectOf } from "./dialects";
import type { FakeHost, Fault } from "./fakeHost";
import { listOnly, never, withFake } from "./openFake";

const types = ["github", "gitlab", "gitea", "bitbucketServer"];
/** More than a page. */
const crowd = Array.from({ length: 30 }, (_, at) => `person-${at + 1}`);
const repositories = () => [
  {
    id: 1,
    path: "acme/secret",
    isPrivate: true,
    readers: [...crowd, "ada"],
    guests: ["bob"],
    waiting: ["eve"],
  },
  { id: 2, path: "acme/other", isPrivate: true, guests: ["ada", "bob"] },
];
const logins = ["Ada", "bob", "eve", "nobody", "person-29"];

async function withHost(
  type: string,
  use: (fake: FakeHost, host: CodeHost, listed: readonly HostRepository[]) => Promise<void>,
  options: object = {},
): Promise<void> {
  const open = { repositories: repositories(), token: "right", requestTimeoutMs: 200, ...options };
  await withFake(dialectOf(type), open, async (fake, host) => {
    const { repositories: listed } = await listOnly(host);
    await use(fake, host, listed);
  });
}

for (const type of types) {
  test(`${type}: only those whom the host names may read, on whatever page and in whatever case`, () =>
    withHost(type, async (_fake, host, [secret, other]) => {
      assert.ok(secret && other);
      const known = (names: readonly string[]) => ({ kind: "known", logins: names });
      assert.deepEqual(await host.readers(secret, logins, never), known(["Ada", "person-29"]));
      assert.deepEqual(await host.readers(other, logins, never), known([]));
      assert.deepEqual(await host.readers(secret, [], never), known([]));
    }));

  test(`${type}: a refusal is told from a host that is down, busy or slow`, () =>
    withHost(type, async (fake, host, [secret]) => {
      assert.ok(secret);
      const after = async (fault: Fault) => {
        fake.faults.splice(0, fake.faults.length, fault);
        return await host.readers(secret, logins, never);
      };
      const kindAfter = async (fault: Fault) => (await after(fault)).kind;
      const retryAtAfter = async (fault: Fault) => {
        const answer = await after(fault);
        return answer.kind === "unknown" ? answer.problem.retryAt : undefined;
      };
      for (const status of [401, 403, 404])
        assert.equal(await kindAfter({ kind: "answer", status }), "refused", String(status));
      for (const status of [500, 502, 503, 504])
        assert.equal(await kindAfter({ kind: "answer", status }), "unknown", String(status));
      // Only what the host asks for delays requests for other repositories.
      assert.equal(await retryAtAfter({ kind: "answer", status: 503 }), undefined);
      const busy = { kind: "answer", status: 503, headers: { "retry-after": "1" } } as const;
      assert.notEqual(await retryAtAfter(busy), undefined);
      assert.equal(await kindAfter({ kind: "answer", status: 429 }), "unknown");
      const limited = { kind: "answer", status: 403, headers: { "retry-after": "3600" } } as const;
      assert.equal(await kindAfter(limited), "unknown");
      assert.equal(await kindAfter({ kind: "cut" }), "unknown");
      assert.equal(await kindAfter({ kind: "answer", body: '{"odd":1}' }), "unknown");
    }));

  test(`${type}: a repository that the token no longer sees, and a revoked token, are refusals`, () =>
    withHost(type, async (fake, host, [secret]) => {
      assert.ok(secret);
      fake.repositories.shift();
      assert.equal((await host.readers(secret, logins, never)).kind, "refused");
      fake.token = "another";
      const answer = await host.readers(secret, logins, never);
      assert.equal(answer.kind, "refused");
    }));
}

test("gitea: another repository at the path of one that has moved is not asked about", () =>
  withHost("gitea", async (fake, host, [secret]) => {
    assert.ok(secret);
    fake.repositories.splice(0, 1, { id: 3, path: "acme/secret", readers: ["bob"], isPrivate: true });
    assert.equal((await host.readers(secret, logins, never)).kind, "refused");
  }));

test("github: a list that has not changed costs no request of the limit", () =>
  withHost("github", async (fake, host, [, other]) => {
    assert.ok(other);
    fake.hasEtags = true;
    await host.readers(other, logins, never);
    await host.readers(other, logins, never);
    assert.equal(fake.statuses.at(-1), 304);
  }));

test("connections say for which hosts that is possible", () => {
  const access = { visibleTo: "codeHost" };
  const problemOf = (settings: object) => {
    try {
      parseConnections({ work: settings });
      return "";
    } catch (error) {
      return String(error);
    }
  };
  const token = { env: "TOKEN" };
  const gerrit = { type: "gerrit", url: "https://g.example.com", user: "u", include: { all: true } };
  assert.match(
    problemOf({ ...gerrit, token, access }),
    /"connections\.work\.access" cannot have "visibleTo": "codeHost" for the type "gerrit": Trawl can only ask github,/,
  );
  const gitea = { type: "gitea", url: "https://g.example.com", include: { all: true } };
  assert.match(problemOf({ ...gitea, access }), /"connections\.work\.token" is missing: "access" needs it/);
  assert.match(
    problemOf({ ...gitea, token, access: { visibleTo: "all" } }),
    /must be "members" or "codeHost"/,
  );
  assert.equal(problemOf({ ...gitea, token, access: { ...access, logins: { "a@b.c": "a" } } }), "");
});
