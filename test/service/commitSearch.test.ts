/** `type:commit` in several repositories: results, their order, and why they are incomplete. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchEvent, SearchResult } from "#contract/search";
import type { Call } from "#contract/service";
import type { Repository } from "#model/repository";
import { hostileHistory, importCommits, importOn } from "#test/support/history";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const past = hostileHistory().path;
const tools = repo("").path;
const people = { ann: "Ann Author <ann@example.com>", bob: "Bob Builder <bob@builder.example>" };
const day = (number: number) => `${1_700_000_000 + number * 86_400} +0000`;
importCommits(tools, [
  { on: "main", message: "Add a hammer", author: people.ann, date: day(0) },
  { on: "main", message: "Fix the handle\n\nIt was LOOSE (see #12).\n", author: people.bob, date: day(1) },
  { on: "main", message: "fix: prefix of Änderung", author: people.bob, date: day(2), committed: day(9) },
  { on: "main", message: "Add a saw.\n\nfix later\n", author: people.ann, date: day(3) },
  { on: "old", from: 1, message: "Fix on a branch", author: people.ann, date: day(4), tag: "v1" },
]);

const call = callerOf({
  repositories: viewOf([
    repository(1, "past", { path: past }),
    repository(2, "tools", {
      path: tools,
      revisions: [
        { name: "refs/heads/main", commit: hashOf(tools, "main") },
        { name: "refs/heads/old", commit: hashOf(tools, "old") },
      ],
    }),
    repository(3, "empty", { path: repo().path, revisions: [] }),
    repository(4, "folder", { path: temporaryFolder(), kind: "folder" }),
  ]),
});
const context = { credentials: { kind: "local" } as const, signal: new AbortController().signal };

function hashOf(path: string, name: string): Repository["revisions"][0]["commit"] {
  return runGit(path, ["rev-parse", name]).toString().trim() as Repository["revisions"][0]["commit"];
}

function search(query: string, more: object = {}): Promise<SearchResult> {
  return call("search", { query, ...more }, context);
}

/** Returns each result as `repository: subject`. */
function found({ commits = [] }: SearchResult): string[] {
  return commits.map(({ repository: name, message }) => `${name}: ${message}`);
}

const saw = "tools: Add a saw.";
const prefix = "tools: fix: prefix of Änderung";
const handle = "tools: Fix the handle";
const hammer = "tools: Add a hammer";
const branch = "tools: Fix on a branch";

const rows: readonly (readonly [string, readonly string[], object?])[] = [
  ["type:commit repo:tools", [prefix, saw, handle, hammer]],
  ["type:commit repo:tools fix", [prefix, saw, handle]],
  ["type:commit repo:tools fix", [prefix, saw], { isCaseSensitivityEnabled: true }],
  ["type:commit repo:tools fix", [prefix, saw, handle], { isWholeWordEnabled: true }],
  ["type:commit repo:tools FIX case:auto", []],
  ["type:commit repo:tools Fix case:auto", [handle]],
  ["type:commit repo:tools loose", [handle]],
  ["type:commit repo:tools (see #12)", [handle]],
  ['type:commit repo:tools "handle\n\nIt"', [handle]],
  ["type:commit repo:tools add or handle", [saw, handle, hammer]],
  ["type:commit repo:tools -(add or handle)", [prefix]],
  ["type:commit repo:tools fix -author:ann", [prefix, handle]],
  ["type:commit repo:tools author:BUILDER", [prefix, handle]],
  ["type:commit repo:tools author:^ann author:example.com>$", [saw, hammer]],
  ["type:commit repo:tools author:ann author:bob", []],
  ["type:commit repo:tools author:ann|bob fix", [prefix, saw, handle]],
  ["type:commit repo:tools ÄNDERUNG", [prefix]],
  ["type:commit repo:tools f.x", [prefix, saw, handle], { isRegexEnabled: true }],
  ["type:commit repo:tools ^fix", [prefix, saw, handle], { isRegexEnabled: true }],
  ["type:commit repo:tools (a+)+$|hammer", [hammer], { isRegexEnabled: true }],
  ["type:commit repo:tools since:2023-11-17T00:00:00Z", [prefix, saw]],
  ["type:commit repo:tools until:2023-11-17T00:00:00Z", [handle, hammer]],
  ["type:commit repo:tools after:2023-11-15T23:00:00Z before:2023-11-20T00:00:00Z", [saw]],
  ["type:commit repo:tools -since:2023-11-16T00:00:00Z", [handle, hammer]],
  ['type:commit repo:tools since:"1 day ago"', []],
  ["type:commit repo:tools rev:old", [branch, hammer]],
  ["type:commit repo:tools rev:v1 fix", [branch]],
  ["type:commit repo:tools@old fix", [branch]],
  ["type:commit repo:tools rev:* fix", [prefix, branch, saw, handle]],
  ["type:commit repo:tools rev:main~1 fix", [prefix, handle]],
  ["type:commit repo:tools rev:nothing fix", []],
  ["type:commit repo:none fix", []],
  ["type:commit octopus", ["past: Octopus: merge three branches"]],
  ["type:commit (repo:past octopus) or (repo:tools hammer)", [hammer, "past: Octopus: merge three branches"]],
];

