import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { readSecret, Secret } from "#hosts/secret";

const folder = mkdtempSync(join(tmpdir(), "trawl-secret-"));
after(() => rmSync(folder, { recursive: true }));

function secretFile(content: string): { readonly file: string } {
  const file = join(folder, `${content.length}`);
  writeFileSync(file, content);
  return { file };
}

test("a secret prints as [secret], also in other values", () => {
  const value = { token: new Secret("hunter2") };
  const printed = [
    `${value.token}`,
    JSON.stringify(value),
    inspect(value, { showHidden: true, depth: null }),
  ];
  for (const text of printed) {
    assert.match(text, /\[secret\]/);
    assert.doesNotMatch(text, /hunter2/);
  }
});

test("a secret is read from a file, again after it was replaced", async () => {
  const { file } = secretFile("first\r\n");
  assert.equal((await readSecret({ file })).reveal(), "first");
  writeFileSync(file, "second \n");
  assert.equal((await readSecret({ file })).reveal(), "second");
});

test("a secret is read from the environment", async () => {
  process.env["TRAWL_TEST_SECRET"] = "from environment\n";
  assert.equal((await readSecret({ env: "TRAWL_TEST_SECRET" })).reveal(), "from environment");
});

const refused: readonly [title: string, source: () => { env?: string; file?: string }, message: RegExp][] = [
  ["a missing variable", () => ({ env: "TRAWL_TEST_MISSING" }), /variable TRAWL_TEST_MISSING is not set/],
  [
    "a missing file",
    () => ({ file: join(folder, "missing") }),
    /Cannot read the secret in .*missing: ENOENT/,
  ],
  ["an empty file", () => secretFile("\n"), /is empty/],
  ["a line break within the secret", () => secretFile("hunter2\nhunter3"), /contains a line break/],
  ["a file that is too large", () => secretFile("x".repeat(100_000)), /not a file of at most 64 KiB/],
  ["a folder", () => ({ file: folder }), /not a file of at most 64 KiB/],
];

for (const [title, source, message] of refused) {
  test(`${title} is refused, without printing what was read`, async () => {
    await assert.rejects(readSecret(source()), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(inspect(error), /hunter/);
      return true;
    });
  });
}
