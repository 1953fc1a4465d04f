/** What a caller learns about repositories and revisions that do not exist. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Caller } from "#contract/service";
import type { Repository } from "#model/repository";
import { eventuallyEqual } from "#test/support/eventually";
import { callerOf, engineOf, engineResult, repository, viewOf } from "#test/support/service";

const folder = mkdtempSync(join(tmpdir(), "trawl-names-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();
git("init", "-q", "-b", "main");
git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
// It exists, but is not indexed.
git("tag", "v1.0.0");
const commit = git("rev-parse", "HEAD") as Repository["revisions"][0]["commit"];
// On no branch, and not indexed.
const unindexed = git("-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "two", "HEAD^{tree}");

const repositories = [
  repository(1, "github.com/sourcegraph/zoekt", {
    path: folder,
    gitDir: join(folder, ".git"),
    revisions: [
      { name: "refs/heads/main", commit },
      { name: "refs/heads/release/1.0", commit },
    ],
  }),
  repository(2, "github.com/acme/orders-api", { topics: ["Search", "api"] }),
  repository(3, "github.com/acme/orders-app"),
];
const caller = callerOf({
  engine: engineOf(() => Promise.resolve(engineResult([]))),
  repositories: viewOf(repositories),
  contexts: { acme: ["github.com/acme/*"] },
});
const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;

async function problemsOf(caller: Caller, query: string): Promise<string[]> {
  const { problems } = await caller("readQuery", { query }, call);
  return problems.flatMap(({ offset, length, message, fixes }) => [
    `[${query.slice(offset, offset + length)}] ${message}`,
    ...fixes.map((fix) => `> ${fix.query}`),
  ]);
}

/** Each problem, its range in brackets, and then its fixes. */
function check(rows: Readonly<Record<string, readonly string[]>>): void {
  for (const [query, expected] of Object.entries(rows)) {
    test(query, async () => {
      // On a busy machine, git may not respond within the time limit.
      await eventuallyEqual(() => problemsOf(caller, query), expected);
    });
  }
}

check({
  "x repo:zoket": ['[zoket] No repository matches "zoket". Did you mean "zoekt"?', "> x repo:zoekt"],
  "repo:acme/order-api x": [
    '[acme/order-api] No repository matches "acme/order-api". Did you mean "acme/orders-api" or "acme/orders-app"?',
    "> repo:acme/orders-api x",
    "> repo:acme/orders-app x",
  ],
  "r:^github\\.com/sourcegraph/zoek_t$": [
    '[^github\\.com/sourcegraph/zoek_t$] No repository matches "^github\\.com/sourcegraph/zoek_t$". Did you mean "github.com/sourcegraph/zoekt"?',
    "> r:^github\\.com/sourcegraph/zoekt$",
  ],
  'repo:"orders_app" x': [
    '["orders_app"] No repository matches "orders_app". Did you mean "orders-app" or "orders-api"?',
    "> repo:orders-app x",
    "> repo:orders-api x",
  ],
  "x repo:nothing-like-it": ['[nothing-like-it] No repository matches "nothing-like-it".'],
  "repo:zoekt x": [],
  "repo:o.*api x": [],
  "-repo:zoket x": [],
  "reposet:github.com/acme/orders-api,github.com/acme/order-app": [
    '[github.com/acme/orders-api,github.com/acme/order-app] No repository matches "github.com/acme/order-app". Did you mean "github.com/acme/orders-app"?',
    "> reposet:github.com/acme/orders-api,github.com/acme/orders-app",
  ],
  "x topic:Serch": [
    '[Serch] No repository has the topic "serch". Did you mean "search"?',
    "> x topic:search",
  ],
  "topic:api,web x": ['[api,web] No repository has the topic "web".'],
  "topic:SEARCH -topic:web x": [],
  "x rev:mian": ['[mian] No branch or tag matches "mian". Did you mean "main"?', "> x rev:main"],
  "x rev:relase/1.0": [
    '[relase/1.0] No branch or tag matches "relase/1.0". Did you mean "release/1.0"?',
    "> x rev:release/1.0",
  ],
  "x rev:v1.0.0": [],
  "x rev:v1.0.9": ['[v1.0.9] No branch or tag matches "v1.0.9". Did you mean "v1.0.0"?', "> x rev:v1.0.0"],
  "x rev:v9/*": ['[v9/*] No branch or tag matches "v9/*".'],
  "x rev:*": [],
  "x rev:HEAD": [],
  "x rev:main~3": ['[main~3] No revision matches "main~3".'],
  "x rev:main~0": [],
  "x rev:main^{commit}": [],
  "x rev:HEAD~0": [],
  "x rev:HEAD^2": ['[HEAD^2] No revision matches "HEAD^2".'],
  "x rev:v1.0.0^0": [],
  "x rev:mian~1": ['[mian~1] No revision matches "mian~1". Did you mean "main~1"?', "> x rev:main~1"],
  "x repo:acme rev:main~1": ['[main~1] No revision matches "main~1".'],
  "x rev:0123456789": ['[0123456789] No branch, tag or commit matches "0123456789".'],
  [`x rev:${"0123456789".repeat(4)}`]: [
    `[${"0123456789".repeat(4)}] No branch, tag or commit matches "${"0123456789".repeat(4)}".`,
  ],
  [`x rev:${commit}`]: [],
  [`x rev:${commit.slice(0, 7)}`]: [],
  [`x rev:${unindexed}`]: [],
  [`x rev:${unindexed.slice(0, 7)}`]: [],
  "x repo:zoekt@mian": [
    '[mian] No branch or tag matches "mian". Did you mean "main"?',
    "> x repo:zoekt@main",
  ],
  "x repo:zoket@mian": [
    '[zoket] No repository matches "zoket". Did you mean "zoekt"?',
    "> x repo:zoekt@mian",
  ],
  // The tag exists, but not in these repositories.
  "x repo:acme rev:v1.0.0": ['[v1.0.0] No branch or tag matches "v1.0.0".'],
  "x context:acme rev:v1.0.0": ['[v1.0.0] No branch or tag matches "v1.0.0".'],
  "type:commit repo:zoket": [
    '[zoket] No repository matches "zoket". Did you mean "zoekt"?',
    "> type:commit repo:zoekt",
  ],
});

