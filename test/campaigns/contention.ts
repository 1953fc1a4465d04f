import { readdirSync, readFileSync } from "node:fs";

const sampleMs = 20;
const maxSamples = 5000;

interface Sample {
  readonly at: number;
  /** Milliseconds since the start. */
  readonly main: number;
  readonly all: number;
}

/**
 * Measures how long a process waited for a processor, as counted by the Linux kernel, and how late the timers of this
 * process were. Campaigns add both to their time limits, to allow for a loaded machine.
 */
export class Contention {
  readonly #pid: number;
  readonly #samples: Sample[] = [{ at: performance.now(), main: 0, all: 0 }];
  readonly #waited = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  /** Milliseconds since then that the main thread of the process waited, plus the lateness of this process. */
  ofMainThread(since: number): number {
    return this.#waitedSince(since, "main");
  }

  /** The same, summed over all threads of the process. */
  ofAllThreads(since: number): number {
    return this.#waitedSince(since, "all");
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #waitedSince(since: number, which: "main" | "all"): number {
    this.#sample();
    const before = this.#samples.findLast(({ at }) => at <= since) ?? this.#samples[0];
    return (this.#samples.at(-1)?.[which] ?? 0) - (before?.[which] ?? 0);
  }

  #sample(): void {
    const last = this.#samples.at(-1);
    const at = performance.now();
    const late = Math.max(0, at - (last?.at ?? at) - sampleMs);
    let main = (last?.main ?? 0) + late;
    let all = (last?.all ?? 0) + late;
    for (const thread of threadsOf(this.#pid)) {
      const waited = waitedMs(this.#pid, thread);
      if (waited === undefined) continue;
      const more = waited - (this.#waited.get(thread) ?? waited);
      this.#waited.set(thread, waited);
      all += more;
      if (thread === String(this.#pid)) main += more;
    }
    this.#samples.push({ at, main, all });
    if (this.#samples.length > maxSamples) this.#samples.splice(0, maxSamples / 2);
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // The process has exited, or this is not Linux.
    return [];
  }
}

function waitedMs(pid: number, thread: string): number | undefined {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    // It has exited.
    return undefined;
  }
}
