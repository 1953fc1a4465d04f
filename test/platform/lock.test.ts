import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { acquireLock, staleMs } from "#platform/lock";
import { manualClock } from "#test/support/clock";
import { temporaryFolder } from "#test/support/repo";

/** This file is also the program of the processes that race for a lock. */
const racing = "--race";

function lockFile(folder: string): string {
  return join(folder, "owner.lock");
}

async function take(folder: string, options = {}) {
  const lock = await acquireLock(folder, options);
  assert.equal(lock.kind, "acquired");
  return lock as Extract<typeof lock, { kind: "acquired" }>;
}

/** Writes the lock of a holder on another host, except for the fields in `change`. */
function leaveLock(folder: string, change: Record<string, unknown>, ageSeconds = 0): void {
  const holder = { id: "left-behind", pid: 1, startTime: "1", host: "elsewhere", ...change };
  writeFileSync(lockFile(folder), JSON.stringify(holder));
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(lockFile(folder), then, then);
}

async function race(folder: string): Promise<void> {
  const lock = await acquireLock(folder);
  process.stdout.write(lock.kind);
  process.stdin.on("end", () => lock.kind === "acquired" && lock.release()).resume();
}

function tests(): void {
  test("one process acquires the lock, others see its holder, and release frees it", async () => {
    const folder = temporaryFolder();
    const first = await take(folder);
    const second = await acquireLock(folder);
    assert.deepEqual(
      { kind: second.kind, pid: "holder" in second && second.holder?.pid },
      { kind: "held", pid: process.pid },
    );
    first.release();
    first.release();
    assert.deepEqual(readdirSync(folder), []);
    (await take(folder)).release();
  });

  test("the lock of a killed process is acquired at once", async () => {
    const folder = temporaryFolder();
    const lock = await take(folder);
    const own = JSON.parse(readFileSync(lockFile(folder), "utf8"));
    lock.release();
    const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
    leaveLock(folder, { host: own.host, pid: dead, startTime: "7" });
    (await take(folder)).release();
    // The pid lives, but it is another process than the one that took the lock.
    leaveLock(folder, { host: own.host, pid: process.pid, startTime: "7" });
    (await take(folder)).release();
  });

  test("a remote holder is alive by its heartbeat or its socket", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 5);
    assert.equal((await acquireLock(folder)).kind, "held");
    leaveLock(folder, {}, 60);
    assert.equal((await acquireLock(folder, { isHolderResponding: async () => true })).kind, "held");
    (await take(folder, { answers: async () => false })).release();
  });

  test("an unreadable file counts as being written, but not for long", async () => {
    const folder = temporaryFolder();
    writeFileSync(lockFile(folder), "");
    assert.equal((await acquireLock(folder)).kind, "held");
    utimesSync(lockFile(folder), 1, 1);
    (await take(folder)).release();
  });

  test("a missing lock is not acquired while the holder's socket answers", async () => {
    const folder = temporaryFolder();
    assert.equal((await acquireLock(folder, { isHolderResponding: async () => true })).kind, "held");
    writeFileSync(lockFile(folder), "");
    utimesSync(lockFile(folder), 1, 1);
    assert.equal((await acquireLock(folder, { isHolderResponding: async () => true })).kind, "held");
    (await take(folder, { answers: async () => false })).release();
  });

  test("a heartbeat from before the clock was set back does not keep a dead holder alive", async () => {
    const folder = temporaryFolder();
    const clock = manualClock(Date.now());
    leaveLock(folder, {}, -3600);
    assert.equal((await acquireLock(folder, { clock })).kind, "held");
    clock.time += staleMs - 1;
    assert.equal((await acquireLock(folder, { clock })).kind, "held");
    clock.time += 1;
    (await take(folder, { clock })).release();
  });

  test("a holder whose clock is ahead keeps the lock while its heartbeat continues", async () => {
    const folder = temporaryFolder();
    const clock = manualClock(Date.now());
    for (let seconds = 0; seconds < 100; seconds += 5) {
      leaveLock(folder, {}, -3600 - seconds);
      assert.equal((await acquireLock(folder, { clock })).kind, "held");
      clock.time += 5_000;
    }
  });

  for (const [name, damage] of [
    ["removed", (path: string) => rmSync(path)],
    ["emptied", (path: string) => truncateSync(path)],
    [
      "replaced by a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ] as const) {
    test(`a holder restores a file ${name}`, async () => {
      const folder = temporaryFolder();
      let restored = () => {};
      const isRestored = new Promise<void>((resolve) => {
        restored = resolve;
      });
      const lost = () => assert.fail("The lock was not lost.");
      const lock = await take(folder, { onRestored: restored, onLost: lost });
      const before = readFileSync(lockFile(folder), "utf8");
      damage(lockFile(folder));
      // The timer of the lock does not keep the process alive.
      const alive = setInterval(() => undefined, 1000);
      await isRestored;
      clearInterval(alive);
      assert.equal(readFileSync(lockFile(folder), "utf8"), before);
      assert.equal((await acquireLock(folder)).kind, "held");
      lock.release();
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  test("a holder whose file names another process has lost the lock", async () => {
    const folder = temporaryFolder();
    const alive = setInterval(() => undefined, 1000);
    await new Promise<void>((resolve, reject) => {
      take(folder, { onLost: resolve }).then(() => leaveLock(folder, {}), reject);
    });
    clearInterval(alive);
    assert.match(readFileSync(lockFile(folder), "utf8"), /left-behind/);
  });

  test("a process that died while stealing a lock does not block others forever", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 60);
    writeFileSync(`${lockFile(folder)}.steal-left-behind`, "");
    utimesSync(`${lockFile(folder)}.steal-left-behind`, 1, 1);
    assert.equal((await acquireLock(folder)).kind, "held");
    (await take(folder)).release();
  });

  test("another process's lock is not released", async () => {
    const folder = temporaryFolder();
    const lock = await take(folder);
    leaveLock(folder, {});
    lock.release();
    assert.ok(existsSync(lockFile(folder)));
  });

  test("of many processes that race for a stale lock, one acquires it", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 60);
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, [__filename, racing, folder], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    const outcomes = await Promise.all(
      children.map(
        (child) =>
          new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data)))),
      ),
    );
    assert.deepEqual(outcomes.filter((outcome) => outcome.startsWith("acquired")).length, 1, outcomes.join());
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
    (await take(folder)).release();
  });
}

const [, , mode, folder] = process.argv;
if (mode === racing && folder !== undefined) void race(folder);
else tests();
