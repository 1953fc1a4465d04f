import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConnections } from "#hosts/parseConnections";

const github = { type: "github", include: { orgs: ["acme"] } };

test("a connection gets its defaults, with durations in milliseconds", () => {
  assert.deepEqual(
    parseConnections({ work: { ...github, sync: { listEvery: "30m" }, only: { names: ["acme/*"] } } }),
    {
      work: {
        type: "github",
        url: "https://github.com",
        allowHttp: false,
        include: { installation: false, orgs: ["acme"], users: [], repos: [], queries: [] },
        only: { names: ["acme/*"], topics: [], visibility: [] },
        exclude: { archived: false, forks: false, mirrors: false, disabled: true, names: [], topics: [] },
        revisions: { branches: ["**"], tags: ["**"], newestTags: 20 },
        sync: { listEvery: 1_800_000, fetchMin: 120_000, fetchMax: 86_400_000, gitConcurrency: 4 },
        history: "full",
        limits: { oneRepositoryBytes: 20e9 },
        access: { visibleTo: "members", logins: {}, checkEvery: 3_600_000 },
        onRemoved: { keepDays: 7, confirmations: 2, maxShare: 0.1 },
      },
    },
  );
});

test("URLs keep their path, and lose trailing slashes and default ports", () => {
  const url = (given: string) =>
    parseConnections({ a: { type: "gitea", url: given, allowHttp: true, include: { all: true } } })["a"];
  assert.equal(
    (url("https://Git.Example.com:443/sub/") as { url?: string }).url,
    "https://git.example.com/sub",
  );
  assert.equal((url("http://gitea:3000") as { url?: string }).url, "http://gitea:3000");
});

const gitea = { type: "gitea", url: "https://git.example.com", include: { all: true } };
const refused: readonly [title: string, connection: object, message: string][] = [
  [
    "a literal token",
    { ...github, token: "ghp_literal" },
    '"connections.work.token" must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in this file.',
  ],
  [
    "two sources of a token",
    { ...github, token: { env: "TOKEN", file: "/token" } },
    '"connections.work.token" must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in this file.',
  ],
  [
    "an unknown setting",
    { ...github, exclude: { archives: true } },
    '"connections.work.exclude" has no setting "archives". Did you mean "archived"?',
  ],
  [
    "a scope of another type",
    { ...github, include: { orgs: ["a"], groups: ["b"] } },
    '"connections.work.include" has no setting "groups". It can have installation, orgs, users, repos, queries.',
  ],
  [
    "a login without a proxy",
    { ...github, proxyLogin: { user: "svc", password: { env: "PROXY" } } },
    '"connections.work.proxy" is missing: "proxyLogin" needs it.',
  ],
  [
    "a password in the URL of a proxy",
    { ...github, proxy: "http://svc:c4nary@proxy:3128" },
    '"connections.work.proxy" must be a URL such as https://git.example.com, without user, password, query or fragment.',
  ],
  [
    "another depth",
    { ...github, history: { depth: 5 } },
    '"connections.work.history" must be "full" or {"depth": 1}.',
  ],
  [
    "an unknown type",
    { ...github, type: "sourcehut" },
    '"connections.work.type" must be one of "github", "gitlab", "gitea", "gerrit", "bitbucketServer", ' +
      '"bitbucketCloud", "azuredevops", "genericGitHost".',
  ],
  [
    "nothing to list",
    { ...github, include: {} },
    '"connections.work.include" must name what to list, in "installation" or "orgs" or "users" or "repos" or "queries".',
  ],
  [
    "a password in the URL",
    { ...gitea, url: "https://user:hunter2@git.example.com" },
    '"connections.work.url" must be a URL such as https://git.example.com, without user, password, query or fragment.',
  ],
  [
    "http",
    { ...gitea, url: "http://git.example.com" },
    '"connections.work.url" must be https, unless "allowHttp" is true.',
  ],
  [
    "an invalid expression",
    { ...github, only: { names: ["/(a/"] } },
    '"connections.work.only.names[0]" is invalid: error parsing regexp: missing closing ): `(a`.',
  ],
  [
    "a path that climbs",
    { ...github, include: { repos: ["acme/.."] } },
    '"connections.work.include.repos[0]" must be of the form owner/repository.',
  ],
  [
    "half a character",
    { ...github, include: { orgs: ["a\ud800"] } },
    '"connections.work.include.orgs[0]" must not contain control characters.',
  ],
  [
    "a token without its user",
    { type: "gerrit", url: "https://g.example.com", token: { env: "T" }, include: { all: true } },
    '"connections.work.user" is missing: "token" needs it.',
  ],
  [
    "a duration without a unit",
    { ...github, sync: { listEvery: "60" } },
    '"connections.work.sync.listEvery" must be a time such as "30s", "2m", "1h" or "7d", from 10s to 30d.',
  ],
  [
    "a list that is not one",
    { ...github, include: { orgs: "acme" } },
    '"connections.work.include.orgs" must be of type array.',
  ],
];

for (const [title, connection, message] of refused) {
  test(`${title} is refused`, () => {
    assert.throws(() => parseConnections({ work: connection }), { code: "USAGE", message });
  });
}

test("names that cannot be part of a file name are refused", () => {
  for (const name of ["Work", "a/b", "", "-a", "a".repeat(64)]) {
    assert.throws(() => parseConnections({ [name]: github }), { code: "USAGE", message: /The name must be/ });
  }
});
