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
import { Random } from "#test/support/corpus";

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

function write(
  shard: ShardReader,
  documents: readonly KnownSymbols[],
  withChecksum: Checksum = checksum,
): Uint8Array {
  const sink = new MemorySink();
  const writer = new SymbolWriter(sink, withChecksum);
  for (const symbols of documents) writer.add(symbols);
  writer.finish(shard.stamp);
  return sink.bytes();
}

const read = (bytes: Uint8Array, shard: ShardReader) =>
  new SymbolReader(memorySource(bytes), checksum, shard);

const groupedSections = ["nameOffsets", "nameNumbers", "bodies", "namesakes"];
const numberSections = [
  ...groupedSections,
  ...groupedSections.map((name) => `${name}Starts`),
  ...["definitionStarts", "firstNameOffsets", "lengths", "longNames", "longLengths"],
  ...["kinds", "states", "importStarts", "imports"],
];

/** The table of contents of a symbol file. */
function sectionsOf(bytes: Uint8Array): Record<string, readonly [offset: number, length: number]> {
  const end = bytes.length - 16;
  const length = Buffer.from(bytes).readUInt32LE(end);
  return JSON.parse(Buffer.from(bytes.subarray(end - length, end)).toString());
}

/** A definition with a name at `nameStart`. */
const definitionAt = (name: string, nameStart: number, rest: Partial<Definition> = {}): Definition => ({
  ...{ name, kind: "function", nameStart, nameEnd: nameStart + name.length },
  ...{ start: nameStart, end: nameStart + name.length, parent: -1, owner: "", isLocal: false },
  ...rest,
});

const parsedAs = (made: readonly Definition[]): KnownSymbols => ({
  kind: "parsed",
  definitions: made,
  imports: [],
});

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
        const offsets = [...reader.namesakes(from + at, from + at + 1)].map((each) =>
          reader.nameOffset(each),
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
  for (const [at, name] of inOrder.entries()) {
    assert.deepEqual(reader.names.find(name, true), { from: at, to: at + 1 });
    const { from, to } = reader.names.find(`${name}~`, false);
    assert.equal(from, to);
  }
  assert.deepEqual(reader.names.find("name_", false), { from: 0, to: made.length });
  reader.names.loadAll();
  assert.deepEqual(
    Array.from({ length: reader.names.count }, (_, number) => reader.names.text(number)),
    inOrder,
  );
  assert.deepEqual(reader.symbolsOf(0), parsed);
});

/** All names of a symbol file, in order. */
function storedNames(all: readonly string[]): string[] {
  const shard = shardOf(1);
  const reader = read(write(shard, [parsedAs(all.map((name) => definitionAt(name, 0)))]), shard);
  return Array.from({ length: reader.names.count }, (_, number) => reader.names.text(number));
}

const compareText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
const inNameOrder = (all: readonly string[]) =>
  [...new Set(all)].sort(
    (left, right) => compareText(foldName(left), foldName(right)) || compareText(left, right),
  );

test("names are distinct, and sorted by their folded UTF-16 units, then by themselves", () => {
  const unit = fc.constantFrom(
    "a",
    "A",
    "b",
    "Z",
    "_",
    "~",
    "é",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "👍",
    "\u{10ffff}",
  );
  const manyNames = fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), {
    minLength: 100,
    maxLength: 400,
  });
  fc.assert(
    fc.property(manyNames, (all) => assert.deepEqual(storedNames(all), inNameOrder(all))),
    { numRuns: 50 },
  );
});

test("names that are prefixes of each other are sorted, however many there are", () => {
  const all = Array.from(
    { length: 20_000 },
    (_, at) => `${"Ab".repeat(at % 490)}${"aB".repeat((at * 7) % 3)}`,
  );
  const named = all.filter((name) => name !== "");
  assert.deepEqual(storedNames(named), inNameOrder(named));
});

