/** Tokens that editors keep: lent to the leader while the editor is open, and never written. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CodeHostStatus } from "#contract/codeHosts";
import type { RepositoryItem } from "#contract/repositories";
import type { Page } from "#contract/service";
import { readConfigurationFile } from "#instance/configuration";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { type GitServer, gitServer } from "#test/support/gitServer";
import { formsOf, watchProcesses } from "#test/support/processWatch";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const account = { user: "svc", password: "3d1tor-t0ken/with+=%&ü" };
const secretForms = formsOf(account.password, account.user);
const entry = (fingerprint: string) => JSON.stringify({ "/acme/shop.git": { fingerprint } });

async function protectedHost(t: TestContext): Promise<GitServer> {
  const host = await gitServer(t);
  host.credentials = account;
  host.create("acme/shop", "= main: One\na.ts\n| export const shop = 1;");
  host.files.set("/manifest.js", entry("1"));
  return host;
}

function settingsOf(origin: string): object {
  return {
    type: "genericGitHost",
    url: origin,
    allowHttp: true,
    user: account.user,
    token: { editor: "work" },
    include: { manifest: "/manifest.js" },
    sync: { fetchMin: "10s" },
  };
}

/** Lends the token, and resolves when it can be used. */
async function lend(editor: Editor, origin: string, token = account.password): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const tokens = [{ name: "work", origin, token }];
    editor.follow("holdCodeHostTokens", { tokens }, () => resolve()).ended.catch(reject);
  });
}

const namesIn = async (editor: Editor) =>
  (await editor.call<Page<RepositoryItem>>("repos")).items.map(
    ({ repoName, state }) => `${repoName.replace(/^.*?\//, "")} ${state}`,
  );
const statusIn = async (editor: Editor) =>
  (await editor.call<readonly CodeHostStatus[]>("codeHosts"))[0] as CodeHostStatus;

test("a leader without the token waits for an editor that has it, and loses nothing when that is closed", async (t) => {
  const host = await protectedHost(t);
  const dataDir = join(temporaryFolder(), "data");
  const watch = await watchProcesses(secretForms);
  const served = await serve(dataDir);
  t.after(() => served.kill());
  const editor = await openEditor(dataDir, {}, t);
  await lend(editor, host.origin);
  await editor.call("addCodeHost", { name: "work", settings: settingsOf(host.origin) });
  await eventuallyEqual(() => namesIn(editor), ["acme/shop ready"]);
  assert.deepEqual((await statusIn(editor)).signIn, { token: "work", isNeeded: false });
  await editor.close();

  const run = (command: string) => trawl(["hosts", command, "--data-dir", dataDir]);
  const synced = await run("sync");
  assert.match(synced.stdout, /The token "work" is kept by VS Code.*Open VS Code to sign in\./);
  const shop = repo("", { bare: true, path: host.folderOf("acme/shop") });
  shop.more("= main: Two\nb.ts\n| let pushedLater;");
  host.files.set("/manifest.js", entry("2"));
  const status = await run("status");
  assert.match(status.stdout, /1 mirrored/);
  assert.match(status.stdout, /Open VS Code to sign in/);
  assert.equal((await served.search("export const shop")).files.length, 1);

  // Another editor connects with a revoked token, then replaces it with a valid one.
  const next = await openEditor(dataDir, {}, t);
  assert.deepEqual((await statusIn(next)).signIn, { token: "work", isNeeded: true });
  await lend(next, host.origin, "revoked");
  await eventually(async () => /refused/.test((await statusIn(next)).problems[0]?.message ?? ""));
  assert.deepEqual((await statusIn(next)).signIn, { token: "work", isNeeded: true });
  await lend(next, host.origin);
  await eventually(async () => (await served.search("pushedLater")).files.length === 1);
  const { signIn, problems } = await statusIn(next);
  assert.deepEqual([signIn, problems], [{ token: "work", isNeeded: false }, []]);

  const texts = [synced, status].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  texts.push(await (await fetch(`${served.url}/metrics`)).text(), ...next.log, ...editor.log);
  const calls = [next.call("codeHosts"), next.call("planCodeHost", { name: "work" }), next.call("instance")];
  texts.push(JSON.stringify(await Promise.all(calls)));
  await next.close();
  const { stdout, stderr } = await served.stop();
  const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name)));
  assert.ok(stored.length > 10);
  const all = [...stored, ...[...texts, stdout, stderr].map((text) => Buffer.from(text))];
  const leaks = all.filter((bytes) => secretForms.some((form) => bytes.includes(form)));
  assert.deepEqual(leaks.map(String), []);
  const { commandLines, variables } = await watch.stop();
  assert.deepEqual(commandLines, []);
  assert.deepEqual(
    variables.filter(
      (each) => !/^TRAWL_GIT_PASSWORD: .*(git|git-remote-http|git-credential-trawl) /.test(each),
    ),
    [],
  );
});

test("the next leader gets the tokens of the editors that are left, and sends each only to its host", async (t) => {
  const host = await protectedHost(t);
  const other = await gitServer(t);
  other.files.set("/manifest.js", entry("1"));
  const dataDir = join(temporaryFolder(), "data");
  const leader = await openEditor(dataDir, {}, t);
  const follower = await openEditor(dataDir, {}, t);
  await lend(leader, host.origin);
  await lend(follower, host.origin);
  await leader.kill();
  await follower.call("addCodeHost", { name: "work", settings: settingsOf(host.origin) });
  await eventuallyEqual(() => namesIn(follower), ["acme/shop ready"]);

  await assert.rejects(
    follower.call("holdCodeHostTokens", {
      tokens: [{ name: "n", origin: host.origin, token: "two\nlines" }],
    }),
    /The token "n" is empty, or contains a line break/,
  );
  const plan = await follower.call<{ problems: readonly { message: string }[] }>("checkCodeHost", {
    name: "other",
    settings: settingsOf(other.origin),
  });
  assert.match(
    plan.problems[0]?.message ?? "",
    /The token "work" is for http.*, not for http.*Sign in again/,
  );
  assert.deepEqual(other.authorizations, []);

  await follower.call("removeCodeHost", { name: "work" });
  await eventuallyEqual(() => namesIn(follower), []);
  assert.equal(readFileSync(join(dataDir, "connections.jsonc"), "utf8").includes("work"), false);
  await assert.rejects(follower.call("removeCodeHost", { name: "work" }), /no connection "work"/);
});

test("the configuration file cannot name a token that an editor keeps", () => {
  const file = join(temporaryFolder(), "trawl.json");
  writeFileSync(file, JSON.stringify({ connections: { work: settingsOf("http://git") } }), { mode: 0o600 });
  assert.throws(() => readConfigurationFile(file), /"connections\.work\.token" must be \{"env": "NAME"\} or/);
});
