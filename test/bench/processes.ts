/** Resource use of processes, read from `/proc`. Without it, on other systems than Linux, these return `undefined`. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

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

/** Processor milliseconds so far of each thread of a process, precisely: `stat` counts hundredths of a second. */
export function cpuMsOfThreads(pid: number | undefined): ReadonlyMap<string, number> | undefined {
  if (pid === undefined || read(`/proc/${pid}/schedstat`) === undefined) return undefined;
  const milliseconds = (thread: string) =>
    Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? 0) / 1e6;
  return new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, milliseconds(thread)]));
}

/** Returns the processor milliseconds since `before`, without those of threads that have ended. */
export function cpuMsSince(
  before: ReadonlyMap<string, number> | undefined,
  pid: number | undefined,
): number | undefined {
  const now = cpuMsOfThreads(pid);
  if (before === undefined || now === undefined) return undefined;
  return [...now].reduce((sum, [thread, milliseconds]) => sum + milliseconds - (before.get(thread) ?? 0), 0);
}

/** Processor seconds so far of a process, its children, and theirs. */
export function cpuSecondsOfTree(pid: number | undefined): number | undefined {
  const seconds = pid === undefined ? undefined : cpuSeconds(pid);
  if (pid === undefined || seconds === undefined) return undefined;
  let sum = seconds.own + seconds.ofEnded;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const children = read(`/proc/${pid}/task/${thread}/children`)?.trim() ?? "";
    for (const child of children.split(" ").filter(Boolean)) sum += cpuSecondsOfTree(Number(child)) ?? 0;
  }
  return sum;
}

/** Waits until a process has stopped working in the background. Returns whether it has. */
export async function untilQuiet(pid: number, limitSeconds = 120): Promise<boolean> {
  let quietSeconds = 0;
  for (let tries = limitSeconds; tries > 0 && quietSeconds < 3; tries--) {
    const before = cpuSecondsOfTree(pid) ?? 0;
    await sleep(1000);
    quietSeconds = (cpuSecondsOfTree(pid) ?? 0) - before < 0.05 ? quietSeconds + 1 : 0;
  }
  return quietSeconds >= 3;
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
