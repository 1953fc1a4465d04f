/** The scopes that connections can have, besides those that the other tests list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "./dialects";
import { type FakeRepository, manyRepositories } from "./fakeHost";
import { listOnly, never, withFake } from "./openFake";

const some = () => manyRepositories(30).map((each) => ({ ...each, isPrivate: each.id > 20 }));

/** `listed`: how many of the 30 repositories, of which 10 are private, with a token. */
const rows: readonly [type: string, include: object, scope: string, request: string, listed: number][] = [
  [
    "github",
    { users: ["octocat"] },
    "user:octocat",
    "GET /api/v3/user/repos?affiliation=owner&sort=created&direction=asc&per_page=100",
    30,
  ],
  [
    "github",
    { users: ["other"] },
    "user:other",
    "GET /api/v3/users/other/repos?type=owner&sort=created&direction=asc&per_page=100",
    20,
  ],
  [
    "github",
    { queries: ["topic:search org:acme"] },
    "query:topic:search org:acme",
    "GET /api/v3/search/repositories?q=topic%3Asearch%20org%3Aacme&per_page=100",
    30,
  ],
  ["github", { repos: ["acme/repo-0025"] }, "repo:acme/repo-0025", "GET /api/v3/repos/acme/repo-0025", 1],
  [
    "gitlab",
    { all: true },
    "all",
    "GET /api/v4/projects?pagination=keyset&per_page=100&order_by=id&sort=asc",
    30,
  ],
  [
    "gitlab",
    { users: ["octocat"] },
    "user:octocat",
    "GET /api/v4/users/octocat/projects?per_page=100&order_by=id&sort=asc",
    30,
  ],
  [
    "gitlab",
    { queries: ["groups/acme/projects?archived=false"] },
    "query:groups/acme/projects?archived=false",
    "GET /api/v4/groups/acme/projects?archived=false",
    30,
  ],
  [
    "gitlab",
    { repos: ["acme/repo-0025"] },
    "repo:acme/repo-0025",
    "GET /api/v4/projects/acme%2Frepo-0025",
    1,
  ],
  ["gitea", { all: true }, "all", "GET /api/v1/repos/search?sort=id&order=asc&limit=50&page=1", 30],
  ["gerrit", { repos: ["acme/repo-0025"] }, "repo:acme/repo-0025", "GET /a/projects/acme%2Frepo-0025", 1],
  ["bitbucketServer", { all: true }, "all", "GET /rest/api/latest/repos?limit=1000&archived=ALL", 30],
  [
    "bitbucketServer",
    { repos: ["acme/repo-0025"] },
    "repo:acme/repo-0025",
    "GET /rest/api/latest/projects/acme/repos/repo-0025",
    1,
  ],
  [
    "bitbucketCloud",
    { projects: ["acme/KEY"] },
    "project:acme/KEY",
    "GET /2.0/repositories/acme?pagelen=100&sort=created_on&q=project.key%3D%22KEY%22",
    30,
  ],
  [
    "bitbucketCloud",
    { repos: ["acme/repo-0025"] },
    "repo:acme/repo-0025",
    "GET /2.0/repositories/acme/repo-0025",
    1,
  ],
  [
    "azuredevops",
    { projects: ["acme/Team A"] },
    "project:acme/Team A",
    "GET /acme/Team%20A/_apis/git/repositories?api-version=5.0",
    30,
  ],
  [
    "azuredevops",
    { repos: ["acme/Team A/repo-0025"] },
    "repo:acme/Team A/repo-0025",
    "GET /acme/Team%20A/_apis/git/repositories/repo-0025?api-version=5.0",
    1,
  ],
];

