import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { type BytePath, bytesOf } from "#git/bytePath";
import { planDelta } from "#indexing/deltaTask";
import { fileSource } from "#platform/byteSource";
import type { Query } from "#query/query";
import { type Compaction, nextCompaction, nextConversion } from "#shard/directory/compaction";
import { ShardDirectory } from "#shard/directory/directory";
import { writeDraft } from "#shard/directory/draft";
import type { IndexedRevision, Manifest } from "#shard/directory/manifest";
import { isManifestFile } from "#shard/directory/manifestFiles";
import { rewriteShards } from "#shard/directory/rewrite";
import { loadChecksum } from "#shard/format/checksum";
import { diskFormatVersion } from "#shard/format/frames";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { Random } from "#test/support/corpus";
import { blobHash, openEngine, publish, search, shardDocument } from "#test/support/engines";
import { temporaryFolder } from "#test/support/repo";

const seed = Number(process.env["SEED"] ?? 1);
const histories = Number(process.env["RUNS"] ?? 25);

/** Paths with their contents. */
type Tree = ReadonlyMap<string, string>;

/** The expected state of a repository: the tree of each ref. */
interface Model {
  readonly id: number;
  readonly refs: Map<string, { slot: number; tree: Tree }>;
  nextSlot: number;
}

const contents = ["one\n", "two\n", "three\n", "", "four\nlines\nof\ntext\n"];
const paths = ["a.ts", "b.ts", "src/c.ts", "src/d/e.ts", "test/f.ts", "caf\u00e9"];

function randomTree(random: Random): Tree {
  return new Map(paths.filter(() => random.chance(0.7)).map((path) => [path, random.pick(contents)]));
}

function changedTree(random: Random, tree: Tree): Tree {
  const changed = new Map(tree);
  for (let count = random.between(0, 3); count > 0; count--) {
    const path = random.pick(paths);
    if (random.chance(0.3)) changed.delete(path);
    else changed.set(path, random.pick(contents));
  }
  return changed;
}

const bytePathOf = (path: string) => Buffer.from(path).toString("latin1") as BytePath;
const hashOf = (content: string) => blobHash(Buffer.from(content));
const contentOf = new Map(contents.map((content) => [hashOf(content), content]));

function revisionsOf(model: Model): IndexedRevision[] {
  return [...model.refs].map(([name, { slot }]) => ({
    name: `refs/heads/${name}`,
    commit: `${slot}`.padStart(40, "0"),
    slot,
  }));
}

function changeOf(model: Model, keepSegments: boolean) {
  return {
    repositoryId: model.id,
    name: `r${model.id}`,
    path: "/nowhere",
    kind: "clone" as const,
    revisions: revisionsOf(model),
    ...(model.refs.has("main") ? { defaultRevision: "refs/heads/main" } : {}),
    nextSlot: model.nextSlot,
    keepSegments,
  };
}

/** Publishes one shard with the documents of all refs. */
async function rebuild(directory: ShardDirectory, model: Model): Promise<void> {
  const slotsOf = new Map<string, number[]>();
  for (const { slot, tree } of [...model.refs.values()].sort((left, right) => left.slot - right.slot)) {
    for (const [path, content] of tree) {
      const key = JSON.stringify([path, content]);
      slotsOf.set(key, [...(slotsOf.get(key) ?? []), slot]);
    }
  }
  const draft = await writeDraft(directory.newDraft(), await loadChecksum(), (writer) => {
    writer.beginRepository(model.id);
    for (const [key, slots] of slotsOf) {
      const [path, content] = JSON.parse(key) as [string, string];
      writer.add(shardDocument({ path, content, slots }));
    }
  });
  await directory.publish(changeOf(model, false), [draft]);
}

async function openSegments(directory: ShardDirectory, id: number) {
  const checksum = await loadChecksum();
  const manifest = directory.manifest(id) ?? assert.fail();
  const readers = manifest.segments.map(
    (segment) => new ShardReader(fileSource(directory.pathOf(segment)), checksum),
  );
  return {
    segments: new RepositorySegments(id, readers),
    close: () => {
      for (const reader of readers) reader.close();
    },
  };
}

