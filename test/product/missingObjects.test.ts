/**
 * Repositories with missing objects: partial clones and damaged ones. Every operation that needs such an object returns
 * the same error, every search that it could affect is reported as incomplete, and nothing is fetched.
 */
import assert from "node:assert/strict";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { SearchResult } from "#contract/search";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const folder = temporaryFolder();
const dataDir = join(temporaryFolder(), "data");
const source = repo(
  `
  = main: One
  old.ts
  | export function needleOld() {}
  song.ts
  | export function needleSong() {}
  = main: Two
  - old.ts
  song.ts
  | export function needleSong() {}
  | needleSong();
  tag v1
  = main: Three
  song.ts
  | export function needleSong() {}
  | needleSong(1);
`,
  { path: join(folder, "source") },
);
source.git("config", "uploadpack.allowFilter", "true");
source.git("config", "uploadpack.allowAnySHA1InWant", "true");
source.git("tag", "v0", "main~2");

function clone(name: string, ...flags: readonly string[]): void {
  runGit(folder, ["clone", "-q", ...flags, `file://${source.path}`, name]);
}

/** Copies the source with loose objects and removes or overwrites one of them. */
function damagedCopy(name: string, object: string, bytes?: string): void {
  const copy = repo("", { path: join(folder, name) });
  runGit(copy.path, ["fetch", "-q", source.path, "main:refs/heads/other", "refs/tags/*:refs/tags/*"]);
  copy.git("reset", "-q", "--hard", "other");
  const packs = join(copy.path, ".git/objects/pack");
  if (readdirSync(packs).length > 0) throw new Error("Expected only loose objects after a small fetch.");
  const hash = copy.git("rev-parse", object);
  const path = join(copy.path, ".git/objects", hash.slice(0, 2), hash.slice(2));
  rmSync(path);
  if (bytes !== undefined) writeFileSync(path, bytes);
}

clone("blobless", "--filter=blob:none", "--bare");
clone("treeless", "--filter=tree:0", "--no-checkout");
clone("treelessOut", "--filter=tree:0");
damagedCopy("noBlob", "HEAD:song.ts");
damagedCopy("badBlob", "HEAD:song.ts", "x\x9cnonsense");
damagedCopy("noTree", "HEAD~1^{tree}");
damagedCopy("noCommit", "HEAD~1");

let served: Served;
before(async () => {
  served = await serve(dataDir, [folder]);
  await served.ready();
});
after(() => served.stop());

async function ask(path: string, body?: object): Promise<{ status: number; content: ResponseBody }> {
  const options = { method: "POST", headers: { "content-type": "application/json" } };
  const init = body === undefined ? {} : { ...options, body: JSON.stringify(body) };
  const response = await fetch(served.url + path, init);
  return { status: response.status, content: (await response.json()) as ResponseBody };
}

interface ResponseBody {
  readonly errorCode?: string;
  readonly message?: string;
  readonly stats?: { readonly isExhaustive?: boolean; readonly filesMissing?: number };
}

type RequestArguments = readonly [path: string, body?: object];

const location = { path: "song.ts", ref: "v1", lineNumber: 1, column: 18 };
const operations: Readonly<Record<string, (repo: string) => RequestArguments>> = {
  commits: (repo) => [`/api/commits?repo=${repo}`],
  "commits of a file": (repo) => [`/api/commits?repo=${repo}&path=song.ts`],
  "commits of lines": (repo) => [`/api/commits?repo=${repo}&path=song.ts&lines=1`],
  commit: (repo) => [`/api/commit?repo=${repo}&ref=HEAD~1&containedIn=true`],
  authors: (repo) => [`/api/commits/authors?repo=${repo}`],
  "authors of a file": (repo) => [`/api/commits/authors?repo=${repo}&path=song.ts`],
  blame: (repo) => [`/api/blame?repo=${repo}&path=song.ts`],
  diff: (repo) => [`/api/diff?repo=${repo}&base=v1&head=HEAD`],
  "counts of a diff": (repo) => [`/api/diff?repo=${repo}&base=v1&head=HEAD&hunks=false`],
  tree: (repo) => ["/api/tree", { repoName: repo, revisionName: "v1" }],
  source: (repo) => [`/api/source?repo=${repo}&path=song.ts`],
  "source at a tag": (repo) => [`/api/source?repo=${repo}&path=song.ts&ref=v1`],
  branches: (repo) => [`/api/repos/branches?repo=${repo}`],
  outline: (repo) => ["/api/outline", { place: { ...location, repo } }],
  describe: (repo) => ["/api/describe_symbol", { place: { ...location, repo } }],
};

