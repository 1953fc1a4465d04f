import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { isServiceError } from "#base/error";
import { foldName } from "#base/foldCase";
import { type Definition, symbolKinds } from "#model/symbol";
import { memorySource } from "#platform/byteSource";
import { type Checksum, loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import type { KnownSymbols } from "#shard/symbolFile/symbolFile";
import { type StoredDefinition, SymbolReader } from "#shard/symbolFile/symbolReader";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";

let checksum: Checksum;

before(async () => {
  checksum = await loadChecksum();
});

function shardOf(documentCount: number): ShardReader {
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, checksum);
  writer.beginRepository(1);
  for (let at = 0; at < documentCount; at++) {
    const content = Buffer.from(`${at}\n`);
    writer.add({
      path: Buffer.from(`${at}`),
      content,
      blob: "",
      language: "Go",
      category: "source",
      slots: [0],
    });
  }
  writer.finish();
  return new ShardReader(memorySource(sink.bytes()), checksum);
}

function write(shard: ShardReader, documents: readonly KnownSymbols[]): Uint8Array {
  const sink = new MemorySink();
  const writer = new SymbolWriter(sink, checksum);
  for (const symbols of documents) writer.add(symbols);
  writer.finish(shard.stamp);
  return sink.bytes();
}

const read = (bytes: Uint8Array, shard: ShardReader) =>
  new SymbolReader(memorySource(bytes), checksum, shard);

const names = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "A",
      "ab",
      "aB",
      "AB",
      "abc",
      "b_c",
      "é",
      "É",
      "名",
      "👍a",
      "ｆ",
      "\ue000b",
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }) },
);
/** Names as parsers return them: one line. */
const lineNames = names.map((name) => name.replace(/\p{Cc}/gu, "_"));

const definitions: fc.Arbitrary<Definition[]> = fc
  .array(
    fc.record(
      {
        name: lineNames,
        kind: fc.constantFrom(...symbolKinds),
        before: fc.nat(300),
        gap: fc.nat(70_000),
        after: fc.nat(300),
        parent: fc.integer({ min: -1, max: 5 }),
        owner: fc.constantFrom("", "", "Owner", "Other"),
        isLocal: fc.boolean(),
      },
      { noNullPrototype: true },
    ),
    { maxLength: 12 },
  )
  .map((drafts) => {
    let offset = 0;
    return drafts.map(({ gap, before, after, parent, ...rest }, at) => {
      const nameStart = offset + gap;
      const nameEnd = nameStart + Buffer.byteLength(rest.name);
      offset = nameEnd;
      const start = Math.max(0, nameStart - before);
      return { ...rest, nameStart, nameEnd, start, end: nameEnd + after, parent: parent < at ? parent : -1 };
    });
  });

const documents: fc.Arbitrary<KnownSymbols[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<KnownSymbols>({ kind: "pending" }) },
    { weight: 1, arbitrary: fc.constantFrom<KnownSymbols>({ kind: "unparsed", reason: "tooSlow" }) },
    {
      weight: 5,
      arbitrary: fc.record(
        {
          kind: fc.constant("parsed" as const),
          definitions,
          imports: fc.uniqueArray(fc.constantFrom("fs", "./a", "x\ny", ""), { maxLength: 3 }),
        },
        { noNullPrototype: true },
      ),
    },
  ),
  { minLength: 1, maxLength: 6 },
);

test("written symbols are read back", () => {
  fc.assert(
    fc.property(documents, (written) => {
      const shard = shardOf(written.length);
      const reader = read(write(shard, written), shard);
      assert.deepEqual(
        written.map((_, document) => reader.symbolsOf(document)),
        written,
      );
      assert.equal(reader.meta.pendingCount, written.filter(({ kind }) => kind === "pending").length);
    }),
  );
});

test("names are found by prefix, ignoring case", () => {
  fc.assert(
    fc.property(documents, names, fc.boolean(), (written, query, isWhole) => {
      const shard = shardOf(written.length);
      const reader = read(write(shard, written), shard);
      const all = written.flatMap((each) => (each.kind === "parsed" ? each.definitions : []));
      const matches = (name: string) =>
        isWhole ? foldName(name) === foldName(query) : foldName(name).startsWith(foldName(query));
      const expected = [...new Set(all.map(({ name }) => name))].filter(matches).sort();
      const { from, to } = reader.names.find(query, isWhole);
      const found = Array.from({ length: to - from }, (_, at) => reader.names.text(from + at));
      assert.deepEqual([...found].sort(), expected);
      for (const [at, name] of found.entries()) {
        const offsets = [...reader.namesakes(from + at, from + at + 1)].map(
          (each) => reader.nameOffsets[each],
        );
        assert.deepEqual(
          offsets,
          all.filter((each) => each.name === name).map(({ nameStart }) => nameStart),
        );
      }
    }),
  );
});

