/**
 * Work on other threads, or on this one.
 *
 * A worker is an entry of one line around a task, `serveTask(task)`; who needs work done takes a `Thread` or a `Pool`
 * and never sees a script. Only `entry/trawl.ts` knows where the bundles lie.
 */
import { parentPort, Worker } from "node:worker_threads";
import { cancelled, type ErrorCode, type InternalCode, isServiceError, ServiceError } from "#base/error";

/** What a task may do besides returning. */
export interface TaskContext {
  /** True as soon as the caller has given up; cheap enough to ask between documents. */
  readonly cancelled: () => boolean;
  /**
   * Hands something over before the end. Keeps its promise when the caller has taken it: who waits for that before the
   * next one never fills the caller's memory, nor its time.
   */
  readonly emit: (partial: unknown) => Promise<void>;
}

export type Task<Input, Output> = (input: Input, context: TaskContext) => Promise<Output> | Output;

/** What it gives, if anything, tells when it has been taken. */
export type OnPartial = (partial: unknown) => Promise<void> | void;

/** One worker with its own state. Calls are started in the order in which they are made, and may overlap. */
export interface Thread<Input, Output> {
  /**
   * Rejects with `CANCELLED` when `signal` fires, with the task's own error (its code kept), and with
   * `ENGINE_UNAVAILABLE` where the thread ends under it.
   */
  run(input: Input, signal?: AbortSignal, onPartial?: OnPartial): Promise<Output>;
  /** Ends it, whatever it is at. */
  close(): Promise<void>;
  /** Ends it when it has done what it was asked for. Nothing more may be asked. */
  end(): Promise<void>;
}

/** Several like workers with one queue: each runs one task at a time. */
export interface Pool<Input, Output> extends Omit<Thread<Input, Output>, "end"> {
  readonly size: number;
}

export interface ThreadPool<Input, Output> extends Pool<Input, Output> {
  /** Threads past the new size end with the task that they have. */
  resize(size: number): void;
}

type ToWorker<Input> =
  | { readonly kind: "flags"; readonly flags: Int32Array }
  | { readonly kind: "call"; readonly call: number; readonly flag: number; readonly input: Input }
  /** The first partial result of a call that was not taken before. */
  | { readonly kind: "taken"; readonly call: number }
  /** Nothing more will come. */
  | { readonly kind: "end" };
type FromWorker =
  | { readonly call: number; readonly kind: "partial"; readonly value: unknown }
  | { readonly call: number; readonly kind: "done"; readonly value: unknown }
  | { readonly call: number; readonly kind: "failed"; readonly error: WireError };

interface WireError {
  readonly code?: ErrorCode | InternalCode;
  readonly message: string;
  readonly stack?: string;
}

/** Calls that overlap on one thread; more wait for a free cancellation flag. */
const flagCount = 1024;

/** The worker's end: runs `task` for each call that arrives. */
export function serveTask<Input, Output>(task: Task<Input, Output>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveTask runs in a worker");
  let flags: Int32Array | undefined;
  const untaken = new Map<number, (() => void)[]>();
  let running = 0;
  let isEnding = false;
  port.on("message", (message: ToWorker<Input>) => {
    if (message.kind === "end") {
      isEnding = true;
      endIfDone();
    } else if (message.kind === "flags") flags = message.flags;
    else if (message.kind === "taken") untaken.get(message.call)?.shift()?.();
    else start(message);
  });
  // A thread that nobody can write to any more ends by itself.
  const endIfDone = () => {
    if (isEnding && running === 0) port.close();
  };
  const start = ({ call, flag, input }: Extract<ToWorker<Input>, { readonly kind: "call" }>) => {
    const context: TaskContext = {
      cancelled: () => flags !== undefined && Atomics.load(flags, flag) !== 0,
      emit: (value) =>
        new Promise((resolve) => {
          const before = untaken.get(call);
          if (before === undefined) untaken.set(call, [resolve]);
          else before.push(resolve);
          port.postMessage({ call, kind: "partial", value } satisfies FromWorker);
        }),
    };
    running++;
    runTask(task, input, context)
      .then(
        (value) => port.postMessage({ call, kind: "done", value } satisfies FromWorker),
        (error: unknown) =>
          port.postMessage({ call, kind: "failed", error: toWire(error) } satisfies FromWorker),
      )
      .finally(() => {
        untaken.delete(call);
        running--;
        endIfDone();
      })
      .catch(() => undefined);
  };
}

