/** `maxIndexBytes` in the built server: what users see, and that a crash leaves a usable index within the limit. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "#test/support/eventually";
import { bytesOnDisk, largestShard, textWith } from "#test/support/limitedIndex";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const names = ["r0", "r1", "r2", "r3"];
const text = (at: number) => textWith("needle", 20, at + 1);
const expected = (at: number) =>
  text(at)
    .split("\n")
    .filter((line) => line.includes("needle")).length;

async function metric({ url }: Served, name: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  return Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
}

const evictedOf = async (served: Served) =>
  (await served.repositories()).filter(({ state }) => state === "evicted");

test("a server keeps its index within the limit, also after it was killed", async (t) => {
  const folder = temporaryFolder();
  for (const [at, name] of names.entries())
    repo(`= main: One\ntext.txt\n${text(at).replaceAll(/^/gm, "| ")}\n`, { path: join(folder, name) });
  const dataDir = join(temporaryFolder(), "data");
  const first = await serve(dataDir, [folder]);
  await first.ready();
  const bytes = await metric(first, "trawl_index_bytes");
  assert.equal(await metric(first, "trawl_index_limit_bytes"), 0);
  await first.search("needle repo:r0");
  await first.stop();

  const limit = Math.ceil(bytes * 0.6);
  const config = join(temporaryFolder(), "trawl.jsonc");
  writeFileSync(config, JSON.stringify({ maxIndexBytes: limit }));
  const flags = ["--config", config];
  const second = await serve(dataDir, [], { flags });
  t.after(() => second.kill());
  await eventually(async () => (await metric(second, "trawl_index_bytes")) <= limit);
  await second.ready();
  assert.equal(await metric(second, "trawl_index_limit_bytes"), limit);
  const evicted = await evictedOf(second);
  assert.deepEqual(evicted.map(({ repoName }) => repoName).includes("r0"), false, "r0 was used last");
  assert.ok(evicted.length >= 2);
  assert.match(evicted[0]?.evictedReason ?? "", /maxIndexBytes.*"repo:"/s);
  const everything = await second.search("needle");
  assert.deepEqual(
    [everything.isSearchExhaustive, everything.stats.repositoriesEvicted],
    [false, evicted.length],
  );
  const { stdout } = await trawl(["status", "--data-dir", dataDir]);
  assert.match(
    stdout,
    /Disk space of the index: \S+ kB of \S+ kB \(maxIndexBytes\), \d repositories not indexed/,
  );
  const output = (await trawl(["search", "--data-dir", dataDir, "needle"])).stderr;
  assert.match(output, /repositories have no index.*repo:NAME/);

  // The process is killed while it indexes one again and evicts another.
  const name = evicted[0]?.repoName ?? "";
  second.search(`needle repo:^${name}$`).catch(() => {});
  await eventually(async () => (await metric(second, "trawl_evictions_total")) > evicted.length);
  await second.kill();

  const third = await serve(dataDir, [], { flags });
  t.after(() => third.stop());
  await third.ready();
  const shards = { directory: { folder: join(dataDir, "shards") } };
  for (const [at, each] of names.entries()) {
    await eventually(async () => (await third.search(`needle repo:^${each}$`)).isSearchExhaustive);
    const { stats } = await third.search(`needle repo:^${each}$`);
    assert.equal(stats.totalMatchCount, expected(at), each);
    assert.ok(bytesOnDisk(shards) <= limit + largestShard(shards));
  }
});