for (const [type, include, scope, request, listed] of rows) {
  test(`${type}: ${scope}`, async () => {
    const options = { repositories: some(), token: "right", settings: { include } };
    await withFake(dialectOf(type), options, async (fake, host) => {
      fake.pageLimit = 100;
      const listing = await listOnly(host);
      assert.deepEqual(listing.problems, []);
      assert.deepEqual([listing.scope, listing.outcome], [scope, "complete"]);
      assert.equal(fake.requests.at(type === "gitlab" && scope.startsWith("query") ? 0 : -1), request);
      assert.equal(listing.repositories.length, listed);
    });
  });
}

test("an owner that does not exist, or that the credentials cannot see, is no empty list", async () => {
  for (const [type, include] of [
    ["github", { orgs: ["nobody"] }],
    ["gitlab", { groups: ["nobody"] }],
    ["gitea", { orgs: ["nobody"] }],
    ["bitbucketServer", { projects: ["NOBODY"] }],
    ["bitbucketCloud", { workspaces: ["nobody"] }],
    ["azuredevops", { orgs: ["nobody"] }],
  ] as const) {
    await withFake(dialectOf(type), { settings: { include } }, async (_, host) => {
      const { outcome, problems } = await listOnly(host);
      assert.deepEqual([type, outcome, problems[0]?.status], [type, "failed", 404]);
    });
  }
});

test("a single repository that does not exist is a complete, empty scope, with a problem", async () => {
  const settings = { include: { repos: ["acme/missing"] } };
  await withFake(dialectOf("github"), { settings }, async (_, host) => {
    const { outcome, repositories, problems } = await listOnly(host);
    assert.deepEqual([outcome, repositories.length, problems[0]?.status], ["complete", 0, 404]);
  });
});

test("one scope that fails does not end the others", async () => {
  const settings = { include: { orgs: ["nobody", "acme"], repos: ["acme/repo-0001"] } };
  await withFake(dialectOf("github"), { settings }, async (_, host) => {
    const outcomes: string[] = [];
    for await (const { scope, outcome } of host.list(never)) outcomes.push(`${scope} ${outcome}`);
    assert.deepEqual(outcomes, ["org:nobody failed", "org:acme complete", "repo:acme/repo-0001 complete"]);
  });
});

test("GitHub: what single sign-on hides makes a list partial", async () => {
  await withFake(dialectOf("github"), {}, async (fake, host) => {
    const headers = { "x-github-sso": "partial-results; organizations=21955855,20582480" };
    fake.faults.push({ kind: "answer", headers, body: "[]" });
    const { outcome, problems } = await listOnly(host);
    assert.equal(outcome, "partial");
    assert.match(problems[0]?.message ?? "", /single sign-on/);
  });
});

test("GitHub: a query with more results than the search API returns is partial", async () => {
  const settings = { include: { queries: ["org:acme"] } };
  await withFake(
    dialectOf("github"),
    { settings, repositories: manyRepositories(1001) },
    async (fake, host) => {
      fake.pageLimit = 100;
      const { outcome, problems } = await listOnly(host);
      assert.equal(outcome, "partial");
      assert.match(problems[0]?.message ?? "", /finds 1001 repositories, of which GitHub lists 1000/);
    },
  );
});

test("Gitea: links to the server's internal URL are followed on the connection's URL", async () => {
  await withFake(dialectOf("gitea"), {}, async (fake, host) => {
    fake.faults.push({ kind: "next", next: "http://localhost:3000" });
    const { outcome, repositories } = await listOnly(host);
    assert.deepEqual([outcome, repositories.length], ["complete", 60]);
  });
});

test("Gitea: an organization is listed by its id, in a search whose total counts only what is visible", async () => {
  await withFake(dialectOf("gitea"), {}, async (fake, host) => {
    assert.equal((await listOnly(host)).outcome, "complete");
    assert.deepEqual(fake.requests.slice(0, 2), [
      "GET /api/v1/orgs/acme",
      "GET /api/v1/repos/search?sort=id&order=asc&limit=50&page=1&uid=7&exclusive=true",
    ]);
  });
});

