/** How many git processes requests about history need. A script on the PATH logs git's calls and can delay them. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import type { OperationName } from "#contract/operations";
import type { ResponseOf } from "#contract/service";
import { History, type HistoryLimits } from "#service/history/history";
import { eventually } from "#test/support/eventually";
import { hostileHistory, importOn } from "#test/support/history";
import { runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

const gate = join(temporaryFolder(), "gate");

afterEach(() => {
  restoreGit();
  rmSync(gate, { force: true });
});

const past = hostileHistory();
const bare = hostileHistory({ bare: true });

function open(gitTimeLimitMs = 30_000) {
  const repositories = viewOf([
    repository(1, "past", { path: past.path }),
    repository(2, "bare", { path: bare.path, kind: "bare" }),
  ]);
  const history = new History({ repositories, gitTimeLimitMs });
  const caller = callerOf({ repositories, history });
  return {
    close: () => history.close(),
    configure: (limits: HistoryLimits) => history.configure(limits),
    ask<Name extends OperationName>(
      name: Name,
      request: object,
      { client = "one", signal = new AbortController().signal } = {},
    ): Promise<ResponseOf<Name>> {
      return caller(name, request, { credentials: { kind: "local" }, signal, client });
    },
  };
}

for (const repo of ["past", "bare"]) {
  test(`${repo}: blame at a commit is cached`, async () => {
    const { ask, close } = open();
    const ref = past.git("rev-parse", "main");
    const request = { repo, path: "music/song.txt", ref };
    const first = await ask("blame", request);
    replaceGit("real");
    assert.deepEqual(await ask("blame", request), first);
    assert.deepEqual(await ask("blame", { ...request, path: "/music/song.txt" }), first);
    assert.deepEqual(calls(), []);
    await ask("blame", { ...request, ref: "main~1" });
    assert.notDeepEqual(calls(), []);
    close();
  });
}

test("blame changes with a moved branch and with a changed .mailmap", async () => {
  const { ask, close } = open();
  const request = { repo: "past", path: "README.md" };
  const before = await ask("blame", request);
  importOn(past.path, "main", {
    on: "main",
    message: "Change the title",
    files: [["README.md", "# Other\n"]],
  });
  past.git("reset", "-q", "--hard");
  const after = await ask("blame", request);
  assert.notDeepEqual(after.ranges, before.ranges);
  past.write(".mailmap", "Somebody Else <ann@example.com>\n");
  const names = Object.values((await ask("blame", request)).commits).map(({ authorName }) => authorName);
  assert.deepEqual(names, ["Somebody Else"]);
  past.git("reset", "-q", "--hard");
  close();
});

test("files of a clone are read without git", async () => {
  replaceGit("real");
  const { ask, close } = open();
  const { source } = await ask("source", { repo: "past", path: "music/song.txt", ref: "v1.0" }).catch(() =>
    ask("source", { repo: "past", path: "song.txt", ref: "v1.0" }),
  );
  assert.match(source, /verse 1 /);
  await ask("tree", { repoName: "past", paths: ["music", "src"] });
  assert.deepEqual(calls(), []);
  close();
});

test("objects of a bare repository are read with one git process", async () => {
  replaceGit("real");
  const { ask, close } = open();
  for (const path of ["README.md", "music/song.txt", "src/run.sh", "empty"]) {
    await ask("source", { repo: "bare", path });
  }
  assert.equal(calls().length, 1);
  const [only] = calls();
  assert.match(only?.line ?? "", /cat-file --batch/);
  close();
  await eventually(() => !isAlive(only?.pid ?? 0));
});

test("four git processes run at once, and callers are served round-robin", async () => {
  const listed = past.git("ls-tree", "-r", "--name-only", "v0.1").split("\n");
  const wanted = past.git("rev-parse", "v2.0");
  // Each time the gate is there, one process goes on, and removes it.
  replaceGit(`until rm ${gate} 2>/dev/null; do sleep 0.02; done\nreal`);
  const { ask, close } = open();
  const blame = { repo: "past", ignoreRevs: false };
  const files = listed.filter((name) => !/module|latest/.test(name));
  const greedy = files.map((path) => ask("blame", { ...blame, path, ref: "v0.1" }));
  await eventually(() => calls().length === 4);
  const modest = ask("blame", { ...blame, path: "README.md", ref: "v2.0" }, { client: "two" });
  // Requests that need no git are served meanwhile.
  for (let turn = 0; turn < 20; turn++) await ask("source", { repo: "past", path: "README.md" });
  assert.equal(calls().length, 4);
  // One after the other, because processes that start at the same time may be recorded in any order.
  for (let released = 1; released <= files.length + 1; released++) {
    writeFileSync(gate, "");
    await eventually(() => !existsSync(gate) && calls().length === Math.min(4 + released, files.length + 1));
  }
  await modest;
  await Promise.all(greedy);
  const index = calls().findIndex(({ line }) => line.includes(wanted));
  assert.ok(files.length > 7 && index >= 4 && index <= 5, `${index} of ${calls().length}`);
  close();
});

test("a request that takes too long is stopped and reports the time limit", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open(300);
  await assert.rejects(ask("blame", { repo: "past", path: "README.md" }), {
    code: "TIMED_OUT",
    message: "The request took longer than 0.3 s.",
  });
  await assert.rejects(ask("source", { repo: "bare", path: "README.md" }), { code: "TIMED_OUT" });
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  close();
});

test("canceled requests kill their git processes and free their slots", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open();
  const controller = new AbortController();
  const responses = ["README.md", "src/run.sh", "crlf.txt", "empty", "latin1.txt", "no newline"].map((path) =>
    ask("blame", { repo: "past", path }, { signal: controller.signal }),
  );
  const inBare = ask("source", { repo: "bare", path: "README.md" }, { signal: controller.signal });
  await eventually(() => calls().length === 5);
  controller.abort();
  for (const each of await Promise.allSettled([...responses, inBare])) {
    assert.ok(each.status === "rejected" && each.reason.code === "CANCELLED");
  }
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  restoreGit();
  assert.equal((await ask("source", { repo: "bare", path: "README.md" })).source, "# Title\n");
  assert.ok((await ask("blame", { repo: "past", path: "README.md" })).ranges.length > 0);
  close();
});

test("a shared request is stopped when its last caller cancels", async () => {
  const request = { repo: "past", path: "README.md", ref: "v2.0", ignoreRevs: false };
  replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
  const { ask, close } = open();
  const callers = Array.from({ length: 3 }, () => new AbortController());
  const askAll = () => callers.map(({ signal }) => ask("blame", request, { signal }));
  const running = () => calls().filter(({ pid }) => isAlive(pid)).length;

  const [first, second, third] = askAll();
  await eventually(() => calls().length === 1);
  callers[0]?.abort();
  await assert.rejects(first ?? Promise.resolve(), { code: "CANCELLED" });
  callers[2]?.abort();
  await assert.rejects(third ?? Promise.resolve(), { code: "CANCELLED" });
  assert.equal(running(), 1);
  callers[1]?.abort();
  await assert.rejects(second ?? Promise.resolve(), { code: "CANCELLED" });
  // A new caller does not join the request that is being stopped.
  const next = ask("blame", request);
  await eventually(() => calls().length === 2 && running() === 1);
  writeFileSync(gate, "");
  assert.ok((await next).ranges.length > 0);
  close();
});

test("a patient request outlives an impatient one for the same blame", async () => {
  const request = { repo: "past", path: "README.md", ref: "v2.0", ignoreRevs: false };
  replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
  const { ask, close } = open(1000);
  const short = ask("blame", request);
  const patient = ask("blame", { ...request, isPatient: true });
  await assert.rejects(short, { code: "TIMED_OUT" });
  writeFileSync(gate, "");
  assert.ok((await patient).ranges.length > 0);
  close();
});

test("a changed limit of git processes takes effect at once", async () => {
  replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
  const { ask, close, configure } = open();
  configure({ maxGitProcesses: 1 });
  const paths = ["README.md", "src/run.sh", "crlf.txt", "empty", "latin1.txt", "no newline"];
  const all = paths.map((path) => ask("blame", { repo: "past", path, ref: "v0.1", ignoreRevs: false }));
  await eventually(() => calls().length === 1);
  configure({ maxGitProcesses: 3 });
  await eventually(() => calls().length === 3);
  writeFileSync(gate, "");
  await Promise.all(all);
  rmSync(gate);
  configure({ gitTimeLimitMs: 200 });
  await assert.rejects(ask("blame", { repo: "past", path: "song.txt", ref: "v0.1", ignoreRevs: false }), {
    code: "TIMED_OUT",
    message: "The request took longer than 0.2 s.",
  });
  close();
});

test("a repository that git does not trust is refused with instructions to allow it", async () => {
  replaceGit("export GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nreal");
  const { ask, close } = open();
  const rows = [
    ["blame", { repo: "past", path: "README.md" }],
    ["branches", { repo: "past" }],
    ["source", { repo: "bare", path: "README.md" }],
    ["tree", { repoName: "bare" }],
    ["blame", { repo: "bare", path: "README.md" }],
  ] as const;
  for (const [name, request] of rows) {
    await assert.rejects(ask(name, request), { code: "REPOSITORY_NOT_TRUSTED", message: /safe\.directory/ });
  }
  close();
});

test("a git process that dies or writes malformed output fails the request at once", async () => {
  for (const script of ["echo nonsense; exec sleep 60", "exit 1", "printf '0123'; exit 0"]) {
    replaceGit(script);
    const { ask, close } = open();
    await assert.rejects(ask("source", { repo: "bare", path: "README.md" }), { code: "GIT_FAILED" });
    restoreGit();
    assert.equal((await ask("source", { repo: "bare", path: "README.md" })).source, "# Title\n");
    close();
    await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  }
});

test("a partial clone reports missing objects", async () => {
  past.git("config", "uploadpack.allowFilter", "true");
  const path = temporaryFolder();
  runGit(path, ["clone", "-q", "--no-checkout", "--filter=blob:none", `file://${past.path}`, "."]);
  const repositories = viewOf([repository(1, "part", { path })]);
  const history = new History({ repositories });
  const caller = callerOf({ repositories, history });
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  assert.ok((await caller("tree", { repoName: "part" }, call)).tree.children.length > 10);
  for (const name of ["source", "blame"] as const) {
    await assert.rejects(caller(name, { repo: "part", path: "music/song.txt", ref: "v2.0" }, call), {
      code: "NOT_FOUND",
      message: /^Repository "part" is missing .*partial clone/,
    });
  }
  history.close();
});

test("a git process that needs to fetch an object is stopped at once", async () => {
  const words = "warning: lazy fetching disabled; some objects may not be available";
  replaceGit(`printf '%s\\n' '${words}' >&2; exec sleep 60`);
  const { ask, close } = open();
  const path = "music/song.txt";
  for (const [name, request] of [
    ["blame", { repo: "past", path, ref: "v2.0" }],
    ["commits", { repo: "past", path }],
    ["authors", { repo: "past" }],
    ["diff", { repo: "past", base: "v1.0", head: "v2.0" }],
    ["branches", { repo: "past" }],
    ["source", { repo: "bare", path, ref: "v2.0" }],
  ] as const) {
    await assert.rejects(
      ask(name, request),
      { code: "NOT_FOUND", message: /^Repository ".*" is missing / },
      name,
    );
  }
  assert.ok(calls().length >= 6);
  close();
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
});

test("a file of more than 64 MiB is refused, and other files are still served", async () => {
  const large = Buffer.alloc(65 * 1024 * 1024);
  importOn(past.path, "main", { on: "main", message: "Large", files: [["large", large]] });
  const { ask, close } = open();
  await assert.rejects(ask("source", { repo: "past", path: "large", ref: "main" }), {
    code: "ANSWER_TOO_LARGE",
    message: /67108864/,
  });
  assert.ok((await ask("source", { repo: "past", path: "no newline" })).source.length > 0);
  close();
});
