import assert from "node:assert/strict";
import { test } from "node:test";
import { matchLines } from "#agents/searchLines";
import type { Range } from "#contract/position";
import type { FileMatch } from "#contract/search";

type Location = readonly [lineNumber: number, column: number];

function print(
  content: string,
  ...matches: (readonly [start: Location, end: Location])[]
): readonly string[] {
  const position = ([lineNumber, column]: Location) => ({ byteOffset: 0, lineNumber, column });
  const matchRanges: Range[] = matches.map(([start, end]) => ({
    start: position(start),
    end: position(end),
  }));
  const chunk = { content, contentStart: position([1, 1]), matchRanges, symbols: [] };
  const file = { repository: "r", fileName: { text: "a" }, branches: [], origin: "commit", chunks: [chunk] };
  return matchLines({ files: [file as unknown as FileMatch] }).map(({ text }) => text);
}

test("every line that a match touches is marked", () => {
  const lines = print(
    "a\nb\nc\nd\ne\nf\ng\n",
    [
      [2, 1],
      [4, 1],
    ],
    [
      [5, 1],
      [5, 2],
    ],
    [
      [5, 2],
      [6, 2],
    ],
  );
  assert.deepEqual(lines, ["1-a", "2:b", "3:c", "4-d", "5:e", "6:f", "7-g"]);
});

test("a long line is cut around its match, whose column counts code points", () => {
  const [line = ""] = print(`${"\u{1f600}".repeat(500)}match${"x".repeat(500)}`, [
    [1, 501],
    [1, 506],
  ]);
  assert.equal(line, `1:…${"\u{1f600}".repeat(40)}match${"x".repeat(215)}…`);
});