for (const [query, expected, more] of rows) {
  test(`${query} ${JSON.stringify(more ?? {})}`, async () => {
    const result = await search(query, more);
    assert.deepEqual([...found(result)].sort(), [...expected].sort());
    assert.deepEqual(result.files, []);
    assert.equal(result.stats.totalMatchCount, expected.length);
    assert.equal(result.stats.actualMatchCount, expected.length);
    assert.equal(result.stats.flushReason, "NONE");
    assert.equal(result.isSearchExhaustive, true);
    const names = new Set(expected.map((line) => line.slice(0, line.indexOf(":"))));
    assert.deepEqual(new Set(result.repositoryInfo.map(({ name }) => name)), names);
  });
}

test("commits of all repositories are sorted by commit date, newest first", async () => {
  const { commits = [] } = await search("type:commit");
  const times = commits.map(({ commitDate }) => Date.parse(commitDate));
  assert.deepEqual(
    times,
    [...times].sort((left, right) => right - left),
  );
  assert.equal(commits[0]?.message, "fix: prefix of Änderung");
  const count = (path: string) => Number(runGit(path, ["rev-list", "--count", "HEAD"]));
  assert.equal(commits.length, count(past) + count(tools));
});

test("a result has all fields of the commit", async () => {
  const { commits } = await search("type:commit loose", {});
  const hash = hashOf(tools, "main~2");
  assert.deepEqual(commits, [
    {
      repository: "tools",
      repositoryId: 2,
      hash,
      date: "2023-11-15T22:13:20+00:00",
      commitDate: "2023-11-15T22:13:20+00:00",
      message: "Fix the handle",
      refs: "",
      body: "It was LOOSE (see #12).\n",
      authorName: "Bob Builder",
      authorEmail: "bob@builder.example",
      webUrl: "",
      externalWebUrl: `https://tools/commit/${hash}`,
    },
  ]);
});

test("results over the match limit are cut off, and the limit is reported", async () => {
  const result = await search("type:commit", { matches: 3 });
  assert.equal(result.commits?.length, 3);
  assert.equal(result.commits?.[0]?.message, "fix: prefix of Änderung");
  assert.equal(result.stats.flushReason, "MATCH_LIMIT");
  assert.equal(result.isSearchExhaustive, false);
  assert.ok(result.stats.totalMatchCount > 3);
});

test("a streamed search sends commits in a files event", async () => {
  const events: SearchEvent[] = [];
  const emit: NonNullable<Call<"streamSearch">["emit"]> = (event) => {
    events.push(event);
  };
  const end = await call("streamSearch", { query: "type:commit hammer" }, { ...context, emit });
  const [first] = events;
  assert.ok(first?.event === "files");
  assert.deepEqual(first.data.files, []);
  assert.deepEqual(
    first.data.commits?.map(({ message }) => message),
    ["Add a hammer"],
  );
  assert.deepEqual(
    first.data.repositoryInfo.map(({ name }) => name),
    ["tools"],
  );
  assert.equal(end.isSearchExhaustive, true);
  assert.equal("commits" in end, false);
});

test("an excluded revision is refused", async () => {
  await assert.rejects(search("type:commit -rev:old"), { code: "FAILED_TO_PARSE_QUERY" });
});

test("a missing repository makes the result partial", async () => {
  const partly = callerOf({
    repositories: viewOf([
      repository(1, "tools", { path: tools }),
      repository(2, "gone", { path: "/nothing/here" }),
    ]),
  });
  const result = await partly("search", { query: "type:commit hammer" }, context);
  assert.deepEqual(found(result), [hammer]);
  assert.equal(result.stats.flushReason, "ENGINE_PARTIAL");
});

test("patterns that no commit can contain match nothing", async () => {
  for (const query of ['"a\0b"', 'author:"\0"', "\ud800", '"a\rb"', "\x01"]) {
    const result = await search(`type:commit repo:tools ${query}`);
    assert.deepEqual([found(result), result.isSearchExhaustive], [[], true], query);
  }
  assert.deepEqual(found(await search('type:commit repo:tools hammer or "a\0b"')), [hammer]);
  assert.deepEqual(found(await search('type:commit repo:tools hammer -("a\0b")')), [hammer]);
});

test("a canceled search is rejected", async () => {
  const signal = AbortSignal.abort();
  await assert.rejects(call("search", { query: "type:commit" }, { ...context, signal }), {
    code: "CANCELLED",
  });
});

test("a message of many megabytes is searched at its beginning only", async () => {
  const path = repo("= main: First").path;
  importOn(path, "main", { on: "main", message: `Needle\n\n${"hay ".repeat(3_000_000)}` });
  const large = callerOf({ repositories: viewOf([repository(1, "large", { path })]) });
  const { commits, stats } = await large("search", { query: "type:commit needle" }, context);
  assert.deepEqual([commits?.length, stats.flushReason], [1, "NONE"]);
  // A match after that is possible, so the result is not complete.
  const further = await large("search", { query: "type:commit nothing or (hay needles)" }, context);
  assert.deepEqual([further.commits, further.stats.flushReason], [[], "BYTE_LIMIT"]);
});
