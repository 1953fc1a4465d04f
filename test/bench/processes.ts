/** What the system says of processes. Linux alone tells it in files; elsewhere these give `undefined`. */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes of physical memory: now, and at most so far. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const bytes = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Seconds of processor time of all children of this process that have ended. */
export function cpuSecondsOfEnded(): number | undefined {
  return cpuSeconds("self")?.ofEnded;
}

/** Seconds of processor time of a process so far. */
export function cpuSecondsOf(pid: number): number | undefined {
  return cpuSeconds(pid)?.own;
}

function cpuSeconds(pid: number | "self"): { readonly own: number; readonly ofEnded: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  // Fields from the third on: the second one, the name, may hold blanks.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  const ticks = (at: number) => Number(fields[at]) + Number(fields[at + 1]);
  return { own: ticks(11) / ticksPerSecond, ofEnded: ticks(13) / ticksPerSecond };
}

export function openFilesOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

const ticksPerSecond = 100;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
