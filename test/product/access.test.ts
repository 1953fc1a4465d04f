/** Keys, licenses and the audit log of a running instance: its processes, files, port and editor. */
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import type { AuditRecord, CreatedKey, License, Member } from "#contract/organization";
import type { Page } from "#contract/service";
import { openEditor } from "#test/support/editor";
import { audience, startIssuer } from "#test/support/issuer";
import { newLicenseKeys } from "#test/support/organization";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const folder = temporaryFolder();
const dataDir = join(folder, "data");
const config = join(folder, "trawl.jsonc");
const source = repo("= main: First\none.txt\n| needle\n", { path: join(folder, "one") });
const maker = newLicenseKeys();
let license: string;

const run = (...args: string[]) => trawl([...args, "--data-dir", dataDir, "--config", config], folder);

before(async () => {
  writeFileSync(config, JSON.stringify({ licenseMakers: [maker.publicKey] }), { mode: 0o600 });
  writeFileSync(join(folder, "maker.pem"), maker.privateKey, { mode: 0o600 });
  const issue = ["license", "issue", "--key", "maker.pem", "--organization", "Example", "--expires"];
  const issued = await trawl([...issue, "2999-12-31", "--seats", "3"], folder);
  assert.equal(issued.code, 0, issued.stderr);
  assert.match(issued.stderr, new RegExp(`public key ${maker.publicKey}\n$`));
  license = join(folder, "trawl.license");
  writeFileSync(license, issued.stdout);
});

test("a license is issued, installed and shown", async () => {
  const none = await run("license", "show");
  assert.equal(none.code, 1);
  assert.match(none.stdout, /No license is installed/);
  const installed = await run("license", "install", license);
  assert.equal(installed.code, 0, installed.stderr);
  assert.match(
    installed.stdout,
    /^Licensed to Example until 2999-12-31.*\n +issued to +Example\n +members +up to 3\n +expires .*\n +features +organization, audit, oauth\n$/,
  );
  const found = JSON.parse((await run("license", "show", "--json")).stdout) as License;
  assert.deepEqual([found.state, found.organization, found.seats], ["valid", "Example", 3]);
  // An instance that does not trust the issuer.
  const elsewhere = ["--data-dir", join(folder, "elsewhere")];
  const refused = await trawl(["license", "install", license, ...elsewhere], folder);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /signed by an issuer that this instance does not trust/);
});

test("licenseMakers is refused in a configuration file that other users can write to", async () => {
  chmodSync(config, 0o666);
  const refused = await run("license", "show");
  chmodSync(config, 0o600);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /sets "licenseMakers", but other users can write to it/);
});