/** Publishes a delta with moved refs, and new ones that start as a copy of another. */
async function publishDelta(
  directory: ShardDirectory,
  model: Model,
  moved: readonly { readonly slot: number; readonly like?: number; readonly from: Tree; readonly to: Tree }[],
): Promise<void> {
  const changes = new Map<BytePath, Map<number, string | undefined>>();
  for (const { slot, from, to } of moved) {
    for (const path of new Set([...from.keys(), ...to.keys()])) {
      if (from.get(path) === to.get(path)) continue;
      const content = to.get(path);
      const slots = changes.get(bytePathOf(path)) ?? new Map<number, string | undefined>();
      changes.set(bytePathOf(path), slots.set(slot, content === undefined ? undefined : hashOf(content)));
    }
  }
  const slotCopies = moved.flatMap(({ slot, like }) => (like === undefined ? [] : [{ slot, like }]));
  const { segments, close } = await openSegments(directory, model.id);
  const { documents, overrides } = planDelta(changes, slotCopies, segments);
  close();
  const draft = await writeDraft(directory.newDraft(), await loadChecksum(), (writer) => {
    writer.beginRepository(model.id);
    writer.markDelta();
    for (const slotCopy of slotCopies) writer.copySlot(slotCopy);
    for (const override of overrides) writer.override(override);
    for (const { path, hash, slots } of documents)
      writer.add(
        shardDocument({ path: bytesOf(path), content: contentOf.get(hash) ?? assert.fail(), slots }),
      );
  });
  await directory.publish(changeOf(model, true), [draft]);
}

async function step(random: Random, directory: ShardDirectory, model: Model): Promise<string> {
  const names = [...model.refs.keys()];
  const name = random.pick(names);
  const old = model.refs.get(name) ?? assert.fail();
  switch (random.between(0, 5)) {
    case 0: {
      const slot = model.nextSlot++;
      const to = changedTree(random, old.tree);
      model.refs.set(`b${slot}`, { slot, tree: to });
      await publishDelta(directory, model, [{ slot, like: old.slot, from: old.tree, to }]);
      return `b${slot} like ${name}`;
    }
    case 1: {
      if (names.length < 2) return "nothing";
      model.refs.delete(name);
      await directory.publish(changeOf(model, true), []);
      return `without ${name}`;
    }
    case 2: {
      const { tree: to } = model.refs.get(random.pick(names)) ?? assert.fail();
      model.refs.set(name, { ...old, tree: to });
      await publishDelta(directory, model, [{ slot: old.slot, from: old.tree, to }]);
      return `${name} to another`;
    }
    case 3: {
      const moved = names.map((each) => {
        const { slot, tree: from } = model.refs.get(each) ?? assert.fail();
        const to = changedTree(random, from);
        model.refs.set(each, { slot, tree: to });
        return { slot, from, to };
      });
      await publishDelta(directory, model, moved);
      return "all moved";
    }
    case 4: {
      if (random.chance(0.7)) return "nothing";
      await rebuild(directory, model);
      return "anew";
    }
    default: {
      const to = changedTree(random, old.tree);
      model.refs.set(name, { ...old, tree: to });
      await publishDelta(directory, model, [{ slot: old.slot, from: old.tree, to }]);
      return `${name} moved`;
    }
  }
}

async function compact(directory: ShardDirectory, compaction: Compaction): Promise<void> {
  const manifests = compaction.kind === "merge" ? [compaction.manifest] : compaction.manifests;
  const from = compaction.kind === "merge" ? compaction.from : 0;
  const rewritten = await rewriteShards(
    {
      repositories: manifests.map((manifest) => ({
        id: manifest.repositoryId,
        segments: manifest.segments.map((segment) => directory.pathOf(segment)),
        liveSlots: manifest.revisions.map(({ slot }) => slot),
      })),
      from,
      draftPath: directory.newDraft(),
    },
    () => false,
  );
  assert.ok(rewritten.kind === "rewritten");
  if (compaction.kind === "merge") {
    assert.equal(await directory.publishMerged(compaction.manifest, from, rewritten.drafts), true);
    return;
  }
  const [draft] = rewritten.drafts;
  assert.equal(rewritten.drafts.length, 1);
  await directory.publishCompound(draft ?? assert.fail(), compaction.manifests);
}

