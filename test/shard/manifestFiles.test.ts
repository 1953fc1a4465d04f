/** After any writes and removals, the last manifest written for each repository is loaded, or none. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { diskFiles } from "#platform/files";
import type { Manifest } from "#shard/directory/manifest";
import { isManifestFile, ManifestFiles } from "#shard/directory/manifestFiles";
import { loadChecksum } from "#shard/format/checksum";
import { temporaryFolder } from "#test/support/repo";

type Step =
  | { readonly write: readonly number[] }
  | { readonly remove: readonly number[] }
  /** Another process opens the folder. */
  | { readonly open: true };

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ write: ids }) },
    { weight: 1, arbitrary: fc.record({ remove: ids }) },
    { weight: 1, arbitrary: fc.constant({ open: true } as const) },
  ),
  { minLength: 1, maxLength: 25 },
);

async function open(folder: string) {
  const files = new ManifestFiles(folder, diskFiles, await loadChecksum());
  return { files, ...files.load(readdirSync(folder)) };
}

/** Runs the steps, and returns the manifests that should be loaded afterwards. */
async function run(folder: string, all: readonly Step[]): Promise<ReadonlyMap<number, Manifest>> {
  let { files } = await open(folder);
  const expected = new Map<number, Manifest>();
  for (const [count, step] of all.entries()) {
    if ("open" in step) ({ files } = await open(folder));
    else if ("write" in step) {
      const manifests = step.write.map((id) => manifest(id, files.nextGeneration(id), `written ${count}`));
      assert.ok(files.write(manifests));
      for (const each of manifests) expected.set(each.repositoryId, each);
    } else {
      for (const id of step.remove) expected.delete(id);
      files.remove(new Set(step.remove), expected);
    }
  }
  return expected;
}

function manifest(repositoryId: number, generation: number, name: string): Manifest {
  const path = `/${repositoryId}`;
  return { repositoryId, generation, name, path, kind: "clone", revisions: [], nextSlot: 0, segments: [] };
}

function sorted(manifests: ReadonlyMap<number, Manifest>): Manifest[] {
  return [...manifests.values()].sort((a, b) => a.repositoryId - b.repositoryId);
}

test("after any steps the folder contains the manifests written last, and no obsolete file", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const folder = temporaryFolder();
      const expected = await run(folder, all);
      const { manifests, damaged } = await open(folder);
      assert.deepEqual(sorted(manifests), sorted(expected));
      assert.equal(damaged.size, 0);
      assert.ok(readdirSync(folder).filter(isManifestFile).length <= expected.size);
    }),
  );
});

test("an older manifest never replaces a damaged one, at this start or the next", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), fc.nat(), async (all, which, where) => {
      const folder = temporaryFolder();
      const expected = await run(folder, all);
      const names = readdirSync(folder).sort();
      const name = names[which % Math.max(names.length, 1)];
      if (name === undefined) return;
      const bytes = readFileSync(join(folder, name));
      bytes[where % bytes.length] = (bytes[where % bytes.length] ?? 0) ^ 0xff;
      writeFileSync(join(folder, name), bytes);
      for (const start of ["first", "second"]) {
        const { manifests, damaged } = await open(folder);
        if (start === "first") assert.deepEqual([...damaged.keys()], [name]);
        for (const found of manifests.values()) assert.deepEqual(found, expected.get(found.repositoryId));
        if (name.endsWith(".manifest")) assert.ok(manifests.size >= expected.size - 1);
      }
    }),
  );
});

test("a missing shard drops the manifests of its repositories, and new ones replace them", async () => {
  const folder = temporaryFolder();
  const { files } = await open(folder);
  const segment = { documentCount: 1, skippedCount: 0, contentBytes: 1, shardBytes: 1, isDelta: false };
  const lost = { ...manifest(1, 1, "lost"), segments: [{ file: "9.shard", ...segment }] };
  files.write([lost, manifest(2, 1, "kept")]);
  const again = await open(folder);
  assert.deepEqual([...again.manifests.keys()], [2]);
  assert.deepEqual([...again.damaged], [["1.manifests", "9.shard is missing"]]);
  again.files.write([manifest(1, again.files.nextGeneration(1), "new")]);
  assert.deepEqual(
    sorted((await open(folder)).manifests).map(({ name }) => name),
    ["new", "kept"],
  );
});
