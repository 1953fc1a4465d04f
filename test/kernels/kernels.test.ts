import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeGaps } from "#kernels/gaps";
import type { Kernels } from "#kernels/kernels";
import { maxWrittenRanges } from "#kernels/memory";
import { foldByte } from "#kernels/needle";
import { PlainKernels } from "#kernels/plain";
import { hasSimd, SimdKernels } from "#kernels/simd";

const allKernels: readonly (readonly [string, Kernels])[] = [
  ["simd", new SimdKernels()],
  ["plain", new PlainKernels()],
];

test("this machine runs the kernels in WebAssembly", () => assert.ok(hasSimd()));

/** A straightforward reference implementation. */
function plainFind(text: Uint8Array, needle: Uint8Array, caseSensitive: boolean): number[] {
  const seen = caseSensitive ? (byte: number) => byte : foldByte;
  const hits: number[] = [];
  for (let at = 0; at + needle.length <= text.length; ) {
    const isHit = needle.every((byte, index) => seen(byte) === seen(text[at + index] ?? 0));
    if (isHit) hits.push(at);
    at += isHit ? needle.length : 1;
  }
  return hits;
}

/** Writes `text` at a distance from the aligned start, surrounded by bytes that resemble it. */
function put(kernels: Kernels, text: Uint8Array, distance: number): number {
  const start = kernels.reserve(distance + text.length + 100) + distance;
  kernels.bytes.fill(text.at(-1) ?? 0, start - distance, start + text.length + 100);
  kernels.bytes.set(text, start);
  return start;
}

function found(
  kernels: Kernels,
  text: Uint8Array,
  needle: Uint8Array,
  caseSensitive: boolean,
  distance = 0,
): number[] {
  const start = put(kernels, text, distance);
  const prepared = kernels.prepareNeedle(needle, caseSensitive);
  const count = kernels.find(prepared, start, text.length);
  const hits = [...kernels.hits.subarray(0, count)];
  assert.equal(kernels.count(prepared, start, text.length), count);
  const most = Math.floor(count / 2);
  assert.equal(kernels.find(prepared, start, text.length, most), most);
  assert.deepEqual([...kernels.hits.subarray(0, most)], hits.slice(0, most));
  return hits;
}

for (const [name, kernels] of allKernels) {
  const check = (text: string, needle: string, hits: number[], caseSensitive = true) =>
    test(`${name}: ${needle} in ${text.slice(0, 40)}`, () => {
      const bytes = (of: string) => Buffer.from(of, "latin1");
      assert.deepEqual(found(kernels, bytes(text), bytes(needle), caseSensitive), hits);
    });
  check("", "a", []);
  check("a", "a", [0]);
  check("a", "ab", []);
  check("aaaaaa", "aaa", [0, 3]);
  check("aaaaa", "aa", [0, 2]);
  check("ababab", "abab", [0]);
  check("error Error ERROR", "error", [0]);
  check("error Error ERROR", "Error", [0, 6, 12], false);
  check("a[b a{b", "A[B", [0], false);
  check("@`", "`", [1], false);
  check("\u00c4 \u00e4", "\u00e4", [2], false);
  check(
    "x".repeat(200),
    "x",
    Array.from({ length: 200 }, (_, at) => at),
  );
}

/** Few letters, so that hits, near misses and overlaps are frequent; includes non-ASCII and the neighbors of A and Z. */
const letters = fc.constantFrom(...Buffer.from("aaabAB\n@[`{\x00\xe4\xc4\xff\xc3\xa4", "latin1"));
const texts = fc.array(letters, { maxLength: 400 }).map((bytes) => Uint8Array.from(bytes));
const distances = fc.nat(70);

test("every kernel finds what the reference implementation finds", () => {
  const needles = fc.array(letters, { minLength: 1, maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));
  const cases = fc.record({
    text: texts,
    needle: needles,
    at: fc.nat(),
    distance: distances,
    exact: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ text, needle, at, distance, exact }) => {
      // Half of the texts contain the needle, at any alignment, even at the very end.
      const index = text.length < needle.length ? -1 : at % (2 * (text.length - needle.length + 1));
      if (index >= 0 && index + needle.length <= text.length) text.set(needle, index);
      const hits = plainFind(text, needle, exact);
      for (const [name, kernels] of allKernels) {
        assert.deepEqual(found(kernels, text, needle, exact, distance), hits, name);
      }
    }),
    { numRuns: 3000 },
  );
});

