import assert from "node:assert/strict";
import { test } from "node:test";
import { linesFragment, linesOfSelection, linesText, revisionTitle } from "#client/documents/revisionTitle";

const commit = "b7485bf27e7acfc65aadd34495fec29293a451be";

test("a title names a commit as the user did, unless that is an abbreviated SHA", () => {
  const rows: [ref: string, title: string | undefined][] = [
    ["refs/tags/v1.0.0", "v1.0.0"],
    ["refs/heads/feature/a", "feature/a"],
    ["refs/remotes/origin/main", "origin/main"],
    ["main~2", "main~2"],
    [commit, undefined],
    ["b7485bf", undefined],
    ["B7485BF", undefined],
    // A branch name that looks like another commit.
    ["cafe", "cafe"],
    ["b74", "b74"],
  ];
  for (const [ref, title] of rows) assert.equal(revisionTitle(ref, commit), title, ref);
});

test("a selection becomes a line range and a URL fragment", () => {
  const at = (line: number, character: number) => ({ line, character });
  const rows: [start: ReturnType<typeof at>, end: ReturnType<typeof at>, text: string, fragment: string][] = [
    [at(0, 0), at(0, 0), "1", "L1"],
    [at(9, 4), at(9, 8), "10", "L10"],
    [at(9, 0), at(11, 3), "10-12", "L10-L12"],
    // Selecting a whole line puts the end at the start of the next one.
    [at(9, 0), at(10, 0), "10", "L10"],
    [at(9, 0), at(12, 0), "10-12", "L10-L12"],
  ];
  for (const [start, end, text, fragment] of rows) {
    const lines = linesOfSelection(start, end);
    assert.equal(linesText(lines), text);
    assert.equal(linesFragment(lines), fragment);
  }
});
