/**
 * The process that deletes an index. VS Code runs it after the extension has been uninstalled; the extension runs it
 * for *Delete All Data...*.
 *
 *     node erase.js [--data-dir FOLDER] [--everything]
 *
 * Deletes what can be rebuilt and, with `--everything`, also the list of repositories, members and keys. Deletes
 * nothing while another Trawl uses the folder, and no file that is not Trawl's.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defaultDataDirectory } from "#platform/environment";
import { acquireLock } from "#platform/lock";

const rebuildable = ["shards", "snapshots", "commitGraphs", "packages", "mirrors"];
const irreplaceable = [
  "catalogue.json",
  "connections.jsonc",
  "endpoint.json",
  "format",
  "mirrors.json",
  "organization.json",
  "trawl.db",
  "trawl.db-wal",
  "trawl.db.lock",
];

async function erase(dataDir: string, everything: boolean): Promise<void> {
  if (!existsSync(dataDir)) return;
  const lock = await acquireLock(dataDir);
  if (lock.kind === "held") {
    process.stdout.write(
      `Nothing was deleted: another Trawl is using ${dataDir}. Stop it, then try again.\n`,
    );
    return;
  }
  try {
    for (const name of everything ? [...rebuildable, ...irreplaceable] : rebuildable) {
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
