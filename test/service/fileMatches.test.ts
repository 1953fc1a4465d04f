/** Files of a response as JSON: byte for byte what the same files are as objects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { toWellFormed } from "#contract/snapshotUri";
import { PieceColumns } from "#engine/embedded/resultPiece";
import type { DocumentSource, FileMatch } from "#model/match";
import { type AnyFile, isPlainPath, listPacked, type PackedFile, unpack } from "#model/packedFile";
import { codeHostTypes } from "#model/repository";
import { JsonText, toJsonBytes } from "#platform/jsonText";
import { FileConverter } from "#service/search/fileMatches";
import { JsonWriter } from "#shard/matches/jsonWriter";
import { fileMatch, repository } from "#test/support/service";

/** Characters that are written in different ways, and texts about as long as the longest that are written in a loop. */
const unit = fc.constantFrom(...'a/~\x7f\x1f\n"\\\x80é', "\ud800", "\udc00", "😀");
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit, maxLength: 300, size: "max" }),
  fc.tuple(fc.integer({ min: 250, max: 260 }), unit).map(([count, last]) => "a".repeat(count) + last),
);
const name = fc.oneof(
  fc.constant("-"),
  text.filter((each) => each !== ""),
);
const repositories = fc.array(
  fc.record({
    name,
    hostUrl: fc.constantFrom("https://h/o/r", 'https://h/"'),
    codeHostType: fc.constantFrom(...codeHostTypes),
    defaultRevision: fc.constantFrom("refs/heads/main", "refs/tags/-"),
  }),
  { minLength: 1, maxLength: 3 },
);
const position = fc.record({ byteOffset: fc.nat(), lineNumber: fc.nat(), column: fc.nat() });
const files = fc.array(
  fc.record({
    repositoryId: fc.nat({ max: 4 }),
    path: fc.oneof(name, fc.stringMatching(/^[\w./-]{1,100}$/)),
    nameRanges: fc.oneof(
      fc.constant([]),
      fc.array(fc.record({ start: position, end: position }), { maxLength: 2 }),
    ),
    chunks: fc.array(text, { maxLength: 3 }),
    content: fc.oneof(fc.constant(""), text),
    language: text,
    explanation: fc.option(text, { nil: undefined }),
    blobSha: fc.constantFrom("", "0a".repeat(20), "b9".repeat(32)),
    matchCount: fc.constantFrom(1, 2),
    origin: fc.constantFrom("commit" as const, "workingTree" as const),
    commit: fc.constantFrom("", "c".repeat(40)),
    branches: fc.array(fc.constantFrom("refs/heads/main", "refs/tags/-"), { maxLength: 2 }),
  }),
  { maxLength: 20 },
);

/** Packs files as search workers do. */
function pack(files: readonly FileMatch[]): PackedFile[] {
  const writer = new JsonWriter();
  const columns = new PieceColumns();
  const sources = new Map<string, DocumentSource>();
  for (const file of files) {
    const { repositoryId, branches, origin, commit } = file;
    const source = { repositoryId, branches, origin, commit };
    const key = JSON.stringify(source);
    sources.set(key, sources.get(key) ?? source);
    const path = Buffer.from(file.path);
    const start = writer.length;
    const isPathPlain = isPlainPath(path);
    if (isPathPlain) writer.raw(path);
    else writer.value(file.path);
    const pathLength = writer.length - start;
    writer.hex(Buffer.from(file.blobSha, "hex"));
    writer.raw(file.chunks);
    const { blobSha, chunks } = file;
    const bytes = {
      start,
      isPathPlain,
      pathLength,
      hashLength: blobSha.length,
      chunksLength: chunks.length,
    };
    columns.push(file, sources.get(key) ?? source, bytes);
  }
  return listPacked(columns.withBytes({ bytes: writer.take(), lease: 0 })).map(
    (file) => file ?? assert.fail(),
  );
}

test("files are the same as JSON and as objects, whether packed or not", () => {
  const limits = fc.constantFrom(Number.POSITIVE_INFINITY, 10_000);
  const property = fc.property(
    repositories,
    files,
    fc.option(name),
    limits,
    (known, found, baseUrl, maxBytes) => {
      const byId = new Map(known.map((each, id) => [id, repository(id, each.name, each)]));
      // The engine's files from one source share their branches.
      const shared = ["refs/heads/shared"];
      const all = found.map(({ repositoryId, path, chunks, branches, ...rest }) =>
        fileMatch(repositoryId, toWellFormed(path), {
          ...rest,
          branches: branches.length === 0 ? shared : branches,
          chunks: new TextEncoder().encode(JSON.stringify(chunks)),
        }),
      );
      const packed = pack(all);
      assert.deepEqual(packed.map(unpack), all);
      const convert = (from: readonly AnyFile[], acceptsJsonText: boolean) => {
        const converter = new FileConverter(
          { ...(baseUrl === null ? {} : { baseUrl }), acceptsJsonText },
          { get: (id) => byId.get(id) },
        );
        const areAdded = from.map((file) => converter.add(file, maxBytes));
        const { files, ...counts } = converter.finish();
        const json = toJsonBytes(files);
        assert.equal(json.length, files instanceof JsonText ? files.length : json.length);
        return { areAdded, counts, json: json.toString() };
      };
      const expected = convert(all, false);
      const mixed = packed.map((file, at) => (at % 3 === 1 ? unpack(file) : file));
      for (const from of [all, packed, mixed]) assert.deepEqual(convert(from, true), expected);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test("a file that does not fit ends the response", () => {
  const known = repository(1, "r");
  const chunks = Buffer.from(JSON.stringify(["x".repeat(100_000)]));
  const converter = new FileConverter({ acceptsJsonText: true }, { get: () => known });
  const added = ["a", "b", "c"].map((path) => converter.add(fileMatch(1, path, { chunks }), 250_000));
  assert.deepEqual(added, [true, true, false]);
  const { files: json, fileCount, rangeCount } = converter.finish();
  assert.deepEqual([fileCount, rangeCount], [2, 2]);
  assert.deepEqual(
    JSON.parse(toJsonBytes(json).toString()).map(
      ({ fileName }: { fileName: { text: string } }) => fileName.text,
    ),
    ["a", "b"],
  );
});

test("a file without ranges has their number", () => {
  const converter = new FileConverter({}, { get: () => repository(1, "r") });
  const chunks = Buffer.from("[]");
  const nameRanges = [
    {
      start: { byteOffset: 0, lineNumber: 1, column: 1 },
      end: { byteOffset: 1, lineNumber: 1, column: 2 },
    },
  ];
  for (const file of [
    { chunks, rangeCount: 1, matchCount: 1 },
    { chunks, rangeCount: 1, matchCount: 5 },
    { chunks, rangeCount: 1, matchCount: 1, nameRanges },
    { chunks: Buffer.from("[{}]"), rangeCount: 1, matchCount: 1 },
    { chunks: Buffer.from("[{}]"), rangeCount: 1, matchCount: 5 },
  ])
    converter.add(fileMatch(1, "a", file));
  const counts = converter.finish().files.map(({ matchCount }) => matchCount);
  assert.deepEqual(counts, [1, 5, undefined, undefined, 5]);
});
