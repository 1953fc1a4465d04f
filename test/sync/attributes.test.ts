/** What `.gitattributes` says of languages and categories: of commits, working trees, folders and unsaved documents. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Catalogue } from "#catalogue/catalogue";
import type { Repository } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import { unsavedLanguage } from "#overlay/unsavedLanguage";
import { fileSource, memorySource } from "#platform/byteSource";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { loadChecksum } from "#shard/checksum";
import { ShardDirectory } from "#shard/directory";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import { Sync } from "#sync/sync";
import { indexWork } from "#sync/work";
import { repo, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalogue = Catalogue.open(data, { log: silentLog });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork()),
    wanted: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay: (id, overlay) => (overlay ? overlays.set(id, overlay) : overlays.delete(id)),
  });
  t.after(() => sync.close());
  const index = async (path: string): Promise<Repository> => {
    const [found] = await sync.addPaths([path], signal);
    await sync.idle();
    const repository = found && catalogue.get(found.id);
    assert.equal(repository?.state, "ready");
    return repository;
  };
  const again = async ({ id }: Repository) => {
    sync.refresh(id);
    await sync.idle();
  };
  /** `path: language category` of the documents that the index has on some revision, without `.gitattributes`. */
  const traits = async ({ id }: Repository): Promise<string[]> => {
    const checksum = await loadChecksum();
    const manifest = directory.manifest(id) ?? assert.fail();
    const readers = manifest.segments.map(
      (segment) => new ShardReader(fileSource(directory.pathOf(segment)), checksum),
    );
    const found = [...new RepositorySegments(id, readers).documents()];
    const lines = found
      .filter(({ slots }) => manifest.kind === "folder" || slots.length > 0)
      .flatMap(({ segment, document }) => traitsLine(readers[segment], document));
    for (const reader of readers) reader.close();
    return lines.sort();
  };
  const overlaid = async ({ id }: Repository): Promise<string[]> => {
    const known = overlays.get(id);
    if (known === undefined) return [];
    const reader = new ShardReader(memorySource(known.bytes), await loadChecksum());
    const documents = Array.from({ length: reader.meta.documentCount }, (_, document) => document);
    return documents.flatMap((document) => traitsLine(reader, document)).sort();
  };
  const segments = ({ id }: Repository) => directory.manifest(id)?.segments.length;
  return { index, again, traits, overlaid, segments };
}

function traitsLine(reader: ShardReader | undefined, document: number): string[] {
  if (reader === undefined) return [];
  const path = Buffer.from(reader.path(document)).toString("utf8");
  if (path.endsWith(".gitattributes")) return [];
  return [`${path}: ${reader.language(document)} ${reader.category(document)}`];
}

const first = `
= main: First
.gitattributes
| *.tpl linguist-language=HTML
| vendor/** -linguist-vendored
| gen/** linguist-generated
a.tpl
| one
gen/a.c
| two
vendor/ours.c
| three
sub/.gitattributes
| *.tpl linguist-language=C++
| inner/*.c linguist-vendored
sub/b.tpl
| four
sub/inner/c.c
| five
`;

const firstTraits = [
  "a.tpl: HTML source",
  "gen/a.c: C generated",
  "sub/b.tpl: C++ source",
  "sub/inner/c.c: C vendored",
  "vendor/ours.c: C source",
];

test("the default revision's files count, in the root and below, in a build and in a delta", async (t) => {
  const { index, again, traits, segments } = await open(t);
  const repository = repo(first);
  const known = await index(repository.path);
  assert.deepEqual(await traits(known), firstTraits);

  repository.more(`
    = main: Second
    sub/inner/more.tpl
    | six
    gen/b.tpl
    | seven
    new/d.tpl
    | eight
  `);
  await again(known);
  assert.equal(segments(known), 2);
  const more = ["gen/b.tpl: HTML generated", "new/d.tpl: HTML source", "sub/inner/more.tpl: C++ source"];
  assert.deepEqual(await traits(known), [...firstTraits, ...more].sort());
});

