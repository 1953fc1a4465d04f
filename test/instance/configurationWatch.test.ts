/** Changes of the configuration file: applied, refused, and reported with the file that is at fault. */
import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ServiceError } from "#base/error";
import { ConfigurationWatch } from "#instance/configurationWatch";
import { systemClock } from "#platform/clock";
import { createLog } from "#platform/log";
import { eventually } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";

test("a file that is invalid is named, and one that is not at fault is not blamed", async (t) => {
  const file = join(temporaryFolder(), "trawl.json");
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const connection = { type: "gerrit", url: "https://g", include: { all: true } };
  write("{}");
  const logged: string[] = [];
  let failure: Error | undefined;
  const applied: string[] = [];
  const watch = new ConfigurationWatch({
    source: { file, settings: {} },
    connections: {},
    isCurrent: true,
    async apply(connections) {
      if (failure !== undefined) throw failure;
      applied.push(Object.keys(connections).join());
    },
    // Waits less than in production.
    clock: { ...systemClock, after: (_delayMs, call) => systemClock.after(5, call) },
    log: createLog("info", (line) => logged.push(line)),
  });
  t.after(() => watch.close());
  watch.start();

  write("{");
  await eventually(() => watch.problem?.startsWith(`${file}:1:`));
  assert.match(logged.at(-1) ?? "", /trawl\.json has changed but cannot be used/);
  failure = new ServiceError("STORAGE_FAILED", "Cannot write mirrors.jsonl: the disk is full.");
  write(JSON.stringify({ connections: { work: connection } }));
  await eventually(() => watch.problem === failure?.message);
  assert.match(logged.at(-1) ?? "", /its connections cannot be applied.*Cannot write mirrors\.jsonl/);
  assert.doesNotMatch(logged.at(-1) ?? "", /cannot be used/);
  failure = undefined;
  await eventually(() => watch.problem === undefined);
  assert.deepEqual(applied, ["work"]);
});
