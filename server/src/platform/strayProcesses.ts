/** Ends processes that outlive the killed Trawl process that started them. */
import { readdirSync, readFileSync } from "node:fs";

const timeoutMs = 5000;
const pollMs = 10;

/**
 * Kills the processes of this user in whose environment a variable has this value, and waits until they have ended. Blocks the
 * thread, usually for a millisecond. Returns whether all have ended. Finds none on systems without `/proc`.
 */
export function killProcessesOf(name: string, value: string): boolean {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const pids = findProcesses(`${name}=${value}`);
    if (pids.length === 0) return true;
    if (waitedMs >= timeoutMs) return false;
    // What a process starts while it is being killed is found the next time.
    for (const pid of pids) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
  }
}

function findProcesses(entry: string): readonly number[] {
  const wanted = Buffer.from(`\0${entry}\0`);
  const names = readIfPossible(() => readdirSync("/proc")) ?? [];
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => {
    if (pid === process.pid) return false;
    // Those of other users cannot be read. That of a process that has ended is empty.
    const environment = readIfPossible(() => readFileSync(`/proc/${pid}/environ`));
    return environment !== undefined && Buffer.concat([Buffer.from([0]), environment]).includes(wanted);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function readIfPossible<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