test("a commit that changes one of them gives all documents their new language", async (t) => {
  const { index, again, traits, segments } = await open(t);
  const repository = repo(first);
  const known = await index(repository.path);
  repository.more("= main: Second\nsub/.gitattributes\n| *.tpl linguist-language=Rust");
  await again(known);
  assert.equal(segments(known), 1);
  const changed = firstTraits.map((line) =>
    line
      .replace("sub/b.tpl: C++", "sub/b.tpl: Rust")
      .replace("sub/inner/c.c: C vendored", "sub/inner/c.c: C source"),
  );
  assert.deepEqual(await traits(known), changed);
  repository.more("= main: Third\n- .gitattributes\n- sub/.gitattributes");
  await again(known);
  assert.deepEqual(await traits(known), [
    "a.tpl: Smarty source",
    "gen/a.c: C source",
    "sub/b.tpl: Smarty source",
    "sub/inner/c.c: C source",
    "vendor/ours.c: C vendored",
  ]);
});

test("another branch has no say, until it is the default one", async (t) => {
  const { index, again, traits, segments } = await open(t);
  const repository = repo(`
    = main: First
    .gitattributes
    | *.x linguist-language=C
    a.x
    | one
  `);
  const known = await index(repository.path);
  repository.more("= topic from main: Second\n.gitattributes\n| *.x linguist-language=Rust\nb.x\n| two");
  await again(known);
  assert.equal(segments(known), 2);
  assert.deepEqual(await traits(known), ["a.x: C source", "b.x: C source"]);
  repository.git("branch", "same");
  repository.git("checkout", "-q", "same");
  await again(known);
  assert.deepEqual([segments(known), await traits(known)], [3, ["a.x: C source", "b.x: C source"]]);
  repository.git("checkout", "-q", "topic");
  await again(known);
  assert.deepEqual([segments(known), await traits(known)], [1, ["a.x: Rust source", "b.x: Rust source"]]);
  repository.git("checkout", "-q", "main");
  await again(known);
  assert.deepEqual(await traits(known), ["a.x: C source", "b.x: C source"]);
});

test("a working tree has its own files", async (t) => {
  const { index, again, traits, overlaid } = await open(t);
  const repository = repo(first);
  repository.write("a.tpl", "changed\n");
  repository.write("vendor/more.c", "new\n");
  const known = await index(repository.path);
  assert.deepEqual(await overlaid(known), ["a.tpl: HTML source", "vendor/more.c: C source"]);
  repository.write(".gitattributes", "*.tpl linguist-language=Java\n");
  await again(known);
  assert.deepEqual(await overlaid(known), ["a.tpl: Java source", "vendor/more.c: C vendored"]);
  assert.deepEqual(await traits(known), firstTraits);
});

test("a plain folder has them too, and is built anew when one changes", async (t) => {
  const { index, again, traits } = await open(t);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, ".gitattributes"), "*.x linguist-language=C\n");
  writeFileSync(join(folder, "a.x"), "one\n");
  writeFileSync(join(folder, "sub/b.x"), "two\n");
  const known = await index(folder);
  assert.deepEqual(await traits(known), ["a.x: C source", "sub/b.x: C source"]);
  // The digest of a folder is made of sizes and times.
  await sleep(5);
  writeFileSync(join(folder, "sub/.gitattributes"), "*.x linguist-language=Rust linguist-vendored\n");
  await again(known);
  assert.deepEqual(await traits(known), ["a.x: C source", "sub/b.x: Rust vendored"]);
});

test("an unsaved document has the language that the files around it give it", () => {
  const { path } = repo(first);
  const languages = ["new.tpl", "sub/new.tpl", "not/there/yet.tpl", "a.c"].map((name) =>
    unsavedLanguage(path, name, "int x;\n"),
  );
  assert.deepEqual(languages, ["HTML", "C++", "HTML", "C"]);
});