test("names with newlines, empty names and very long ones are stored as one line", () => {
  const odd = [
    "a\nb",
    "end\n",
    "del\x7f",
    "",
    "\ud800",
    "é".repeat(1001),
    "x".repeat(1000),
    "x".repeat(5000),
  ];
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
    ["a b", "end ", "del ", " ", "\ufffd", "é".repeat(1000), "x".repeat(1000), "x".repeat(1000)],
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

test("all sections are verified", () => {
  const made = [
    definitionAt("long", 0, { nameEnd: 300, end: 300 }),
    definitionAt("two", 400, { owner: "Owner" }),
  ];
  const shard = shardOf(1);
  const bytes = write(shard, [{ kind: "parsed", definitions: made, imports: ["a"] }]);
  const table = sectionsOf(bytes);
  for (const name of [...numberSections, "owners", "importNames"]) {
    const [offset, length] = table[name] ?? [0, 0];
    assert.ok(length > 0, name);
    const changed = Uint8Array.from(bytes);
    changed[offset] = (changed[offset] ?? 0) ^ 0x41;
    assert.throws(
      () => read(changed, shard).verify(),
      (error) => isServiceError(error, "SHARD_DAMAGED"),
      name,
    );
  }
});

test("names may be long, and definitions and their offsets large", () => {
  const lengths = [0, 1, 254, 255, 256, 0xffff, 70_000];
  const long = lengths.map((length, at) =>
    definitionAt("n", at * 100_000, { nameEnd: at * 100_000 + length, end: at * 100_000 + length }),
  );
  const far = [0, 2 ** 30 - 1, 2 ** 30, 2 ** 31, 2 ** 32 - 1].flatMap((nameStart) =>
    [-1, 0].flatMap((parent) =>
      ["", "Owner"].map((owner) => {
        const nameEnd = nameStart + 1;
        return definitionAt("f", nameStart, { nameEnd, start: 0, end: nameEnd + 2 ** 32 - 1, parent, owner });
      }),
    ),
  );
  far[1] = { ...(far[1] as Definition), parent: -1 };
  far[0] = { ...(far[0] as Definition), parent: -1 };
  const written = [parsedAs(long), { kind: "pending" } as const, parsedAs(far), parsedAs(long)];
  const shard = shardOf(written.length);
  const reader = read(write(shard, written), shard);
  const stored = parsedAs(
    long.map((each) => {
      const nameEnd = Math.min(each.nameEnd, each.nameStart + 0xffff);
      return { ...each, nameEnd, end: nameEnd };
    }),
  );
  assert.deepEqual(
    written.map((_, document) => reader.symbolsOf(document)),
    [stored, { kind: "pending" }, parsedAs(far), stored],
  );
});

test("definitions of large documents are found by offset, and their names and bodies in any order", () => {
  const count = 40_000;
  const small = [3, 0, 64, 0, 1].map((length, document) =>
    Array.from({ length }, (_, at) => definitionAt(`s${document}`, 7 + at * 5)),
  );
  const large = Array.from({ length: count }, (_, at) =>
    definitionAt(at % 3 === 0 ? "often" : `name${(at * 7919) % count}`, at * 20, {
      start: at * 20 - (at % 7),
      parent: at % 2 === 0 ? -1 : Math.floor(at / 2),
      owner: at % 5 === 0 ? `owner${at % 50}` : "",
    }),
  );
  const written = [...small.slice(0, 2), large, ...small.slice(2)];
  large[0] = definitionAt("often", 0);
  const shard = shardOf(written.length);
  const reader = read(write(shard, written.map(parsedAs)), shard);
  for (const [document, made] of written.entries()) {
    const first = reader.definitionStarts[document] ?? 0;
    const end = first + made.length;
    assert.equal(reader.definitionStarts[document + 1], end);
    const bodyOf = reader.bodyReader(document);
    for (let step = 0; step < Math.min(made.length, 1000); step++) {
      const index = (step * 7907) % made.length;
      const { name, nameStart, parent, owner, start, end: bodyEnd } = made[index] as Definition;
      assert.equal(reader.name(first + index), name);
      assert.deepEqual(bodyOf(first + index), {
        ...{ start, end: bodyEnd, owner },
        parent: parent < 0 ? -1 : first + parent,
      });
      assert.equal(reader.lastStartingAtOrBefore(first, end, nameStart), first + index);
      assert.equal(reader.lastStartingAtOrBefore(first, end, nameStart + 4), first + index);
      assert.equal(reader.lastStartingAtOrBefore(first, end, nameStart - 1), first + index - 1);
    }
    assert.equal(reader.lastStartingAtOrBefore(first, end, 2 ** 32 - 2), end - 1);
    assert.deepEqual(reader.symbolsOf(document), parsedAs(made));
  }
  const all = written.flat();
  const numbersOf = new Map<string, number[]>();
  for (const [number, { name }] of all.entries())
    numbersOf.set(name, [...(name === "often" ? [] : (numbersOf.get(name) ?? [])), number]);
  numbersOf.set(
    "often",
    [...all.keys()].filter((number) => all[number]?.name === "often"),
  );
  const { count: nameCount } = reader.names;
  const expected = Array.from({ length: nameCount }, (_, name) => numbersOf.get(reader.names.text(name)));
  const lists = (from: number, to: number) => reader.namesakesOfEach(from, to).map((each) => [...each]);
  assert.deepEqual(lists(0, nameCount), expected);
  const ranges = [0, 1, 63, 64, 65, 130, nameCount - 65, nameCount - 1, nameCount].flatMap((from) =>
    [0, 1, 2, 64, 200].map((length) => [from, Math.min(from + length, nameCount)] as const),
  );
  for (const [from, to] of ranges) {
    assert.deepEqual(lists(from, to), expected.slice(from, to));
    assert.deepEqual([...reader.namesakes(from, to)], expected.slice(from, to).flat());
  }
});

test("numbers that cannot be right are damage, even if all checksums match", () => {
  const noChecksum = () => 0;
  const made = Array.from({ length: 100 }, (_, at) =>
    definitionAt(`name${at % 70}`, at * 40, {
      nameEnd: at * 40 + (at % 20 === 0 ? 300 : 3),
      ...{ end: at * 40 + 310, parent: at % 4 === 0 ? -1 : at - 1, owner: at % 9 === 0 ? "Owner" : "" },
    }),
  );
  const written: KnownSymbols[] = [
    {
      kind: "parsed",
      definitions: made.map((each, at) => ({ ...each, parent: at - 1 })),
      imports: ["a", "b"],
    },
    { kind: "pending" },
    { kind: "parsed", definitions: made.slice(0, 10), imports: ["c"] },
  ];
  const shard = shardOf(written.length);
  const bytes = write(shard, written, noChecksum);
  const table = sectionsOf(bytes);
  const readAll = (changed: Uint8Array) => {
    const reader = new SymbolReader(memorySource(changed), noChecksum, shard);
    for (let document = 0; document < written.length; document++) {
      reader.symbolsOf(document);
      const first = reader.definitionStarts[document] ?? 0;
      reader.lastStartingAtOrBefore(first, reader.definitionStarts[document + 1] ?? first, 1000);
    }
    const { definitionCount, nameCount } = reader.meta;
    for (const number of reader.nameNumbers(0, definitionCount)) assert.ok(number < nameCount);
    for (const number of reader.namesakes(0, nameCount)) assert.ok(number < definitionCount);
    reader.namesakesOfEach(nameCount - 1, nameCount);
  };
  readAll(bytes);
  for (const name of numberSections) {
    const [offset, length] = table[name] ?? [0, 0];
    assert.ok(length > 0, name);
    let damageCount = 0;
    for (let at = offset; at < offset + length; at++) {
      for (const byte of [0, 0x7f, 0xff, (bytes[at] ?? 0) ^ 1]) {
        const changed = Uint8Array.from(bytes);
        changed[at] = byte;
        try {
          readAll(changed);
        } catch (error) {
          assert.ok(isServiceError(error, "SHARD_DAMAGED"), `${name}, byte ${at - offset}: ${error}`);
          damageCount++;
        }
      }
    }
    // Any value is possible elsewhere.
    if (name.endsWith("Starts") || groupedSections.includes(name)) assert.ok(damageCount > 0, name);
  }
});

test("offsets of names are read in any order", () => {
  const made = Array.from({ length: 3000 }, (_, at) => definitionAt(`name${at}`, at * 9));
  const shard = shardOf(1);
  const reader = read(write(shard, [parsedAs(made)]), shard);
  const random = new Random(3);
  for (let round = 0; round < 3000; round++) {
    const definition = random.between(0, made.length - 1);
    assert.equal(reader.nameOffset(definition), definition * 9);
    assert.equal(reader.lastStartingAtOrBefore(0, made.length, definition * 9 + 4), definition);
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
