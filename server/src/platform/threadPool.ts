/**
 * Several equal workers with one queue; each runs one task at a time.
 *
 * A thread is started when a task is queued and none is idle, up to the size of the pool. It ends after it has been
 * idle for a while, which frees its memory. A supervised pool also replaces threads that crash, stall or wear out.
 */
import { untilAborted } from "#base/untilAborted";
import { startThread, type Thread, threadEnded } from "./workerThread";

export interface Pool<Input, Output> extends Omit<Thread<Input, Output>, "end"> {
  /** The maximum number of threads. */
  readonly size: number;
}

export interface ThreadPool<Input, Output> extends Pool<Input, Output> {
  /** Of the threads beyond the new size, idle ones end at once, and busy ones after their current task. */
  resize(size: number): void;
}

/** Limits for threads whose input may make them crash, hang, leak or grow. */
export interface ThreadSupervision<Output> {
  /** Whether the thread that returned this output must end; the next call starts another one. */
  readonly mustReplace?: (output: Output) => boolean;
  /** A thread that neither returns nor emits anything for this long is terminated, as if it had crashed. */
  readonly stallTimeoutMs?: number;
  /** Limit of the JavaScript heap in MiB; a thread that exceeds it ends. */
  readonly maxHeapMb?: number;
  /** See `ThreadOptions`. */
  readonly maxYoungMb?: number;
  /** An idle thread ends after this time. */
  readonly idleMs?: number;
}

const defaultIdleMs = 5000;

/**
 * Creates a pool of workers that run the bundle at the path `script`. When it is closed, all calls reject with
 * ENGINE_UNAVAILABLE, including queued ones.
 */
export function threadPool<Input, Output>(
  script: string,
  initialSize: number,
  {
    mustReplace,
    stallTimeoutMs,
    maxHeapMb,
    maxYoungMb,
    idleMs = defaultIdleMs,
  }: ThreadSupervision<Output> = {},
): ThreadPool<Input, Output> {
  let size = initialSize;
  const idle = new Map<Thread<Input, Output>, NodeJS.Timeout>();
  const live = new Set<Thread<Input, Output>>();
  const queue: {
    readonly start: (thread: Thread<Input, Output>) => Promise<void>;
    readonly reject: (error: Error) => void;
  }[] = [];
  let isClosed = false;

  const acquire = (): Thread<Input, Output> | undefined => {
    const [idleThread] = idle.keys();
    if (idleThread !== undefined) {
      clearTimeout(idle.get(idleThread));
      idle.delete(idleThread);
      return idleThread;
    }
    if (live.size >= size) return undefined;
    const onExit = () => {
      live.delete(thread);
      clearTimeout(idle.get(thread));
      idle.delete(thread);
    };
    const thread: Thread<Input, Output> = startThread(script, onExit, { maxHeapMb, maxYoungMb });
    live.add(thread);
    return thread;
  };
  const discard = (thread: Thread<Input, Output>): void => {
    live.delete(thread);
    thread.close().catch(() => {});
  };
  const release = (thread: Thread<Input, Output>): void => {
    if (!live.has(thread)) return;
    if (live.size > size) {
      discard(thread);
      return;
    }
    const timer = setTimeout(() => {
      idle.delete(thread);
      discard(thread);
    }, idleMs);
    timer.unref();
    idle.set(thread, timer);
  };
  const runSupervised = async (
    thread: Thread<Input, Output>,
    ...[input, signal, onPartial]: Parameters<Thread<Input, Output>["run"]>
  ): Promise<Output> => {
    const stallTimer =
      stallTimeoutMs === undefined ? undefined : setTimeout(() => discard(thread), stallTimeoutMs);
    try {
      const output = await thread.run(input, signal, (partial) => {
        stallTimer?.refresh();
        return onPartial?.(partial);
      });
      if (mustReplace?.(output)) discard(thread);
      return output;
    } finally {
      clearTimeout(stallTimer);
    }
  };
  const startQueued = (): void => {
    while (queue.length > 0 && !isClosed) {
      const thread = acquire();
      if (thread === undefined) return;
      queue
        .shift()
        ?.start(thread)
        .finally(() => {
          release(thread);
          startQueued();
        })
        .catch(() => {});
    }
  };

  return {
    get size() {
      return size;
    },
    resize(count) {
      size = count;
      for (const [thread, timer] of idle) {
        if (live.size <= size) break;
        clearTimeout(timer);
        idle.delete(thread);
        discard(thread);
      }
      startQueued();
    },
    run(input, signal, onPartial) {
      if (isClosed) return Promise.reject(threadEnded());
      const done = new Promise<Output>((resolve, reject) => {
        const start = (thread: Thread<Input, Output>) =>
          runSupervised(thread, input, signal, onPartial).then(resolve, reject);
        queue.push({ start, reject });
        startQueued();
      });
      // Rejects as soon as the signal fires, even while the call is queued or its task does not check the flag.
      return signal === undefined ? done : untilAborted(done, signal);
    },
    async close() {
      isClosed = true;
      for (const { reject } of queue.splice(0)) reject(threadEnded());
      await Promise.all([...live].map((thread) => thread.close()));
    },
  };
}
