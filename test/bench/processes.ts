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

/** Seconds of processor time of a process, all its threads, and the children it has waited for. */
export function cpuSecondsOf(pid: number | "self"): number | undefined {
  const fields = statFields(pid);
  if (fields === undefined) return undefined;
  return sum(fields.slice(11, pid === "self" ? 13 : 15)) / ticksPerSecond;
}

/** Seconds of processor time of all children of this process that have ended. */
export function cpuSecondsOfEnded(): number | undefined {
  const fields = statFields("self");
  return fields === undefined ? undefined : sum(fields.slice(13, 15)) / ticksPerSecond;
}

export function openFilesOf(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

const ticksPerSecond = 100;

/** Fields of `stat` from the third on; the second one, the name, may hold blanks. */
function statFields(pid: number | "self"): readonly string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function sum(fields: readonly string[]): number {
  return fields.reduce((total, field) => total + Number(field), 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