test("a needle of any length is found at every offset", () => {
  for (let size = 1; size <= 40; size++) {
    const needle = Uint8Array.from({ length: size }, (_, index) => 0x61 + (index % 26));
    for (let index = 0; index <= 130; index++) {
      const text = new Uint8Array(index + size).fill(0x2e);
      text.set(needle, index);
      for (const [, kernels] of allKernels) assert.deepEqual(found(kernels, text, needle, false), [index]);
    }
  }
});

test("long needles that mismatch late are searched in linear time", () => {
  const [, simd] = allKernels[0]!;
  const needle = Buffer.alloc(10_000, "a");
  const text = Buffer.concat(Array.from({ length: 30 }, () => Buffer.from(`${"A".repeat(9_999)}b`)));
  const whole = Buffer.concat([text, needle]);
  assert.deepEqual(found(simd, whole, needle, false), [text.length]);
  assert.deepEqual(found(simd, whole, needle, true), [text.length]);
});

test("more needles can be prepared than fit into memory at once", () => {
  const [, simd] = allKernels[0]!;
  const needles = Array.from({ length: 300 }, (_, n) =>
    simd.prepareNeedle(Buffer.from(`${"x".repeat(9_990)}${n}.`), true),
  );
  const text = Buffer.from(`${"x".repeat(9_990)}299.${"x".repeat(9_990)}7.`);
  const start = put(simd, text, 0);
  const counts = () => needles.map((needle) => simd.count(needle, start, text.length));
  const expected = needles.map((_, n) => (n === 7 || n === 299 ? 1 : 0));
  assert.deepEqual(counts(), expected);
  assert.deepEqual(counts(), expected);
  assert.throws(() => simd.count(simd.prepareNeedle(Buffer.alloc(1 << 20), true), start, 1), RangeError);
});

test("texts outside of the reserved memory are rejected", () => {
  for (const [, kernels] of allKernels) {
    const start = kernels.reserve(10);
    const needle = kernels.prepareNeedle(Buffer.from("a"), true);
    assert.throws(() => kernels.find(needle, start - 1, 10), RangeError);
    assert.throws(() => kernels.find(needle, start, kernels.bytes.length), RangeError);
    assert.throws(() => kernels.newlines(start, -1), RangeError);
    assert.throws(() => kernels.prepareNeedle(new Uint8Array(), true), RangeError);
  }
});

test("memory keeps its content when it grows", () => {
  for (const kernels of [new SimdKernels(), new PlainKernels()]) {
    const text = Buffer.from("one two one");
    const start = put(kernels, text, 0);
    const needle = kernels.prepareNeedle(Buffer.from("one"), true);
    assert.equal(kernels.count(needle, start, text.length), 2);
    assert.equal(kernels.reserve(3_000_000), start);
    assert.equal(kernels.find(needle, start, text.length), 2);
    assert.deepEqual([...kernels.hits.subarray(0, 2)], [0, 8]);
    assert.equal(kernels.countNewlines(start, 3_000_000), 0);
  }
});

test("newlines, ASCII, code points and folding equal those of the reference", () => {
  fc.assert(
    fc.property(texts, distances, (text, distance) => {
      const lines = [...text.keys()].filter((at) => text[at] === 10);
      for (const [name, kernels] of allKernels) {
        const start = put(kernels, text, distance);
        const count = kernels.newlines(start, text.length);
        assert.deepEqual([...kernels.hits.subarray(0, count)], lines, name);
        assert.equal(kernels.countNewlines(start, text.length), lines.length, name);
        assert.equal(
          kernels.isAscii(start, text.length),
          text.every((byte) => byte < 0x80),
          name,
        );
        const starts = text.filter((byte) => (byte & 0xc0) !== 0x80).length;
        assert.equal(kernels.countCodePoints(start, text.length), starts, name);
        const after = kernels.bytes.slice(start + text.length, start + text.length + 20);
        kernels.fold(start, start, text.length);
        assert.deepEqual(kernels.bytes.slice(start, start + text.length), text.map(foldByte), name);
        assert.deepEqual(kernels.bytes.slice(start + text.length, start + text.length + 20), after, name);
      }
    }),
    { numRuns: 1000 },
  );
});

test("counts of newlines and code points do not overflow a byte", () => {
  const text = Buffer.alloc(70_001, "\n");
  for (const [, kernels] of allKernels) {
    const start = put(kernels, text, 3);
    assert.equal(kernels.countNewlines(start, text.length), text.length);
    assert.equal(kernels.countCodePoints(start, text.length), text.length);
    assert.equal(kernels.newlines(start, text.length), text.length);
  }
});

