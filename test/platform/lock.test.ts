import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { acquireLock } from "#platform/lock";
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

/** A holder that this machine and boot once had; its process is another's by now or gone. */
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
  test("one takes the lock, others are told who has it, and then it is free again", async () => {
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

  test("a killed process's lock is taken at once", async () => {
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

  test("a holder elsewhere lives by its heartbeat and by its socket", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 5);
    assert.equal((await acquireLock(folder)).kind, "held");
    leaveLock(folder, {}, 60);
    assert.equal((await acquireLock(folder, { answers: async () => true })).kind, "held");
    (await take(folder, { answers: async () => false })).release();
  });

  test("a file that says nothing is somebody who writes it, but not for long", async () => {
    const folder = temporaryFolder();
    writeFileSync(lockFile(folder), "");
    assert.equal((await acquireLock(folder)).kind, "held");
    utimesSync(lockFile(folder), 1, 1);
    (await take(folder)).release();
  });

  test("a thief that died while stealing does not block for ever", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 60);
    writeFileSync(`${lockFile(folder)}.steal-left-behind`, "");
    utimesSync(`${lockFile(folder)}.steal-left-behind`, 1, 1);
    assert.equal((await acquireLock(folder)).kind, "held");
    (await take(folder)).release();
  });

  test("somebody else's lock is not released", async () => {
    const folder = temporaryFolder();
    const lock = await take(folder);
    leaveLock(folder, {});
    lock.release();
    assert.ok(existsSync(lockFile(folder)));
  });

  test("of many processes that find a stale lock, one gets it", async () => {
    const folder = temporaryFolder();
    leaveLock(folder, {}, 60);
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, [__filename, racing, folder], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    const answers = await Promise.all(
      children.map(
        (child) =>
          new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data)))),
      ),
    );
    assert.deepEqual(answers.filter((answer) => answer.startsWith("acquired")).length, 1, answers.join());
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
    (await take(folder)).release();
  });
}

const [, , mode, folder] = process.argv;
if (mode === racing && folder !== undefined) void race(folder);
else tests();
