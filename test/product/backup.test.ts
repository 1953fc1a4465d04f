/** A backup restores the repositories, members and keys of a server on another computer. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually } from "#test/support/eventually";
import { gitServer } from "#test/support/gitServer";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const folder = temporaryFolder();
const clones = join(folder, "clones");
const backup = join(folder, "trawl.gz");
const config = join(folder, "trawl.json");
const flags = ["--config", config];
let key = "";
let names: readonly string[] = [];
/** What `before` started. Its own `after` would run too early. */
const started: (() => unknown)[] = [];
after(async () => {
  for (const end of started) await end();
});

async function readyNames(served: Served, count: number): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${key}` };
  return await eventually(async () => {
    const response = await fetch(`${served.url}/api/repos`, { headers });
    const found = (await response.json()) as { readonly repoName: string; readonly state: string }[];
    const isReady = found.length === count && found.every(({ state }) => state === "ready");
    return response.ok && isReady && found.map(({ repoName }) => repoName);
  });
}

before(async () => {
  const server = await gitServer({ after: (end) => void started.push(end as () => unknown) });
  server.create("acme/shop", "= trunk: One\nsrc/shop.ts\n| export const shop = 1;");
  mkdirSync(clones);
  for (const name of ["api", "old", "web"])
    repo(`= main: First\n${name}.ts\n| export const needle = 1;`, { path: join(clones, name) });
  const include = { repos: ["acme/shop.git"] };
  const main = { type: "genericGitHost", url: server.origin, allowHttp: true, include };
  writeFileSync(config, JSON.stringify({ connections: { main } }), { mode: 0o600 });

  const dataDir = join(folder, "data");
  const run = async (...words: string[]) => {
    const ended = await trawl([...words, "--data-dir", dataDir, ...flags]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };
  const served = await serve(dataDir, [clones], { flags: [...flags, "--anonymous", "off"] });
  try {
    await run("members", "add", "bob@example.com");
    key = (await run("keys", "create", "scripts", "--member", "bob@example.com")).trim();
    await run("remove", join(clones, "old"));
    names = await readyNames(served, 3);
    assert.match(
      await run("backup", backup),
      /^Backed up 2 members, 1 API key, \d+ audit records, 1 path, 1 mirror\.\n$/,
    );
  } finally {
    await served.stop();
  }
});

test("restored to an empty data directory, it gives the same repositories, members and keys", async (t) => {
  const dataDir = join(temporaryFolder(), "data");
  // The configuration is not there yet.
  const restored = await trawl(["restore", backup, "--data-dir", dataDir]);
  assert.match(
    restored.stdout,
    /^Restored 2 members, 1 API key, \d+ audit records, 1 path, 1 mirror\.\n$/,
    restored.stderr,
  );
  const hosts = await trawl(["hosts", "status", "--data-dir", dataDir, ...flags]);
  assert.match(hosts.stdout, /1 waiting/, hosts.stdout + hosts.stderr);
  const served = await serve(dataDir, [], { flags: [...flags, "--anonymous", "off"] });
  t.after(() => served.kill());
  assert.deepEqual(await readyNames(served, 3), names);
  const members = await trawl(["members", "list", "--data-dir", dataDir]);
  assert.match(members.stdout, /bob@example\.com/);
});

test("restored while a server runs, it is indexed at once", async (t) => {
  const dataDir = join(temporaryFolder(), "data");
  const empty = temporaryFolder();
  const served = await serve(dataDir, [empty], { flags: [...flags, "--anonymous", "off"] });
  t.after(() => served.kill());
  const restored = await trawl(["restore", backup, "--data-dir", dataDir]);
  assert.match(restored.stdout, /^Restored 2 members, 1 API key, \d+ audit records, 1 path/, restored.stderr);
  // The added folder, in which there is no repository, is one itself.
  const found = await readyNames(served, 4);
  assert.deepEqual(
    names.filter((name) => !found.includes(name)),
    [],
  );
});