function encodeDeltas(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let last = -1;
  for (const number of numbers) {
    let delta = number - last;
    for (; delta >= 128; delta = Math.floor(delta / 128)) bytes.push((delta % 128) | 128);
    bytes.push(delta);
    last = number;
  }
  return Uint8Array.from(bytes);
}

function ascending(maxDelta: number): fc.Arbitrary<number[]> {
  return fc.array(fc.integer({ min: 1, max: maxDelta }), { maxLength: 300 }).map((deltas) => {
    let last = -1;
    return deltas.map((delta) => {
      last += delta;
      return last;
    });
  });
}

test("deltas decode to the numbers that were encoded", () => {
  const lists = fc.oneof(ascending(3), ascending(127), ascending(140), ascending(40_000), ascending(2 ** 23));
  fc.assert(
    fc.property(lists, (numbers) => {
      const bytes = encodeDeltas(numbers);
      for (const [name, kernels] of allKernels) {
        const count = kernels.decodeDeltas(put(kernels, bytes, 0), bytes.length);
        assert.deepEqual([...kernels.decoded.subarray(0, count)], numbers, name);
      }
    }),
    { numRuns: 1000 },
  );
});

const deltaLists: Record<
  string,
  readonly [bytes: readonly number[], numbers: readonly number[] | "damaged"]
> = {
  nothing: [[], []],
  zero: [[1], [0]],
  "the maximum": [[0x80, 0x80, 0x80, 0x80, 0x10], [0xffffffff]],
  "one more than the maximum": [[0x81, 0x80, 0x80, 0x80, 0x10], "damaged"],
  "exceeds the maximum by a second delta": [[0x80, 0x80, 0x80, 0x80, 0x10, 1], "damaged"],
  "exceeds the maximum by sixteen": [
    [0xff, 0xff, 0xff, 0xff, 0x0f, ...new Array<number>(16).fill(1)],
    "damaged",
  ],
  "a zero delta": [[1, 0], "damaged"],
  "a zero delta among sixteen": [[...new Array<number>(20).fill(1), 0, 1], "damaged"],
  "a truncated number": [[0x80], "damaged"],
  "a number truncated late": [[1, 0xff, 0xff], "damaged"],
  "six bytes": [[0x80, 0x80, 0x80, 0x80, 0x80, 1], "damaged"],
};
for (const [name, [bytes, numbers]] of Object.entries(deltaLists)) {
  test(`deltas: ${name}`, () => {
    for (const [kind, kernels] of allKernels) {
      const count = kernels.decodeDeltas(put(kernels, Uint8Array.from(bytes), 0), bytes.length);
      assert.deepEqual(count < 0 ? "damaged" : [...kernels.decoded.subarray(0, count)], numbers, kind);
    }
  });
}

test("both kernels decode any bytes to the same numbers, or reject them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const [simd, plain] = allKernels.map(([, kernels]) => {
        const count = kernels.decodeDeltas(put(kernels, bytes, 0), bytes.length);
        return count < 0 ? "damaged" : [...kernels.decoded.subarray(0, count)];
      });
      assert.deepEqual(simd, plain);
    }),
    { numRuns: 2000 },
  );
});

