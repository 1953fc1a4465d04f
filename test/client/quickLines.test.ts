import assert from "node:assert/strict";
import { test } from "node:test";
import { quickLines } from "#client/quick/quickLines";
import type { FileMatch } from "#contract/search";
import { fileMatch as file } from "#test/support/fileMatch";

function check(name: string, files: readonly FileMatch[], expected: readonly string[]): void {
  test(name, () => {
    assert.deepEqual(
      quickLines(files).map(
        ({ file, text, location, range }) => `${file.repository} ${location} [${range}] ${text}`,
      ),
      expected,
    );
  });
}

check(
  "lines are grouped by repository, in the order of the repositories' best files",
  [
    file("a", "x.ts", { number: 3, text: "  one" }),
    file("bb", "y.ts", { number: 1, text: "two" }),
    file("a", "z.ts", { number: 9, text: "three\t\tfour" }),
  ],
  ["a x.ts:3 [0] one", "a z.ts:9 [0] three four", "bb y.ts:1 [0] two"],
);
check(
  "several matches on a line are one line, and later ranges keep their index",
  [file("a", "x", { number: 1, text: "m m", matches: 2 }, { number: 5, text: "m" })],
  ["a x:1 [0] m m", "a x:5 [2] m"],
);
check("a file that was found by its name is one line", [file("a", "dir/x.ts")], ["a  [0] dir/x.ts"]);
check(
  "a line shows no icons, and its length is limited",
  [file("a", "x", { number: 1, text: `$(alert) \u202e${"y".repeat(300)}` })],
  [`a x:1 [0] $\u200b(alert) ${"y".repeat(191)}…`],
);
