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
 * Measures how long a process waited for a processor, as counted by the Linux kernel. For another process, also measures
 * how late the timers of this one were. Time limits of tests and campaigns allow for both, so that they hold on a loaded
 * machine, and still catch a process that computes for too long.
 */
export class Contention {
  readonly #pid: number;
  readonly #samples: Sample[] = [{ at: performance.now(), main: 0, all: 0 }];
  /** By thread. */
  #waited = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), sampleMs);
    this.#timer.unref();
  }

  /** Milliseconds since then that the main thread waited, plus the lateness of this process if it is another one. */
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
    const isLateItself = this.#pid !== process.pid;
    const late = isLateItself ? Math.max(0, at - (last?.at ?? at) - sampleMs) : 0;
    let main = (last?.main ?? 0) + late;
    let all = (last?.all ?? 0) + late;
    const before = this.#waited;
    // Without threads that have exited, because the system may assign their numbers to new ones.
    this.#waited = new Map();
    for (const thread of threadsOf(this.#pid)) {
      const waited = waitedMs(this.#pid, thread);
      if (waited === undefined) continue;
      this.#waited.set(thread, waited);
      const more = Math.max(0, waited - (before.get(thread) ?? waited));
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
