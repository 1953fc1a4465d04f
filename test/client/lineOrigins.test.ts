import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { committedLines, committedStretch, lineOrigins, sameLine } from "#client/history/lineOrigins";

function checkLines(text: string, expected: readonly string[]): void {
  test(`lines of ${JSON.stringify(text)}`, () => {
    const { lines, numbers } = committedLines(text);
    assert.deepEqual(
      lines.map((line, at) => `${numbers[at]} ${line}`),
      expected,
    );
  });
}

checkLines("", ["1 "]);
checkLines("a", ["1 a"]);
checkLines("a\nb\n", ["1 a", "2 b", "3 "]);
checkLines("a\r\nb", ["1 a", "2 b"]);
checkLines("a\rb\nc", ["1 a", "1 b", "2 c"]);
checkLines("\r\r\n\n", ["1 ", "1 ", "2 ", "3 "]);
checkLines("\uFEFFa", ["1 a"]);

function checkOrigins(before: string, after: string, expected: readonly number[]): void {
  test(`"${before}" became "${after}"`, () =>
    assert.deepEqual(lineOrigins([...before], [...after]), expected));
}

checkOrigins("abc", "abc", [0, 1, 2]);
checkOrigins("abc", "aXbc", [0, -1, 1, 2]);
checkOrigins("abc", "c", [2]);
checkOrigins("abc", "aXc", [0, -1, 2]);
checkOrigins("", "ab", [-1, -1]);
checkOrigins("ab", "", []);

const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 40 });

test("a line comes from one that is equal, none from two, and their order stays", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const origins = lineOrigins(before, after);
      assert.equal(origins.length, after.length);
      let last = -1;
      for (const [at, origin] of origins.entries()) {
        if (origin < 0) continue;
        assert.equal(before[origin], after[at]);
        assert.ok(origin > last);
        last = origin;
      }
    }),
  );
});

test("lines that are put in take nobody's place: all others come from where they were", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 8 }), (before, places) => {
      const after = before.map(String);
      for (const place of places) after.splice(Math.min(place, after.length), 0, "new");
      const origins = lineOrigins(before, after);
      assert.deepEqual(
        origins.filter((origin) => origin >= 0),
        [...before.keys()],
      );
      for (const [at, line] of after.entries()) assert.equal(origins[at] === -1, line === "new");
    }),
  );
});

test("what git could not read as UTF-8 is still found again", () => {
  assert.deepEqual(lineOrigins(["caf\uFFFD", "tea"], ["new", "café", "tea"]), [-1, 0, 1]);
});

function checkSame(from: string, to: string, expected: readonly number[]): void {
  test(`lines of "${from}" in "${to}"`, () => {
    assert.deepEqual(
      [...from].map((_, line) => sameLine(line, [...from], [...to])),
      expected,
    );
  });
}

checkSame("abc", "abc", [0, 1, 2]);
checkSame("abXYc", "abxyzc", [0, 1, 2, 3, 5]);
checkSame("abXYZc", "abxc", [0, 1, 2, 2, 2, 3]);
checkSame("abXc", "abc", [0, 1, 2, 2]);
checkSame("Xab", "ab", [0, 0, 1]);
checkSame("abX", "ab", [0, 1, 1]);
checkSame("abc", "", [0, 0, 0]);

test("there is always a line to go to", () => {
  fc.assert(
    fc.property(text, text, fc.nat(50), (from, to, line) => {
      const found = sameLine(line, from, to);
      assert.ok(found >= 0 && (found < to.length || (found === 0 && to.length === 0)));
    }),
  );
});

test("twenty thousand lines take no time worth a word", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const after = before
    .filter((_, index) => index % 100 !== 7)
    .map((line, index) => (index % 150 === 3 ? "new" : line));
  const start = performance.now();
  const origins = lineOrigins(before, after);
  assert.equal(origins.filter((origin) => origin < 0).length, after.filter((line) => line === "new").length);
  assert.ok(performance.now() - start < 2_000);
});

function checkStretch(
  before: string,
  after: string,
  lines: readonly [number, number],
  expected: string,
): void {
  test(`lines ${lines} of ${JSON.stringify(after)} in ${JSON.stringify(before)}`, () => {
    const committed = committedLines(before);
    const origins = lineOrigins(committed.lines, after.split("\n"));
    const found = committedStretch(committed, origins, { first: lines[0], last: lines[1] });
    assert.equal(found === undefined ? "none" : `${found.first}-${found.last}`, expected);
  });
}

checkStretch("a\nb\nc\n", "a\nb\nc\n", [0, 2], "1-3");
checkStretch("a\nb\nc\n", "new\na\nb\nc\n", [2, 2], "2-2");
checkStretch("a\nb\nc\n", "a\nnew\nc\n", [0, 2], "1-3");
checkStretch("a\nb\nc\n", "a\nnew\nc\n", [1, 2], "3-3");
checkStretch("a\nb\nc\n", "a\nnew\nc\n", [1, 1], "none");
// What follows the last line end is no line.
checkStretch("a\nb\n", "a\nb\n", [1, 2], "2-2");
checkStretch("a\nb\n", "a\nb\n", [2, 2], "none");
checkStretch("a\rb\nc", "a\nb\nc", [0, 2], "1-2");
