import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isServiceError } from "#base/error";
import { type Chunk, decodeChunks } from "#model/match";
import { memorySource } from "#platform/byteSource";
import { ShardReader } from "#shard/format/reader";
import { threadWindow } from "#shard/format/window";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { nameRanges, writeChunks } from "#shard/matches/chunks";
import { JsonWriter } from "#shard/matches/jsonWriter";
import { RangeBuffer } from "#shard/matches/ranges";
import { brutePosition, decodeBrute } from "#test/support/bruteForce";
import { shardLayout } from "#test/support/damage";
import { shardDocument } from "#test/support/engines";
import { readerOf, shardBytes } from "#test/support/shards";

async function cut(
  content: string | Uint8Array,
  ranges: readonly (readonly [number, number])[],
  contextLines: number,
): Promise<Chunk[]> {
  const bytes = await shardBytes((writer) => {
    writer.beginRepository(1);
    writer.add(shardDocument({ path: "before", content: "another document\n" }));
    writer.add(shardDocument({ path: "it", content }));
    writer.add(shardDocument({ path: "after", content: "and another" }));
  });
  const buffer = new RangeBuffer();
  for (const [start, end] of ranges) buffer.push(start, end, 0, 0);
  const source = { reader: await readerOf(bytes), window: threadWindow(), document: 1 };
  const writer = new JsonWriter();
  writeChunks(writer, source, { ranges: buffer, from: 0, to: buffer.length }, contextLines);
  const chunks = writer.take();
  const decoded = decodeChunks({ chunks });
  assert.deepEqual(Buffer.from(chunks).toString(), JSON.stringify(decoded));
  return decoded;
}

test("a document whose text is not in its blocks is damaged, even if all checksums match", () => {
  const noChecksum = () => 0;
  const sink = new MemorySink();
  const shard = new ShardWriter(sink, noChecksum);
  shard.beginRepository(1);
  for (const path of ["one", "other"]) shard.add(shardDocument({ path, content: `${path}\ntext` }));
  shard.finish();
  const column = shardLayout(Buffer.from(sink.bytes())).sections.find(({ name }) => name === "contentStarts");
  assert.ok(column);
  const source = { window: threadWindow(), document: 0 };
  const ranges = new RangeBuffer();
  ranges.push(4, 8, 0, 0);
  const chunksOf = (bytes: Buffer) => {
    const writer = new JsonWriter();
    const reader = new ShardReader(memorySource(bytes), noChecksum);
    writeChunks(writer, { ...source, reader }, { ranges, from: 0, to: 1 }, 3);
    return Buffer.from(writer.take()).toString();
  };
  assert.match(chunksOf(Buffer.from(sink.bytes())), /"content":"one\\ntext"/);
  for (const at of [0, 4]) {
    const bytes = Buffer.from(sink.bytes());
    bytes.writeUInt8(bytes.readUInt8(column.offset + at) + 3, column.offset + at);
    assert.throws(
      () => chunksOf(bytes),
      (error) => isServiceError(error, "SHARD_DAMAGED"),
    );
  }
});

/** Formats as `3+6 one line|another|: 3:2-3:5`: first line and byte, text with `|` for newlines, ranges as line:column. */
function print({ content, contentStart, matchRanges }: Chunk): string {
  const ranges = matchRanges.map(
    ({ start, end }) => `${start.lineNumber}:${start.column}-${end.lineNumber}:${end.column}`,
  );
  const text = content.replaceAll("\r", "<").replaceAll("\n", "|");
  return `${contentStart.lineNumber}+${contentStart.byteOffset} ${text}: ${ranges.join(" ")}`;
}

const numbered = "one\ntwo\nthree\nfour\nfive\nsix\n";
const at = (text: string, part: string, from = 0) => {
  const start = Buffer.from(text).indexOf(part, from);
  return [start, start + Buffer.byteLength(part)] as const;
};

