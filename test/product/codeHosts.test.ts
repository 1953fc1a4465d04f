/** What users see of repositories that a code host serves over HTTP with credentials. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FakeHost, manyRepositories } from "#test/hosts/fakeHost";
import { github } from "#test/hosts/githubDialect";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { basic, gitServer } from "#test/support/gitServer";
import { formsOf, watchProcesses } from "#test/support/processWatch";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { sshObstacle, sshServer } from "#test/support/sshServer";
import { announced, trawl } from "#test/support/trawl";

const account = { user: "svc", password: "c4nary-t0ken/with+=%&ü" };
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

test("a clone that is killed is repeated", async (t) => {
  const { server, dataDir, host, flags } = await world(t);
  server.mode = { kind: "stalled" };
  const killed = await serve(dataDir, [], { flags, env });
  t.after(() => killed.kill());
  await eventually(() => server.isStalling);
  const names = [`${host}/acme/shop`, `${host}/acme/tools`];
  const cloning = (await killed.repositories()).filter(({ state }) => state === "cloning");
  assert.ok(cloning.length > 0);
  await killed.kill();
  assert.ok(readdirSync(join(dataDir, "mirrors")).some((name) => name.endsWith(".cloning")));
  const left = processesThatMention(server.origin);
  assert.equal(left.length > 0, process.platform === "linux");
  const waiting = await serve(dataDir, [], { flags, env });
  t.after(() => waiting.kill());
  assert.match(await waiting.ready(), /^Ready: .*; 2 repositories still to be cloned$/);
  await waiting.kill();

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

  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  assert.match(metrics, /^trawl_mirrors\{state="mirrored"\} 2$/m);
  assert.match(metrics, /^trawl_mirror_fetches_total\{result="changed"\} 2$/m);
  assert.match(metrics, /^trawl_mirror_queue\{kind="clone"\} 0$/m);
  assert.match(metrics, /^trawl_mirror_index_lag_seconds 0$/m);

  const status = await trawl(["hosts", "status", "--data-dir", dataDir, ...flags], undefined, { env });
  assert.match(status.stdout, /^main\n {2}genericGitHost http:.*\n {2}listed .*\n {2}2 mirrored\n/);
  const plan = await trawl(["hosts", "plan", "--data-dir", dataDir, ...flags], undefined, { env });
  assert.match(plan.stdout, /0 added, 0 renamed, 0 removed, 0 excluded, 2 kept/);
  assert.equal(plan.code, 0, plan.stderr);

  await served.stop();
});

test("secrets are in no command line, file, log or response, and only in the environment of git's transfers", async (t) => {
  const { server, dataDir, host, file, flags } = await world(t, {
    include: { manifest: "/manifest.js" },
    webhook: { secret: { env: "HOOK_SECRET" } },
  });
  const proxyPassword = "c4nary-pr0xy";
  const app = await appOn(t, server.origin);
  const ssh = sshObstacle() === undefined ? await sshServer(t) : undefined;
  const env = { ...hookEnv, PROXY_PASSWORD: proxyPassword, APP_KEY: app.key };
  const secretForms = [
    ...formsOf(account.password, account.user),
    ...formsOf(hookSecret, "hook"),
    ...formsOf(proxyPassword, "trawl"),
    ...formsOf(app.token, "x-access-token"),
    ...linesOfKey(app.key),
    app.signedHeader,
    ...(ssh === undefined ? [] : linesOfKey(readFileSync(ssh.keyFile, "utf8"))),
  ];
  const configuration = JSON.parse(readFileSync(file, "utf8"));
  // What it gets as a proxy, the host refuses.
  configuration.connections.proxied = {
    ...{ type: "genericGitHost", url: "http://git.example.com", allowHttp: true },
    ...{ proxy: server.origin, proxyLogin: { user: "trawl", password: { env: "PROXY_PASSWORD" } } },
    include: { repos: ["acme/proxied"] },
  };
  configuration.connections.app = app.connection;
  if (ssh !== undefined) {
    const knownHosts = join(temporaryFolder(), "known_hosts");
    writeFileSync(knownHosts, ssh.knownHost);
    const { path } = repo("= trunk: One\na.ts\n| let overSsh;", { bare: true });
    configuration.connections.ssh = {
      ...{ type: "genericGitHost", url: ssh.url, sshKey: { file: ssh.keyFile }, knownHosts },
      include: { repos: [path.slice(1)] },
    };
  }
  writeFileSync(file, JSON.stringify(configuration));
  const announce = (fingerprint: string) =>
    server.files.set("/manifest.js", JSON.stringify({ "/acme/shop.git": { fingerprint } }));
  announce("1");
  const watch = await watchProcesses(secretForms);
  const served = await serve(dataDir, [], { flags, env });
  t.after(() => served.kill());
  const outputs: string[] = [];
  const run = async (...args: readonly string[]) => {
    const ended = await trawl(["hosts", ...args, "--data-dir", dataDir, ...flags], undefined, { env });
    outputs.push(ended.stdout, ended.stderr);
  };
  const shop = () =>
    served.repositories().then((all) => all.find(({ repoName }) => repoName === `${host}/acme/shop`));
  await eventually(async () => (await shop())?.state === "ready");
  if (ssh !== undefined) await eventually(async () => (await served.search("overSsh")).files.length === 1);
  for (const secret of [hookSecret, `${hookSecret}2`])
    outputs.push(await (await send(served.url, "main?repository=acme/shop", secret)).text());

  repo("", { bare: true, path: server.folderOf("acme/shop") }).more("= trunk: Two\nb.ts\n| let pushedLater;");
  announce("2");
  server.mode = { kind: "stalled" };
  const syncing = run("sync");
  await eventually(() => server.isStalling);
  await watch.look();
  server.mode = { kind: "open" };
  await syncing;
  await eventually(async () => (await served.search("pushedLater")).files.length === 1);

  server.credentials = { ...account, password: "other" };
  await run("sync");
  server.credentials = account;
  server.mode = { kind: "cut" };
  repo("", { bare: true, path: server.folderOf("acme/shop") }).more("= trunk: Three\nc.ts\n| let never;");
  announce("3");
  await run("sync");
  await eventually(async () => (await shop())?.lastError !== undefined);
  server.mode = { kind: "status", status: 403 };
  await run("status");
  for (const command of ["status", "check", "plan"]) await run(command, "--json");
  for (const path of ["/api/repos", "/metrics", "/api/status", "/"])
    outputs.push(await fetch(`${served.url}${path}`).then((response) => response.text()));

  const { stdout, stderr } = await served.stop();
  const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  assert.ok(stored.length > 10);
  // Of files, all bytes are searched.
  const texts = [...outputs, stdout, stderr].map((text) => Buffer.from(text));
  const leaks = [...texts, ...stored].filter((bytes) => secretForms.some((form) => bytes.includes(form)));
  assert.deepEqual(leaks.map(String), []);
  assert.ok(server.authorizations.includes(basic(account)));
  assert.match(stderr, /acme\/proxied could not be cloned/);
  // The host refuses the token of the app.
  assert.match(stderr, /acme\/repo-\d+ could not be cloned/);
  assert.ok(server.authorizations.includes(basic({ user: "x-access-token", password: app.token })));

  const { commandLines, variables, seen } = await watch.stop();
  if (process.platform !== "linux") return;
  assert.ok(
    seen.some((command) => /git-remote-http/.test(command)),
    seen.join("\n"),
  );
  assert.deepEqual(commandLines, []);
  const running = [
    /^(APP_KEY|CODE_TOKEN|HOOK_SECRET|PROXY_PASSWORD): \S*node .*trawl\.js/,
    /^TRAWL_GIT_PASSWORD: .*(git|git-remote-http|git-credential-trawl) /,
  ];
  for (const each of running)
    assert.ok(
      variables.some((variable) => each.test(variable)),
      String(each),
    );
  // Git runs /bin/false instead of asking for a password.
  const expected = [...running, /^https?_proxy: (\/bin\/false|.*(git|git-remote-http)) /];
  assert.deepEqual(
    variables.filter((variable) => !expected.some((each) => each.test(variable))),
    [],
  );
});

/** Starts the API of a host with a GitHub App, whose clones are at another origin. */
async function appOn(t: Parameters<typeof gitServer>[0], cloneUrlBase: string) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const token = "ghs_c4naryOfApp";
  const fake = await new FakeHost(github, manyRepositories(1)).start();
  t.after(() => fake.close());
  fake.token = token;
  fake.intercept = (_, { pathname }) => {
    if (pathname !== "/api/v3/app/installations/7/access_tokens") return undefined;
    return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
  };
  return {
    token,
    key: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    /** What each JSON Web Token that is signed with the key begins with. */
    signedHeader: `${Buffer.from('{"alg":"RS256","typ":"JWT"}').toString("base64url")}.`,
    connection: {
      ...{ type: "github", url: fake.url, allowHttp: true, cloneUrlBase },
      app: { id: 5, installation: 7, privateKey: { env: "APP_KEY" } },
      include: { installation: true },
    },
  };
}

