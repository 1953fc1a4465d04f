import assert from "node:assert/strict";
import { test } from "node:test";
import { repo, temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";

test("fields that every object inherits are unknown to a tool", async () => {
  const args = ["tool", "grep", "pattern=x", "constructor=1", "--data-dir", temporaryFolder()];
  const { stderr, code } = await trawl(args);
  assert.equal(code, 1);
  assert.match(stderr, /^Error: grep has no argument "constructor"\./);
});

test("a result can be printed as JSON", async () => {
  const folder = repo("= main: First\na.ts\n| export const found = 1;\n").path;
  const dataDir = temporaryFolder();
  await trawl(["index", folder, "--data-dir", dataDir]);
  const args = ["tool", "grep", "pattern=found", "--structured", "--data-dir", dataDir];
  const { stdout, code } = await trawl(args);
  assert.equal(code, 0);
  const { files, summary, isExhaustive, matchCount } = JSON.parse(stdout);
  assert.deepEqual(
    [files[0].path, files[0].lines, summary, isExhaustive, matchCount],
    ["a.ts", [{ line: 1, text: "export const found = 1;", isMatch: true }], "1 match in 1 file.", true, 1],
  );
});
