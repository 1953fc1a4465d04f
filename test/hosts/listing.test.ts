/** Every type of host with every fault, on the first, a middle and the last page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopeListing } from "#hosts/codeHost";
import { dialectOf, dialects } from "./dialects";
import { type Dialect, type FakeHost, type Fault, manyRepositories } from "./fakeHost";
import { listOnly, never, pathOn, withFake } from "./openFake";

const signInPage = { "content-type": "text/html; charset=utf-8" };
const hour = 3_600_000;
const resetAt = Math.round((Date.parse("2026-01-31T12:00:00Z") + hour) / 1000);

/** Faults that stay, so that the list cannot be complete. */
const lasting: Readonly<Record<string, Omit<Fault, "page">>> = {
  "status 401": { kind: "answer", status: 401 },
  "status 403": { kind: "answer", status: 403 },
  "status 404": { kind: "answer", status: 404 },
  "status 410": { kind: "answer", status: 410 },
  "status 500": { kind: "answer", status: 500 },
  "status 502": { kind: "answer", status: 502, headers: signInPage, body: "<html>" },
  "status 503": { kind: "answer", status: 503 },
  "status 204": { kind: "answer", status: 204, body: "" },
  "a rate limit of an hour": { kind: "answer", status: 429, headers: { "retry-after": "3600" } },
  "a web page": { kind: "answer", headers: signInPage, body: "<html>Sign in</html>" },
  "a web page with status 203": { kind: "answer", status: 203, headers: signInPage, body: "<html>" },
  "a redirect to a web page": { kind: "answer", status: 302, headers: { location: "/login" } },
  "a redirect to nowhere": { kind: "answer", status: 302, headers: { location: "http://" } },
  "malformed JSON": { kind: "answer", body: '[{"id": 1,' },
  "JSON of something else": { kind: "answer", body: '"maintenance"' },
  "an empty response": { kind: "answer", body: "" },
  "a cut response": { kind: "cut" },
  "an odd item": { kind: "oddItem" },
};

/** Faults that end, so that the list is complete. */
const passing: Readonly<Record<string, Omit<Fault, "page">>> = {
  "two times status 500": { kind: "answer", status: 500, times: 2 },
  "four times status 503": { kind: "answer", status: 503, times: 4 },
  "a cut response, once": { kind: "cut", times: 1 },
  "a rate limit in seconds": { kind: "answer", status: 429, headers: { "retry-after": "7" }, times: 1 },
  "a rate limit until a date": {
    kind: "answer",
    status: 403,
    headers: { "retry-after": "Sat, 31 Jan 2026 12:05:00 GMT" },
    times: 1,
  },
  "a rate limit in the body": {
    kind: "answer",
    status: 403,
    body: '{"message": "You have exceeded a secondary rate limit."}',
    times: 1,
  },
  "a quota that ends": {
    kind: "answer",
    status: 403,
    headers: {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(resetAt - 3500),
      "x-ratelimit-limit": "60",
    },
    times: 1,
  },
  "a quota that ends, in the standard style": {
    kind: "answer",
    status: 429,
    headers: { "ratelimit-remaining": "0", "ratelimit-reset": "90", "ratelimit-limit": "100, 100;w=60" },
    times: 1,
  },
  // Azure DevOps delays requests before it refuses them.
  "a page with a wait": {
    kind: "headers",
    headers: { "retry-after": "5", "x-ratelimit-delay": "1.5" },
    times: 1,
  },
};

function pagesOf(dialect: Dialect): readonly number[] {
  return dialect.isPaged ? [1, 2, 3] : [1];
}

function assertSubset(fake: FakeHost, listing: ScopeListing): void {
  const known = new Set(fake.repositories.map(({ path }) => pathOn(fake.dialect, path)));
  assert.deepEqual(
    listing.repositories.filter(({ path }) => !known.has(path)),
    [],
  );
}

function assertExact(fake: FakeHost, listing: ScopeListing): void {
  assert.deepEqual(listing.problems, []);
  assert.equal(listing.outcome, "complete");
  assert.deepEqual(
    listing.repositories.map(({ path }) => path),
    fake.repositories.map(({ path }) => pathOn(fake.dialect, path)),
  );
}

