/**
 * Work on other threads, or on this one.
 *
 * A worker is an entry of one line around a task, `serve(task)`; who needs work done takes a `Thread` or a `Pool`
 * and never sees a script. Only `entry/trawl.ts` knows where the bundles lie.
 */

/** What a task may do besides returning. */
export interface TaskContext {
  /** True as soon as the caller has given up; cheap enough to ask between documents. */
  readonly cancelled: () => boolean;
  /** Hands something over before the end. */
  readonly emit: (partial: unknown) => void;
}

export type Task<Input, Output> = (input: Input, context: TaskContext) => Promise<Output> | Output;

/** One worker with its own state. Calls are started in the order in which they are made, and may overlap. */
export interface Thread<Input, Output> {
  /** Rejects with `CANCELLED` when `signal` fires, and with the task's own error, its code kept. */
  run(input: Input, signal?: AbortSignal, onPartial?: (partial: unknown) => void): Promise<Output>;
  close(): Promise<void>;
}

/** Several like workers with one queue: each runs one task at a time. */
export interface Pool<Input, Output> extends Thread<Input, Output> {
  readonly size: number;
}
