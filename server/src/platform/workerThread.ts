/**
 * Work on another thread.
 *
 * A worker is a bundle that runs one task (`serveTask`). Callers get a `Thread` or a `Pool` (`threadPool.ts`) and never
 * see a script path; tests and one-shot commands get the same interfaces without a thread (`inlineThread.ts`).
 *
 * A call works as follows:
 *
 * - `run` takes a free cancellation flag and posts the input. A number identifies the call from then on.
 * - The task posts partial results. Each is passed to `onPartial` and acknowledged when that resolves.
 * - When the signal fires, the flag is set in shared memory, because a busy thread does not receive messages. The task
 *   checks it regularly, returns early, and the call rejects with CANCELLED.
 * - The result or the error settles the call. If the thread is closed or exits first, all its calls reject with ENGINE_UNAVAILABLE.
 */
import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import { canceled, ServiceError } from "#base/error";
import { shareProcessLock } from "./processLock";
import { decodeError, type FromWorker, type ToWorker } from "./workerMessages";

/** Receives a partial result. If it returns a promise, the result is acknowledged to the task when that resolves. */
export type OnPartial = (partial: unknown) => Promise<void> | void;

/** One worker with its own state. Calls start in the order in which they are made, and may overlap. */
export interface Thread<Input, Output> {
  /**
   * Rejects with CANCELLED if `signal` has fired, with the error of the task (and its code), with ENGINE_UNAVAILABLE if
   * the thread is closed or exits during the call, and with OVERLOADED if too many calls are under way.
   */
  run(input: Input, signal?: AbortSignal, onPartial?: OnPartial): Promise<Output>;
  /**
   * Rejects the calls under way and cancels their tasks. Resolves when the thread has ended; one that has not stopped
   * after `stopMs` is terminated.
   */
  close(): Promise<void>;
  /** Waits for the calls under way, then ends the thread. No call may follow. */
  end(): Promise<void>;
}

/**
 * How long a thread that is closed may take to stop by itself. Node aborts the whole process if a thread is terminated
 * while it sets up zlib, which index workers do for each object of a repository. A task that does not check its flag
 * for this long still takes that risk.
 */
const stopMs = 500;

/** Maximum number of calls under way on one thread. Each has a cancellation flag. */
const flagCount = 1024;

interface PendingCall {
  readonly flag: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onPartial: OnPartial | undefined;
}

export interface ThreadOptions {
  /** A thread whose JavaScript heap exceeds this many MiB ends. */
  readonly maxHeapMb?: number | undefined;
  /** How many MiB new objects may take before they are collected; by default at most 48. */
  readonly maxYoungMb?: number | undefined;
  /** What `threadData` returns on the thread. */
  readonly data?: unknown;
}

/**
 * The default of Node 20 and 22. That of Node 24 is four times as large, which does not make our threads faster. With little
 * memory, V8 chooses less.
 */
const defaultYoungMb = getHeapStatistics().heap_size_limit >= 2 * 1024 ** 3 ? 48 : undefined;

/**
 * Starts a worker that runs the bundle at the path `script`. `onExit` is called once, when the thread has ended for
 * whatever reason.
 */
export function startThread<Input, Output>(
  script: string,
  onExit?: (code: number) => void,
  { maxHeapMb, maxYoungMb = defaultYoungMb, data }: ThreadOptions = {},
): Thread<Input, Output> {
  const resourceLimits = {
    ...(maxHeapMb === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMb }),
    ...(maxYoungMb === undefined ? {} : { maxYoungGenerationSizeMb: maxYoungMb }),
  };
  shareProcessLock();
  const worker = new Worker(script, { stdout: false, stderr: false, workerData: data, resourceLimits });
  const flags = new Int32Array(new SharedArrayBuffer(flagCount * 4));
  const freeFlags = Array.from({ length: flagCount }, (_, flag) => flagCount - 1 - flag);
  const pending = new Map<number, PendingCall>();
  let lastError: Error | undefined;
  let hasExited = false;
  let isClosing = false;
  let lastCall = 0;
  const send = (message: ToWorker<Input>) => worker.postMessage(message);
  send({ kind: "flags", flags });
  worker.unref();

  const takePending = (call: number): PendingCall | undefined => {
    const entry = pending.get(call);
    if (entry === undefined) return undefined;
    pending.delete(call);
    freeFlags.push(entry.flag);
    // While closing, the process must not exit before the thread has.
    if (pending.size === 0 && !isClosing) worker.unref();
    return entry;
  };
  const partials: (() => void)[] = [];
  // One per turn of the event loop, so that many calls at once do not block this thread.
  const deliverNext = () => {
    partials.shift()?.();
    if (partials.length > 0) setImmediate(deliverNext);
  };
  const deliver = async (call: number, value: unknown): Promise<void> => {
    try {
      await pending.get(call)?.onPartial?.(value);
    } catch {
      // A receiver that fails and wants the task to stop must abort the call's signal.
    }
    send({ kind: "acknowledge", call });
  };
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "partial") {
      partials.push(() => void deliver(message.call, message.value));
      if (partials.length === 1) setImmediate(deliverNext);
    } else if (message.kind === "done") takePending(message.call)?.resolve(message.value);
    else takePending(message.call)?.reject(decodeError(message.error));
  });
  worker.on("error", (error) => {
    lastError = error;
  });
  const exit = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.on("exit", (code) => {
    hasExited = true;
    for (const call of [...pending.keys()]) takePending(call)?.reject(threadEnded(lastError));
    onExit?.(code);
  });

  const end = async (): Promise<void> => {
    if (hasExited) return;
    isClosing = true;
    worker.ref();
    send({ kind: "end" });
    await exit;
  };

  return {
    run(input, signal, onPartial) {
      if (hasExited || isClosing) return Promise.reject(threadEnded(lastError));
      if (signal?.aborted) return Promise.reject(canceled());
      const flag = freeFlags.pop();
      if (flag === undefined)
        return Promise.reject(
          new ServiceError("OVERLOADED", "A worker thread has too many concurrent calls."),
        );
      const call = ++lastCall;
      Atomics.store(flags, flag, 0);
      return new Promise<Output>((resolve, reject) => {
        const cancel = () => Atomics.store(flags, flag, 1);
        signal?.addEventListener("abort", cancel, { once: true });
        const settle = () => signal?.removeEventListener("abort", cancel);
        pending.set(call, {
          flag,
          onPartial,
          resolve: (value) => {
            settle();
            // The result of a task that was canceled may be incomplete.
            if (signal?.aborted) reject(canceled());
            else resolve(value as Output);
          },
          reject: (error) => {
            settle();
            reject(signal?.aborted ? canceled() : error);
          },
        });
        worker.ref();
        send({ kind: "call", call, flag, input });
      });
    },
    async close() {
      for (const call of [...pending.keys()]) {
        const entry = takePending(call);
        if (entry !== undefined) Atomics.store(flags, entry.flag, 1);
        entry?.reject(threadEnded(lastError));
      }
      const timer = setTimeout(() => void worker.terminate(), stopMs);
      await end();
      clearTimeout(timer);
    },
    end,
  };
}

/** Returns the error of a call whose thread has ended. */
export function threadEnded(cause?: Error): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "A worker thread has stopped.", { cause });
}