test("Gitea: a list that ends before its total is partial", async () => {
  await withFake(dialectOf("gitea"), {}, async (fake, host) => {
    fake.faults.push({ kind: "answer", page: 1, headers: { "x-total-count": "60" }, body: "[]" });
    const { outcome, problems } = await listOnly(host);
    assert.equal(outcome, "partial");
    assert.match(problems[0]?.message ?? "", /list changed while it was read/);
  });
});

test("Gitea: a list without its total is partial, because a proxy may also have removed the link", async () => {
  await withFake(dialectOf("gitea"), {}, async (fake, host) => {
    fake.faults.push({ kind: "answer", page: 1, body: "[]" });
    assert.equal((await listOnly(host)).outcome, "partial");
  });
});

test("GitLab: a query that leaves the API is refused", async () => {
  const settings = { include: { queries: ["../../-/groups"] } };
  await withFake(dialectOf("gitlab"), { settings, token: "right" }, async (fake, host) => {
    const { outcome, problems } = await listOnly(host);
    assert.deepEqual([outcome, problems[0]?.message], ["failed", "The query leads outside of its API."]);
    assert.deepEqual(fake.requests, []);
  });
});

test("generic hosts: the manifest is not sent again for each repository that is looked up", async () => {
  await withFake(dialectOf("genericGitHost"), {}, async (fake, host) => {
    fake.hasEtags = true;
    const { repositories } = await listOnly(host);
    fake.statuses.length = 0;
    for (const each of repositories.slice(0, 5))
      assert.equal((await host.lookUp(each, never)).kind, "present");
    assert.deepEqual(fake.statuses, [200, 304, 304, 304, 304]);
  });
});

test("Azure DevOps: the web page that answers an expired token is named as such", async () => {
  await withFake(dialectOf("azuredevops"), {}, async (fake, host) => {
    const headers = { "content-type": "text/html" };
    fake.faults.push({ kind: "answer", headers, body: "<html>Sign in</html>" });
    const { outcome, problems } = await listOnly(host);
    assert.equal(outcome, "failed");
    assert.match(problems[0]?.message ?? "", /web page instead of data. The credentials may have expired/);
  });
});

test("Azure DevOps: a list that continues is read to its end", async () => {
  await withFake(dialectOf("azuredevops"), {}, async (fake, host) => {
    fake.intercept = (_, url) => {
      const isSecond = url.searchParams.get("continuationToken") === "next/1";
      const repositories = isSecond ? fake.repositories.slice(40) : fake.repositories.slice(0, 40);
      const request = { url, query: url.searchParams, repositories, renamed: fake.renamed };
      const answer = fake.dialect.respond({ ...request, isSignedIn: false, pageLimit: 100 });
      const headers = isSecond ? {} : { "x-ms-continuationtoken": "next/1" };
      return answer && { ...answer, headers };
    };
    const { outcome, repositories } = await listOnly(host);
    assert.deepEqual([outcome, repositories.length, fake.requests.length], ["complete", 60, 2]);
  });
});

test("GitLab: a project that waits for its deletion is not listed", async () => {
  await withFake(dialectOf("gitlab"), {}, async (fake, host) => {
    const project = {
      id: 1,
      path_with_namespace: "acme/a-deletion_scheduled-1",
      marked_for_deletion_on: "2026-02-01",
    };
    fake.faults.push({ kind: "answer", body: JSON.stringify([project]) });
    const { outcome, repositories } = await listOnly(host);
    assert.deepEqual([outcome, repositories.length], ["complete", 0]);
  });
});

test("generic hosts list the repositories that the connection names, without a request", async () => {
  const settings = {
    include: { repos: ["pub/a b.git", "pub/c"] },
    cloneUrlBase: "https://mirror.example.com/x",
  };
  await withFake(dialectOf("genericGitHost"), { settings }, async (fake, host) => {
    const cloneUrls: string[] = [];
    for await (const { repositories } of host.list(never))
      cloneUrls.push(...repositories.map((each) => each.cloneUrl));
    assert.deepEqual(cloneUrls, [
      "https://mirror.example.com/x/pub/a%20b.git",
      "https://mirror.example.com/x/pub/c",
    ]);
    assert.equal((await host.lookUp({ hostId: "pub/c", path: "pub/c" }, never)).kind, "unknown");
    assert.equal(fake.requests.length, 0);
  });
});

