import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { diskFiles, type Files } from "#platform/files";
import { ShardDirectory } from "#shard/directory/directory";
import { isManifestFile } from "#shard/directory/manifestFiles";
import { rewriteShards } from "#shard/directory/rewrite";
import { literal, openEngine, openIndex, publish, rangeLines, search } from "#test/support/engines";
import { temporaryFolder } from "#test/support/repo";

type Step = keyof Files;

/** A disk on which one step fails, or also all later steps of some kinds. */
class FailingDisk {
  /** The steps so far. */
  readonly log: Step[] = [];
  failAt = Number.POSITIVE_INFINITY;
  /** Steps that keep failing after that. A full disk can still remove files. */
  failsOn: readonly Step[] = [];
  readonly files = new Proxy(diskFiles, {
    get:
      (disk, name: Step) =>
      (...words: never[]) => {
        this.log.push(name);
        if (this.log.length === this.failAt)
          throw Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" });
        if (this.log.length > this.failAt && this.failsOn.includes(name))
          throw new Error("ENOSPC: still no space");
        return (disk[name] as (...all: never[]) => unknown)(...words);
      },
  }) as Files;
}

const old = (id: number) => ({ id, segments: [[{ path: "old.ts", content: "needle old\n" }]] });
const delta = {
  documents: [{ path: "delta.ts", content: "needle delta\n" }],
  overrides: [{ segment: 0, document: 0, slots: [] }],
};

/** Operations on repositories 1 and 2, which contain `old.ts`, and what a search finds afterwards. */
const cases: Readonly<
  Record<
    string,
    {
      readonly withDelta?: boolean;
      readonly run: (directory: ShardDirectory, files: Files) => Promise<unknown>;
      readonly after: readonly string[];
    }
  >
> = {
  "a rebuild": {
    run: (directory, files) =>
      publish(directory, { id: 1, segments: [[{ path: "new.ts", content: "needle new\n" }]] }, { files }),
    after: ["1 new.ts", "2 old.ts"],
  },
  "a delta": {
    run: (directory, files) =>
      publish(directory, { id: 1, segments: [delta] }, { files, keepSegments: true }),
    after: ["1 delta.ts", "2 old.ts"],
  },
  "another repository": {
    run: (directory, files) =>
      publish(directory, { id: 3, segments: [[{ path: "third.ts", content: "needle" }]] }, { files }),
    after: ["1 old.ts", "2 old.ts", "3 third.ts"],
  },
  "a merge": {
    withDelta: true,
    run: async (directory, files) => {
      const manifest = directory.manifest(1) ?? assert.fail();
      const segments = manifest.segments.map((segment) => directory.pathOf(segment));
      const repositories = [{ id: 1, segments, liveSlots: [0] }];
      const rewritten = await rewriteShards(
        { repositories, from: 0, draftPath: directory.newDraft() },
        () => false,
        files,
      );
      assert.ok(rewritten.kind === "rewritten");
      assert.equal(await directory.publishMerged(manifest, 0, rewritten.drafts), true);
    },
    after: ["1 delta.ts", "2 old.ts"],
  },
  "a compound": {
    withDelta: true,
    run: async (directory, files) => {
      const manifests = [...directory.manifests().values()];
      const repositories = manifests.map((manifest) => ({
        id: manifest.repositoryId,
        segments: manifest.segments.map((segment) => directory.pathOf(segment)),
        liveSlots: [0],
      }));
      const rewritten = await rewriteShards(
        { repositories, from: 0, draftPath: directory.newDraft() },
        () => false,
        files,
      );
      assert.ok(rewritten.kind === "rewritten");
      await directory.publishCompound(rewritten.drafts[0] ?? assert.fail(), manifests);
    },
    after: ["1 delta.ts", "2 old.ts"],
  },
  removal: { run: (directory) => directory.remove(1), after: ["2 old.ts"] },
};