/** Compares every document of each ref, in the segments and in an engine. */
async function checkAll(
  directory: ShardDirectory,
  engine: EmbeddedEngine,
  models: readonly Model[],
  label: string,
): Promise<void> {
  const expected: string[] = [];
  const merged = new Map<string, string[]>();
  for (const { id, refs } of models) {
    for (const [name, { tree }] of refs) {
      for (const [path, content] of tree) {
        expected.push(`${id} ${name} ${path} ${hashOf(content)}`);
        const key = `${id} ${path} ${hashOf(content)}`;
        merged.set(key, [...(merged.get(key) ?? []), `refs/heads/${name}`]);
      }
    }
  }
  const stored: string[] = [];
  for (const { id, refs } of models) {
    const names = new Map([...refs].map(([name, { slot }]) => [slot, name]));
    const { segments, close } = await openSegments(directory, id);
    for (const { segment, document, blob, slots } of segments.documents()) {
      const path = Buffer.from(segments.segments[segment]?.reader.path(document) ?? []).toString();
      for (const slot of slots) if (names.has(slot)) stored.push(`${id} ${names.get(slot)} ${path} ${blob}`);
    }
    close();
  }
  assert.deepEqual(stored.sort(), expected.sort(), label);

  const everything: Query = { kind: "revision", names: ["*"] };
  const found = (await search(engine, everything)).files.map(
    ({ repositoryId, path, blobSha, branches }) =>
      `${repositoryId} ${path} ${blobSha}: ${[...branches].sort().join(" ")}`,
  );
  const wanted = [...merged].map(([key, names]) => `${key}: ${names.sort().join(" ")}`);
  assert.deepEqual(found.sort(), wanted.sort(), label);

  const defaults = (await search(engine, { kind: "const", value: true })).files.map(
    ({ repositoryId, path, blobSha, commit }) =>
      `${repositoryId} main ${path} ${blobSha}${commit === "" ? "?" : ""}`,
  );
  assert.deepEqual(defaults.sort(), expected.filter((line) => / main /.test(line)).sort(), label);
}

function newModel(random: Random, id: number): Model {
  return { id, refs: new Map([["main", { slot: 0, tree: randomTree(random) }]]), nextSlot: 1 };
}

test(`random histories with random merges keep every document (seed ${seed})`, async () => {
  for (let history = 0; history < histories; history++) {
    const random = new Random(seed * 1000 + history);
    const directory = await ShardDirectory.open(temporaryFolder());
    const { engine, damage } = openEngine(directory, { workerCount: 2 });
    const model = newModel(random, 1);
    const log: string[] = [];
    await rebuild(directory, model);
    for (let count = 0; count < 12; count++) {
      log.push(await step(random, directory, model));
      await checkAll(directory, engine, [model], `history ${history}: ${log.join(", ")}`);
      const manifest = directory.manifest(1) ?? assert.fail();
      const firstDelta = manifest.segments.findIndex(({ isDelta }) => isDelta);
      if (firstDelta < 0 || !random.chance(0.3)) continue;
      const from = random.chance(0.4) ? 0 : firstDelta;
      await compact(directory, { kind: "merge", manifest, from });
      log.push(`merge from ${from}`);
      assert.equal(directory.manifest(1)?.segments.length, from + 1);
      await checkAll(directory, engine, [model], `history ${history}: ${log.join(", ")}`);
      if (random.chance(0.3)) {
        const again = await ShardDirectory.open(directory.folder);
        assert.deepEqual(again.manifest(1), directory.manifest(1));
      }
    }
    assert.deepEqual(damage, []);
    await engine.close();
  }
});

test("compaction of many repositories with deltas and removals terminates", async () => {
  const random = new Random(seed);
  const directory = await ShardDirectory.open(temporaryFolder());
  const { engine } = openEngine(directory, { workerCount: 3 });
  const models = Array.from({ length: 40 }, (_, index) => newModel(random, index + 1));
  for (const model of models) await rebuild(directory, model);
  const log: string[] = [];
  for (let round = 0; round < 6; round++) {
    for (let count = 0; count < 15; count++) {
      const model = random.pick(models);
      log.push(`${model.id} ${await step(random, directory, model)}`);
    }
    if (round > 2) {
      const [gone] = models.splice(random.between(0, models.length - 1), 1);
      await directory.remove(gone?.id ?? 0);
      log.push(`${gone?.id} removed`);
    }
    await checkAll(directory, engine, models, log.join(", "));
    const busy = random.pick(models).id;
    for (let turns = 0; ; turns++) {
      assert.ok(turns < 200, "compaction does not terminate");
      const compaction = nextCompaction(directory.manifests(), (id) => id === busy);
      if (compaction === undefined) break;
      await compact(directory, compaction);
      log.push(compaction.kind);
    }
    await checkAll(directory, engine, models, log.join(", "));
    const files = new Set(
      [...directory.manifests().values()].flatMap(({ segments }) => segments.map(({ file }) => file)),
    );
    const found = readdirSync(directory.folder);
    assert.deepEqual(found.filter((name) => !isManifestFile(name)).sort(), [...files].sort());
    const reopened = await ShardDirectory.open(directory.folder);
    assert.deepEqual(reopened.manifests(), new Map(directory.manifests()));
  }
  assert.ok(log.includes("compound"));
  await engine.close();
});

