/** `maxMemoryBytes` in the built server: it is shown, and large searches above it are as complete as others. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

test("a server above its memory limit reports it, and completes large searches", async (t) => {
  const folder = temporaryFolder();
  const lines = Array.from({ length: 30_000 }, (_, at) => `| needle ${at}`).join("\n");
  repo(`= main: One\ntext.txt\n${lines}\n`, { path: join(folder, "one") });
  const dataDir = join(temporaryFolder(), "data");
  const config = join(temporaryFolder(), "trawl.jsonc");
  writeFileSync(config, JSON.stringify({ maxMemoryBytes: 1_000_000 }));
  const served = await serve(dataDir, [folder], { flags: ["--config", config] });
  t.after(() => served.stop());
  await served.ready();
  const counts = Array.from({ length: 3 }, async () => {
    const response = await fetch(`${served.url}/api/search`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "needle", matches: 30_000 }),
    });
    const { stats } = (await response.json()) as { stats: { actualMatchCount: number } };
    return stats.actualMatchCount;
  });
  assert.deepEqual(await Promise.all(counts), [30_000, 30_000, 30_000]);
  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  assert.match(metrics, /^trawl_memory_limit_bytes 1000000$/m);
  const { stdout } = await trawl(["status", "--data-dir", dataDir]);
  assert.match(stdout, /^Memory of the server: \d+ MB of 1\.0 MB \(maxMemoryBytes\)$/m);
});