for (const dialect of dialects) {
  for (const [title, fault] of Object.entries(lasting)) {
    test(`${dialect.type}: with ${title}, no list is complete`, async () => {
      for (const page of pagesOf(dialect)) {
        await withFake(dialect, {}, async (fake, host) => {
          fake.faults.push({ ...fault, page });
          const listing = await listOnly(host);
          const isLost = page === 1 && fault.kind !== "oddItem";
          assert.equal(listing.outcome, isLost ? "failed" : "partial");
          assert.ok(listing.problems.length > 0);
          assertSubset(fake, listing);
          if (!isLost) assert.ok(listing.repositories.length >= 20 * (page - 1));
        });
      }
    });
  }

  test(`${dialect.type}: faults that end do not change the list`, async () => {
    const limited = dialect.limited && ({ kind: "answer", ...dialect.limited, times: 1 } as const);
    for (const fault of [...Object.values(passing), ...(limited ? [limited] : [])]) {
      for (const page of pagesOf(dialect)) {
        await withFake(dialect, {}, async (fake, host) => {
          fake.faults.push({ ...fault, page });
          assertExact(fake, await listOnly(host));
        });
      }
    }
  });

  test(`${dialect.type}: wrong credentials list nothing, and right ones list what is private`, async () => {
    const repositories = () =>
      manyRepositories(30).map((each) => ({ ...each, isPrivate: each.id % 3 === 0 }));
    await withFake(
      dialect,
      { repositories: repositories(), token: "right", givenToken: "wrong" },
      async (_, host) => {
        const { outcome, problems, repositories } = await listOnly(host);
        assert.deepEqual([outcome, problems[0]?.status, repositories.length], ["failed", 401, 0]);
      },
    );
    await withFake(dialect, { repositories: repositories(), token: "right" }, async (fake, host) => {
      const listing = await listOnly(host);
      assertExact(fake, listing);
      if (dialect.type === "genericGitHost") return;
      const hidden = dialect.type === "gerrit" ? 30 : 10;
      assert.equal(listing.repositories.filter(({ visibility }) => visibility === "private").length, hidden);
    });
  });

  test(`${dialect.type}: at most two requests per 100 repositories, and the second list costs nothing`, async () => {
    const repositories = manyRepositories(250);
    await withFake(dialect, { repositories }, async (fake, host) => {
      fake.pageLimit = 100;
      fake.hasEtags = true;
      const first = await listOnly(host);
      assertExact(fake, first);
      const requestCount = fake.requests.length;
      // Gitea needs one more, which proves that the organization exists, and returns at most 50 per page.
      assert.ok(requestCount <= 6, `${requestCount} requests`);
      assert.equal(host.requestCount, requestCount);
      const second = await listOnly(host);
      assert.deepEqual(second, first);
      const changed = fake.statuses.slice(requestCount).filter((status) => status !== 304).length;
      assert.equal(changed, dialect.type === "gitea" ? 1 : 0);
    });
  });

  test(`${dialect.type}: all fields of a repository`, async () => {
    const repositories = [
      { id: 1, path: "acme/plain" },
      {
        id: 2,
        path: "acme/special",
        isFork: true,
        isArchived: true,
        isDisabled: true,
        isEmpty: true,
        topics: ["search"],
        size: 2,
      },
    ];
    await withFake(dialect, { repositories, token: "right" }, async (fake, host) => {
      const { repositories: listed } = await listOnly(host);
      const text = JSON.stringify(listed, undefined, 1).replaceAll(fake.url, "HOST");
      assert.deepEqual(JSON.parse(text), expectedFields[dialect.type]);
    });
  });
}

