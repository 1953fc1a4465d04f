/**
 * The process that takes an index off the disk: VS Code runs it when the extension has been uninstalled, and the
 * extension when its user asks for it.
 *
 *     node erase.js [--data-dir FOLDER] [--everything]
 *
 * Gigabytes go, which can be built again; the list of what was added, members and keys are little and stay for the
 * command line, unless `--everything`. A folder in which another Trawl is at work is left alone, and so is every file that is not
 * Trawl's.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { acquireLock } from "#platform/lock";
import { defaultDataDirectory } from "#platform/settings";

const built = ["shards"];
const kept = ["catalogue.json", "endpoint.json", "format", "trawl.db", "trawl.db-wal", "trawl.db.lock"];

async function erase(dataDir: string, everything: boolean): Promise<void> {
  if (!existsSync(dataDir)) return;
  const lock = await acquireLock(dataDir);
  if (lock.kind === "held") {
    process.stdout.write(`Another Trawl is at work in ${dataDir}: nothing was deleted.\n`);
    return;
  }
  try {
    for (const name of everything ? [...built, ...kept] : built) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
  if (readdirSync(dataDir).length === 0) rmdirSync(dataDir);
}

const { values } = parseArgs({
  options: { "data-dir": { type: "string" }, everything: { type: "boolean", default: false } },
});
erase(values["data-dir"] ?? defaultDataDirectory(), values.everything).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