/** Returns the lines of a private key that no other key shares. */
function linesOfKey(pem: string): readonly string[] {
  return pem.split("\n").slice(2, -3);
}

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

/** Runs a server with a connection that is fetched only every hour, and has a webhook. */
async function hooked(t: Parameters<typeof gitServer>[0], change: object = {}) {
  const hook = { webhook: { secret: { env: "HOOK_SECRET" } }, sync: { fetchMin: "1h" } };
  const opened = await world(t, { ...hook, ...change });
  const served = await serve(opened.dataDir, [], { flags: opened.flags, env: hookEnv });
  t.after(() => served.kill());
  await eventually(
    async () => (await served.repositories()).filter(({ state }) => state === "ready").length === 2,
  );
  return { ...opened, served };
}

const hookSecret = "c4nary-h00k";
const hookEnv = { ...env, HOOK_SECRET: hookSecret };

function send(url: string, path: string, secret: string | undefined, body: string | Uint8Array = "") {
  const headers = secret === undefined ? undefined : { authorization: `Bearer ${secret}` };
  return fetch(`${url}/api/webhooks/${path}`, { method: "POST", ...(headers && { headers }), body });
}

async function found(url: string, text: string): Promise<boolean> {
  const response = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: text }),
  });
  const { files } = (await response.json()) as { files: unknown[] };
  return files.length > 0;
}

