/** The process that takes an index off the disk, as the extension and its uninstallation run it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "#test/support/house";
import { repo, temporaryFolder } from "#test/support/repo";
import { startTrawl, trawl } from "#test/support/trawl";

function erase(...words: string[]): string {
  return execFileSync(process.execPath, [join(projectRoot(), "dist/server/erase.js"), ...words], {
    encoding: "utf8",
  });
}

/** A data folder with one repository in its index. */
async function indexed(): Promise<{ readonly dataDir: string; readonly repository: string }> {
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

test("the index goes, and what was added is indexed again by the next command", async () => {
  const { dataDir, repository } = await indexed();
  erase("--data-dir", dataDir);
  assert.deepEqual(readdirSync(dataDir).sort(), ["catalogue.json", "format"]);
  await trawl(["index", repository, "--data-dir", dataDir]);
  const { stdout } = await trawl(["search", "needle", "--data-dir", dataDir]);
  assert.match(stdout, /needle/);
});

test("everything goes, the folder too", async () => {
  const { dataDir } = await indexed();
  erase("--data-dir", dataDir, "--everything");
  assert.equal(existsSync(dataDir), false);
});

test("a file that is not Trawl's stays", async () => {
  const { dataDir } = await indexed();
  writeFileSync(join(dataDir, "letter.txt"), "dear");
  erase("--data-dir", dataDir, "--everything");
  assert.deepEqual(readdirSync(dataDir), ["letter.txt"]);
});

test("where another Trawl is at work nothing goes", async () => {
  const { dataDir, repository } = await indexed();
  const server = startTrawl(["serve", repository, "--data-dir", dataDir, "--port", "0"]);
  try {
    await server.line(/http:/);
    assert.match(erase("--data-dir", dataDir, "--everything"), /nothing was deleted/);
    assert.notDeepEqual(readdirSync(join(dataDir, "shards")), []);
  } finally {
    server.process.kill();
    await server.ended;
  }
});

test("a folder that is not there is no failure, and is not made", () => {
  const dataDir = join(temporaryFolder(), "none");
  assert.equal(erase("--data-dir", dataDir), "");
  assert.equal(existsSync(dataDir), false);
});