/** The operations that need missing objects, by repository. */
const failingOperations: Readonly<Record<string, readonly string[]>> = {
  source: [],
  blobless: [
    ...["commits of lines", "blame", "diff", "counts of a diff", "source"],
    ...["source at a tag", "outline", "describe"],
  ],
  treeless: [
    ...["commits of a file", "commits of lines", "authors of a file", "blame", "diff", "counts of a diff"],
    ...["tree", "source", "source at a tag", "outline", "describe"],
  ],
  treelessOut: [
    ...["commits of a file", "commits of lines", "authors of a file", "blame", "diff", "counts of a diff"],
    ...["tree", "source at a tag", "outline", "describe"],
  ],
  // Git reads files of HEAD from the working tree if possible.
  noBlob: ["commits of lines", "blame", "source"],
  badBlob: ["commits of lines", "blame", "source"],
  noTree: [
    ...["commits of a file", "commits of lines", "authors of a file", "blame", "diff", "counts of a diff"],
    ...["tree", "source at a tag", "outline", "describe"],
  ],
  noCommit: Object.keys(operations).filter((name) => name !== "source"),
};

for (const [name, expected] of Object.entries(failingOperations)) {
  test(`${name}: exactly the operations that need missing objects fail`, async () => {
    const failed: string[] = [];
    for (const [operation, requestFor] of Object.entries(operations)) {
      const { status, content } = await ask(...requestFor(name));
      if (status === 200) continue;
      failed.push(operation);
      assert.deepEqual([status, content.errorCode], [404, "NOT_FOUND"], operation);
      const reason = /less/.test(name)
        ? "partial clone.*git fetch --refetch --no-filter"
        : "damaged.*git fsck";
      assert.match(
        content.message ?? "",
        new RegExp(`^Repository "${name}" is missing .*${reason}`),
        operation,
      );
    }
    assert.deepEqual(failed, expected);
  });
}

test("a page reports missing objects", async () => {
  const response = await fetch(`${served.url}/browse/blobless@v1/-/blob/song.ts`);
  assert.equal(response.status, 404);
  assert.match(await response.text(), /partial clone/);
});

test("an unknown hash in a partial clone is an invalid revision", async () => {
  for (const ref of ["12".repeat(20), `${"12".repeat(20)}~1`]) {
    const { content } = await ask(`/api/source?repo=blobless&path=song.ts&ref=${ref}`);
    assert.equal(content.errorCode, "INVALID_GIT_REF");
  }
});

function summary({ files, isSearchExhaustive, stats }: SearchResult) {
  const { flushReason, filesMissing } = stats;
  return [files.length, isSearchExhaustive, flushReason, filesMissing];
}

