import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";

test("fields that every object inherits are unknown to a tool", async () => {
  const args = ["tool", "grep", "pattern=x", "constructor=1", "--data-dir", temporaryFolder()];
  const { stderr, code } = await trawl(args);
  assert.equal(code, 1);
  assert.match(stderr, /^Error: grep has no argument "constructor"\./);
});