async function runTask<Input, Output>(
  task: Task<Input, Output>,
  input: Input,
  context: TaskContext,
): Promise<Output> {
  return await task(input, context);
}

function toWire(error: unknown): WireError {
  if (!(error instanceof Error)) return { message: String(error) };
  const stack = error.stack === undefined ? {} : { stack: error.stack };
  return isServiceError(error)
    ? { code: error.code, message: error.message, ...stack }
    : { message: error.message, ...stack };
}

function fromWire(error: WireError): Error {
  const restored =
    error.code === undefined ? new Error(error.message) : new ServiceError(error.code, error.message);
  if (error.stack !== undefined) restored.stack = error.stack;
  return restored;
}

interface Waiting {
  readonly flag: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onPartial: OnPartial | undefined;
}

/** Starts a worker from a bundle. `onExit` is told once, when the thread has ended for whatever reason. */
export function startThread<Input, Output>(
  script: string,
  onExit?: (code: number) => void,
  maxHeapMb?: number,
): Thread<Input, Output> {
  const limits = maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } };
  const worker = new Worker(script, { stdout: false, stderr: false, ...limits });
  const flags = new Int32Array(new SharedArrayBuffer(flagCount * 4));
  const free = Array.from({ length: flagCount }, (_, flag) => flagCount - 1 - flag);
  const waiting = new Map<number, Waiting>();
  let lastError: Error | undefined;
  let ended = false;
  let closing = false;
  let calls = 0;
  const tell = (message: ToWorker<Input>) => worker.postMessage(message);
  tell({ kind: "flags", flags });
  worker.unref();

  const settle = (call: number): Waiting | undefined => {
    const entry = waiting.get(call);
    if (entry === undefined) return undefined;
    waiting.delete(call);
    free.push(entry.flag);
    // Whoever waits for its end must not see the process end first.
    if (waiting.size === 0 && !closing) worker.unref();
    return entry;
  };
  const partials: (() => void)[] = [];
  // One a turn: those of many calls at once must not keep this thread from everything else.
  const takeNext = () => {
    partials.shift()?.();
    if (partials.length > 0) setImmediate(takeNext);
  };
  const take = async (call: number, value: unknown): Promise<void> => {
    try {
      await waiting.get(call)?.onPartial?.(value);
    } catch {
      // Who takes nothing more gives the call up by its signal.
    }
    tell({ kind: "taken", call });
  };
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "partial") {
      partials.push(() => void take(message.call, message.value));
      if (partials.length === 1) setImmediate(takeNext);
    } else if (message.kind === "done") settle(message.call)?.resolve(message.value);
    else settle(message.call)?.reject(fromWire(message.error));
  });
  worker.on("error", (error) => {
    lastError = error;
  });
  const exit = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.on("exit", (code) => {
    ended = true;
    for (const call of [...waiting.keys()]) settle(call)?.reject(gone(lastError));
    onExit?.(code);
  });

  return {
    run(input, signal, onPartial) {
      if (ended) return Promise.reject(gone(lastError));
      if (signal?.aborted) return Promise.reject(cancelled());
      const flag = free.pop();
      if (flag === undefined)
        return Promise.reject(new ServiceError("OVERLOADED", "Too many calls at once."));
      const call = ++calls;
      Atomics.store(flags, flag, 0);
      return new Promise<Output>((resolve, reject) => {
        const giveUp = () => Atomics.store(flags, flag, 1);
        signal?.addEventListener("abort", giveUp, { once: true });
        const end = () => signal?.removeEventListener("abort", giveUp);
        waiting.set(call, {
          flag,
          onPartial,
          resolve: (value) => {
            end();
            // A task that ends early because it was told to has nothing whole to give.
            if (signal?.aborted) reject(cancelled());
            else resolve(value as Output);
          },
          reject: (error) => {
            end();
            reject(signal?.aborted ? cancelled() : error);
          },
        });
        worker.ref();
        tell({ kind: "call", call, flag, input });
      });
    },
    async close() {
      closing = true;
      await worker.terminate();
    },
    async end() {
      if (ended) return;
      closing = true;
      worker.ref();
      tell({ kind: "end" });
      await exit;
    },
  };
}

