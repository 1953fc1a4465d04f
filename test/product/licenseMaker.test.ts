/** A build that knows its maker: licences count without any configuration, and those of others do not. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { projectRoot } from "#test/support/house";
import { licenseOf, type Maker, newMaker } from "#test/support/organisation";
import { temporaryFolder } from "#test/support/repo";

/** As an extension lies: the bundles in a folder beside what names their version. */
const home = join("out", `license-maker-${process.pid}`);
const to = join(home, "dist");
const maker = newMaker();

function build(licenseMaker: string) {
  return spawnSync(process.execPath, ["build.mjs", "server", `--to=${to}`], {
    cwd: projectRoot(),
    env: { ...process.env, TRAWL_LICENSE_MAKER: licenseMaker },
    encoding: "utf8",
  });
}

/** Installs a licence in a new instance of this build. */
function install(by: Maker, trusted: readonly string[] = []) {
  const folder = temporaryFolder();
  const [file, config] = [join(folder, "trawl.license"), join(folder, "trawl.jsonc")];
  writeFileSync(file, licenseOf({}, by));
  writeFileSync(config, JSON.stringify({ licenseMakers: trusted }), { mode: 0o600 });
  const bundle = join(projectRoot(), to, "server/trawl.js");
  const args = ["license", "install", file, "--data-dir", join(folder, "data"), "--config", config];
  return spawnSync(process.execPath, [bundle, ...args], { cwd: folder, encoding: "utf8" });
}

before(() => {
  const { status, stderr } = build(maker.publicKey);
  assert.equal(status, 0, stderr);
  copyFileSync(join(projectRoot(), "package.json"), join(projectRoot(), home, "package.json"));
});
after(() => rmSync(join(projectRoot(), home), { recursive: true, force: true }));

test("the licence of the build's maker counts", () => {
  const { status, stdout, stderr } = install(maker);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Licensed to Example until /);
});

test("that of another maker counts only where the operator trusts them, too", () => {
  const other = newMaker();
  const refused = install(other);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /signed by somebody whose licences do not count here/);
  assert.equal(install(other, [other.publicKey]).status, 0);
  assert.equal(install(maker, [other.publicKey]).status, 0);
});

test("what is no key makes no build", () => {
  const { status, stderr } = build("-----BEGIN PUBLIC KEY-----");
  assert.equal(status, 1);
  assert.match(stderr, /TRAWL_LICENSE_MAKER is no public key/);
});
