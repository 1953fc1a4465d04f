/** Bundles that are loaded from V8's code cache. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requireCached } from "#platform/codeCache";
import { eventually } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";

test("a bundle and its packages are cached, and run as they are even if a cache is outdated or damaged", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "vendor"));
  const bundle = join(folder, "bundle.js");
  const vendored = join(folder, "vendor/part.js");
  const write = (version: number) => {
    writeFileSync(
      bundle,
      `module.exports = [${version}, require("./vendor/part.js"), require("node:path").sep];`,
    );
    writeFileSync(vendored, `exports.file = __filename; exports.version = ${version};`);
  };
  const load = () => requireCached(bundle, 0);
  const expected = (version: number) => [version, { file: vendored, version }, join("/")];
  const caches = () =>
    [folder, join(folder, "vendor")].flatMap((parent) => {
      const own = join(parent, ".cache");
      return readdirSync(parent).includes(".cache") ? readdirSync(own).map((name) => join(own, name)) : [];
    });

  // With source maps, as tests run, nothing is cached.
  process.setSourceMapsEnabled(false);
  write(1);
  assert.deepEqual(load(), expected(1));
  await eventually(() => caches().length === 2);
  const first = caches().map((path) => readFileSync(path));
  // Others who may read the bundles may read their caches.
  if (process.platform !== "win32")
    assert.equal(statSync(join(folder, ".cache")).mode & 0o777, 0o755 & ~process.umask());
  assert.deepEqual(load(), expected(1));
  write(2);
  assert.deepEqual(load(), expected(2));
  await eventually(() => caches().every((path, at) => !readFileSync(path).equals(first[at] ?? Buffer.of())));
  for (const path of caches()) {
    const bytes = readFileSync(path);
    bytes.fill(0xff, bytes.length >> 1);
    writeFileSync(path, bytes);
  }
  assert.deepEqual(load(), expected(2));
});