for (const dialect of dialects.filter(({ isPaged }) => isPaged)) {
  test(`${dialect.type}: next pages stay on the API, and do not repeat`, async () => {
    await withFake(dialect, {}, async (fake, host) => {
      fake.faults.push({ kind: "next", page: 2, next: "http://169.254.169.254" });
      const { outcome, problems } = await listOnly(host);
      // These ignore addresses in responses, which may be those of another proxy.
      const isOwnCount = ["gitea", "gitlab", "gerrit", "bitbucketServer"].includes(dialect.type);
      assert.equal(outcome, isOwnCount ? "complete" : "partial");
      if (!isOwnCount) assert.match(problems[0]?.message ?? "", /next page outside of its API/);
    });
  });

  test(`${dialect.type}: a host that begins to send smaller pages still lists everything`, async () => {
    await withFake(dialect, {}, async (fake, host) => {
      fake.afterPage = () => {
        fake.pageLimit = 10;
      };
      assertExact(fake, await listOnly(host));
    });
  });

  test(`${dialect.type}: what is deleted during a walk hides no other repository for good`, async () => {
    await withFake(dialect, {}, async (fake, host) => {
      const before = await listOnly(host);
      const [deleted] = before.repositories;
      fake.afterPage = (page) => {
        if (page === 1 && fake.repositories.length === 60) fake.repositories.shift();
      };
      const listing = await listOnly(host);
      const listed = new Set(listing.repositories.map(({ hostId }) => hostId));
      const missing = before.repositories.filter(({ hostId }) => !listed.has(hostId));
      // Page numbers move up. Hosts that count notice it; on the others, only asking for the repository does.
      const isNoticed = ["gitlab", "gitea"].includes(dialect.type);
      assert.equal(listing.outcome, isNoticed ? "partial" : "complete");
      assert.deepEqual(
        missing.map(({ path }) => path),
        [pathOn(dialect, "acme/repo-0021")],
      );
      for (const each of missing) assert.equal((await host.lookUp(each, never)).kind, "present");
      assert.ok(deleted);
      assert.deepEqual(await host.lookUp(deleted, never), { kind: "gone", status: 404 });
    });
  });
}

test("hosts that do not respond fail, unless it was once", async () => {
  const check = async (dialect: Dialect) => {
    for (const page of pagesOf(dialect).slice(0, 2)) {
      await withFake(dialect, { requestTimeoutMs: 300 }, async (fake, host) => {
        fake.faults.push({ kind: "hang", page });
        const { outcome, problems } = await listOnly(host);
        assert.equal(outcome, page === 1 ? "failed" : "partial");
        assert.match(problems[0]?.message ?? "", /did not respond within 0.3 s/);
      });
    }
    await withFake(dialect, { requestTimeoutMs: 500 }, async (fake, host) => {
      fake.faults.push({ kind: "hang", page: 1, times: 1 });
      assertExact(fake, await listOnly(host));
    });
  };
  // At the same time, because each of them mostly waits.
  await Promise.all(dialects.map(check));
});

test("a page that becomes full is followed by the next one, even if the host reports it as unchanged", async () => {
  for (const type of ["github", "gitlab"]) {
    await withFake(dialectOf(type), { repositories: manyRepositories(100) }, async (fake, host) => {
      fake.pageLimit = 100;
      fake.hasEtags = true;
      assertExact(fake, await listOnly(host));
      fake.repositories.push({ id: 101, path: "acme/repo-0101" });
      const listing = await listOnly(host);
      assert.equal(listing.repositories.length, 101);
      assertExact(fake, listing);
    });
  }
});

test("a list whose total has changed is complete again with the next walk", async () => {
  await withFake(dialectOf("gitlab"), {}, async (fake, host) => {
    fake.hasEtags = true;
    assertExact(fake, await listOnly(host));
    fake.repositories.push({ id: 61, path: "acme/repo-0061" });
    assert.equal((await listOnly(host)).outcome, "partial");
    assertExact(fake, await listOnly(host));
  });
});

test("a host that begins to send larger pages, which leaves out some, has no complete list", async () => {
  for (const type of ["gitlab", "gitea"]) {
    await withFake(dialectOf(type), {}, async (fake, host) => {
      fake.afterPage = () => {
        fake.pageLimit = 40;
      };
      assert.equal((await listOnly(host)).outcome, "partial");
    });
  }
});

test("entries that were listed twice do not make up for those that were not listed", async () => {
  await withFake(dialectOf("gitea"), {}, async (fake, host) => {
    const [, second] = fake.repositories;
    assert.ok(second);
    fake.afterPage = (page) => {
      if (page === 1) fake.repositories.splice(30, 1, second);
    };
    const { outcome, repositories } = await listOnly(host);
    assert.deepEqual([outcome, repositories.length], ["partial", 59]);
  });
});