test("names in many blocks are sorted, and found by number", () => {
  const made = Array.from({ length: 5000 }, (_, at) => `name_${(at * 7919) % 5000}_${"x".repeat(at % 40)}`);
  const parsed: KnownSymbols = {
    kind: "parsed",
    imports: [],
    definitions: made.map((name, at) => ({
      name,
      kind: "function",
      nameStart: at * 100,
      nameEnd: at * 100 + name.length,
      start: at * 100,
      end: at * 100 + 99,
      parent: -1,
      owner: "",
      isLocal: false,
    })),
  };
  const shard = shardOf(1);
  const reader = read(write(shard, [parsed]), shard);
  assert.ok(reader.names.blockCount > 10);
  const inOrder = Array.from({ length: reader.names.count }, (_, number) => reader.names.text(number));
  assert.deepEqual(inOrder, [...made].sort());
  reader.names.loadAll();
  assert.deepEqual(
    Array.from({ length: reader.names.count }, (_, number) => reader.names.text(number)),
    inOrder,
  );
  assert.deepEqual(reader.symbolsOf(0), parsed);
});

test("names with newlines, empty names and very long ones are stored as one line", () => {
  const odd = ["a\nb", "", "\ud800", "x".repeat(5000)];
  const parsed: KnownSymbols = {
    kind: "parsed",
    imports: [],
    definitions: odd.map((name, at) => ({
      name,
      kind: "class",
      nameStart: at * 10,
      nameEnd: at * 10 + 1,
      start: at * 10,
      end: at * 10 + 1,
      parent: -1,
      owner: "",
      isLocal: false,
    })),
  };
  const shard = shardOf(1);
  const found = read(write(shard, [parsed]), shard).symbolsOf(0);
  assert.ok(found.kind === "parsed");
  assert.deepEqual(
    found.definitions.map(({ name }) => name),
    ["a b", " ", "\ufffd", "x".repeat(1000)],
  );
});

test("a change of any byte is detected", () => {
  const written: KnownSymbols[] = [
    {
      kind: "parsed",
      imports: ["fs"],
      definitions: ["one", "two"].map((name, at) => ({
        name,
        kind: "method",
        nameStart: at * 10,
        nameEnd: at * 10 + 3,
        start: at * 10,
        end: at * 10 + 5,
        parent: at - 1,
        owner: at === 0 ? "Owner" : "",
        isLocal: at === 1,
      })),
    },
    { kind: "unparsed", reason: "crashed" },
  ];
  const shard = shardOf(2);
  const bytes = write(shard, written);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x41;
    try {
      const reader = read(changed, shard);
      reader.verify();
      assert.deepEqual([reader.symbolsOf(0), reader.symbolsOf(1)], written, `byte ${at}`);
    } catch (error) {
      assert.ok(isServiceError(error, "SHARD_DAMAGED"), `byte ${at}: ${error}`);
    }
  }
});

test("the symbol file of another shard is rejected", () => {
  const bytes = write(shardOf(1), [{ kind: "pending" }]);
  assert.throws(
    () => read(bytes, shardOf(2)),
    (error) => isServiceError(error, "SHARD_DAMAGED"),
  );
});

interface Tree {
  readonly kind: Definition["kind"];
  readonly isLocal: boolean;
  readonly gap: number;
  readonly children: readonly Tree[];
}

const treesOf = fc.memo((depth): fc.Arbitrary<readonly Tree[]> => {
  const tree = fc.record({
    kind: fc.constantFrom(...symbolKinds),
    isLocal: fc.boolean(),
    gap: fc.nat(3),
    children: depth <= 1 ? fc.constant([]) : treesOf(),
  });
  return fc.array(tree, { maxLength: 4 });
});

/** Lays out nested definitions, whose names are their first two bytes. */
function layOut(nested: readonly Tree[]): Definition[] {
  const laidOut: Definition[] = [];
  let offset = 0;
  const visit = ({ kind, isLocal, gap, children }: Tree, parent: number) => {
    offset += gap;
    const at = laidOut.length;
    const start = offset;
    offset += 2;
    laidOut.push({
      name: `n${at}`,
      kind,
      nameStart: start,
      nameEnd: start + 2,
      start,
      end: 0,
      parent,
      owner: "",
      isLocal,
    });
    for (const child of children) visit(child, at);
    offset += gap + 1;
    laidOut[at] = { ...(laidOut[at] as Definition), end: offset };
  };
  for (const tree of nested) visit(tree, -1);
  return laidOut;
}

test("the enclosing definition is the innermost one that is no local value and whose name is elsewhere", () => {
  const functions = ["function", "method", "constructor", "operator", "macro"];
  const types = ["class", "struct", "interface", "enum", "trait", "union"];
  fc.assert(
    fc.property(treesOf(4), fc.nat(60), (nested, offset) => {
      const laidOut = layOut(nested);
      const shard = shardOf(1);
      const reader = read(write(shard, [{ kind: "parsed", definitions: laidOut, imports: [] }]), shard);
      const around = laidOut
        .filter(({ start, end }) => start <= offset && offset < end)
        .filter(
          ({ isLocal, kind }) => kind !== "package" && (!isLocal || [...functions, ...types].includes(kind)),
        )
        .sort((left, right) => left.end - left.start - (right.end - right.start));
      const enclosing = reader.enclosingDefinitions(0);
      const nameOf = (found: StoredDefinition | undefined) => found && reader.name(found.number);
      assert.deepEqual(
        enclosing.around(offset).map(nameOf),
        around.map(({ name }) => name),
      );
      const isName = around[0] !== undefined && offset < around[0].nameEnd;
      assert.equal(nameOf(enclosing.at(offset)), around[isName ? 1 : 0]?.name);
    }),
  );
});
