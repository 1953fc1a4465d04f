/** Code hosts over REST: what owners see and do, what others do not, and what the audit log keeps. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { CodeHostPlan, CodeHostRepository, CodeHostStatus, CodeHostSync } from "#contract/codeHosts";
import type { AuditRecord } from "#contract/organization";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { newLicenseKeys } from "#test/support/organization";
import { temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

/** A host that lists repositories in a manifest, and serves none of them. */
async function manifestHost(t: TestContext) {
  const paths = new Set<string>();
  let release: (() => void) | undefined;
  const listener = createServer(async (request, response) => {
    if (request.url !== "/manifest.js.gz") return void response.writeHead(404).end();
    await held;
    response.end(
      gzipSync(JSON.stringify(Object.fromEntries([...paths].map((path) => [`/${path}.git`, {}])))),
    );
  });
  let held: Promise<void> | undefined;
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    paths,
    /** Holds responses back until the returned function is called. */
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release?.();
    },
  };
}

test("owners list, plan, sync and confirm over REST, which the audit log records", async (t) => {
  const host = await manifestHost(t);
  for (let at = 1; at <= 7; at++) host.paths.add(`acme/r${at}`);
  const folder = temporaryFolder();
  const [dataDir, config] = [join(folder, "data"), join(folder, "trawl.json")];
  const maker = newLicenseKeys();
  const connection = { type: "genericGitHost", url: host.url, allowHttp: true };
  const settings = {
    licenseMakers: [maker.publicKey],
    timeLimitMs: 2000,
    connections: {
      locked: {
        ...connection,
        user: "svc",
        token: { file: join(folder, "t0ken") },
        include: { repos: ["acme/r1"] },
      },
      main: { ...connection, include: { manifest: "manifest.js.gz" } },
    },
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  writeFileSync(join(folder, "maker.pem"), maker.privateKey, { mode: 0o600 });
  const run = async (...args: string[]) => {
    const ended = await trawl([...args, "--data-dir", dataDir, "--config", config], folder);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };
  const issue = ["license", "issue", "--key", "maker.pem", "--organization", "Example"];
  const issued = await trawl([...issue, "--expires", "2999-12-31"], folder);
  writeFileSync(join(folder, "trawl.license"), issued.stdout);
  const server = await serve(dataDir, [], { flags: ["--config", config] });
  t.after(() => server.kill());
  await run("license", "install", join(folder, "trawl.license"));
  await run("members", "add", "bob@example.com");
  const owner = (await run("keys", "create", "scripts")).match(/trwl_[\w-]{43}/)?.[0];
  const member = (await run("keys", "create", "bobs", "--member", "bob@example.com")).match(
    /trwl_[\w-]{43}/,
  )?.[0];

  const send = (method: string, path: string, key = owner) =>
    fetch(`${server.url}/api/${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const result = async <Result>(method: string, path: string): Promise<Result> => {
    const response = await send(method, path);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const status = async (name = "main") => {
    const found = (await result<CodeHostStatus[]>("GET", "hosts")).find((each) => each.name === name);
    assert.ok(found);
    return found;
  };
  const failure = async (response: Promise<Response>) => {
    const { statusCode, errorCode } = (await (await response).json()) as Record<string, unknown>;
    return `${statusCode} ${errorCode}`;
  };

  for (const [method, path] of [
    ["GET", "hosts"],
    ["GET", "hosts/repositories?name=main"],
    ["POST", "hosts/main/plan"],
    ["POST", "hosts/main/sync"],
    ["POST", "hosts/main/confirm"],
  ] as const) {
    const anonymous = fetch(`${server.url}/api/${path}`, { method });
    assert.equal(await failure(anonymous), "401 NOT_AUTHENTICATED", path);
    assert.equal(await failure(send(method, path, member)), "403 INSUFFICIENT_PERMISSIONS", path);
  }
  assert.equal(await failure(send("POST", "hosts/other/sync")), "404 NOT_FOUND");
  assert.equal(await failure(send("POST", "hosts/%ff/plan")), "400 MALFORMED_REQUEST");
  const wrong = await send("GET", "hosts/main/sync");
  assert.equal(wrong.headers.get("allow"), "POST, OPTIONS");
  assert.equal(await failure(Promise.resolve(wrong)), "405 METHOD_NOT_ALLOWED");

  // Clones fail, because the host serves no repository.
  await eventuallyEqual(async () => (await status()).counts.failing, 7);
  const { type, url, isListing, repositories, file } = await status();
  const shown = [type, url, isListing, repositories.length, file];
  assert.deepEqual(shown, ["genericGitHost", host.url, false, 7, undefined]);
  const page = await send("GET", "hosts/repositories?name=main&state=failing&page=2&perPage=2");
  assert.equal(page.headers.get("x-total-count"), "7");
  assert.match(page.headers.get("link") ?? "", /page=3.*rel="next"/);
  const items = (await page.json()) as CodeHostRepository[];
  assert.deepEqual(
    items.map(({ path, repository }) => [path, repository]),
    ["acme/r3", "acme/r4"].map((path) => [path, `${new URL(host.url).host}/${path}`]),
  );
  assert.match(items[0]?.reason ?? "", /failed/);

  // Paths of the server's files are shown to its local user only.
  const locked = await eventually(async () => (await status("locked")).problems[0]?.message);
  assert.match(locked, /Cannot read the secret in \(path\): ENOENT/);
  assert.ok((await run("hosts", "status", "locked")).includes(join(folder, "t0ken")));

  host.paths.add("acme/new");
  const planned = await result<CodeHostPlan>("POST", "hosts/main/plan");
  assert.deepEqual([planned.added, planned.kept, planned.listed], [["acme/new"], 7, 8]);
  assert.equal((await status()).counts.failing, 7);

  // A listing that takes longer than a request may is completed.
  const release = host.hold();
  assert.equal(await failure(send("POST", "hosts/main/plan")), "504 TIMED_OUT");
  const late = await result<CodeHostSync>("POST", "hosts/main/sync");
  assert.deepEqual([late.isListing, late.added], [true, []]);
  assert.equal((await status()).isListing, true);
  release();
  await eventually(async () => !(await status()).isListing);
  const { failing, waiting } = (await status()).counts;
  assert.equal(failing + waiting, 8);

  for (let at = 1; at <= 6; at++) host.paths.delete(`acme/r${at}`);
  const braked = await result<CodeHostSync>("POST", "hosts/main/sync");
  assert.deepEqual([braked.isListing, braked.unconfirmed, braked.removed], [false, 6, []]);
  assert.equal((await status()).unconfirmed, 6);
  assert.deepEqual(await result("POST", "hosts/main/confirm"), { confirmed: 6 });
  assert.equal((await status()).unconfirmed, 0);

  const records = await result<AuditRecord[]>("GET", "ee/audit?perPage=100");
  const recorded = records.filter(({ action }) => action.startsWith("code_host."));
  assert.deepEqual(
    recorded.map(({ action, actorType, metadata }) => [action, actorType, metadata?.["name"]]).reverse(),
    [
      ["code_host.synced", "api_key", "other"],
      ["code_host.synced", "api_key", "main"],
      ["code_host.synced", "api_key", "main"],
      ["code_host.removals_confirmed", "api_key", "main"],
    ],
  );
});
