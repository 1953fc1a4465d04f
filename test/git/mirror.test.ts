/** Mirrors against a real git server: what they contain, who gets credentials, and what failures leave. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compactMirror } from "#git/mirror/maintenance";
import { type MirrorOptions, updateMirror } from "#git/mirror/mirror";
import type { Remote } from "#git/mirror/networkGit";
import { sweepMirrors } from "#git/mirror/sweep";
import { Secret } from "#hosts/secret";
import { diskFiles } from "#platform/files";
import { eventually } from "#test/support/eventually";
import { basic, type GitServer, gitServer } from "#test/support/gitServer";
import { projectRoot } from "#test/support/house";
import { runGit, temporaryFolder } from "#test/support/repo";

const helperFolder = join(projectRoot(), "dist/server/credentialHelper");
const account = { user: "svc", password: "s3cret/with spaces+=" };

async function world(t: TestContext) {
  const server = await gitServer(t);
  const folder = temporaryFolder();
  const path = join(folder, "1.git");
  const controller = new AbortController();
  const options: MirrorOptions = {
    files: diskFiles,
    helperFolder,
    homeFolder: folder,
    timeoutMs: 60_000,
    signal: controller.signal,
  };
  const remote: Remote = { url: `${server.origin}/acme/api.git`, allowsHttp: true };
  const update = (change: Partial<MirrorOptions> = {}, from: Partial<Remote> = {}, to = path) =>
    updateMirror(to, { ...remote, ...from }, { ...options, ...change });
  return { server, folder, path, controller, update };
}

/** Lists HEAD and the refs of a mirror or a served repository. */
function refsOf(gitDir: string): string {
  return `${readFileSync(join(gitDir, "HEAD"), "utf8").trim()}\n${runGit(gitDir, ["for-each-ref"])}`;
}

function assertEqualsServer(server: GitServer, path: string): void {
  assert.equal(refsOf(path), refsOf(server.folderOf("acme/api")));
  runGit(path, ["fsck", "--strict"]);
}

test("a mirror has the branches, tags and HEAD of its remote, through every change", async (t) => {
  const { server, path, update } = await world(t);
  const origin = server.create(
    "acme/api",
    "= trunk: One\na\n| 1\ntag v1: First\n= rel from trunk: R\nb\n| 2",
  );
  origin.git("update-ref", "refs/pull/1/head", "refs/heads/rel");
  assert.deepEqual(await update(), { hasMoved: true, isEmpty: false });
  assert.doesNotMatch(refsOf(path), /pull/);
  origin.git("update-ref", "-d", "refs/pull/1/head");
  assertEqualsServer(server, path);

  assert.deepEqual(await update(), { hasMoved: false, isEmpty: false });

  origin.more("= trunk: Two\na\n| 2");
  origin.git("branch", "-m", "rel", "rel/1");
  origin.git("tag", "-f", "v1", "trunk");
  assert.deepEqual(await update(), { hasMoved: true, isEmpty: false });
  assertEqualsServer(server, path);

  // The default branch is renamed; the old one is gone.
  origin.git("branch", "-m", "trunk", "main");
  origin.git("symbolic-ref", "HEAD", "refs/heads/main");
  assert.deepEqual(await update(), { hasMoved: true, isEmpty: false });
  assertEqualsServer(server, path);

  // The default branch that the host's API names wins, if it exists.
  assert.deepEqual(await update({ defaultBranch: "rel/1" }), { hasMoved: true, isEmpty: false });
  assert.match(refsOf(path), /^ref: refs\/heads\/rel\/1\n/);
  assert.deepEqual(await update({ defaultBranch: "none; rm -rf" }), { hasMoved: true, isEmpty: false });
  assertEqualsServer(server, path);
});

test("an empty repository becomes an empty mirror", async (t) => {
  const { server, update } = await world(t);
  server.create("acme/api", "");
  assert.deepEqual(await update(), { hasMoved: true, isEmpty: true });
  assert.deepEqual(await update(), { hasMoved: false, isEmpty: true });
});

