/** What users see of repositories that a code host serves over HTTP with credentials. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "#test/support/eventually";
import { gitServer } from "#test/support/gitServer";
import { temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const account = { user: "svc", password: "c4nary-t0ken" };
const env = { CODE_TOKEN: `${account.password}\n` };

async function world(t: Parameters<typeof gitServer>[0], change: object = {}) {
  const server = await gitServer(t);
  server.credentials = account;
  for (const name of ["shop", "tools"])
    server.create(`acme/${name}`, `= trunk: One\nsrc/${name}.ts\n| export const ${name} = 1;`);
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const file = join(folder, "trawl.json");
  const connection = {
    type: "genericGitHost",
    url: server.origin,
    allowHttp: true,
    user: account.user,
    token: { env: "CODE_TOKEN" },
    include: { repos: ["acme/shop.git", "acme/tools.git"] },
    ...change,
  };
  writeFileSync(file, JSON.stringify({ connections: { main: connection } }), { mode: 0o600 });
  const { host } = new URL(server.origin);
  return { server, dataDir, file, host, flags: ["--config", file] };
}

test("a clone that is killed is repeated, and no secret is in a command line, file or log", async (t) => {
  const { server, dataDir, host, flags } = await world(t);
  server.mode = { kind: "stalled" };
  const killed = await serve(dataDir, [], { flags, env });
  t.after(() => killed.kill());
  await eventually(() => server.isStalling);
  const names = [`${host}/acme/shop`, `${host}/acme/tools`];
  const cloning = (await killed.repositories()).filter(({ state }) => state === "cloning");
  assert.ok(cloning.length > 0);
  assert.deepEqual(processesThatMention(account.password), []);
  await killed.kill();
  assert.ok(readdirSync(join(dataDir, "mirrors")).some((name) => name.endsWith(".cloning")));
  const left = processesThatMention(server.origin);
  assert.equal(left.length > 0, process.platform === "linux");

  const served = await serve(dataDir, [], { flags, env });
  t.after(() => served.kill());
  // What git processes of the killed server still wrote could mix with what the next ones write.
  assert.deepEqual(
    processesThatMention(server.origin).filter((pid) => left.includes(pid)),
    [],
  );
  server.mode = { kind: "open" };
  const repositories = await eventually(async () => {
    const found = await served.repositories();
    return found.length === 2 && found.every(({ state }) => state === "ready") && found;
  });
  assert.deepEqual(
    repositories.map(({ repoName, defaultBranch }) => [repoName, defaultBranch]),
    names.map((name) => [name, "trunk"]),
  );
  const { files } = await served.search("export const shop");
  assert.deepEqual(
    files.map(({ fileName, repository }) => [repository, fileName.text]),
    [[names[0], "src/shop.ts"]],
  );
  assert.deepEqual(readdirSync(join(dataDir, "mirrors")).sort(), ["1.git", "2.git"]);

  const status = await trawl(["hosts", "status", "--data-dir", dataDir, ...flags], undefined, { env });
  assert.match(status.stdout, /^main\n {2}genericGitHost http:.*\n {2}listed .*\n {2}2 mirrored\n/);
  const plan = await trawl(["hosts", "plan", "--data-dir", dataDir, ...flags], undefined, { env });
  assert.match(plan.stdout, /0 added, 0 renamed, 0 removed, 0 excluded, 2 kept/);
  assert.equal(plan.code, 0, plan.stderr);

  const { stdout, stderr } = await served.stop();
  const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  const all = [stdout, stderr, status.stdout, status.stderr, plan.stdout, ...stored].join("\n");
  assert.doesNotMatch(all, /c4nary/);
});

/** Returns the processes whose command line contains a text; none except on Linux. */
function processesThatMention(text: string): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

test("trawl hosts plans without changing anything, and syncs one connection", async (t) => {
  const { dataDir, flags, file } = await world(t, {
    exclude: { names: ["acme/t*"] },
    include: { repos: [] },
  });
  const run = (...args: readonly string[]) =>
    trawl(["hosts", ...args, "--data-dir", dataDir, ...flags], undefined, { env });
  const refused = await run("plan");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /trawl\.json: "connections\.main\.include" must name what to list/);

  const configuration = JSON.parse(readFileSync(file, "utf8"));
  configuration.connections.main.include = { repos: ["acme/shop.git"] };
  writeFileSync(file, JSON.stringify(configuration));
  const plan = await run("plan", "main");
  assert.match(plan.stdout, /^main\n {2}\+ acme\/shop\n {2}1 added, /);
  const synced = await run("sync");
  assert.match(synced.stdout, /\+ acme\/shop/);
  assert.match((await run("status")).stdout, /1 waiting/);
  assert.match((await run("confirm", "main")).stdout, /nothing to confirm/);
  const unknown = await run("plan", "other");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no connection "other". Connections: main\./);
});
