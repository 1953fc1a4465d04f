/** Zoekt's indexer on a full disk, where it writes empty shards and succeeds. A program that does the same stands for it. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { runZoektIndex, temporaryCopy } from "#indexing/zoektRun";
import { diskFiles, type Files } from "#platform/files";
import { temporaryFolder } from "#test/support/repo";

/** A shard's last 8 bytes: where the table of contents starts, and its length. */
function shard(text: string): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32BE(0, 0);
  end.writeUInt32BE(text.length, 4);
  return Buffer.concat([Buffer.from(text), end]);
}

const full = shard("the whole table of contents");
const shards: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  short: full.subarray(0, 5),
  "without its end": full.subarray(0, -1),
  "without its middle": Buffer.concat([full.subarray(0, 5), full.subarray(-8)]),
};

/** The program is a shell script. */
const onPosix = { skip: process.platform === "win32" };
const old = shard("old");

function setUp(written: Buffer, oldNames: readonly string[], files: Files = diskFiles) {
  const folder = temporaryFolder();
  const indexFolder = join(folder, "index");
  mkdirSync(indexFolder);
  for (const name of oldNames) writeFileSync(join(indexFolder, name), old);
  const source = join(folder, "written");
  writeFileSync(source, written);
  const program = join(folder, "indexer.sh");
  // Like the program, it replaces files by renaming others.
  const steps = `cp '${source}' "$2/draft" && mv "$2/draft" "$2/trawl-7_v16.00000.zoekt"; rm -f "$2/trawl-7_v16.00001.zoekt"`;
  writeFileSync(program, `#!/bin/sh\n${steps}\n`, { mode: 0o700 });
  const run = {
    program,
    indexFolder,
    copy: temporaryCopy(folder, 7, "shop"),
    repository: { id: 7, name: "shop" },
    revisions: [{ name: "HEAD", commit: "a".repeat(40) }],
    maxFileBytes: 1000,
    files,
  };
  return {
    indexFolder,
    index: () => runZoektIndex(run, new AbortController().signal),
    names: () => readdirSync(indexFolder).sort(),
  };
}

const two = ["trawl-7_v16.00000.zoekt", "trawl-7_v16.00001.zoekt"];
for (const [name, written] of Object.entries(shards))
  test(`a shard that is ${name} is an error, and the old shards remain`, onPosix, async () => {
    const { indexFolder, index, names } = setUp(written, [...two, "trawl-70_v16.00000.zoekt"]);
    await assert.rejects(index(), (error) => {
      assert.match(String(error), /incomplete shard for shop: there may be no space left/);
      return isServiceError(error, "UNEXPECTED_ERROR");
    });
    assert.deepEqual(names(), ["trawl-70_v16.00000.zoekt", ...two]);
    for (const each of names()) assert.deepEqual(readFileSync(join(indexFolder, each)), old);
  });

test("without old shards, an incomplete one is removed", onPosix, async () => {
  const { index, names } = setUp(Buffer.alloc(0), []);
  await assert.rejects(index(), /incomplete/);
  assert.deepEqual(names(), []);
});

test("complete shards replace the old ones", onPosix, async () => {
  const { indexFolder, index, names } = setUp(full, two);
  await index();
  assert.deepEqual(names(), ["trawl-7_v16.00000.zoekt"]);
  assert.deepEqual(readFileSync(join(indexFolder, names()[0] ?? "")), full);
  assert.ok(!existsSync(join(indexFolder, ".trawl-7")));
});

function withoutLinks(code: string): Files {
  const link = () => {
    throw Object.assign(new Error(`${code}: no link`), { code });
  };
  return { ...diskFiles, link };
}

test("a file system without links is indexed, too", onPosix, async () => {
  const complete = setUp(full, two, withoutLinks("EPERM"));
  await complete.index();
  assert.deepEqual(complete.names(), ["trawl-7_v16.00000.zoekt"]);
  const incomplete = setUp(Buffer.alloc(0), two, withoutLinks("EPERM"));
  await assert.rejects(incomplete.index(), /incomplete/);
  assert.deepEqual(incomplete.names(), []);
});

test("without space for a link, the program does not start", onPosix, async () => {
  const { index, names } = setUp(full, two, withoutLinks("ENOSPC"));
  await assert.rejects(index(), { code: "ENOSPC" });
  assert.deepEqual(names(), two);
});