test("gaps decode to the numbers that were encoded", () => {
  const lists = fc.oneof(ascending(2), ascending(3), ascending(127), ascending(5000));
  fc.assert(
    fc.property(
      fc.oneof(
        lists,
        fc.tuple(lists, lists).map(([left, right]) => joined(left, right)),
      ),
      (numbers) => {
        const bytes = encodeGaps(numbers);
        const limit = (numbers.at(-1) ?? -1) + 1;
        for (const [name, kernels] of allKernels) {
          kernels.reserve(limit);
          const count = kernels.decodeGaps(put(kernels, bytes, 0), bytes.length, limit);
          assert.deepEqual([...kernels.decoded.subarray(0, count)], numbers, name);
          if (limit > 0)
            assert.equal(kernels.decodeGaps(put(kernels, bytes, 0), bytes.length, limit - 1), -1);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

/** Numbers with small gaps followed by some with large ones, or the reverse. */
function joined(left: readonly number[], right: readonly number[]): number[] {
  const start = (left.at(-1) ?? -1) + 1;
  return [...left, ...right.map((number) => start + number)];
}

const gapLists: Record<string, readonly [bytes: readonly number[], numbers: readonly number[] | "damaged"]> =
  {
    nothing: [[], []],
    "one number": [[0xad, 0x02], [301]],
    "a code of one bit for each next number": [
      [0, 0b1111_1111, 1],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
    "gaps of 1 and 5": [
      [0, 0b1010_0010],
      [0, 2, 8],
    ],
    "a byte of zeros at the end": [[0, 0], "damaged"],
    "zeros after the last gap": [[0, 1, 0], "damaged"],
    "a truncated first number": [[0x80], "damaged"],
    "a first number of six bytes": [[0x80, 0x80, 0x80, 0x80, 0x80, 1], "damaged"],
    "a truncated gap": [[0, 0b1000_0000], "damaged"],
    "a gap of 40 bits": [[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], "damaged"],
    "a number that is the limit": [[0xe7, 0x07, 1], "damaged"],
  };
for (const [name, [bytes, numbers]] of Object.entries(gapLists)) {
  test(`gaps: ${name}`, () => {
    for (const [kind, kernels] of allKernels) {
      const count = kernels.decodeGaps(put(kernels, Uint8Array.from(bytes), 0), bytes.length, 1000);
      assert.deepEqual(count < 0 ? "damaged" : [...kernels.decoded.subarray(0, count)], numbers, kind);
    }
  });
}

test("both kernels decode any gaps to the same numbers, or reject them", () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60, max: 8 }));
  fc.assert(
    fc.property(bytes, fc.integer({ min: 0, max: 200_000 }), (list, limit) => {
      const [simd, plain] = allKernels.map(([, kernels]) => {
        const count = kernels.decodeGaps(put(kernels, list, 0), list.length, limit);
        return count < 0 ? "damaged" : [...kernels.decoded.subarray(0, count)];
      });
      assert.deepEqual(simd, plain);
    }),
    { numRuns: 4000 },
  );
});

test("intersections of ascending lists are correct", () => {
  const list = (length: number, step: number, seed: number) => {
    let last = seed;
    return Uint32Array.from({ length }, (_, n) => {
      last += 1 + ((n * 7919 + seed * 104_729) % step);
      return last;
    });
  };
  for (const [aLength, bLength, aStep, bStep] of [
    [0, 10, 3, 3],
    [3, 5, 2, 2],
    [100, 90, 3, 4],
    [5_000, 6_000, 3, 3],
    [9_000, 9_000, 1, 1],
    [20_000, 3_000, 2, 17],
    [10, 9_000, 900, 2],
  ] as const) {
    const a = list(aLength, aStep, 1);
    const b = list(bLength, bStep, 2);
    const inB = new Set(b);
    const expected = a.filter((number) => inB.has(number));
    for (const [name, kernels] of allKernels) {
      const into = new Uint32Array(Math.min(aLength, bLength));
      assert.deepEqual(into.slice(0, kernels.intersect(a, b, into)), expected, name);
      assert.deepEqual(into.slice(0, kernels.intersect(b, a, into)), expected, name);
      const own = a.slice();
      assert.deepEqual(own.slice(0, kernels.intersect(own, b, own)), expected, name);
    }
  }
});

test("intersections of random lists are correct", () => {
  const numbers = fc.uniqueArray(fc.oneof(fc.nat(50), fc.integer({ min: 0xfffffff0, max: 0xffffffff })), {
    maxLength: 60,
  });
  const lists = numbers.map((list) => Uint32Array.from(list).sort());
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      const inB = new Set(b);
      const into = new Uint32Array(60);
      for (const [name, kernels] of allKernels) {
        assert.deepEqual(
          into.slice(0, kernels.intersect(a, b, into)),
          a.filter((n) => inB.has(n)),
          name,
        );
      }
    }),
  );
});

/** Writes the JSON of a chunk that is `text`, and closes it. */
function chunkJson(
  kernels: Kernels,
  text: Uint8Array,
  { distance = 0, byteOffset = 0, lineNumber = 1 },
  ranges: readonly (readonly [number, number])[],
  rangesPerCall = maxWrittenRanges,
): string {
  const start = put(kernels, text, distance);
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from < ranges.length; from += rangesPerCall) {
    const some = ranges.slice(from, from + rangesPerCall);
    kernels.hits.set(some.flat());
    const length =
      from === 0
        ? kernels.writeChunk(start, text.length, byteOffset, lineNumber, some.length)
        : kernels.writeRanges(some.length);
    pieces.push(Buffer.from(kernels.output.subarray(0, length)).toString());
  }
  return `${pieces.join("")}]}`;
}