const cases: readonly (readonly [
  name: string,
  text: string | Uint8Array,
  ranges: readonly (readonly [number, number])[],
  contextLines: number,
  chunks: readonly string[],
])[] = [
  ["one line", numbered, [at(numbered, "hre")], 0, ["3+8 three|: 3:2-3:5"]],
  ["context", numbered, [at(numbered, "hre")], 1, ["2+4 two|three|four|: 3:2-3:5"]],
  [
    "more context than the text has",
    numbered,
    [at(numbered, "hre")],
    9,
    [`1+0 ${numbered.replaceAll("\n", "|")}: 3:2-3:5`],
  ],
  [
    "two ranges of one line",
    "ab ab\n",
    [
      [0, 2],
      [3, 5],
    ],
    0,
    ["1+0 ab ab|: 1:1-1:3 1:4-1:6"],
  ],
  [
    "adjacent lines stay separate",
    numbered,
    [at(numbered, "one"), at(numbered, "two")],
    0,
    ["1+0 one|: 1:1-1:4", "2+4 two|: 2:1-2:4"],
  ],
  [
    "adjacent windows stay separate",
    numbered,
    [at(numbered, "one"), at(numbered, "four")],
    1,
    ["1+0 one|two|: 1:1-1:4", "3+8 three|four|five|: 4:1-4:5"],
  ],
  [
    "overlapping windows are merged",
    numbered,
    [at(numbered, "one"), at(numbered, "three")],
    1,
    ["1+0 one|two|three|four|: 1:1-1:4 3:1-3:6"],
  ],
  ["a range over two lines", numbered, [at(numbered, "o\nth")], 0, ["2+4 two|three|: 2:3-3:3"]],
  ["a range that ends after a newline", numbered, [at(numbered, "two\n")], 0, ["2+4 two|: 2:1-3:1"]],
  ["a newline alone", numbered, [[3, 4]], 0, ["1+0 one|: 1:4-2:1"]],
  [
    "a range over two lines, followed by another",
    numbered,
    [at(numbered, "one\nt"), at(numbered, "wo")],
    0,
    ["1+0 one|two|: 1:1-2:2 2:2-2:4"],
  ],
  ["an empty range", numbered, [[4, 4]], 0, ["2+4 two|: 2:1-2:1"]],
  ["no final newline", "a\nb", [[2, 3]], 0, ["2+2 b: 2:1-2:2"]],
  ["empty at the end without a newline", "a\nb", [[3, 3]], 0, ["2+2 b: 2:2-2:2"]],
  ["an empty last line", "a\n\n", [[2, 2]], 0, ["2+2 |: 2:1-2:1"]],
  ["only a newline", "\n", [[0, 0]], 3, ["1+0 |: 1:1-1:1"]],
  ["carriage returns", "a\r\nbc\r\nd", [[4, 5]], 0, ["2+3 bc<|: 2:2-2:3"]],
  ["a lone carriage return ends no line", "a\rb\n", [[2, 3]], 0, ["1+0 a<b|: 1:3-1:4"]],
  ["code points", "é👍🏽x\n", [at("é👍🏽x\n", "x")], 0, ["1+0 é👍🏽x|: 1:4-1:5"]],
  ["a byte order mark", "\ufeffab\n", [[3, 5]], 0, ["1+0 \ufeffab|: 1:2-1:4"]],
  [
    "characters that JSON escapes",
    'a\0"\\\t\x1f\x7f\u2028b\n',
    [[10, 11]],
    0,
    ['1+0 a\0"\\\t\x1f\x7f\u2028b|: 1:9-1:10'],
  ],
  [
    "each invalid byte is one character",
    Buffer.from("\xe2\x84x\xffy\n", "latin1"),
    [
      [2, 3],
      [4, 5],
    ],
    0,
    ["1+0 \ufffd\ufffdx\ufffdy|: 1:3-1:4 1:5-1:6"],
  ],
];

for (const [name, text, ranges, contextLines, expected] of cases) {
  test(name, async () => {
    assert.deepEqual((await cut(text, ranges, contextLines)).map(print), expected);
  });
}

test("chunks do not depend on blocks", async () => {
  const long = Array.from({ length: 3000 }, (_, line) => `line ${line + 1}\n`);
  const text = long.join("");
  const ranges = ["line 1\n", "line 410\n", "line 1499", "line 3000"].map((part) => at(text, part));
  const chunks = await cut(text, ranges, 1);
  assert.deepEqual(chunks.map(print), [
    "1+0 line 1|line 2|: 1:1-2:1",
    `409+${at(text, "line 409\n")[0]} line 409|line 410|line 411|: 410:1-411:1`,
    `1498+${at(text, "line 1498\n")[0]} line 1498|line 1499|line 1500|: 1499:1-1499:10`,
    `2999+${at(text, "line 2999\n")[0]} line 2999|line 3000|: 3000:1-3000:10`,
  ]);
});

