/** Resource use of processes, read from `/proc`. Without it, on other systems than Linux, these return `undefined`. */
import { readdirSync, readFileSync } from "node:fs";

/** Resident memory in bytes: current and peak. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const bytes = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Processor seconds of all exited children of this process. */
export function cpuSecondsOfEnded(): number | undefined {
  return cpuSeconds("self")?.ofEnded;
}

/** Processor seconds of a process so far. */
export function cpuSecondsOf(pid: number): number | undefined {
  return cpuSeconds(pid)?.own;
}

function cpuSeconds(pid: number | "self"): { readonly own: number; readonly ofEnded: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  // Skip to the third field, because the second one, the name, may contain spaces.
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
