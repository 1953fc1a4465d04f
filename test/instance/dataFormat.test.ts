import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { checkDataFormat } from "#instance/dataFormat";
import { diskFiles } from "#platform/files";
import { temporaryFolder } from "#test/support/repo";

/** Checks a data directory whose `format` file contains `text`, and returns its state afterwards. */
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

test("a new data directory gets the current format", () => {
  assert.deepEqual(check(undefined), { format: "1\n", keepsShards: true });
});

test("the current format is not changed", () => {
  assert.deepEqual(check("1\n"), { format: "1\n", keepsShards: true });
});

for (const text of ["0\n", "", "garbage"]) {
  test(`shards of another format are deleted: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(check(text), { format: "1\n", keepsShards: false });
  });
}

test("a newer format is refused", () => {
  assert.throws(
    () => check("2\n"),
    (error) =>
      isServiceError(error, "STORAGE_FAILED") &&
      /newer Trawl \(format 2; this one supports up to 1\)/.test(error.message),
  );
});