/** A reference implementation, line by line. */
function bruteChunks(
  content: Uint8Array,
  ranges: readonly (readonly [number, number])[],
  contextLines: number,
) {
  const starts = [0];
  for (const [index, byte] of content.entries())
    if (byte === 0x0a && index + 1 < content.length) starts.push(index + 1);
  const lineOf = (offset: number) => starts.findLastIndex((start) => start <= offset);
  const windows = ranges.map(([start, end]) => [
    Math.max(0, lineOf(start) - contextLines),
    Math.min(starts.length - 1, Math.max(lineOf(start), lineOf(Math.max(start, end - 1))) + contextLines),
  ]);
  const groups: { from: number; to: number; ranges: (readonly [number, number])[] }[] = [];
  for (const [index, range] of ranges.entries()) {
    const [from = 0, to = 0] = windows[index] ?? [];
    const last = groups.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
      last.ranges.push(range);
    } else groups.push({ from, to, ranges: [range] });
  }
  return groups.map(({ from, to, ranges: grouped }) => {
    const start = starts[from] ?? 0;
    return {
      content: decodeBrute(content.slice(start, starts[to + 1] ?? content.length)).text,
      contentStart: { byteOffset: start, lineNumber: from + 1, column: 1 },
      matchRanges: grouped.map(([rangeStart, rangeEnd]) => ({
        start: { byteOffset: rangeStart, ...brutePosition(content, rangeStart) },
        end: { byteOffset: rangeEnd, ...brutePosition(content, rangeEnd) },
      })),
      symbols: [],
    };
  });
}

test("chunks of random texts and ranges equal those of a reference implementation", async () => {
  const pieces = fc.constantFrom(
    "a",
    "\n",
    "\n\n",
    "\r\n",
    "é",
    "👍",
    "word ",
    "x".repeat(1500),
    "y".repeat(5000),
  );
  const texts = fc.array(pieces, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(fc.nat(), { minLength: 2, maxLength: 12 }),
      fc.nat(3),
      async (parts, offsets, context) => {
        const content = Buffer.from(parts.join(""));
        const isBoundary = (offset: number) => ((content[offset] ?? 0) & 0xc0) !== 0x80;
        const ends = content.at(-1) === 0x0a ? content.length : content.length + 1;
        const sorted = [...new Set(offsets.map((offset) => offset % ends).filter(isBoundary))].sort(
          (a, b) => a - b,
        );
        const ranges: (readonly [number, number])[] = [];
        for (let index = 0; index + 1 < sorted.length; index += 2)
          ranges.push([sorted[index] ?? 0, sorted[index + 1] ?? 0]);
        if (ranges.length === 0) return;
        assert.deepEqual(await cut(content, ranges, context), bruteChunks(content, ranges, context));
      },
    ),
    { numRuns: 200 },
  );
});

test("a chunk with thousands of ranges equals that of a reference implementation", async () => {
  const content = Buffer.from(`first\n${"é.x".repeat(2500)}\nlast\n`);
  const ranges = Array.from(
    { length: 2500 },
    (_, at) => [6 + 4 * at + 2, 6 + 4 * at + 3 + (at % 2)] as const,
  );
  assert.deepEqual(await cut(content, ranges, 1), bruteChunks(content, ranges, 1));
});

test("ranges in paths are on line 1", () => {
  const path = Buffer.from("src/é/👍.ts");
  const ranges = new RangeBuffer();
  ranges.push(4, 6, 0, 0);
  ranges.push(7, 11, 0, 0);
  ranges.push(14, 14, 0, 0);
  assert.deepEqual(
    nameRanges(path, { ranges, from: 0, to: 3 }).map(({ start, end }) => [
      start.byteOffset,
      start.lineNumber,
      start.column,
      end.column,
    ]),
    [
      [4, 1, 5, 6],
      [7, 1, 7, 8],
      [14, 1, 11, 11],
    ],
  );
});