/** Number of files, whether the result is complete, the reason if not, and the number of missing files. */
const searches: readonly (readonly [string, ReturnType<typeof summary>])[] = [
  ["repo:source needle rev:v0", [2, true, "NONE", 0]],
  ["repo:blobless needle", [0, false, "ENGINE_PARTIAL", 1]],
  ["repo:blobless needle rev:v0", [0, false, "ENGINE_PARTIAL", 2]],
  ["repo:blobless needle rev:*", [0, false, "ENGINE_PARTIAL", 4]],
  ["repo:blobless -(needle) rev:v0", [2, false, "ENGINE_PARTIAL", 2]],
  ["repo:blobless sym:needle rev:v0", [0, false, "ENGINE_PARTIAL", 2]],
  ["repo:blobless song rev:v0", [1, false, "ENGINE_PARTIAL", 2]],
  // Queries whose results do not depend on content.
  ["repo:blobless file:song rev:*", [3, true, "NONE", 0]],
  ["repo:blobless type:file song rev:*", [3, true, "NONE", 0]],
  ["repo:blobless needle lang:go rev:*", [0, true, "NONE", 0]],
  ["repo:blobless needle -file:song", [0, true, "NONE", 0]],
  ["repo:blobless rev:v0 ((needle file:old) or file:song)", [1, false, "ENGINE_PARTIAL", 1]],
  // The working tree contains the missing file.
  ["repo:noBlob needle", [1, true, "NONE", 0]],
  ["repo:badBlob needle", [1, true, "NONE", 0]],
  ["repo:badBlob needle rev:other", [0, false, "ENGINE_PARTIAL", 1]],
  // Revisions that cannot be indexed.
  ["repo:treelessOut needle", [1, true, "NONE", 0]],
  ["repo:treelessOut needle rev:v0", [0, false, "REVISION_NOT_INDEXED", 0]],
  ["repo:noTree needle", [1, true, "NONE", 0]],
  ["repo:noTree needle rev:v1", [0, false, "REVISION_NOT_INDEXED", 0]],
  ["repo:noTree needle rev:v0", [2, true, "NONE", 0]],
  ["repo:noCommit needle rev:v1", [0, false, "REVISION_NOT_INDEXED", 0]],
  ["repo:noCommit needle rev:HEAD~1", [0, false, "REVISION_NOT_INDEXED", 0]],
  ["repo:noCommit needle", [1, true, "NONE", 0]],
  ["repo:treeless$ needle", [0, false, "INDEXING", 0]],
];

for (const [query, expected] of searches) {
  test(`search: ${query}`, async () => {
    assert.deepEqual(summary(await served.search(query)), expected);
  });
}

test("symbol operations are reported as incomplete if files are missing", async () => {
  const request = { symbolName: "needleSong", repoName: "blobless", revisionName: "v0" };
  for (const path of ["/api/find_definitions", "/api/find_references"]) {
    const { content } = await ask(path, request);
    assert.deepEqual([content.stats?.isExhaustive, content.stats?.filesMissing], [false, 2], path);
    const whole = await ask(path, { ...request, repoName: "source" });
    assert.deepEqual([whole.content.stats?.isExhaustive, whole.content.stats?.filesMissing], [true, 0], path);
  }
  const { content } = await ask("/api/find_symbols", { query: "needle", repoNames: ["blobless"] });
  assert.deepEqual(
    { ...content, repositoryInfo: [] },
    {
      symbols: [],
      repositoryInfo: [],
      isExhaustive: false,
      filesMissing: 1,
    },
  );
});

test("a streamed search and the command line report the reason", async () => {
  const response = await fetch(`${served.url}/api/stream_search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "repo:blobless needle rev:v0" }),
  });
  assert.match(
    await response.text(),
    /"filesMissing":2.*"flushReason":"ENGINE_PARTIAL".*"isSearchExhaustive":false/,
  );
  const { stderr } = await trawl(["search", "--data-dir", dataDir, "repo:blobless needle rev:v0"]);
  assert.match(stderr, /incomplete: the text of 2 files that could match is missing, as in partial clones/);
});

test("missing files are listed as skipped with their reason", async () => {
  const response = await fetch(`${served.url}/api/repos/skipped?repo=blobless`);
  const skipped = (await response.json()) as { path: string; reason: string }[];
  assert.deepEqual(
    skipped.map(({ path, reason }) => `${path} ${reason}`),
    ["old.ts missing", "song.ts missing", "song.ts missing", "song.ts missing"],
  );
});