async function found(directory: ShardDirectory): Promise<string[]> {
  const { engine, damage } = openEngine(directory);
  const { files, isExhaustive } = await search(engine, literal("needle"));
  await engine.close();
  assert.deepEqual(damage, []);
  assert.equal(isExhaustive, true);
  return rangeLines(files).map((line) => line.split(" ").slice(0, 2).join(" "));
}

/** Checks that the folder contains exactly the shards that the manifests name. */
function checkNoStrays(directory: ShardDirectory): void {
  const named = [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ file }) => file),
  );
  const found = readdirSync(directory.folder).filter((name) => !isManifestFile(name));
  assert.deepEqual(found.sort(), [...new Set(named)].sort());
  assert.deepEqual(directory.damagedManifests, []);
}

const full: readonly Step[] = ["create", "write", "fsync", "rename", "mkdir"];

for (const [name, { withDelta, run, after }] of Object.entries(cases)) {
  for (const failsOn of [[], full]) {
    test(`${name} on a disk where ${failsOn.length === 0 ? "each step fails once" : "every step fails"}`, async () => {
      const before = withDelta ? ["1 delta.ts", "2 old.ts"] : ["1 old.ts", "2 old.ts"];
      const failed: Step[] = [];
      // A shard takes about fifty writes. On a full disk all later writes fail, so every fourth step is enough.
      for (let failAt = 1; ; failAt += failsOn.length === 0 ? 1 : 4) {
        const disk = new FailingDisk();
        const folder = temporaryFolder();
        const directory = await openIndex([old(1), old(2)], { folder, files: disk.files });
        if (withDelta) await publish(directory, { id: 1, segments: [delta] }, { keepSegments: true });
        const { engine, damage } = openEngine(directory);
        const searchPaths = async () =>
          rangeLines((await search(engine, literal("needle"))).files).map((line) =>
            line.split(" ").slice(0, 2).join(" "),
          );
        assert.deepEqual(await searchPaths(), before);

        const steps = disk.log.length;
        disk.failAt = steps + failAt;
        disk.failsOn = failsOn;
        let error: unknown;
        try {
          await run(directory, disk.files);
        } catch (thrown) {
          error = thrown;
        }
        const hasFailed = disk.log.length >= disk.failAt;
        const step = disk.log[disk.failAt - 1];
        disk.failAt = Number.POSITIVE_INFINITY;
        const label = `step ${failAt}, ${step}: ${error}`;
        if (step !== undefined) failed.push(step);

        assert.ok(error === undefined || isServiceError(error, "STORAGE_FAILED"), label);
        // Failing to remove stray files or to synchronize a folder is no error.
        if (hasFailed && !["remove", "fsyncFolder"].includes(step ?? ""))
          assert.ok(error !== undefined, label);
        const now = await searchPaths();
        const again = await ShardDirectory.open(folder);
        if (name === "a compound") assert.deepEqual(now, after, label);
        else assert.deepEqual(now, error === undefined ? after : before, label);
        assert.deepEqual(await found(again), now, label);
        checkNoStrays(again);

        if (error !== undefined) await run(directory, disk.files);
        assert.deepEqual(await searchPaths(), after, label);
        assert.deepEqual(damage, [], label);
        await engine.close();
        checkNoStrays(await ShardDirectory.open(folder));
        if (!hasFailed) break;
      }
      const kinds = new Set(failed);
      if (name === "removal") assert.deepEqual([...kinds], ["remove"]);
      else if (failsOn.length === 0) {
        for (const kind of ["create", "write", "fsync", "close", "rename"] as const)
          assert.ok(kinds.has(kind), kind);
      }
    });
  }
}

test("a folder that cannot be created is reported", async () => {
  const disk = new FailingDisk();
  disk.failAt = 1;
  await assert.rejects(ShardDirectory.open(temporaryFolder(), disk.files), (error) =>
    isServiceError(error, "STORAGE_FAILED"),
  );
});