test("repositories of a compound shard can be indexed in any order", async () => {
  const random = new Random(4);
  const directory = await ShardDirectory.open(temporaryFolder());
  const { engine } = openEngine(directory, { workerCount: 2 });
  const models = [9, 2, 14, 5, 1].map((id) => newModel(random, id));
  for (const model of models) await rebuild(directory, model);
  const manifests = [...directory.manifests().values()].sort((a, b) => a.repositoryId - b.repositoryId);
  await compact(directory, { kind: "compound", manifests });
  await checkAll(directory, engine, models, "all in one file");
  for (const { id } of models) {
    const { files } = await search(engine, { kind: "repositoryIds", ids: [id] });
    assert.ok(files.length > 0 && files.every(({ repositoryId }) => (repositoryId as number) === id));
  }
  await engine.close();
});

test("shards written from an older manifest are discarded", async () => {
  const random = new Random(3);
  const directory = await ShardDirectory.open(temporaryFolder());
  const models = Array.from({ length: 3 }, (_, index) => newModel(random, index + 1));
  for (const model of models) await rebuild(directory, model);
  const { engine } = openEngine(directory);
  const manifests = [...directory.manifests().values()];
  const rewriteAll = async (of: readonly Manifest[]) => {
    const repositories = of.map((manifest) => ({
      id: manifest.repositoryId,
      segments: manifest.segments.map((segment) => directory.pathOf(segment)),
      liveSlots: [0],
    }));
    const rewritten = await rewriteShards(
      { repositories, from: 0, draftPath: directory.newDraft() },
      () => false,
    );
    assert.ok(rewritten.kind === "rewritten");
    return rewritten.drafts;
  };
  const compound = await rewriteAll(manifests);
  const merged = await rewriteAll(manifests.slice(0, 1));
  const [first = assert.fail()] = models;
  const to = new Map([["new.ts", "one\n"]]);
  const from = first.refs.get("main")?.tree ?? assert.fail();
  first.refs.set("main", { slot: 0, tree: to });
  await publishDelta(directory, first, [{ slot: 0, from, to }]);

  const [stale = assert.fail()] = manifests;
  assert.equal(await directory.publishMerged(stale, 0, merged), false);
  await checkAll(directory, engine, models, "after a merge that came too late");
  await directory.publishCompound(compound[0] ?? assert.fail(), manifests);
  await checkAll(directory, engine, models, "after a compound, for one of three too late");
  const files = [1, 2, 3].map((id) => directory.manifest(id)?.segments.map(({ file }) => file) ?? []);
  assert.deepEqual([files[0]?.length, files[1], files[1]?.length], [2, files[2], 1]);
  const expected = [...new Set(files.flat()), "1.manifest", "1.manifests"];
  assert.deepEqual(readdirSync(directory.folder).sort(), expected.sort());
  await engine.close();
});

test("a repository may have several shards, a compound shard is one file", async () => {
  const directory = await ShardDirectory.open(temporaryFolder());
  const content = `${"a".repeat(99)}\n`.repeat(20_000);
  for (const id of [1, 2]) {
    const documents = Array.from({ length: id === 1 ? 36 : 2 }, (_, at) => ({ path: `${at}.txt`, content }));
    await publish(directory, { id, segments: [documents] });
  }
  const rewrittenOf = async (ids: readonly number[]) => {
    const repositories = ids.map((id) => ({
      id,
      segments: directory.manifest(id)?.segments.map((segment) => directory.pathOf(segment)) ?? [],
      liveSlots: [0],
    }));
    const draftPath = directory.newDraft();
    const rewritten = await rewriteShards({ repositories, from: 0, draftPath }, () => false);
    return rewritten.kind === "rewritten" ? rewritten.drafts.map(({ summary }) => summary.documentCount) : [];
  };
  assert.deepEqual(await rewrittenOf([1]), [34, 2]);
  assert.deepEqual(await rewrittenOf([1, 2]), [38]);
});

