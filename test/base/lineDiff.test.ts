import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchLines } from "#base/lineDiff";
import { mapLines } from "#base/lineMap";

/** Lines as letters: each line that is matched, as `old>new`. */
function check(before: string, after: string, expected: string): void {
  test(`${before || "nothing"} to ${after || "nothing"}`, () => {
    const matches = [...matchLines([...before], [...after])];
    const pairs = matches.flatMap((place, at) => (place < 0 ? [] : [`${at}>${place}`]));
    assert.equal(pairs.join(" "), expected);
  });
}

check("", "", "");
check("", "a", "");
check("a", "", "");
check("abc", "abc", "0>0 1>1 2>2");
check("abc", "xabc", "0>1 1>2 2>3");
check("abc", "abcx", "0>0 1>1 2>2");
check("abc", "ac", "0>0 2>1");
check("abcd", "axxd", "0>0 3>3");
check("abcabba", "cbabac", "2>0 3>2 4>3 6>4");
check("aXbYc", "cYbXa", "4>0");
check("((", "()(", "0>0 1>2");

test("every match is of equal lines, in order, and as long as the shortest way has them where that is cheap", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, (before, after) => {
      const matches = [...matchLines(before, after)];
      let last = -1;
      for (const [at, place] of matches.entries()) {
        if (place < 0) continue;
        assert.equal(after[place], before[at]);
        assert.ok(place > last);
        last = place;
      }
    }),
    { numRuns: 3000 },
  );
});

test("lines that repeat are matched by the shortest way", () => {
  const letters = fc.array(fc.constantFrom("a", "b"), { minLength: 4, maxLength: 9 });
  const twice = letters.map((all) => [...all, ...all]);
  fc.assert(
    fc.property(twice, twice, (before, after) => {
      const matched = matchLines(before, after).filter((place) => place >= 0).length;
      assert.equal(matched, longestCommon(before, after));
    }),
    { numRuns: 1000 },
  );
});

function longestCommon(one: readonly string[], other: readonly string[]): number {
  let row = new Array<number>(other.length + 1).fill(0);
  for (const line of one) {
    const next = [0];
    for (const [at, theirs] of other.entries())
      next.push(line === theirs ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row[other.length] ?? 0;
}

test("a line that stands once is found also where others moved past it", () => {
  assert.deepEqual(mapLines("a\n}\nonce\n}\nz", "a\n}\n}\nonce\nz", [3]), [4]);
  assert.deepEqual(mapLines("one\ntwo\nthree\nfour", "two\nthree\nfour\none", [1, 2]), [4, 1]);
});

test("random edits: a line that was not touched is found again", () => {
  const source = Array.from({ length: 200 }, (_, at) => (at % 5 === 4 ? "}" : `line ${at} of the text`));
  const edit = fc.record({
    at: fc.nat(199),
    remove: fc.nat(3),
    insert: fc.array(fc.constantFrom("}", "new one", "", "another line"), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
      const lines = source.map((text, at) => ({ text, from: at }));
      for (const { at, remove, insert } of edits)
        lines.splice(at, remove, ...insert.map((text) => ({ text, from: -1 })));
      const numbers = source.map((_, at) => at + 1);
      const mapped = mapLines(source.join("\n"), lines.map(({ text }) => text).join("\n"), numbers);
      for (const [at, place] of mapped.entries()) {
        const there = lines.findIndex(({ from }) => from === at);
        // A line that stands once must be found; of braces any is as good.
        if (there >= 0 && source[at] !== "}") assert.equal(place, there + 1);
        if (place !== null && source[at] === "}") assert.equal(lines[place - 1]?.text, "}");
      }
    }),
    { numRuns: 300 },
  );
});

test("texts that have nothing in common, and long ones that repeat, end soon", () => {
  const started = performance.now();
  const many = Array.from({ length: 100_000 }, (_, at) => String(at % 7));
  const others = Array.from({ length: 100_000 }, (_, at) => String((at * 3) % 7));
  matchLines(many, others);
  matchLines(
    many,
    many.map((line) => `${line}x`),
  );
  assert.ok(performance.now() - started < 5000);
});

test("many lines that all were changed a little end soon", () => {
  const before = Array.from({ length: 10_000 }, (_, at) => `${"some line of text ".repeat(20)}${at}`);
  const after = before.map((line) => `${line} changed`);
  const numbers = before.map((_, at) => at + 1);
  const started = performance.now();
  const mapped = mapLines(before.join("\n"), after.join("\n"), numbers);
  assert.ok(performance.now() - started < 5000);
  assert.equal(mapped[0], 1);
});

function checkMap(title: string, before: string, after: string, expected: readonly (number | null)[]): void {
  test(title, () => {
    const numbers = before.split("\n").map((_, at) => at + 1);
    assert.deepEqual(mapLines(before, after, numbers), expected);
  });
}

checkMap(
  "a line that was touched is the one like it",
  "a\nconst total = 1;\nb",
  "a\nx\nconst total = 2;\nb",
  [1, 3, 4],
);
checkMap("a line that was replaced by another is gone", "a\nconst total = 1;\nb", "a\nreturn;\nb", [
  1,
  null,
  3,
]);
checkMap("a line that was removed is gone", "a\nold line\nb", "a\nb", [1, null, 2]);
checkMap("line ends do not count", "a\r\nb\r\n", "x\na\nb\n", [2, 3, 4]);
test("a line past the end is nowhere", () =>
  assert.deepEqual(mapLines("a", "a", [1, 2, 9999]), [1, null, null]));