test("credentials come from the environment, and are nowhere else", async (t) => {
  const { server, folder, path, update } = await world(t);
  server.create("acme/api");
  server.credentials = account;
  await assert.rejects(update(), {
    code: "GIT_FAILED",
    message: /git clone of http.*(could not read|Auth)/i,
  });
  const credentials = { user: account.user, password: new Secret(account.password) };
  const wrong = { user: account.user, password: new Secret("wrong-s3cret") };
  await assert.rejects(update({}, { credentials: wrong }), (error: Error) => {
    assert.match(error.message, /Authentication failed/);
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });
  assert.deepEqual(readdirSync(folder), []);

  server.mode = { kind: "stalled" };
  const fetching = update({}, { credentials });
  await eventually(() => server.isStalling);
  assert.deepEqual(processesThatMention(account.password), []);
  server.mode = { kind: "open" };
  await fetching;
  assertEqualsServer(server, path);
  assert.ok(server.authorizations.includes(basic(account)));
  assert.doesNotMatch(readFileSync(join(path, "config"), "utf8"), /s3cret|127\.0\.0\.1/);
});

/** Returns the command lines, on Linux, that contain a text or its encodings. */
function processesThatMention(secret: string): readonly string[] {
  if (process.platform !== "linux") return [];
  const lines = readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "utf8")] : [];
    } catch {
      return [];
    }
  });
  assert.ok(lines.some((line) => line.includes("remote-http")));
  const encoded = [secret, encodeURIComponent(secret), basic({ user: account.user, password: secret })];
  return lines.filter((line) => encoded.some((each) => line.includes(each)));
}

test("a redirect to another origin is not followed", async (t) => {
  const { server, update } = await world(t);
  server.create("acme/api");
  const other = await gitServer(t);
  other.create("acme/api");
  const credentials = { user: account.user, password: new Secret(account.password) };
  const assertRefused = async () => {
    await assert.rejects(update({}, { credentials }), {
      code: "GIT_FAILED",
      message: new RegExp(`redirects to ${other.origin}, to which nothing is sent`),
    });
    assert.deepEqual(other.paths, []);
  };
  server.mode = { kind: "redirect", origin: other.origin };
  await assertRefused();
  server.mode = { kind: "open" };
  await update();
  server.mode = { kind: "redirect", origin: other.origin };
  await assertRefused();
});

test("a redirect on the same origin is followed, but not to a page or in a circle", async (t) => {
  const { server, path, update } = await world(t);
  server.create("other/renamed");
  server.credentials = account;
  const credentials = { user: account.user, password: new Secret(account.password) };
  server.mode = { kind: "renamed", from: "acme/api", to: "other/renamed" };
  await update({}, { credentials });
  assert.equal(refsOf(path), refsOf(server.folderOf("other/renamed")));
  server.mode = { kind: "redirect", origin: `${server.origin}/login?from=` };
  await assert.rejects(update({}, { credentials }), { message: /page that is no repository/ });
  server.mode = { kind: "redirect", origin: `${server.origin}/again` };
  await assert.rejects(update({}, { credentials }), { message: /redirects too often/ });
});

test("a clone or fetch that becomes too large is ended, and the mirror stays as it was", async (t) => {
  const { server, folder, path, update } = await world(t);
  const origin = server.create("acme/api");
  await update();
  const before = refsOf(path);
  const large = (name: string) => `${name}\n| ${randomBytes(500_000).toString("hex")}`;
  origin.more(`= main: Large\n${large("b")}`);
  server.mode = { kind: "half" };
  const tooLarge = { code: "ANSWER_TOO_LARGE", message: "The mirror would become larger than 50000 bytes." };
  await assert.rejects(update({ maxBytes: 50_000 }), tooLarge);
  assert.equal(refsOf(path), before);
  // Nothing remains of what was received.
  const packs = readdirSync(join(path, "objects/pack")).filter((name) => !/^pack-.*\.(pack|idx)$/.test(name));
  assert.deepEqual(packs, []);
  const second = join(folder, "2.git");
  await assert.rejects(update({ maxBytes: 50_000 }, {}, second), tooLarge);
  assert.deepEqual(readdirSync(folder), ["1.git"]);
  server.mode = { kind: "open" };
  await update({ maxBytes: 5_000_000 });
  assertEqualsServer(server, path);
  await assert.rejects(update({ maxBytes: 50_000 }), tooLarge);
});