test("a search that finds nothing suggests similar names", async () => {
  const suggested = async (query: string) => (await caller("search", { query }, call)).suggestions;
  assert.deepEqual(await suggested("x repo:zoket rev:mian"), [
    { offset: 7, length: 5, prefix: "zoket", suggestion: "zoekt" },
    { offset: 17, length: 4, prefix: "mian", suggestion: "main" },
  ]);
  assert.deepEqual(await suggested("type:commit repo:zoket"), [
    { offset: 17, length: 5, prefix: "zoket", suggestion: "zoekt" },
  ]);
  assert.equal(await suggested("x repo:zoekt"), undefined);
});

test("a revision is checked in hundreds of repositories", async () => {
  const many = Array.from({ length: 300 }, (_, at) =>
    repository(at + 1, `github.com/acme/r${at}`, {
      path: folder,
      gitDir: join(folder, ".git"),
      revisions: [{ name: "refs/heads/main", commit }],
    }),
  );
  const path = mkdtempSync(join(folder, "other-"));
  execFileSync("git", ["clone", "-q", folder, path]);
  execFileSync("git", ["-C", path, "tag", "only-here"]);
  const other = repository(301, "github.com/acme/other", { path, gitDir: join(path, ".git"), revisions: [] });
  const caller = callerOf({ repositories: viewOf([...many, other]) });
  await eventuallyEqual(
    () => problemsOf(caller, "x rev:v1.0.9"),
    ['[v1.0.9] No branch or tag matches "v1.0.9". Did you mean "v1.0.0"?', "> x rev:v1.0.0"],
  );
  assert.deepEqual(await problemsOf(caller, "x rev:only-here"), []);
  assert.deepEqual(
    await problemsOf(caller, "x rev:0123456"),
    ['[0123456] No indexed branch, tag or commit matches "0123456".'],
    "git is not run hundreds of times",
  );
  assert.deepEqual(await problemsOf(caller, "x rev:main~1"), []);
});

test("a search without time left responds without looking for similar names", async () => {
  const response = await caller("search", { query: "rev:mian x" }, call);
  assert.equal(response.suggestions?.[0]?.suggestion, "main");
  const late = { ...call, arrivedAt: performance.now() - 60 * 60 * 1000 };
  assert.equal((await caller("search", { query: "rev:mian x" }, late)).suggestions, undefined);
});