test("a push is searchable seconds after its webhook, which the leader or a follower receives", async (t) => {
  const { server, served, dataDir, flags } = await hooked(t);
  const push = (text: string) =>
    repo("", { bare: true, path: server.folderOf("acme/shop") }).more(
      `= trunk: Push\nsrc/shop.ts\n| ${text}`,
    );
  push("pushedFirst");
  const accepted = await send(served.url, "main?repository=acme/shop.git", hookSecret);
  assert.deepEqual([accepted.status, await accepted.text()], [202, ""]);
  await eventually(() => found(served.url, "pushedFirst"));

  const follower = await serve(dataDir, [], { flags, env: hookEnv });
  t.after(() => follower.kill());
  push("pushedSecond");
  assert.equal((await send(follower.url, "main?repository=/acme/shop", hookSecret)).status, 202);
  await eventually(() => found(served.url, "pushedSecond"));

  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  assert.match(metrics, /trawl_webhooks_total\{result="fetch"\} 2/);
  const { stdout, stderr } = await served.stop();
  assert.doesNotMatch(stdout + stderr, /c4nary/);
});

test("a webhook that proves nothing gets the same answer for every reason, and reaches nothing else", async (t) => {
  const { served, server } = await hooked(t);
  server.paths.length = 0;
  const refusals = [
    await send(served.url, "main?repository=acme/shop", undefined),
    await send(served.url, "main?repository=acme/shop", "wrong"),
    await send(served.url, "other?repository=acme/shop", hookSecret),
    await send(served.url, `main?secret=${hookSecret}`, undefined),
  ];
  for (const refusal of refusals) {
    const { errorCode, message } = (await refusal.json()) as Record<string, string>;
    assert.deepEqual(
      [refusal.status, errorCode, message],
      [401, "NOT_AUTHENTICATED", "The webhook is not valid."],
    );
  }
  const large = await send(served.url, "main", hookSecret, new Uint8Array(25 * 1024 * 1024 + 1));
  assert.equal(large.status, 413);
  assert.equal((await send(served.url, "main/more", hookSecret)).status, 404);
  assert.equal((await fetch(`${served.url}/api/webhooks/main`)).status, 405);
  const bodies = ["", "{", "\0\0", "[".repeat(100_000), new Uint8Array(3 * 1024 * 1024).fill(91)];
  for (const body of bodies)
    assert.equal((await send(served.url, "main?repository=%2e%2e/x", hookSecret, body)).status, 202);
  // The first wrong credentials are answered at once, and further ones later and later.
  await send(served.url, "main", "wrong");
  const startedAt = performance.now();
  await send(served.url, "main", "wrong");
  assert.ok(performance.now() - startedAt > 90);
  assert.equal(await found(served.url, "export const shop"), true);
  assert.deepEqual(server.paths, []);
});

