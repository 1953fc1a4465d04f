import assert from "node:assert/strict";
import { test } from "node:test";
import { codeBlock, lineCountOf, linesOf, rowText, visible } from "#client/search/resultLines";
import type { FileMatch } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

const at = (lineNumber: number, column: number) => ({ byteOffset: 0, lineNumber, column });

/** A file with one chunk, whose ranges are `[line, column, line, column]`. */
function chunk(content: string, first: number, ranges: readonly (readonly number[])[]): FileMatch {
  const matchRanges = ranges.map(([a = 0, b = 0, c = 0, d = 0]) => ({ start: at(a, b), end: at(c, d) }));
  return {
    ...fileMatch("r", "x"),
    chunks: [{ content, contentStart: at(first, 1), matchRanges, symbols: [] }],
  };
}

function checkLines(name: string, file: FileMatch, expected: readonly string[]): void {
  test(name, () => {
    const lines = linesOf(file).map(({ lineNumber, text, matches }) => {
      const marked = matches.toReversed().reduce((line, [start, end]) => {
        return `${line.slice(0, start)}<${line.slice(start, end)}>${line.slice(end)}`;
      }, text);
      return `${lineNumber} ${marked}`;
    });
    assert.deepEqual(lines, expected);
    assert.equal(lineCountOf(file), expected.length);
  });
}

checkLines("lines around a match are left out", chunk("a\nbcd\ne\n", 7, [[8, 2, 8, 3]]), ["8 b<c>d"]);
checkLines(
  "ends of lines do not belong to them",
  chunk("a\r\nb\r\n", 1, [
    [1, 1, 1, 2],
    [2, 1, 2, 2],
  ]),
  ["1 <a>", "2 <b>"],
);
checkLines(
  "several matches on a line are one line",
  chunk("aa a", 1, [
    [1, 1, 1, 2],
    [1, 4, 1, 5],
  ]),
  ["1 <a>a <a>"],
);
checkLines("columns count characters, not halves of them", chunk("😀é😀x", 1, [[1, 3, 1, 5]]), [
  "1 😀é<😀x>",
]);
checkLines("a match over lines ends with the first one", chunk("ab\ncd\n", 1, [[1, 2, 2, 2]]), ["1 a<b>"]);
checkLines("an empty match is a place", chunk("ab", 1, [[1, 2, 1, 2]]), ["1 a<>b"]);
checkLines("a match behind the end of what is there is at its end", chunk("ab", 1, [[1, 9, 1, 12]]), [
  "1 ab<>",
]);

function checkRow(text: string, found: string, expected: string): void {
  test(`a row of ${text.length} characters with ${found}`, () => {
    const start = text.indexOf(found);
    const row = rowText({ text, matches: [[start, start + found.length]] });
    const [mark = [0, 0]] = row.marks;
    const marked = `${row.text.slice(0, mark[0])}<${row.text.slice(...mark)}>${row.text.slice(mark[1])}`;
    assert.equal(marked, expected);
  });
}

checkRow("\t\tif (found) {", "found", "if (<found>) {");
checkRow("   found", "   ", "<   >found");
checkRow(`${"word ".repeat(100)}found`, "found", `…${"word ".repeat(5)}<found>`);
checkRow(`${"x".repeat(500)}found`, "found", `…${"x".repeat(26)}<found>`);
checkRow(`found ${"y".repeat(500)}`, "found", `<found> ${"y".repeat(244)}…`);
checkRow(`a${"\u202e"}b found`, "found", "a\uFFFDb <found>");
checkRow("found\t\u0007!", "found", "<found> \uFFFD!");

test("a match longer than a row is marked as far as it goes", () => {
  const row = rowText({ text: "z".repeat(400), matches: [[0, 400]] });
  assert.deepEqual(row.marks, [[0, 250]]);
});

test("what turns a line around keeps its place", () => {
  const text = "a\u202eb\u2066c\u0000d\ud800e";
  assert.equal(visible(text), "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe");
  assert.equal(visible(text).length, text.length);
});

function checkBlock(text: string, language: string, expected: string): void {
  test(`code block of ${JSON.stringify(text)}`, () => assert.equal(codeBlock(text, language), expected));
}

checkBlock("a", "Go", "```go\na\n```\n");
checkBlock("a\n```\n[x](command:evil)", "", "````\na\n```\n[x](command:evil)\n````\n");
checkBlock("a\r```\u2028````b", "C++\n", "`````c++\na\n```\n````b\n`````\n");
