/** How `.gitattributes` sets languages and categories in commits, working trees, folders and unsaved documents. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Repository } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import { unsavedLanguage } from "#overlay/unsavedLanguage";
import { fileSource, memorySource } from "#platform/byteSource";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { repo, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalog = Catalog.open(data, { log: silentLog });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask()),
    settings: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay: (id, overlay) => (overlay ? overlays.set(id, overlay) : overlays.delete(id)),
  });
  t.after(() => sync.close());
  const index = async (path: string): Promise<Repository> => {
    const [found] = await sync.addPaths([path], signal);
    await sync.idle();
    const repository = found && catalog.get(found.id);
    assert.equal(repository?.state, "ready");
    return repository;
  };
  const again = async ({ id }: Repository) => {
    sync.refresh(id);
    await sync.idle();
  };
  /** Formats the documents of all revisions as `path: language category`, except `.gitattributes`. */
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

test("the files of the default revision apply, at any depth, to builds and deltas", async (t) => {
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

test("a commit that changes a .gitattributes file updates the languages of all documents", async (t) => {
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

test("the files of another branch do not apply until it is the default branch", async (t) => {
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

test("the files of a working tree apply to its overlay", async (t) => {
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

test("the files of a plain folder apply, and it is rebuilt when one changes", async (t) => {
  const { index, again, traits } = await open(t);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, ".gitattributes"), "*.x linguist-language=C\n");
  writeFileSync(join(folder, "a.x"), "one\n");
  writeFileSync(join(folder, "sub/b.x"), "two\n");
  const known = await index(folder);
  assert.deepEqual(await traits(known), ["a.x: C source", "sub/b.x: C source"]);
  writeFileSync(join(folder, "sub/.gitattributes"), "*.x linguist-language=Rust linguist-vendored\n");
  await again(known);
  assert.deepEqual(await traits(known), ["a.x: C source", "sub/b.x: Rust vendored"]);
});

test("an unsaved document has the language that the files in its folders set", () => {
  const { path } = repo(first);
  const languages = ["new.tpl", "sub/new.tpl", "not/there/yet.tpl", "a.c"].map((name) =>
    unsavedLanguage(path, name, "int x;\n"),
  );
  assert.deepEqual(languages, ["HTML", "C++", "HTML", "C"]);
});
