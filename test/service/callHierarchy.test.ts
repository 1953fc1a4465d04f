/** What a call hierarchy reports at its limits, and for names without a definition. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CallHierarchy } from "#contract/calls";
import { Contention } from "#test/support/contention";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const timeLimitMs = 2000;
const namesakeCount = 200;
const callCount = 5000;

let served: Served;

before(async () => {
  const folder = temporaryFolder();
  const { path, write, git } = repo("= main: One\nstep.ts\n| export function step(): void {}\n| step();\n", {
    path: join(folder, "code"),
  });
  for (let at = 0; at < namesakeCount; at++)
    write(`types/${at}.ts`, `export class Type${at} {\n  crowded(): void {}\n}\n`);
  const calls = "  box.crowded();\n".repeat(callCount);
  for (let at = 0; at < 10; at++) write(`calls/${at}.ts`, `export function all${at}(): void {\n${calls}}\n`);
  git("add", ".");
  git("commit", "-q", "-m", "Two");
  const configuration = join(folder, "trawl.json");
  writeFileSync(configuration, JSON.stringify({ timeLimitMs }));
  served = await serve(temporaryFolder(), [path], { flags: ["--config", configuration] });
  await served.ready();
  await eventually(async () => (await served.repositories()).every(({ symbolsReady }) => symbolsReady));
});

after(async () => {
  await served?.stop();
});

async function hierarchyOf(request: object): Promise<CallHierarchy> {
  const response = await fetch(`${served.url}/api/call_hierarchy`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as CallHierarchy;
}

test("with a depth of 0, only definitions are returned", async () => {
  const { definitions, calls, stats } = await hierarchyOf({ symbolName: "step", depth: 0 });
  assert.deepEqual(
    definitions.map(({ symbol, depth }) => [symbol, depth]),
    [["step", 0]],
  );
  assert.deepEqual([calls, stats.matchCount, stats.isExhaustive], [[], 0, true]);
});

test("the calls of a name without a definition are unknown", async () => {
  const { definitions, stats } = await hierarchyOf({ symbolName: "stepp" });
  assert.deepEqual([definitions, stats.isExhaustive, stats.flushReason], [[], false, "NONE"]);
});

test("with many definitions of a name and many calls, it ends by its deadline and says so", async (t) => {
  const contention = new Contention(served.process.pid ?? 0);
  t.after(() => contention.end());
  const startedAt = performance.now();
  const { stats, definitions } = await hierarchyOf({ symbolName: "crowded", matches: 10_000 });
  const ms = performance.now() - startedAt;
  const waitedMs = contention.ofAllThreads(startedAt);
  assert.ok(ms < timeLimitMs + 1000 + waitedMs, `${ms} ms, of which its threads waited ${waitedMs} ms`);
  assert.equal(stats.isExhaustive, false);
  assert.match(stats.flushReason, /^(?:TIME|MATCH)_LIMIT$/);
  // After a timeout, some may be missing.
  if (stats.flushReason === "MATCH_LIMIT")
    assert.equal(definitions.filter(({ depth }) => depth === 0).length, namesakeCount);
  // A whole range that is not known is absent.
  for (const { range, wholeRange } of definitions) assert.notDeepEqual(wholeRange, range);
});