for (const [args, message] of [
  [["license"], /license requires a subcommand: show, install FILE, reset-clock, or issue/],
  [["license", "install"], /license install requires a FILE/],
  [["license", "install", "nowhere"], /Cannot read .*nowhere/],
  [["license", "issue", "--organization", "x"], /requires --expires/],
  [["license", "issue", "--organization", "x", "--expires", "soon"], /--expires must be a date/],
  [["license", "issue", "--organization", "x", "--expires", "2030-01-01"], /requires --key/],
] as const) {
  test(`trawl ${args.join(" ")}`, async () => {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}

test("keys and members that the editor manages take effect on all ports at once", async (t) => {
  const args = ["--config", config, "--port", "0"];
  const editor = await openEditor(dataDir, { folders: [source.path], args }, t);
  const ask = <Response>(operation: string, request: object = {}) =>
    editor.call<Response>(operation, request);
  const { url } = await ask<{ url: string }>("instance");
  const follower = await serve(dataDir, [], { flags: ["--config", config, "--anonymous", "off"] });
  t.after(() => follower.kill());
  assert.notEqual(follower.url, url);
  const status = async (address: string, path: string, key?: string, method = "GET") => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${address}${path}`, { method, headers });
    const { errorCode } = (await response.json()) as { readonly errorCode?: string };
    return `${response.status} ${errorCode ?? ""}`.trim();
  };

  // The editor's port is open as long as there is no key; the follower was started with --anonymous off.
  assert.equal(await status(url, "/api/repos"), "200");
  assert.equal(await status(follower.url, "/api/repos"), "401 NOT_AUTHENTICATED");
  const own = await ask<CreatedKey>("createKey", { name: "scripts" });
  assert.match(own.key, /^trwl_[\w-]{43}$/);
  assert.equal(await status(url, "/api/repos"), "401 NOT_AUTHENTICATED");

  const bob = await ask<Member>("addMember", { email: "bob@example.com", name: "Bob" });
  const bobs = await ask<CreatedKey>("createKey", { name: "bob's", userId: bob.id });
  for (const address of [url, follower.url]) {
    assert.equal(await status(address, "/api/repos", own.key), "200");
    assert.equal(await status(address, "/api/ee/users", own.key), "200");
    assert.equal(await status(address, "/api/ee/users", bobs.key), "403 INSUFFICIENT_PERMISSIONS");
    assert.equal(await status(address, "/api/repos", `${own.key.slice(0, -1)}!`), "401 NOT_AUTHENTICATED");
    assert.equal(await status(address, "/api/ee/user", own.key, "DELETE"), "400 INVALID_QUERY_PARAMS");
  }
  assert.equal(await status(follower.url, `/api/ee/user?userId=${bob.id}`, own.key, "DELETE"), "200");
  for (const address of [url, follower.url]) {
    assert.equal(await status(address, "/api/repos", bobs.key), "401 NOT_AUTHENTICATED");
  }

  // The same operations over LSP, as the local user.
  const users = await ask<Member[]>("users");
  assert.equal(users.length, 1);
  assert.notEqual(users[0]?.lastActivityAt, null);
  const { items, total } = await ask<Page<AuditRecord>>("audit", { perPage: 100 });
  assert.equal(total, items.length);
  assert(items.some(({ action, targetId }) => action === "user.delete" && targetId === bob.id));
  const [created] = items.filter(({ action }) => action === "api_key.created");
  assert.deepEqual(created?.metadata, { source: "editor" });
  await assert.rejects(ask("removeUser", { userId: users[0]?.id }), /last owner/);

  await editor.close();
  const { stdout, stderr } = await follower.stop();
  const output = [stdout, stderr, ...editor.log].join("\n");
  const contents = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name)).toString("latin1"));
  for (const secret of [own.key, bobs.key]) {
    assert(!output.includes(secret), "a key is in the log");
    assert(!contents.some((text) => text.includes(secret)), "a key is on disk");
  }
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith("trawl.db"))) {
    assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, name);
  }
});

test("the built server accepts access tokens", async (t) => {
  const issuer = await startIssuer({ eve: { email: "eve@example.com", email_verified: true } });
  t.after(() => issuer.close());
  const withIssuer = join(folder, "oauth.jsonc");
  const oauth = { issuer: issuer.url, audience };
  writeFileSync(withIssuer, JSON.stringify({ licenseMakers: [maker.publicKey], oauth }), { mode: 0o600 });
  assert.equal((await run("members", "add", "eve@example.com")).code, 0);
  const server = await serve(dataDir, [], { flags: ["--config", withIssuer, "--anonymous", "off"] });
  t.after(() => server.kill());
  const status = async (token: string) =>
    (await fetch(`${server.url}/api/repos`, { headers: { authorization: `Bearer ${token}` } })).status;
  const token = await issuer.token("eve");
  assert.equal(await status(token), 200);
  assert.equal(await status(token.slice(0, -4)), 401);
  assert.equal(await status(await issuer.token("eve", "https://elsewhere.example.com")), 401);
  const { stdout, stderr } = await server.stop();
  assert(!`${stdout}${stderr}`.includes(token.slice(-20)));

  const unsafe = join(folder, "unsafe.jsonc");
  writeFileSync(unsafe, JSON.stringify({ oauth: { ...oauth, issuer: "http://login.example.com" } }));
  const refused = await trawl(["serve", "--data-dir", dataDir, "--config", unsafe], folder);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /"oauth.issuer" must be an https:/);
});
