/** The worker side of `startThread`: a worker bundle is one line, `serveTask(task)`. */
import { parentPort, workerData } from "node:worker_threads";
import { encodeError, type FromWorker, type ToWorker } from "./workerMessages";

/** What a task can use while it runs. */
export interface TaskContext {
  /** True once the caller has canceled. Cheap enough to check between documents. */
  readonly isCanceled: () => boolean;
  /**
   * Sends a partial result. Resolves when the caller has processed it: a task that awaits each one before the next
   * never floods the caller. The buffers in `transfer` are moved instead of copied.
   */
  readonly emit: (partial: unknown, transfer?: readonly ArrayBuffer[]) => Promise<void>;
}

export type Task<Input, Output> = (input: Input, context: TaskContext) => Promise<Output> | Output;

/** Runs `task` for each call that arrives. Calls may overlap. */
export function serveTask<Input, Output>(task: Task<Input, Output>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveTask must run on a worker thread");
  let flags: Int32Array | undefined;
  const unacknowledged = new Map<number, (() => void)[]>();
  let running = 0;
  let isEnding = false;
  port.on("message", (message: ToWorker<Input>) => {
    if (message.kind === "end") {
      isEnding = true;
      endIfIdle();
    } else if (message.kind === "flags") flags = message.flags;
    else if (message.kind === "acknowledge") unacknowledged.get(message.call)?.shift()?.();
    else start(message);
  });
  // A worker exits once its port is closed.
  const endIfIdle = () => {
    if (isEnding && running === 0) port.close();
  };
  const start = ({ call, flag, input }: Extract<ToWorker<Input>, { readonly kind: "call" }>) => {
    const context: TaskContext = {
      isCanceled: () => flags !== undefined && Atomics.load(flags, flag) !== 0,
      emit: (value, transfer = []) =>
        new Promise((resolve) => {
          const earlier = unacknowledged.get(call);
          if (earlier === undefined) unacknowledged.set(call, [resolve]);
          else earlier.push(resolve);
          port.postMessage({ call, kind: "partial", value } satisfies FromWorker, transfer);
        }),
    };
    running++;
    runTask(task, input, context)
      .then(
        (value) => port.postMessage({ call, kind: "done", value } satisfies FromWorker),
        (error: unknown) =>
          port.postMessage({ call, kind: "failed", error: encodeError(error) } satisfies FromWorker),
      )
      .finally(() => {
        unacknowledged.delete(call);
        running--;
        endIfIdle();
      })
      .catch(() => undefined);
  };
}

/** Turns an error that the task throws synchronously into a rejection. */
async function runTask<Input, Output>(
  task: Task<Input, Output>,
  input: Input,
  context: TaskContext,
): Promise<Output> {
  return await task(input, context);
}

/** Returns the `data` that this thread was started with. */
export function threadData(): unknown {
  return workerData;
}
