import { ServiceError } from "#base/error";
import type { SearchThread, WorkerCall } from "#engine/embedded/searchMessages";
import type { Thread } from "#platform/workerThread";
import type { Assignments } from "./nodeRepositories";
import type { CandidatesCall, CandidatesResponse, ZoektCall, ZoektResponse } from "./zoektMessages";

export type VerifyThread = Thread<ZoektCall, ZoektResponse>;

/** Candidates on one thread, and a thread for `runSearch` that evaluates searches on them. */
export interface LoadedCandidates extends Pick<CandidatesResponse, "nodes"> {
  readonly thread: SearchThread;
}

interface OpenThread {
  readonly thread: VerifyThread;
  /** Of the repositories that it knows. */
  version: number;
  callCount: number;
}

/** The threads that evaluate candidates. They start with the first search. */
export class VerifyThreads {
  readonly #start: (onExit: () => void) => VerifyThread;
  readonly #count: number;
  readonly #threads: OpenThread[] = [];
  #isClosed = false;

  constructor(count: number, start: (onExit: () => void) => VerifyThread) {
    this.#count = count;
    this.#start = start;
  }

  /** Loads candidates on the thread with the fewest calls, and passes them to `use`. */
  async withCandidates<Result>(
    call: CandidatesCall,
    assignments: Assignments,
    signal: AbortSignal,
    use: (loaded: LoadedCandidates) => Promise<Result>,
  ): Promise<Result> {
    const open = this.#leastBusy();
    open.callCount++;
    try {
      return await use(await load(open, call, assignments, signal));
    } finally {
      open.callCount--;
    }
  }

  /** The same on a thread of its own, which no other search waits for. */
  async withOwnThread<Result>(
    call: CandidatesCall,
    assignments: Assignments,
    signal: AbortSignal,
    use: (loaded: LoadedCandidates) => Promise<Result>,
  ): Promise<Result> {
    const thread = this.#start(() => {});
    try {
      return await use(await load({ thread, version: -1, callCount: 0 }, call, assignments, signal));
    } finally {
      await thread.close();
    }
  }

  #leastBusy(): OpenThread {
    if (this.#isClosed) throw new ServiceError("ENGINE_UNAVAILABLE", "The engine is closed.");
    const [first] = this.#threads.toSorted((left, right) => left.callCount - right.callCount);
    if (first !== undefined && (first.callCount === 0 || this.#threads.length >= this.#count)) return first;
    const thread = this.#start(() => {
      const at = this.#threads.findIndex((each) => each.thread === thread);
      if (at >= 0) this.#threads.splice(at, 1);
    });
    const open = { thread, version: -1, callCount: 0 };
    this.#threads.push(open);
    return open;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map(({ thread }) => thread.close()));
  }
}

async function load(
  open: OpenThread,
  call: CandidatesCall,
  { version, repositories }: Assignments,
  signal: AbortSignal,
): Promise<LoadedCandidates> {
  const { thread } = open;
  if (open.version !== version) {
    // Calls arrive in order, so the next one finds these.
    open.version = version;
    thread.run({ kind: "repositories", repositories }).catch(() => {
      open.version = -1;
    });
  }
  const response = await thread.run(call, signal);
  if (response.kind !== "candidates") throw unexpected(response.kind);
  return { nodes: response.nodes, thread: searchThread(thread, response.token) };
}

function searchThread(thread: VerifyThread, token: number): SearchThread {
  return {
    async run(call: WorkerCall, signal, onPartial) {
      if (call.kind !== "search" && call.kind !== "files") throw unexpected(call.kind);
      const sent: ZoektCall = call.kind === "files" ? call : { kind: "verify", token, search: call };
      const response = await thread.run(sent, signal, onPartial);
      if (response.kind === "ready" || response.kind === "candidates") throw unexpected(response.kind);
      return response;
    },
    close: () => thread.close(),
    end: () => thread.end(),
  };
}

function unexpected(kind: string): Error {
  return new Error(`Unexpected message on a verifying thread: ${kind}`);
}
