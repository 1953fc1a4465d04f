import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { checkDataFormat } from "#entry/dataFormat";
import { diskFiles } from "#platform/files";
import { temporaryFolder } from "#test/support/repo";

/** What the folder holds after the check of one whose `format` is `text`. */
function check(text: string | undefined): { format: string; keepsShards: boolean } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "shards"));
  if (text !== undefined) writeFileSync(join(folder, "format"), text);
  checkDataFormat(folder, diskFiles);
  return {
    format: readFileSync(join(folder, "format"), "utf8"),
    keepsShards: existsSync(join(folder, "shards")),
  };
}

test("a new folder gets the present format", () => {
  assert.deepEqual(check(undefined), { format: "1\n", keepsShards: true });
});

test("the present format is left alone", () => {
  assert.deepEqual(check("1\n"), { format: "1\n", keepsShards: true });
});

for (const text of ["0\n", "", "garbage"]) {
  test(`what an older Trawl has indexed is built anew: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(check(text), { format: "1\n", keepsShards: false });
  });
}

test("a newer format is refused by its number", () => {
  assert.throws(
    () => check("2\n"),
    (error) =>
      isServiceError(error, "STORAGE_FAILED") &&
      /newer Trawl \(format 2; this one knows 1\)/.test(error.message),
  );
});
