/** The process that deletes an index, which the extension runs, also when it is uninstalled. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "#test/support/house";
import { repo, temporaryFolder } from "#test/support/repo";
import { startTrawl, trawl } from "#test/support/trawl";

function erase(...args: string[]): string {
  return execFileSync(process.execPath, [join(projectRoot(), "dist/server/erase.js"), ...args], {
    encoding: "utf8",
  });
}

/** Creates a data directory with one indexed repository. */
async function indexRepository(): Promise<{ readonly dataDir: string; readonly repository: string }> {
  const dataDir = join(temporaryFolder(), "data");
  const repository = repo(`
    = main: First
    a.txt
    | needle
  `).path;
  const { code, stderr } = await trawl(["index", repository, "--data-dir", dataDir]);
  assert.equal(code, 0, stderr);
  assert.notDeepEqual(readdirSync(join(dataDir, "shards")), []);
  return { dataDir, repository };
}

test("the index is deleted, and the repositories can be indexed again", async () => {
  const { dataDir, repository } = await indexRepository();
  erase("--data-dir", dataDir);
  assert.deepEqual(readdirSync(dataDir).sort(), ["catalogue.json", "format"]);
  await trawl(["index", repository, "--data-dir", dataDir]);
  const { stdout } = await trawl(["search", "needle", "--data-dir", dataDir]);
  assert.match(stdout, /needle/);
});

test("--everything deletes the data directory", async () => {
  const { dataDir } = await indexRepository();
  erase("--data-dir", dataDir, "--everything");
  assert.equal(existsSync(dataDir), false);
});

test("other files in the data directory are kept", async () => {
  const { dataDir } = await indexRepository();
  writeFileSync(join(dataDir, "letter.txt"), "dear");
  erase("--data-dir", dataDir, "--everything");
  assert.deepEqual(readdirSync(dataDir), ["letter.txt"]);
});

test("nothing is deleted while another process uses the data directory", async () => {
  const { dataDir, repository } = await indexRepository();
  const server = startTrawl(["serve", repository, "--data-dir", dataDir, "--port", "0"]);
  try {
    await server.line(/http:/);
    assert.match(erase("--data-dir", dataDir, "--everything"), /Nothing was deleted/);
    assert.notDeepEqual(readdirSync(join(dataDir, "shards")), []);
  } finally {
    server.process.kill();
    await server.ended;
  }
});

test("a missing data directory is not an error and is not created", () => {
  const dataDir = join(temporaryFolder(), "none");
  assert.equal(erase("--data-dir", dataDir), "");
  assert.equal(existsSync(dataDir), false);
});