test("a list with a rate limit of an hour says when to try again, and sends nothing until then", async () => {
  await withFake(dialectOf("github"), {}, async (fake, host) => {
    fake.faults.push({ kind: "answer", page: 2, status: 429, headers: { "retry-after": "3600" } });
    const { problems } = await listOnly(host);
    assert.equal(problems[0]?.retryAt, Date.parse("2026-01-31T13:00:00Z"));
    const sent = fake.requests.length;
    assert.equal((await listOnly(host)).problems[0]?.retryAt, Date.parse("2026-01-31T13:00:00Z"));
    assert.equal(fake.requests.length, sent);
  });
});

type Fields = Readonly<Record<string, unknown>>;

/** The two repositories of the test above: `plain` and `special` have the fields of both, and their own. */
function expected(
  both: (name: string, id: number) => Fields,
  plain: Fields,
  special: Fields,
): readonly Fields[] {
  const flags = (is: boolean) => ({ isFork: is, isArchived: is, isDisabled: is });
  return [
    { ...flags(false), ...both("plain", 1), ...plain },
    { ...flags(true), ...both("special", 2), ...special },
  ];
}

const main = { defaultBranch: "main" };
const small = { sizeBytes: 1024 };
const large = { sizeBytes: 2048 };
const byPath = (name: string, id: number) => ({
  hostId: String(id),
  path: `acme/${name}`,
  cloneUrl: `HOST/acme/${name}.git`,
  webUrl: `HOST/acme/${name}`,
  visibility: "public",
});
const pushed = Date.parse("2026-01-30T10:00:00Z");

const expectedFields: Readonly<Record<string, readonly object[]>> = {
  github: expected(
    (name, id) => ({
      ...byPath(name, id),
      ...main,
      isMirror: false,
      stars: 3,
      pushedAt: pushed,
      fingerprint: `${pushed}`,
    }),
    { topics: [], ...small },
    { topics: ["search"], ...large },
  ),
  gitlab: expected(
    (name, id) => ({ ...byPath(name, id), isMirror: false, stars: 3 }),
    { ...main, topics: [], isEmpty: false },
    { topics: ["search"], isEmpty: true },
  ),
  gitea: expected(
    (name, id) => ({
      ...byPath(name, id),
      ...main,
      isMirror: false,
      stars: 3,
      fingerprint: "2026-01-30T10:00:00Z",
    }),
    { topics: [], ...small, isEmpty: false },
    { topics: ["search"], ...large, isEmpty: true, isDisabled: false },
  ),
  gerrit: expected(
    (name) => ({
      hostId: `acme/${name}`,
      path: `acme/${name}`,
      cloneUrl: `HOST/a/acme/${name}`,
      webUrl: `HOST/plugins/gitiles/acme/${name}`,
      visibility: "private",
    }),
    {},
    { isFork: false, isDisabled: false },
  ),
  bitbucketServer: expected(
    (name, id) => ({
      ...byPath(name, id),
      cloneUrl: `HOST/scm/acme/${name}.git`,
      webUrl: `HOST/projects/acme/repos/${name}`,
    }),
    {},
    {},
  ),
  bitbucketCloud: expected(
    (name, id) => ({
      ...byPath(name, id),
      hostId: `{${id}}`,
      cloneUrl: `https://bitbucket.org/acme/${name}.git`,
      webUrl: `https://bitbucket.org/acme/${name}`,
    }),
    { ...main, ...small },
    { ...large, isEmpty: true, isArchived: false, isDisabled: false },
  ),
  azuredevops: expected(
    (name, id) => ({
      hostId: `00000000-0000-4000-8000-00000000000${id}`,
      path: `acme/Team A/${name}`,
      cloneUrl: `HOST/acme/Team%20A/_git/${name}`,
      webUrl: `HOST/acme/Team%20A/_git/${name}`,
      visibility: "public",
    }),
    { ...main, ...small, isEmpty: false },
    { ...large, isEmpty: true, isArchived: false },
  ),
  genericGitHost: expected(
    (name, id) => ({
      hostId: `acme/${name}`,
      path: `acme/${name}`,
      cloneUrl: `HOST/acme/${name}.git`,
      visibility: "private",
      fingerprint: `f${id}`,
      pushedAt: 1_769_853_600_000,
    }),
    {},
    { isFork: false, isArchived: false, isDisabled: false },
  ),
};
