/** A build with a built-in license key: its licenses are valid without configuration, others are not. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { projectRoot } from "#test/support/house";
import { type LicenseKeys, licenseOf, newLicenseKeys } from "#test/support/organization";
import { temporaryFolder } from "#test/support/repo";

/** The layout of the installed extension: the bundles in a folder next to package.json. */
const home = join("out", `license-maker-${process.pid}`);
const to = join(home, "dist");
const maker = newLicenseKeys();

function build(licenseMaker: string) {
  return spawnSync(process.execPath, ["build.mjs", "server", `--to=${to}`], {
    cwd: projectRoot(),
    env: { ...process.env, TRAWL_LICENSE_MAKER: licenseMaker },
    encoding: "utf8",
  });
}

/** Installs a license in a new instance of this build. */
function install(by: LicenseKeys, trusted: readonly string[] = []) {
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

test("a license of the built-in issuer is valid", () => {
  const { status, stdout, stderr } = install(maker);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Licensed to Example until /);
});

test("a license of another issuer is valid only if the configuration trusts it", () => {
  const other = newLicenseKeys();
  const refused = install(other);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /signed by an issuer that this instance does not trust/);
  assert.equal(install(other, [other.publicKey]).status, 0);
  assert.equal(install(maker, [other.publicKey]).status, 0);
});

test("a build with an invalid key fails", () => {
  const { status, stderr } = build("-----BEGIN PUBLIC KEY-----");
  assert.equal(status, 1);
  assert.match(stderr, /TRAWL_LICENSE_MAKER must be a public key/);
});