test("paths that would leave the host or its folder are refused", async () => {
  for (const path of [
    "../../etc/passwd",
    "acme/..",
    "acme//x",
    "acme/a\nb",
    "acme/\\\\x",
    `acme/${"x".repeat(2000)}`,
  ]) {
    await withFake(dialectOf("gitea"), { repositories: [{ id: 1, path }] }, async (_, host) => {
      const { outcome, repositories } = await listOnly(host);
      assert.deepEqual([path, outcome, repositories.length], [path, "partial", 0]);
    });
  }
});

test("Gerrit: projects without code fill whole pages, and hide none of the others", async () => {
  const repositories: FakeRepository[] = manyRepositories(100).map((each) => ({
    ...each,
    isPermissionsOnly: each.id <= 45 || (each.id > 60 && each.id <= 95),
  }));
  await withFake(dialectOf("gerrit"), { repositories }, async (fake, host) => {
    const listing = await listOnly(host);
    const code = fake.repositories.filter(({ isPermissionsOnly }) => !isPermissionsOnly);
    assert.deepEqual(
      [listing.outcome, listing.repositories.map(({ path }) => path)],
      ["complete", code.map(({ path }) => path)],
    );
    for (const each of fake.repositories) each.isPermissionsOnly = true;
    const empty = await listOnly(host);
    assert.deepEqual([empty.outcome, empty.repositories.length], ["complete", 0]);
  });
});

test("Gerrit: a hidden project is disabled for its owner, and gone for others", async () => {
  const repositories = [{ id: 1, path: "acme/hidden", isHidden: true }];
  const key = { hostId: "acme/hidden", path: "acme/hidden" };
  await withFake(dialectOf("gerrit"), { repositories, token: "right" }, async (_, host) => {
    const found = await host.lookUp(key, never);
    assert.ok(found.kind === "present" && found.repository.isDisabled);
  });
  await withFake(dialectOf("gerrit"), { repositories }, async (_, host) => {
    assert.deepEqual(await host.lookUp(key, never), { kind: "gone", status: 409 });
  });
});

test("GitLab: a page that is too large for the host is fetched in smaller ones, and the list is complete", async () => {
  const repositories = () => manyRepositories(250);
  for (const [include, next] of [
    [{ groups: ["acme"] }, "&page=3"],
    [{ all: true }, "&id_after=100"],
  ] as const) {
    await withFake(
      dialectOf("gitlab"),
      { repositories: repositories(), settings: { include } },
      async (fake, host) => {
        fake.pageLimit = 100;
        // Fails with the second page until its size is 50.
        fake.faults.push({ kind: "answer", status: 502, page: 2, times: 2 });
        const { outcome, problems, repositories: found } = await listOnly(host);
        assert.deepEqual([outcome, problems], ["complete", []]);
        assert.deepEqual(
          found.map(({ hostId }) => Number(hostId)),
          fake.repositories.map(({ id }) => id),
        );
        assert.ok(fake.requests.some((each) => each.includes("per_page=50") && each.endsWith(next)));
      },
    );
  }
  // A host that is down is not asked for ever.
  await withFake(dialectOf("gitlab"), {}, async (fake, host) => {
    fake.faults.push({ kind: "answer", status: 502 });
    const { outcome, problems } = await listOnly(host);
    assert.deepEqual([outcome, problems[0]?.status], ["failed", 502]);
    assert.deepEqual(
      fake.requests.map((each) => /per_page=(\d+)/.exec(each)?.[1]),
      ["100", "100", "50", "50", "25", "25", "25", "25", "25"],
    );
  });
});
