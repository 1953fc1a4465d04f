/** If any write, sync or rename fails, as on a full disk, the old index stays, and the next run succeeds. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { readRefs } from "#git/refs/refs";
import { chooseRevisions, defaultRevisionSettings } from "#git/refs/revisions";
import { Indexer } from "#indexing/indexing";
import { indexTask } from "#indexing/indexTask";
import type { Repository } from "#model/repository";
import { diskFiles, type Files } from "#platform/files";
import { inlineThread } from "#platform/inlineThread";
import { ShardDirectory } from "#shard/directory/directory";
import { defaultContentSettings } from "#shard/format/skipReason";
import { indexedLines } from "#test/support/indexed";
import { gitRepositoryOf, repo, type TestRepository, temporaryFolder } from "#test/support/repo";

const failing = ["mkdir", "create", "write", "fsync", "rename", "fsyncFolder"] as const;

/** Files on which the `failAt`-th step from now and all later ones fail. */
function fillingDisk() {
  let left = Number.POSITIVE_INFINITY;
  const step = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      if (left-- <= 0) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      return work(...args);
    };
  };
  const files: Files = { ...diskFiles };
  for (const name of failing) Object.assign(files, { [name]: step(diskFiles[name] as () => unknown) });
  return {
    files,
    failAfter(steps: number) {
      left = steps;
    },
    get isFull() {
      return left < 0;
    },
  };
}

async function indexNow(indexer: Indexer, { path }: TestRepository) {
  const gitRepository = gitRepositoryOf({ path });
  const chosen = await chooseRevisions(gitRepository, await readRefs(gitRepository), defaultRevisionSettings);
  const repository = { id: 1, name: "r", path, kind: "clone" } as Repository;
  return indexer.index(repository, chosen, {
    signal: new AbortController().signal,
    settings: defaultContentSettings,
  });
}

test("a disk that fills up at any step of a first build, a delta or a rebuild leaves the old index", async () => {
  const repository = repo("= main: One\na\n| 1\nb\n| 2");
  const before = ["a [main]: 1|", "b [main]: 2|"];
  const after = ["a [main]: 3|", "b [main]: 2|"];
  let steps = 0;
  for (let hasFailed = true; hasFailed; steps++) {
    const disk = fillingDisk();
    const directory = await ShardDirectory.open(temporaryFolder(), disk.files);
    const indexer = new Indexer(inlineThread(indexTask(disk.files)), directory);
    repository.git("reset", "-q", "--hard", ":/One");
    hasFailed = false;
    for (const expected of [before, after]) {
      const older = await indexedLines(directory, 1);
      disk.failAfter(steps);
      const run = await indexNow(indexer, repository).catch((error: unknown) => error);
      const isFull = disk.isFull;
      disk.failAfter(Number.POSITIVE_INFINITY);
      if (isFull) {
        hasFailed = true;
        const isReported = run instanceof Error;
        if (isReported) assert.match(run.message, /no space left/, `after ${steps} steps`);
        assert.deepEqual(
          await indexedLines(directory, 1),
          isReported ? older : expected,
          `after ${steps} steps`,
        );
        const reopened = await ShardDirectory.open(directory.folder);
        assert.deepEqual(reopened.damagedManifests, []);
        assert.deepEqual(await indexedLines(reopened, 1), isReported ? older : expected);
      }
      await indexNow(indexer, repository);
      assert.deepEqual(
        await indexedLines(directory, 1),
        expected,
        `after ${steps} steps, with free space again`,
      );
      assert.deepEqual(
        readdirSync(directory.folder).filter((name) => name.includes("draft")),
        [],
      );
      repository.more("= main: Two\na\n| 3");
    }
  }
  assert.ok(steps > 10, `${steps} steps`);
});