test("a mirror with a depth has only the latest commits, until it is to have all", async (t) => {
  const { server, folder, path, update } = await world(t);
  const origin = server.create(
    "acme/api",
    "= main: One\na\n| 1\n= main: Two\na\n| 2\n= rel from main: R\nb\n| 2",
  );
  const countOf = (name: string, gitDir = path) =>
    String(runGit(gitDir, ["rev-list", "--count", name])).trim();
  await update({ depth: 1 });
  assert.deepEqual([countOf("main"), countOf("rel")], ["1", "1"]);
  assertEqualsServer(server, path);
  origin.more("= main: Three\na\n| 3");
  assert.deepEqual(await update({ depth: 1 }), { hasMoved: true, isEmpty: false });
  assert.equal(countOf("main"), "1");
  assertEqualsServer(server, path);
  // Also while nothing has moved.
  await update();
  assert.deepEqual([countOf("main"), countOf("rel")], ["3", "3"]);
  assertEqualsServer(server, path);
  // What is there is not given up.
  origin.more("= main: Four\na\n| 4");
  await update({ depth: 1 });
  assert.equal(countOf("main"), "4");

  const empty = join(folder, "2.git");
  const other = server.create("acme/empty", "");
  const from = { url: `${server.origin}/acme/empty.git` };
  await update({ depth: 1 }, from, empty);
  other.more("= main: One\na\n| 1\n= main: Two\na\n| 2");
  await update({ depth: 1 }, from, empty);
  assert.equal(countOf("main", empty), "1");
});

const faults = {
  "an error of the server": { kind: "status", status: 500 },
  "a pack that is cut in the middle": { kind: "cut" },
  "a repository that is gone": { kind: "status", status: 404 },
} as const;
for (const [name, mode] of Object.entries(faults)) {
  test(`${name} leaves the mirror as it was`, async (t) => {
    const { server, folder, path, update } = await world(t);
    const origin = server.create("acme/api");
    server.mode = mode;
    await assert.rejects(update(), { code: "GIT_FAILED" });
    assert.deepEqual(readdirSync(folder), []);
    server.mode = { kind: "open" };
    await update();
    const before = refsOf(path);
    origin.more("= main: Two\nb\n| 2");
    server.mode = mode;
    await assert.rejects(update(), { code: "GIT_FAILED" });
    assert.equal(refsOf(path), before);
    server.mode = { kind: "open" };
    await update();
    assertEqualsServer(server, path);
  });
}

test("a canceled or late clone ends with all its processes and leaves nothing", async (t) => {
  const { server, folder, controller, update } = await world(t);
  server.create("acme/api");
  server.mode = { kind: "stalled" };
  await assert.rejects(update({ timeoutMs: 500 }), { code: "TIMED_OUT" });
  const fetching = update();
  await eventually(() => server.isStalling);
  controller.abort();
  await assert.rejects(fetching, { code: "CANCELLED" });
  assert.deepEqual(readdirSync(folder), []);
  if (process.platform === "linux") {
    const isMirrorProcess = (name: string) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(server.origin);
      } catch {
        return false;
      }
    };
    await eventually(() => !readdirSync("/proc").some((name) => /^\d+$/.test(name) && isMirrorProcess(name)));
  }
});