function gone(cause: Error | undefined): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "A worker of the service has stopped.", { cause });
}

/** The same without a thread, for tests and for programs that do one thing. */
export function thisThread<Input, Output>(
  task: Task<Input, Output>,
  size = 1,
): Pool<Input, Output> & Thread<Input, Output> {
  return {
    size,
    async run(input, signal, onPartial) {
      if (signal?.aborted) throw cancelled();
      const output = await task(input, {
        cancelled: () => signal?.aborted === true,
        emit: async (partial) => onPartial?.(partial),
      });
      if (signal?.aborted) throw cancelled();
      return output;
    },
    async close() {},
    async end() {},
  };
}

/** What is expected of threads that can come to harm by what they are given. */
export interface ThreadCare<Output> {
  /** Whether the thread that answered this is of no use any more: it is ended, and another one takes its place. */
  readonly isWorn: (output: Output) => boolean;
  /** A thread that neither answers nor emits anything for this long is ended, as if it had crashed. */
  readonly silenceMs: number;
  /** Of JavaScript alone, in MiB; a thread that needs more ends. */
  readonly maxHeapMb: number;
  /** An idle thread ends after this time. */
  readonly idleMs: number;
}

/** An idle thread of a pool ends after this time and gives its memory back, where nothing else is said. */
const defaultIdleMs = 5000;

/** Up to `size` threads, started when there is work and ended when there has been none for a while. */
export function threadPool<Input, Output>(
  script: string,
  initialSize: number,
  care?: ThreadCare<Output>,
): ThreadPool<Input, Output> {
  let size = initialSize;
  const idle = new Map<Thread<Input, Output>, NodeJS.Timeout>();
  const live = new Set<Thread<Input, Output>>();
  const queue: ((thread: Thread<Input, Output>) => Promise<void>)[] = [];
  let closed = false;

  const take = (): Thread<Input, Output> | undefined => {
    const [found] = idle.keys();
    if (found !== undefined) {
      clearTimeout(idle.get(found));
      idle.delete(found);
      return found;
    }
    if (live.size >= size) return undefined;
    const ended = () => {
      live.delete(thread);
      clearTimeout(idle.get(thread));
      idle.delete(thread);
    };
    const thread: Thread<Input, Output> = startThread(script, ended, care?.maxHeapMb);
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
    }, care?.idleMs ?? defaultIdleMs);
    timer.unref();
    idle.set(thread, timer);
  };
  const carefully = async (
    thread: Thread<Input, Output>,
    ...[input, signal, onPartial]: Parameters<Thread<Input, Output>["run"]>
  ): Promise<Output> => {
    if (care === undefined) return thread.run(input, signal, onPartial);
    const silence = setTimeout(() => discard(thread), care.silenceMs);
    try {
      const output = await thread.run(input, signal, (partial) => {
        silence.refresh();
        return onPartial?.(partial);
      });
      if (care.isWorn(output)) discard(thread);
      return output;
    } finally {
      clearTimeout(silence);
    }
  };
  const next = (): void => {
    while (queue.length > 0 && !closed) {
      const thread = take();
      if (thread === undefined) return;
      const start = queue.shift();
      start?.(thread)
        .finally(() => {
          release(thread);
          next();
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
      next();
    },
    run(input, signal, onPartial) {
      if (closed) return Promise.reject(gone(undefined));
      return new Promise<Output>((resolve, reject) => {
        queue.push((thread) => carefully(thread, input, signal, onPartial).then(resolve, reject));
        next();
      });
    },
    async close() {
      closed = true;
      await Promise.all([...live].map((thread) => thread.close()));
    },
  };
}
