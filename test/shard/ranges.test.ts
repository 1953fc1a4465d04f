import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { edgesOf, endsAtEdge, RangeBuffer, startsAtEdge } from "#shard/matches/ranges";

type Found = readonly [start: number, end: number, term: number];

function bufferOf(ranges: readonly Found[]): RangeBuffer {
  const buffer = new RangeBuffer();
  for (const [start, end, term] of ranges) buffer.push(start, end, 0, term);
  return buffer;
}

/** `3-5a 7-9b`: each range with its term. */
function print(buffer: RangeBuffer): string {
  return Array.from(
    { length: buffer.length },
    (_, at) => `${buffer.starts[at]}-${buffer.ends[at]}${String.fromCharCode(97 + buffer.termAt(at))}`,
  ).join(" ");
}

const cases: readonly (readonly [ranges: readonly Found[], expected: string])[] = [
  [[], ""],
  [[[3, 5, 0]], "3-5a"],
  [
    [
      [3, 5, 0],
      [7, 9, 0],
      [1, 2, 1],
    ],
    "1-2b 3-5a 7-9a",
  ],
  [
    [
      [3, 5, 0],
      [4, 9, 1],
    ],
    "3-5a",
  ],
  [
    [
      [3, 5, 0],
      [3, 9, 1],
    ],
    "3-9b",
  ],
  [
    [
      [3, 5, 0],
      [3, 5, 1],
    ],
    "3-5a",
  ],
  [
    [
      [3, 5, 0],
      [5, 5, 1],
      [5, 6, 2],
    ],
    "3-5a 5-6c",
  ],
  [
    [
      [3, 3, 0],
      [3, 3, 1],
    ],
    "3-3a",
  ],
  [
    [
      [0, 9, 0],
      [1, 2, 1],
      [8, 10, 2],
      [9, 10, 3],
    ],
    "0-9a 9-10d",
  ],
];
for (const [ranges, expected] of cases) {
  test(JSON.stringify(ranges), () => {
    const buffer = bufferOf(ranges);
    buffer.normalize(0);
    assert.equal(print(buffer), expected);
  });
}

test("earlier ranges are not changed", () => {
  const buffer = bufferOf([
    [9, 10, 0],
    [5, 6, 1],
    [1, 2, 2],
  ]);
  buffer.normalize(1);
  assert.equal(print(buffer), "9-10a 1-2c 5-6b");
});

test("normalizing any ranges equals sorting and selecting them one by one", () => {
  const range = fc
    .tuple(fc.nat(40), fc.nat(6), fc.nat(5))
    .map(([start, length, term]): Found => [start, start + length, term]);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 400 }), (ranges) => {
      const selected: Found[] = [];
      const sorted = [...ranges].sort((left, right) => left[0] - right[0] || right[1] - left[1]);
      for (const [start, end, term] of sorted) {
        const last = selected.at(-1);
        if (last === undefined || (start >= last[1] && (start !== last[0] || end !== last[1])))
          selected.push([start, end, term]);
      }
      const buffer = bufferOf(ranges);
      buffer.normalize(0);
      assert.equal(print(buffer), print(bufferOf(selected)));
    }),
  );
});

const edges: Readonly<Record<string, string>> = {
  "[walk]": "both",
  "a [walk] b": "both",
  "do[Walk]": "both",
  "do[Walk]ing": "start",
  "[walk]ing": "start",
  "sleep[walk]": "end",
  "sleep[walk]ing": "none",
  "my_[walk]_it": "both",
  "x[42]y": "both",
  "é[walk]é": "both",
  "4[2]": "end",
  "\n[);]\n": "both",
  "\r\n[);]\r\n": "start",
};
for (const [text, expected] of Object.entries(edges)) {
  test(`word boundaries of ${JSON.stringify(text)}`, () => {
    const start = Buffer.from(text).indexOf("[");
    const bytes = Buffer.from(text.replace(/[[\]]/g, ""));
    const end = Buffer.from(text).indexOf("]") - 1;
    const found = edgesOf(bytes, start, end, 0, bytes.length);
    const names = ["none", "start", "end", "both"];
    assert.equal(names[(found & startsAtEdge ? 1 : 0) + (found & endsAtEdge ? 2 : 0)], expected);
  });
}

test("word boundaries do not depend on the bytes around the text", () => {
  const text = "a1";
  for (let start = 0; start <= text.length; start++) {
    for (let end = start; end <= text.length; end++) {
      const found = ["a", "1", " "].map((around) =>
        edgesOf(Buffer.from(`${around}${text}${around}`), start + 1, end + 1, 1, 1 + text.length),
      );
      assert.deepEqual(new Set(found).size, 1, `${start}-${end}`);
    }
  }
});
