import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lineChanges } from "#client/text/textChange";

function check(before: string, after: string, expected: readonly string[]): void {
  test(`"${before}" to "${after}"`, () => {
    const changes = lineChanges([...before], [...after]);
    assert.deepEqual(
      changes.map(({ start, end, lines }) => `${start}-${end} ${lines.join("")}`),
      expected,
    );
  });
}

check("abc", "abc", []);
check("", "ab", ["0-0 ab"]);
check("ab", "", ["0-2 "]);
check("abcde", "abXde", ["2-3 X"]);
check("abcdef", "aXcdYf", ["1-2 X", "4-5 Y"]);
check("abc", "aabbc", ["1-1 ab"]);
check("xabc", "abcy", ["0-1 ", "4-4 y"]);

function applied(before: readonly string[], after: readonly string[]): string[] {
  const text = [...before];
  for (const { start, end, lines } of lineChanges(before, after).toReversed())
    text.splice(start, end - start, ...lines);
  return text;
}

test("applying the changes turns one text into the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 });
  fc.assert(fc.property(lines, lines, (before, after) => assert.deepEqual(applied(before, after), after)));
});

test("texts that have little in common are replaced quickly", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `a${index}`);
  const after = Array.from({ length: 20_000 }, (_, index) => `b${index}`);
  assert.deepEqual(lineChanges(before, after), [{ start: 0, end: 20_000, lines: after }]);
});