test("a mirror that lacks objects is cloned again", async (t) => {
  const { server, path, update } = await world(t);
  const origin = server.create("acme/api");
  await update();
  rmSync(join(path, "objects"), { recursive: true });
  mkdirSync(join(path, "objects"));
  origin.more("= main: Two\nb\n| 2");
  assert.deepEqual(await update(), { hasMoved: true, isEmpty: false });
  assertEqualsServer(server, path);
  assert.equal(existsSync(`${path}.replaced`), false);
});

test("many loose objects are packed", async (t) => {
  const { server, folder, path, controller, update } = await world(t);
  const lines = Array.from({ length: 1500 }, (_, at) => `f${at}\n| ${at}`);
  server.create("acme/api", `= main: Many\n${lines.join("\n")}`);
  await update();
  const options = { homeFolder: folder, signal: controller.signal };
  assert.equal(await compactMirror(path, options), false);
  const packs = join(path, "objects/pack");
  const [name = ""] = readdirSync(packs).filter((each) => each.endsWith(".pack"));
  const pack = readFileSync(join(packs, name));
  rmSync(packs, { recursive: true });
  mkdirSync(packs);
  runGit(path, ["unpack-objects", "-q"], pack);
  assert.equal(await compactMirror(path, options), true);
  assert.equal(await compactMirror(path, options), false);
  assertEqualsServer(server, path);
});

test("what killed processes leave is removed at the next start", async (t) => {
  const { server, folder, path, update } = await world(t);
  server.create("acme/api");
  await update();
  const leftOvers = ["HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "objects/pack/tmp_pack_x"];
  for (const name of leftOvers) writeFileSync(join(path, name), "");
  chmodSync(join(path, "objects/pack/tmp_pack_x"), 0o444);
  mkdirSync(join(folder, "2.git.cloning/objects"), { recursive: true });
  mkdirSync(join(folder, "3.git.replaced/objects"), { recursive: true });
  sweepMirrors(folder, diskFiles);
  assert.deepEqual(readdirSync(folder).sort(), ["1.git", "3.git"]);
  assert.deepEqual(
    leftOvers.filter((name) => existsSync(join(path, name))),
    [],
  );
  assertEqualsServer(server, path);
});

/** Whether a process runs with this home folder. The environment of one that has ended is empty. */
function usesHome(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HOME=${folder}`);
  } catch {
    return false;
  }
}

test("git processes that a killed process has left are ended before their mirror is swept", async (t) => {
  if (process.platform !== "linux") return;
  const { server, folder, path, update } = await world(t);
  const origin = server.create("acme/api");
  await update();
  const before = refsOf(path);
  origin.more(`= main: Large\nb\n| ${randomBytes(500_000).toString("hex")}`);
  server.mode = { kind: "half" };
  // If one that git has started ends before git, git reports that.
  const ended = assert.rejects(update(), ({ code }) => ["UNEXPECTED_ERROR", "GIT_FAILED"].includes(code));
  const temporary = () => readdirSync(join(path, "objects/pack")).filter((name) => name.includes("tmp_"));
  await eventually(() => temporary().length > 0);
  const running = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && usesHome(name, folder));
  assert.notDeepEqual(running(), []);
  sweepMirrors(folder, diskFiles);
  assert.deepEqual([running(), temporary(), refsOf(path)], [[], [], before]);
  await ended;
  server.mode = { kind: "open" };
  await update();
  assertEqualsServer(server, path);
});

test("only https is fetched, unless http is allowed, and never with user information", async (t) => {
  const { server, update } = await world(t);
  const { host } = new URL(server.origin);
  const addresses = [
    [`http://${host}/a.git`, false],
    [`http://user:s3cret@${host}/a.git`, true],
    ["file:///etc", true],
    ["ssh://git@127.0.0.1/a.git", true],
    ["ext::sh -c id", true],
    ["--upload-pack=id", true],
  ] as const;
  for (const [url, allowsHttp] of addresses) {
    await assert.rejects(update({}, { url, allowsHttp }), (error: Error) => {
      assert.match(error.message, /must begin with https/);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  }
  assert.deepEqual(server.paths, []);
});
