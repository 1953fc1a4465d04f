import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TextPlaces } from "#base/textPlaces";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("offsets are lines and columns in code points", () => {
  const text = "één\r\n👍🏽 two\n\nlast";
  const places = new TextPlaces(bytesOf(text));
  const rows: readonly (readonly [part: string, place: string])[] = [
    ["n", "1:3"],
    ["two", "2:4"],
    ["last", "4:1"],
  ];
  for (const [part, expected] of rows) {
    const offset = bytesOf(text.slice(0, text.indexOf(part))).length;
    const { lineNumber, column } = places.placeOf(offset);
    assert.equal(`${lineNumber}:${column}`, expected, part);
    assert.equal(places.offsetOf(lineNumber, column), offset, part);
  }
  assert.deepEqual(
    [1, 2, 3, 4].map((line) => places.line(line, 100)),
    ["één", "👍🏽 two", "", "last"],
  );
});

test("a place behind a line is its end, and one behind the last line is none", () => {
  const places = new TextPlaces(bytesOf("ab\r\ncd"));
  assert.equal(places.offsetOf(1, 99), 2);
  assert.equal(places.offsetOf(2, 99), 6);
  assert.equal(places.offsetOf(3, 1), undefined);
});

test("a long line is cut between characters", () => {
  const places = new TextPlaces(bytesOf("äääää"));
  assert.deepEqual([places.line(1, 5), places.line(1, 10)], ["ää", "äääää"]);
});

test("whatever the text and the order of questions, a place leads back to its offset", () => {
  const texts = fc
    .array(fc.constantFrom("a", "é", "漢", "👍", "\n", "\r\n", "\r"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, fc.array(fc.nat()), (text, order) => {
      const places = new TextPlaces(bytesOf(text));
      const points = [...text];
      for (const index of order) {
        const before = points.slice(0, index % (points.length + 1)).join("");
        const offset = bytesOf(before).length;
        const lines = before.split("\n");
        const place = {
          byteOffset: offset,
          lineNumber: lines.length,
          column: [...(lines.at(-1) ?? "")].length + 1,
        };
        assert.deepEqual(places.placeOf(offset), place);
        if (!/\r$/.test(before) || text[before.length] !== "\n") {
          assert.equal(places.offsetOf(place.lineNumber, place.column), offset);
        }
      }
    }),
  );
});

test("places in lines of many thousand characters, asked for in any order", () => {
  const line = "a é 漢 👍 ".repeat(800);
  const text = `${line}\r\nshort\n${line}`;
  const places = new TextPlaces(bytesOf(text));
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
    const { byteOffset, ...place } = places.placeOf(each);
    return `${byteOffset}: ${place.lineNumber}:${place.column}`;
  };
  // From behind, then from the front, and to and fro.
  assert.deepEqual(offsets.toReversed().map(printed), expected.toReversed());
  assert.deepEqual(offsets.map(printed), expected);
  const mixed = offsets.map((_, at) => (at * 7919) % offsets.length);
  assert.deepEqual(
    mixed.map((at) => printed(offsets[at] ?? 0)),
    mixed.map((at) => expected[at]),
  );
});