test("connections are reloaded when the file changes, also the first one, and a broken file changes nothing", async (t) => {
  const { server, dataDir, file, flags, host } = await world(t);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, "{}");
  const served = await serve(dataDir, [], { flags, env });
  t.after(() => served.kill());
  // Has read the file without connections.
  const follower = await serve(dataDir, [], { flags, env });
  t.after(() => follower.kill());
  const names = async ({ repositories } = served) =>
    (await repositories()).map(({ repoName, state }) => `${repoName} ${state}`).sort();
  const both = ["shop ready", "tools ready"].map((name) => `${host}/acme/${name}`);
  assert.deepEqual(await names(), []);
  const replace = (content: string) => {
    writeFileSync(`${file}.new`, content, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  replace(text);
  await eventuallyEqual(names, both);

  replace(text.slice(0, -3));
  const problem = new RegExp(`${file}:1:\\d+: `);
  assert.match(await served.line(/cannot be used/), problem);
  const status = await trawl(["status", "--data-dir", dataDir]);
  assert.match(status.stdout, problem);
  const hosts = await trawl(["hosts", "status", "--data-dir", dataDir]);
  assert.match(hosts.stderr, problem);
  assert.match(hosts.stdout, /2 mirrored/);
  const doctor = await trawl(["doctor", "--data-dir", dataDir]);
  assert.match(doctor.stdout, problem);
  assert.equal(doctor.code, 1);
  assert.deepEqual(await names(), both);

  const changed = JSON.parse(text);
  changed.connections.main.include.repos = ["acme/shop.git"];
  replace(JSON.stringify({ ...changed, auditDays: 7 }));
  await eventuallyEqual(names, both.slice(0, 1));
  assert.match(await served.line(/need a restart/), /auditDays/);
  writeFileSync(file, "{ /* none */ }");
  await eventuallyEqual(names, []);
  server.paths.length = 0;
  const onRemoved = { keepDays: 0 };
  const kept = { ...JSON.parse(text).connections.main, onRemoved };
  writeFileSync(file, JSON.stringify({ connections: { main: kept } }));
  await eventuallyEqual(names, both);

  await served.stop();
  await eventually(() => announced(dataDir).pid === follower.process.pid);
  const synced = await trawl(["hosts", "sync", "--data-dir", dataDir, ...flags], undefined, { env });
  assert.match(synced.stdout, /0 added, .* 2 kept/);
  assert.deepEqual(await names(follower), both);
  assert.deepEqual(readdirSync(join(dataDir, "mirrors")).sort(), ["1.git", "2.git"]);
});

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
  assert.match(synced.stdout, /\nIndexed 1 repository, 1 file, /);
  // Steps that end between two reports are not shown.
  assert.match(synced.stderr, /^(?:Cloning .*acme\/shop\n)?(?:Indexing .*acme\/shop\nIndexed .*\n)?$/);
  assert.equal(synced.code, 0, synced.stderr);
  assert.match((await run("status")).stdout, /1 mirrored/);
  const searched = await trawl(["search", "--data-dir", dataDir, "export const shop"]);
  assert.match(searched.stdout, /src\/shop\.ts/);
  configuration.connections.main.include = { repos: ["acme/shop.git", "acme/absent.git"] };
  writeFileSync(file, JSON.stringify(configuration));
  const incomplete = await run("sync");
  assert.match(incomplete.stderr, /Cannot index .*acme\/absent/);
  assert.notEqual(incomplete.code, 0);
  assert.match((await run("confirm", "main")).stdout, /nothing to confirm/);
  const unknown = await run("plan", "other");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no connection "other". Connections: main\./);
});
