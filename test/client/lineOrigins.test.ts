import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { committedLineRange, committedLines, lineOrigins, mapLine } from "#client/text/lineOrigins";

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

test("a line maps to an equal line; origins are unique and ascend", () => {
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

test("inserted lines leave the origins of all other lines unchanged", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 8 }), (before, positions) => {
      const after = before.map(String);
      for (const position of positions) after.splice(Math.min(position, after.length), 0, "new");
      const origins = lineOrigins(before, after);
      assert.deepEqual(
        origins.filter((origin) => origin >= 0),
        [...before.keys()],
      );
      for (const [at, line] of after.entries()) assert.equal(origins[at] === -1, line === "new");
    }),
  );
});

test("lines that are not UTF-8 are still matched", () => {
  assert.deepEqual(lineOrigins(["caf\uFFFD", "tea"], ["new", "café", "tea"]), [-1, 0, 1]);
});

function checkMapping(from: string, to: string, expected: readonly number[]): void {
  test(`lines of "${from}" in "${to}"`, () => {
    assert.deepEqual(
      [...from].map((_, line) => mapLine(line, [...from], [...to])),
      expected,
    );
  });
}

checkMapping("abc", "abc", [0, 1, 2]);
checkMapping("abXYc", "abxyzc", [0, 1, 2, 3, 5]);
checkMapping("abXYZc", "abxc", [0, 1, 2, 2, 2, 3]);
checkMapping("abXc", "abc", [0, 1, 2, 2]);
checkMapping("Xab", "ab", [0, 0, 1]);
checkMapping("abX", "ab", [0, 1, 1]);
checkMapping("abc", "", [0, 0, 0]);

test("every line maps to an existing line", () => {
  fc.assert(
    fc.property(text, text, fc.nat(50), (from, to, line) => {
      const found = mapLine(line, from, to);
      assert.ok(found >= 0 && (found < to.length || (found === 0 && to.length === 0)));
    }),
  );
});

test("twenty thousand lines are mapped quickly", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const after = before
    .filter((_, index) => index % 100 !== 7)
    .map((line, index) => (index % 150 === 3 ? "new" : line));
  const start = performance.now();
  const origins = lineOrigins(before, after);
  assert.equal(origins.filter((origin) => origin < 0).length, after.filter((line) => line === "new").length);
  assert.ok(performance.now() - start < 2_000);
});

function checkRange(before: string, after: string, lines: readonly [number, number], expected: string): void {
  test(`lines ${lines} of ${JSON.stringify(after)} in ${JSON.stringify(before)}`, () => {
    const committed = committedLines(before);
    const origins = lineOrigins(committed.lines, after.split("\n"));
    const found = committedLineRange(committed, origins, { first: lines[0], last: lines[1] });
    assert.equal(found === undefined ? "none" : `${found.first}-${found.last}`, expected);
  });
}

checkRange("a\nb\nc\n", "a\nb\nc\n", [0, 2], "1-3");
checkRange("a\nb\nc\n", "new\na\nb\nc\n", [2, 2], "2-2");
checkRange("a\nb\nc\n", "a\nnew\nc\n", [0, 2], "1-3");
checkRange("a\nb\nc\n", "a\nnew\nc\n", [1, 2], "3-3");
checkRange("a\nb\nc\n", "a\nnew\nc\n", [1, 1], "none");
// An empty line after the last line break does not count.
checkRange("a\nb\n", "a\nb\n", [1, 2], "2-2");
checkRange("a\nb\n", "a\nb\n", [2, 2], "none");
checkRange("a\rb\nc", "a\nb\nc", [0, 2], "1-2");
