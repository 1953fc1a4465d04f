/** What tools say about a search that found nothing, with operations that return fixed responses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTool } from "#agents/runTool";
import type { SearchStats } from "#contract/search";
import type { Caller } from "#contract/service";

interface Found {
  readonly isExhaustive: boolean;
  readonly repositories?: number;
  readonly flushReason?: SearchStats["flushReason"];
}

function callerOf({
  isExhaustive,
  repositories = 1,
  flushReason = isExhaustive ? "NONE" : "TIME_LIMIT",
}: Found): Caller {
  const stats = {
    totalMatchCount: 0,
    matchCount: 0,
    fileCount: 0,
    filesMissing: 0,
    flushReason,
    isExhaustive,
  };
  const counted = { matchCount: 0, groups: [], omittedGroupCount: 0 };
  const found = { isSearchExhaustive: isExhaustive, isExhaustive, files: [], symbols: [], stats, ...counted };
  const responses = (name: string, page: number): unknown => {
    if (name === "readQuery") return { problems: [] };
    if (name === "callHierarchy") return { ...found, definitions: [], calls: [] };
    if (name !== "repos") return found;
    const start = (page - 1) * 100;
    const items = Array.from({ length: Math.min(100, repositories - start) }, (_, index) => ({
      repoName: `r${start + index}`,
      state: "ready",
    }));
    return { items, total: repositories };
  };
  return (async (name: string, request: { page?: number }) =>
    responses(name, request.page ?? 1)) as unknown as Caller;
}

async function run(name: string, args: object, found: Found): Promise<string> {
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  return (await runTool(name, args, callerOf(found), call, { onDefect: assert.ifError })).text;
}

const calls: readonly (readonly [name: string, args: object])[] = [
  ["grep", { pattern: "x" }],
  ["grep", { pattern: "x", mode: "count" }],
  ["find", { name: "x" }],
  ["find", { name: "x", type: "symbols" }],
  ["uses", { symbol: "x" }],
];
for (const [name, args] of calls) {
  test(`${name} ${JSON.stringify(args)}: only an exhaustive search of all repositories leaves no more`, async () => {
    const all = await run(name, args, { isExhaustive: true });
    assert.match(all, /Searched r0 at .*\. Everything is indexed, so there is no more\./);
    const part = await run(name, args, { isExhaustive: false });
    assert.match(part, /Searched r0 at .*\.$/m);
    assert.doesNotMatch(part, /no more|No path matches/);
    const many = await run(name, args, { isExhaustive: true, repositories: 2001 });
    assert.match(many, /Searched 2000 or more repositories at .*\.$/m);
    assert.doesNotMatch(many, /no more/);
  });
}

test("find says that it searched a part of the repositories", async () => {
  const args = { name: "x", type: "symbols", repo: "r" };
  const text = await run("find", args, { isExhaustive: true, repositories: 1001 });
  assert.match(text, /Only the first 1000 repositories with such a name were searched: give a longer repo\./);
  assert.doesNotMatch(text, /no more/);
});

for (const flushReason of ["NONE", "TIME_LIMIT", "INDEXING", "SHARD_DAMAGED", "ENGINE_PARTIAL"] as const) {
  test(`uses says whether a definition may have been missed: ${flushReason}`, async () => {
    const text = await run("uses", { symbol: "x", role: "callers" }, { isExhaustive: false, flushReason });
    assert.match(text, /^No indexed definition of "x", so its callers are unknown\./);
    assert.doesNotMatch(text, /no more/);
    assert.equal(/Not everything was searched: .* try again\./.test(text), flushReason !== "NONE");
  });
}

const packages = [
  "cargo/zad@1.0.0",
  "npm/q@1.5.1",
  "npm/zod@3.25.0",
  "npm/zod@4.1.12",
  "npm/@types/node@22.1.0",
];
for (const [name, expected] of [
  ["zod", "npm/zod@3.25.0, npm/zod@4.1.12, gop"],
  ["npm/zud@4", "npm/zod@3.25.0, npm/zod@4.1.12"],
  ["npm/@type/node", "npm/@types/node@22.1.0"],
] as const) {
  test(`packages with a name similar to ${name} are suggested`, async () => {
    const caller = (async (
      _: string,
      { query = "", dependencies }: { query?: string; dependencies?: string },
    ) => {
      const known = dependencies === undefined || dependencies === "no" ? ["gop"] : packages;
      const items = known
        .filter((each) => each.includes(query))
        .map((repoName) => ({ repoName, state: "ready" }));
      return { items, total: items.length };
    }) as unknown as Caller;
    const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
    const { text } = await runTool("repos", { name }, caller, call, { onDefect: assert.ifError });
    assert.ok(text.endsWith(`Did you mean ${expected}?`), text);
  });
}