test("a canceled rewrite leaves no files", async () => {
  const directory = await ShardDirectory.open(temporaryFolder());
  const model = newModel(new Random(1), 1);
  await rebuild(directory, model);
  const segments = directory.manifest(1)?.segments.map((segment) => directory.pathOf(segment)) ?? [];
  const before = readdirSync(directory.folder);
  await assert.rejects(
    rewriteShards(
      { repositories: [{ id: 1, segments, liveSlots: [0] }], from: 0, draftPath: directory.newDraft() },
      () => true,
    ),
    (error) => isServiceError(error, "CANCELLED"),
  );
  assert.deepEqual(readdirSync(directory.folder), before);
});

const mebibyte = 1 << 20;

/** Parses `12` as a segment and `+3` as a delta, with this many mebibytes of text. */
function manifestOf(repositoryId: number, text: string): Manifest {
  return {
    repositoryId,
    generation: 1,
    name: `${repositoryId}`,
    path: "",
    kind: "clone",
    revisions: [],
    nextSlot: 1,
    segments: text.split(" ").map((word, index) => ({
      file: `${repositoryId}.${index}.shard`,
      documentCount: 1,
      skippedCount: 0,
      contentBytes: Number(word.replace("+", "")) * mebibyte,
      shardBytes: 1,
      isDelta: word.startsWith("+"),
      formatVersion: diskFormatVersion(),
    })),
  };
}

const merges: Readonly<Record<string, string>> = {
  "100": "nothing",
  "100 +1": "nothing",
  "100 +1 +1 +1 +1 +1 +1 +1": "nothing",
  "100 +1 +1 +1 +1 +1 +1 +1 +1": "merge from 1",
  "100 +31": "merge from 0",
  "128 128 +1": "nothing",
  "128 128 +80": "merge from 0",
  "0 +0": "nothing",
  "0 +1": "merge from 0",
  // The merged deltas of a large repository: one full delta and the remainder.
  "4000 +128 128 128 128 128 128 128 128": "nothing",
  "4000 +128 128 128 +1 +1 +1 +1 +1 +1 +1": "merge from 1",
};
for (const [segments, expected] of Object.entries(merges)) {
  test(`compaction of ${segments}`, () => {
    const compaction = nextCompaction(new Map([[1, manifestOf(1, segments)]]), () => false);
    assert.equal(compaction?.kind === "merge" ? `merge from ${compaction.from}` : "nothing", expected);
    assert.equal(
      nextCompaction(new Map([[1, manifestOf(1, segments)]]), () => true),
      undefined,
    );
  });
}

test("shards in an older format are rewritten", () => {
  const old = (manifest: Manifest, file?: string): Manifest => ({
    ...manifest,
    segments: manifest.segments.map(({ formatVersion: _, ...segment }) => ({
      ...segment,
      ...(file === undefined ? {} : { file }),
    })),
  });
  const next = (manifests: readonly Manifest[], busy: readonly number[] = []) =>
    nextConversion(new Map(manifests.map((each) => [each.repositoryId, each])), (id) => busy.includes(id));
  const current = manifestOf(1, "100");
  const single = old(manifestOf(2, "100 +1"));
  const members = [old(manifestOf(4, "1"), "both.shard"), old(manifestOf(3, "1"), "both.shard")];
  assert.equal(next([current]), undefined);
  const uncompressed: Manifest = {
    ...single,
    segments: single.segments.map((segment) => ({ ...segment, formatVersion: 3 })),
  };
  assert.deepEqual(next([uncompressed]), { kind: "merge", manifest: uncompressed, from: 0 });
  assert.deepEqual(next([current, single]), { kind: "merge", manifest: single, from: 0 });
  assert.equal(next([current, single], [2]), undefined);
  assert.deepEqual(next([current, ...members]), { kind: "compound", manifests: members.toReversed() });
  assert.equal(next(members, [3]), undefined);
  const [first = assert.fail(), second = assert.fail()] = members;
  const changed = { ...second, segments: [...second.segments, ...manifestOf(3, "+1").segments] };
  assert.deepEqual(next([first, changed]), { kind: "merge", manifest: changed, from: 0 });
});

test("an add-only history is merged too", async () => {
  const directory = await ShardDirectory.open(temporaryFolder());
  const model: Model = { id: 1, refs: new Map([["main", { slot: 0, tree: new Map() }]]), nextSlot: 1 };
  await rebuild(directory, model);
  for (const path of paths) {
    const { tree: from } = model.refs.get("main") ?? assert.fail();
    const to = new Map([...from, [path, "one\n"]]);
    model.refs.set("main", { slot: 0, tree: to });
    await publishDelta(directory, model, [{ slot: 0, from, to }]);
  }
  assert.equal(nextCompaction(directory.manifests(), () => false)?.kind, "merge");
});
