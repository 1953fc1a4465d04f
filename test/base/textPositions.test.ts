import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TextPositions } from "#base/textPositions";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("offsets map to lines and columns in code points", () => {
  const text = "één\r\n👍🏽 two\n\nlast";
  const positions = new TextPositions(bytesOf(text));
  const rows: readonly (readonly [part: string, position: string])[] = [
    ["n", "1:3"],
    ["two", "2:4"],
    ["last", "4:1"],
  ];
  for (const [part, expected] of rows) {
    const offset = bytesOf(text.slice(0, text.indexOf(part))).length;
    const { lineNumber, column } = positions.positionOf(offset);
    assert.equal(`${lineNumber}:${column}`, expected, part);
    assert.equal(positions.offsetOf(lineNumber, column), offset, part);
  }
  assert.deepEqual(
    [1, 2, 3, 4].map((line) => positions.line(line, 100)),
    ["één", "👍🏽 two", "", "last"],
  );
});

test("a position after a line is clamped to its end, and one after the last line is undefined", () => {
  const positions = new TextPositions(bytesOf("ab\r\ncd"));
  assert.equal(positions.offsetOf(1, 99), 2);
  assert.equal(positions.offsetOf(2, 99), 6);
  assert.equal(positions.offsetOf(3, 1), undefined);
});

test("a long line is truncated between characters", () => {
  const positions = new TextPositions(bytesOf("äääää"));
  assert.deepEqual([positions.line(1, 5), positions.line(1, 10)], ["ää", "äääää"]);
});

test("positions and offsets round-trip, for any text and any order of queries", () => {
  const texts = fc
    .array(fc.constantFrom("a", "é", "漢", "👍", "\n", "\r\n", "\r"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, fc.array(fc.nat()), (text, order) => {
      const positions = new TextPositions(bytesOf(text));
      const points = [...text];
      for (const index of order) {
        const before = points.slice(0, index % (points.length + 1)).join("");
        const offset = bytesOf(before).length;
        const lines = before.split("\n");
        const position = {
          byteOffset: offset,
          lineNumber: lines.length,
          column: [...(lines.at(-1) ?? "")].length + 1,
        };
        assert.deepEqual(positions.positionOf(offset), position);
        if (!/\r$/.test(before) || text[before.length] !== "\n") {
          assert.equal(positions.offsetOf(position.lineNumber, position.column), offset);
        }
      }
    }),
  );
});

test("positions in very long lines can be queried in any order", () => {
  const line = "a é 漢 👍 ".repeat(800);
  const text = `${line}\r\nshort\n${line}`;
  const positions = new TextPositions(bytesOf(text));
  const expected: string[] = [];
  const offsets: number[] = [];
  let [offset, lineNumber, column] = [0, 1, 1];
  for (const point of text) {
    offsets.push(offset);
    expected.push(`${offset}: ${lineNumber}:${column}`);
    offset += bytesOf(point).length;
    [lineNumber, column] = point === "\n" ? [lineNumber + 1, 1] : [lineNumber, column + 1];
  }
  const printed = (each: number) => {
    const { byteOffset, ...position } = positions.positionOf(each);
    return `${byteOffset}: ${position.lineNumber}:${position.column}`;
  };
  // Backward, forward, then alternating.
  assert.deepEqual(offsets.toReversed().map(printed), expected.toReversed());
  assert.deepEqual(offsets.map(printed), expected);
  const mixed = offsets.map((_, at) => (at * 7919) % offsets.length);
  assert.deepEqual(
    mixed.map((at) => printed(offsets[at] ?? 0)),
    mixed.map((at) => expected[at]),
  );
});
