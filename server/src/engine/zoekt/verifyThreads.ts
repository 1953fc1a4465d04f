import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import type { Thread } from "#platform/workerThread";
import type { Assignments } from "./nodeRepositories";
import type { ZoektCall, ZoektResponse } from "./zoektMessages";

export type VerifyThread = Thread<ZoektCall, ZoektResponse>;

interface OpenThread {
  readonly thread: VerifyThread;
  /** Of the repositories that it knows. */
  version: number;
  /** What the last search got. */
  view: { readonly version: number; readonly thread: VerifyThread } | undefined;
  callCount: number;
  hasEnded: boolean;
}

/** How many slow searches run at the same time, each on a thread of its own. Others wait. */
const slowThreadCount = 2;
/** A thread for slow searches is closed after this time without one, to release its memory. */
const slowIdleMs = 30_000;

/** What the caches of all threads may take together, and those of one. */
const cacheBytes = { total: 512 * 1024 * 1024, thread: 96 * 1024 * 1024 };

/** Starts a thread whose caches take at most `cacheBytes`. */
export type StartVerifyThread = (onExit: () => void, cacheBytes: number) => VerifyThread;

/** The threads that evaluate candidates. They start with the first search. */
export class VerifyThreads {
  readonly #start: StartVerifyThread;
  readonly #count: number;
  readonly #threads: OpenThread[] = [];
  /** Which thread evaluated documents of a node last. */
  readonly #lastOf = new Map<string, OpenThread>();
  readonly #slow = new Limiter(slowThreadCount);
  /** Threads for slow searches that run none. */
  readonly #idleSlow = new Map<OpenThread, NodeJS.Timeout>();
  #isClosed = false;

  constructor(count: number, start: StartVerifyThread) {
    this.#count = count;
    this.#start = start;
  }

  /**
   * Passes the thread with the fewest calls to `use`. For documents of one `node`, passes the same one as before if it has at
   * most one call more, because it has their texts in memory, or knows about them.
   */
  async run<Result>(
    assignments: Assignments,
    use: (thread: VerifyThread) => Promise<Result>,
    node?: string,
  ): Promise<Result> {
    const open = this.#threadFor(node);
    open.callCount++;
    try {
      return await use(upToDate(open, assignments));
    } finally {
      open.callCount--;
    }
  }

  /**
   * Passes a thread to `use` that no other search waits for. Only a few run at the same time, in the order of their calls.
   * Rejects with CANCELLED if the signal fires before one is free. `use` must observe it afterwards.
   */
  runSlow<Result>(
    assignments: Assignments,
    signal: AbortSignal,
    use: (thread: VerifyThread) => Promise<Result>,
  ): Promise<Result> {
    return this.#slow.run(async () => {
      const open = this.#takeSlow();
      try {
        return await use(upToDate(open, assignments));
      } finally {
        this.#releaseSlow(open, signal);
      }
    }, signal);
  }

  #takeSlow(): OpenThread {
    this.#throwIfClosed();
    const [idle] = this.#idleSlow;
    if (idle !== undefined) {
      const [open, timer] = idle;
      clearTimeout(timer);
      this.#idleSlow.delete(open);
      return open;
    }
    const open = this.#open(() => {
      clearTimeout(this.#idleSlow.get(open));
      this.#idleSlow.delete(open);
    });
    return open;
  }

  /** A canceled search may still be running, so its thread ends. */
  #releaseSlow(open: OpenThread, { aborted }: AbortSignal): void {
    if (open.hasEnded) return;
    if (aborted || this.#isClosed) void open.thread.close();
    else this.#idleSlow.set(open, setTimeout(() => this.#closeSlow(open), slowIdleMs).unref());
  }

  #closeSlow(open: OpenThread): void {
    if (this.#idleSlow.delete(open)) void open.thread.close();
  }

  #threadFor(node: string | undefined): OpenThread {
    const last = node === undefined ? undefined : this.#lastOf.get(node);
    if (last?.hasEnded === false && !this.#isClosed) {
      const canOpen = this.#threads.length < this.#count;
      const fewest = canOpen ? 0 : Math.min(...this.#threads.map(({ callCount }) => callCount));
      if (last.callCount <= fewest + 1) return last;
    }
    const open = this.#leastBusy();
    if (node !== undefined) this.#lastOf.set(node, open);
    return open;
  }

  #leastBusy(): OpenThread {
    this.#throwIfClosed();
    const [first] = this.#threads.toSorted((left, right) => left.callCount - right.callCount);
    if (first !== undefined && (first.callCount === 0 || this.#threads.length >= this.#count)) return first;
    const open = this.#open(() => {
      const at = this.#threads.indexOf(open);
      if (at >= 0) this.#threads.splice(at, 1);
    });
    this.#threads.push(open);
    return open;
  }

  #open(onExit: () => void): OpenThread {
    const share = Math.floor(cacheBytes.total / (this.#count + slowThreadCount));
    const thread = this.#start(
      () => {
        open.hasEnded = true;
        onExit();
      },
      Math.min(cacheBytes.thread, share),
    );
    const open: OpenThread = { thread, version: -1, view: undefined, callCount: 0, hasEnded: false };
    return open;
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new ServiceError("ENGINE_UNAVAILABLE", "The engine is closed.");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = [...this.#idleSlow];
    for (const [, timer] of idle) clearTimeout(timer);
    const threads = [...this.#threads, ...idle.map(([open]) => open)];
    await Promise.all(threads.map(({ thread }) => thread.close()));
  }
}

/** Returns the thread, each call of which finds these repositories: searches that began before may know others. */
function upToDate(open: OpenThread, { version, repositories }: Assignments): VerifyThread {
  const { thread, view } = open;
  if (view?.version === version) return view.thread;
  const run: VerifyThread["run"] = (...call) => {
    if (open.version !== version) {
      // Calls arrive in order, so the next one finds these.
      open.version = version;
      thread.run({ kind: "repositories", repositories }).catch(() => {
        open.version = -1;
      });
    }
    return thread.run(...call);
  };
  const viewed = { run, close: () => thread.close(), end: () => thread.end() };
  open.view = { version, thread: viewed };
  return viewed;
}
