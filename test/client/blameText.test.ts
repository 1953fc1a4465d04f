import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BlamedLines } from "#client/history/blamedLines";
import {
  ageStep,
  ageSteps,
  columnsOf,
  cut,
  formatted,
  gutterColumns,
  gutterText,
  trailWith,
} from "#client/history/blameText";
import { manifest } from "#test/support/client";

const commit = {
  hash: "3f2c1ab9".padEnd(40, "0"),
  date: "2025-11-21T12:00:00+02:00",
  message: "Wait no longer than is bearable",
  authorName: "Ann Author",
  authorEmail: "ann@example.com",
};
const words = { commit, ago: "2 d ago", date: "21 Nov 2025" };

function checkFormat(template: string, expected: string): void {
  test(`the format ${template}`, () => assert.equal(formatted(template, words), expected));
}

const dollar = "$";
checkFormat(
  `${dollar}{author}, ${dollar}{ago} • ${dollar}{message|50}`,
  "Ann Author, 2 d ago • Wait no longer than is bearable",
);
checkFormat(`${dollar}{message|12}`, "Wait no lon…");
checkFormat(`${dollar}{sha} ${dollar}{date} ${dollar}{email}`, "3f2c1ab 21 Nov 2025 ann@example.com");
checkFormat(`${dollar}{constructor} ${dollar}{nothing|3}`, `${dollar}{constructor} ${dollar}{nothing|3}`);
checkFormat("", "");

test("what somebody else wrote stays on its line, and turns no text around", () => {
  const hostile = { ...commit, authorName: "A\nB\u202Ec", message: `${dollar}{author}\r\n</span>` };
  assert.equal(
    formatted(`${dollar}{author}|${dollar}{message}`, { ...words, commit: hostile }),
    `A\uFFFDB\uFFFDc|${dollar}{author}\uFFFD\uFFFD</span>`,
  );
  assert.doesNotMatch(gutterText(hostile, "now"), /[\n\r\u202E]/);
});

test("the column beside the lines is never wider than it is", () => {
  const anything = fc.string({ unit: "grapheme", maxLength: 80 });
  fc.assert(
    fc.property(anything, anything, (authorName, message) => {
      const text = gutterText({ ...commit, authorName, message }, "11/12/2025");
      assert.ok([...text].reduce((sum, character) => sum + columnsOf(character), 0) <= gutterColumns, text);
    }),
  );
  assert.equal(gutterText(commit, "2 d ago"), "Ann Author · 2 d ago · Wait no longer t…");
});

function checkCut(text: string, columns: number, expected: string): void {
  test(`${text} in ${columns} columns`, () => assert.equal(cut(text, columns), expected));
}

checkCut("abc", 3, "abc");
checkCut("abcd", 3, "ab…");
checkCut("ab cd", 4, "ab…");
checkCut("漢字", 4, "漢字");
checkCut("漢字漢", 4, "漢…");
checkCut("漢字漢", 5, "漢字…");
checkCut("abc", 0, "");

test("older lines have later steps, and every age has one", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const steps = [-5, 0.5, 3, 20, 60, 100, 300, 500, 1000, 2000, 9000].map((days) =>
    ageStep(new Date(now - days * 86_400_000).toISOString(), now),
  );
  assert.deepEqual(steps, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(ageStep("no date", now), ageSteps - 1);
});

test("the way back is told by its first and its last steps", () => {
  const hashes = ["1", "2", "3", "4", "5", "6"].map((digit) => digit.repeat(40));
  const trails: string[] = [];
  for (const hash of hashes) trails.push(trailWith(trails.at(-1) ?? "HEAD", hash));
  assert.deepEqual(trails.slice(0, 2), ["HEAD › 1111111", "HEAD › 1111111 › 2222222"]);
  assert.equal(trails.at(-1), "HEAD › … › 4444444 › 5555555 › 6666666");
});

/** WCAG's relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("every step is lighter or darker than the one before, so that who sees no colours sees ages", () => {
  const { colors } = manifest().contributes;
  const steps = Array.from({ length: ageSteps }, (_, step) =>
    colors.find(({ id }) => id === `trawl.blameAge${step}`),
  );
  for (const [theme, direction] of [
    ["dark", -1],
    ["light", 1],
    ["highContrast", -1],
    ["highContrastLight", 1],
  ] as const) {
    const lights = steps.map((colour) => luminance(colour?.defaults[theme] ?? ""));
    for (const [at, light] of lights.entries()) {
      const before = lights[at - 1];
      if (before !== undefined) assert.ok((light - before) * direction > 0.005, `${theme} ${at}`);
    }
  }
});

test("only lines that are not known are asked for", () => {
  const blamed = new BlamedLines();
  const range = (startLine: number, lineCount: number) => ({
    hash: commit.hash,
    path: "a",
    startLine,
    lineCount,
  });
  const commits = { [commit.hash]: commit };
  assert.deepEqual(blamed.missing({ first: 1, last: 9 }), { first: 1, last: 9 });
  blamed.add({ ranges: [range(1, 3), range(6, 1)], commits }, { first: 1, last: 6 });
  assert.deepEqual(blamed.missing({ first: 2, last: 9 }), { first: 4, last: 9 });
  assert.deepEqual(blamed.missing({ first: 2, last: 6 }), { first: 4, last: 5 });
  assert.equal(blamed.missing({ first: 1, last: 3 }), undefined);
  assert.equal(blamed.at(3)?.commit.message, commit.message);
  blamed.add({ ranges: [range(1, 9)], commits });
  assert.ok(blamed.isComplete);
  assert.equal(blamed.missing({ first: 50, last: 60 }), undefined);
});
