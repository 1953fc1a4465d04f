/** Working trees without a commit: files on disk are searchable, counted, and never found twice. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { SearchResult } from "#contract/search";
import { eventually } from "#test/support/eventually";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const folder = temporaryFolder();
const dataDir = join(temporaryFolder(), "data");

function makeRepository(name: string, text = ""): TestRepository {
  return repo(text, { path: join(folder, name) });
}

const one = "= main: One\nold.txt\n| old needle\nkept.txt\n| kept needle\n";

const fresh = makeRepository("fresh");
fresh.write(".gitignore", "ignored.txt\n");
fresh.write("ignored.txt", "a needle\n");
fresh.write("new.txt", "a needle\n");
fresh.write("deep/er/new.txt", "another needle\n");

const staged = makeRepository("staged");
staged.write("new.txt", "a needle\n");
staged.write("next.txt", "a needle\n");
staged.git("add", "new.txt");

const unborn = makeRepository("unborn", one);
unborn.write("new.txt", "a needle\n");
unborn.git("symbolic-ref", "HEAD", "refs/heads/unborn");

const orphan = makeRepository("orphan", one);
orphan.git("switch", "-q", "--orphan", "other");
orphan.write("new.txt", "a needle\n");

const kept = makeRepository("kept", one);
kept.git("checkout", "-q", "--orphan", "other");
kept.write("new.txt", "a needle\n");
kept.write("old.txt", "changed\n");

const fetched = makeRepository("fetched");
fetched.git("symbolic-ref", "HEAD", "refs/heads/unborn");
fetched.git("fetch", "-q", unborn.path, "main:refs/heads/main");
fetched.write("new.txt", "a needle\n");
fetched.write("kept.txt", "kept needle, changed\n");

const noFiles = makeRepository("noFiles", one);
noFiles.git("update-ref", "-d", "refs/heads/main");
noFiles.git("read-tree", "--empty");
noFiles.remove("old.txt");
noFiles.remove("kept.txt");

let served: Served;
let ready = "";
before(async () => {
  served = await serve(dataDir, [folder]);
  ready = await served.ready();
});
after(() => served.stop());

async function found(name: string, query = "needle"): Promise<string[]> {
  const result: SearchResult = await served.search(`repo:^${name}$ ${query}`);
  assert.equal(result.isSearchExhaustive, true, name);
  return result.files.map(({ fileName, origin }) => `${fileName.text} ${origin}`).sort();
}

const rows: readonly (readonly [name: string, expected: readonly string[], documentCount: number])[] = [
  ["fresh", ["deep/er/new.txt workingTree", "new.txt workingTree"], 3],
  ["staged", ["new.txt workingTree", "next.txt workingTree"], 2],
  ["unborn", ["kept.txt commit", "new.txt workingTree", "old.txt commit"], 3],
  ["orphan", ["new.txt workingTree"], 3],
  ["kept", ["kept.txt commit", "new.txt workingTree"], 3],
  ["fetched", ["kept.txt workingTree", "new.txt workingTree", "old.txt commit"], 3],
  ["noFiles", [], 0],
];

for (const [name, expected, documentCount] of rows) {
  test(`${name}: files on disk are found and counted`, async () => {
    assert.deepEqual(await found(name), expected);
    const item = (await served.repositories()).find(({ repoName }) => repoName === name);
    assert.deepEqual([item?.state, item?.documentCount], ["ready", documentCount]);
  });
}

test("the Ready line and status count files of the working tree", async () => {
  const total = rows.reduce((sum, [, , documentCount]) => sum + documentCount, 0);
  assert.match(ready, new RegExp(`^Ready: ${rows.length} repositories, ${total} files`));
  const { stdout } = await trawl(["status", "--data-dir", dataDir]);
  assert.match(stdout, /fresh\n.*\n {2}3 files, no history/);
  assert.match(stdout, new RegExp(`${total} files`));
});

test("files are not found twice after they are staged and committed", async () => {
  const untilFound = (expected: readonly string[], documentCount: number) =>
    eventually(async () => {
      const { files, isSearchExhaustive } = await served.search("repo:^fresh$ needle");
      const item = (await served.repositories()).find(({ repoName }) => repoName === "fresh");
      const seen = files.map(({ fileName, origin }) => `${fileName.text} ${origin}`).sort();
      return isSearchExhaustive && item?.documentCount === documentCount && isDeepStrictEqual(seen, expected);
    });
  fresh.git("add", "-A");
  await untilFound(["deep/er/new.txt workingTree", "new.txt workingTree"], 3);
  fresh.git("commit", "-q", "-m", "First");
  await untilFound(["deep/er/new.txt commit", "new.txt commit"], 3);
  fresh.write("later.txt", "a needle\n");
  await untilFound(["deep/er/new.txt commit", "later.txt workingTree", "new.txt commit"], 4);
});
