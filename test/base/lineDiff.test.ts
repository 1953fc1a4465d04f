import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchLines } from "#base/lineDiff";
import { mapLines } from "#base/lineMap";

/** Each letter is a line; matched lines are written as `old>new`. */
function check(before: string, after: string, expected: string): void {
  test(`${before || "nothing"} to ${after || "nothing"}`, () => {
    const matches = [...matchLines([...before], [...after])];
    const pairs = matches.flatMap((target, at) => (target < 0 ? [] : [`${at}>${target}`]));
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

test("matched lines are equal and in order", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, (before, after) => {
      const matches = [...matchLines(before, after)];
      let last = -1;
      for (const [at, target] of matches.entries()) {
        if (target < 0) continue;
        assert.equal(after[target], before[at]);
        assert.ok(target > last);
        last = target;
      }
    }),
    { numRuns: 3000 },
  );
});

test("repeated lines are matched by the shortest edit script", () => {
  const letters = fc.array(fc.constantFrom("a", "b"), { minLength: 4, maxLength: 9 });
  const twice = letters.map((all) => [...all, ...all]);
  fc.assert(
    fc.property(twice, twice, (before, after) => {
      const matched = matchLines(before, after).filter((target) => target >= 0).length;
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

test("a unique line is found even if others have moved past it", () => {
  assert.deepEqual(mapLines("a\n}\nonce\n}\nz", "a\n}\n}\nonce\nz", [3]), [4]);
  assert.deepEqual(mapLines("one\ntwo\nthree\nfour", "two\nthree\nfour\none", [1, 2]), [4, 1]);
});

test("random edits: an unchanged line is found again", () => {
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
      for (const [at, target] of mapped.entries()) {
        const there = lines.findIndex(({ from }) => from === at);
        // A unique line must be found; any brace matches any other.
        if (there >= 0 && source[at] !== "}") assert.equal(target, there + 1);
        if (target !== null && source[at] === "}") assert.equal(lines[target - 1]?.text, "}");
      }
    }),
    { numRuns: 300 },
  );
});

test("texts without common lines, and long repetitive ones, finish quickly", () => {
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

test("many slightly changed lines finish quickly", () => {
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
  "a changed line maps to the similar one",
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
test("a line after the end has no match", () =>
  assert.deepEqual(mapLines("a", "a", [1, 2, 9999]), [1, null, null]));
