import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BlamedLines } from "#client/history/blamedLines";
import {
  ageStep,
  ageSteps,
  columnWidth,
  extendTrail,
  formatBlame,
  gutterColumns,
  gutterText,
  truncate,
} from "#client/history/blameText";
import { shortAge } from "#client/workbench/format";
import { manifest } from "#test/support/client";

const commit = {
  hash: "3f2c1ab9".padEnd(40, "0"),
  date: "2025-11-21T12:00:00+02:00",
  message: "Wait no longer than is bearable",
  authorName: "Ann Author",
  authorEmail: "ann@example.com",
};
const fields = { commit, ago: "2 d ago", date: "21 Nov 2025" };

function checkFormat(template: string, expected: string): void {
  test(`the format ${template}`, () => assert.equal(formatBlame(template, fields), expected));
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

test("untrusted text stays on its line and cannot change the text direction", () => {
  const hostile = { ...commit, authorName: "A\nB\u202Ec", message: `${dollar}{author}\r\n</span>` };
  assert.equal(
    formatBlame(`${dollar}{author}|${dollar}{message}`, { ...fields, commit: hostile }),
    `A\uFFFDB\uFFFDc|${dollar}{author}\uFFFD\uFFFD</span>`,
  );
  assert.doesNotMatch(gutterText(hostile, "now"), /[\n\r\u202E]/);
});

test("the gutter text is never wider than its column", () => {
  const anything = fc.string({ unit: "grapheme", maxLength: 80 });
  fc.assert(
    fc.property(anything, anything, (authorName, message) => {
      const text = gutterText({ ...commit, authorName, message }, "59 min");
      assert.ok([...text].reduce((sum, character) => sum + columnWidth(character), 0) <= gutterColumns, text);
    }),
  );
  assert.equal(gutterText(commit, "2 days"), "Ann Author    2 days   Wait no longer than is b…");
});

test("the gutter text shows 25 columns of the subject after any name and age", () => {
  const message = "abcdefghijklmnopqrstuvwxyz";
  for (const authorName of ["Al", "漢字", "Maximilian von Habsburg"]) {
    for (const age of ["now", "59 days"]) {
      const text = gutterText({ ...commit, authorName, message: message.slice(0, 25) }, age);
      assert.ok(text.endsWith(message.slice(0, 25)), text);
      const before = [...text.slice(0, -25)].reduce((sum, character) => sum + columnWidth(character), 0);
      assert.equal(before, gutterColumns - 25);
    }
  }
});

function checkCut(text: string, columns: number, expected: string): void {
  test(`${text} in ${columns} columns`, () => assert.equal(truncate(text, columns), expected));
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

test("a long trail is abbreviated in the middle", () => {
  const hashes = ["1", "2", "3", "4", "5", "6"].map((digit) => digit.repeat(40));
  const trails: string[] = [];
  for (const hash of hashes) trails.push(extendTrail(trails.at(-1) ?? "HEAD", hash));
  assert.deepEqual(trails.slice(0, 2), ["HEAD › 1111111", "HEAD › 1111111 › 2222222"]);
  assert.equal(trails.at(-1), "HEAD › … › 4444444 › 5555555 › 6666666");
});

/** WCAG's relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("age steps differ in luminance, so that they do not depend on color vision", () => {
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
    const lights = steps.map((color) => luminance(color?.defaults[theme] ?? ""));
    for (const [at, light] of lights.entries()) {
      const before = lights[at - 1];
      if (before !== undefined) assert.ok((light - before) * direction > 0.005, `${theme} ${at}`);
    }
  }
});

test("only unknown lines are missing", () => {
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

test("an age in months is rounded", () => {
  const day = 86_400_000;
  const ages = [59, 60, 76, 77, 729].map((days) => shortAge(0, days * day));
  assert.deepEqual(ages, ["59 days", "2 mo", "2 mo", "3 mo", "24 mo"]);
});