test("both kernels write the same chunk", () => {
  const units = fc.constantFrom(
    ...["a", " ", "\t", "\n", "\r\n", '"', "\\", "\0", "\x1f", "\x7f", "é", "€", "👍", "\ud7ff", "\ufeff"],
    "sixteen letters.",
  );
  const invalid = fc.constantFrom("\x80", "\xc1\xbf", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f", "\xf5", "\xff");
  const pieces = fc.oneof(
    { weight: 5, arbitrary: units.map((unit) => Buffer.from(unit)) },
    { weight: 1, arbitrary: invalid.map((bytes) => Buffer.from(bytes, "latin1")) },
  );
  const chunks = fc.record({
    text: fc.array(pieces, { maxLength: 60 }).map((parts) => Buffer.concat(parts)),
    offsets: fc.array(fc.nat(), { maxLength: 12 }),
    distance: distances,
    byteOffset: fc.oneof(
      fc.nat(2000),
      fc.maxSafeNat().map((offset) => Math.floor(offset / 2)),
    ),
    lineNumber: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 4_000_000_000 })),
    rangesPerCall: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(chunks, ({ text, offsets, rangesPerCall, ...position }) => {
      const sorted = offsets.map((offset) => offset % (text.length + 1)).sort((one, other) => one - other);
      const ranges: (readonly [number, number])[] = [];
      for (let at = 0; at + 1 < sorted.length; at += 2) ranges.push([sorted[at] ?? 0, sorted[at + 1] ?? 0]);
      const [simd, plain] = allKernels.map(([, kernels]) =>
        chunkJson(kernels, text, position, ranges, rangesPerCall),
      );
      assert.equal(simd, plain);
      assert.equal(simd, JSON.stringify(JSON.parse(simd ?? "")));
    }),
    { numRuns: 3000 },
  );
});

test("a chunk may be as long as its text may be, and have any number of ranges", () => {
  const text = Buffer.alloc(300_000, "\x01");
  const ranges = Array.from({ length: 3000 }, (_, at) => [100 * at, 100 * at + 1] as const);
  for (const [name, kernels] of allKernels) {
    const { content, matchRanges } = JSON.parse(chunkJson(kernels, text, { lineNumber: 7 }, ranges));
    assert.equal(content, text.toString(), name);
    assert.equal(matchRanges.length, ranges.length, name);
    const end = { byteOffset: 299_901, lineNumber: 7, column: 299_902 };
    assert.deepEqual(
      matchRanges.at(-1),
      { start: { ...end, byteOffset: 299_900, column: 299_901 }, end },
      name,
    );
  }
});

test("ranges past the end of a chunk do not read other memory", () => {
  const text = Buffer.from("ab\ncd");
  for (const [name, kernels] of allKernels) {
    const { matchRanges } = JSON.parse(chunkJson(kernels, text, {}, [[4, 0xffff_fff0]]));
    const [{ end }] = matchRanges;
    assert.deepEqual(end, { byteOffset: 0xffff_fff0, lineNumber: 2, column: 3 }, name);
  }
});

test("chunks outside of the reserved memory, or with too many ranges, are rejected", () => {
  for (const [, kernels] of allKernels) {
    const start = kernels.reserve(10);
    assert.throws(() => kernels.writeChunk(start - 1, 10, 0, 1, 0), RangeError);
    assert.throws(() => kernels.writeChunk(start, 10, 0, 1, maxWrittenRanges + 1), RangeError);
    assert.throws(() => kernels.writeRanges(maxWrittenRanges + 1), RangeError);
    assert.throws(() => kernels.writeRanges(-1), RangeError);
  }
});

test("numbers are selected by a bitmap", () => {
  const bitmaps = fc.uint8Array({ minLength: 1, maxLength: 900 });
  fc.assert(
    fc.property(bitmaps, fc.integer({ min: 1, max: 9 }), distances, (bitmap, step, distance) => {
      const past = [8 * bitmap.length, 8 * bitmap.length + 1, 0xffff_ffff];
      const count = Math.ceil((8 * bitmap.length) / step);
      const list = Uint32Array.from([...Array.from({ length: count }, (_, at) => at * step), ...past]);
      const expected = list.filter((number) => (((bitmap[number >> 3] ?? 0) >> (number & 7)) & 1) === 1);
      for (const [name, kernels] of allKernels) {
        const start = put(kernels, bitmap, distance);
        const into = new Uint32Array(list.length);
        const select = (numbers: Uint32Array, target: Uint32Array) =>
          target.slice(0, kernels.select(numbers, start, bitmap.length, target));
        assert.deepEqual(select(list, into), expected, name);
        const own = list.slice();
        assert.deepEqual(select(own, own), expected, name);
        assert.throws(() => kernels.select(list, start - distance - 1, 1, into), RangeError);
      }
    }),
    { numRuns: 500 },
  );
});
