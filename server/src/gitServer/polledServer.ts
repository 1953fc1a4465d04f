/** A git server as a frontend knows it: its last list of repositories, and whether it responds. */
import { isServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { WeightedNode } from "#platform/rendezvous";
import { GitServerClient, type GitServerClientOptions } from "./gitServerClient";
import { GitServerFailure, type RequestOutcome, requestOutcomes } from "./gitServerFailure";
import type { ListedRepository } from "./protocol";

export interface PolledServerOptions extends GitServerClientOptions, Pick<WeightedNode, "weight"> {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the list has changed. */
  readonly onList: () => void;
}

const pollIntervalMs = 2000;
const listTimeLimitMs = 30_000;
/** Delays between attempts to reach a server that fails. */
const retryMs = { first: 500, max: 5000 };
/** How long a server that was late ranks behind others, although it lists its repositories. */
const lateMs = 10_000;

export class PolledServer implements WeightedNode {
  readonly name: string;
  readonly weight: number;
  readonly client: GitServerClient;
  readonly outcomes = new Map<RequestOutcome, number>(requestOutcomes.map((outcome) => [outcome, 0]));
  readonly #options: PolledServerOptions;
  readonly #closing = new AbortController();
  #byName: ReadonlyMap<string, ListedRepository> | undefined;
  #tag: string | undefined;
  #failure: GitServerFailure | undefined;
  #lateUntil = Number.NEGATIVE_INFINITY;
  #retryMs = retryMs.first;
  #cancelPoll: (() => void) | undefined;
  #polling: Promise<void> | undefined;

  constructor(options: PolledServerOptions) {
    this.name = options.name;
    this.weight = options.weight;
    this.client = new GitServerClient(options);
    this.#options = options;
  }

  /** The repositories by name as they were listed last, also while the server fails; `undefined` before. */
  get repositories(): ReadonlyMap<string, ListedRepository> | undefined {
    return this.#byName;
  }

  get isResponding(): boolean {
    return this.#byName !== undefined && this.#failure === undefined;
  }

  /** Whether others should be asked before it. */
  get isSuspended(): boolean {
    return this.#failure !== undefined || this.#options.clock.elapsed() < this.#lateUntil;
  }

  /** Counts the end of a request, and remembers a failure of the server. */
  record(outcome: RequestOutcome, failure?: GitServerFailure): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (outcome === "late") this.suspend();
    else if (outcome === "unreachable" && failure !== undefined) {
      this.#failure = failure;
      this.#pollAfter(0);
    }
  }

  /** Ranks the server behind others for a while. */
  suspend(): void {
    this.#lateUntil = this.#options.clock.elapsed() + lateMs;
  }

  /** Loads the list now, and then at intervals. Never rejects. */
  poll(): Promise<void> {
    this.#polling ??= this.#load().finally(() => {
      this.#polling = undefined;
      if (this.#failure === undefined) this.#pollAfter(pollIntervalMs);
      else {
        this.#pollAfter(this.#retryMs);
        this.#retryMs = Math.min(2 * this.#retryMs, retryMs.max);
      }
    });
    return this.#polling;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelPoll?.();
    await this.client.close();
  }

  async #load(): Promise<void> {
    const { log, onList } = this.#options;
    const { signal } = this.#closing;
    try {
      const list = await this.client.list(this.#tag, { signal, timeLimitMs: listTimeLimitMs });
      if (this.#failure !== undefined) log.info(`Git server ${this.name} responds again.`);
      this.#failure = undefined;
      this.#retryMs = retryMs.first;
      if (list === undefined) return;
      this.#tag = list.tag;
      this.#byName = new Map(list.repositories.map((repository) => [repository.name, repository]));
      onList();
    } catch (error) {
      if (signal.aborted) return;
      const failure =
        error instanceof GitServerFailure
          ? error
          : new GitServerFailure(
              this.name,
              "failed",
              isServiceError(error) ? `refuses to list its repositories: ${error.message}` : "failed",
            );
      if (this.#failure?.message !== failure.message) log.warn(`A ${failure.message}.`);
      this.#failure = failure;
    }
  }

  #pollAfter(delayMs: number): void {
    this.#cancelPoll?.();
    if (this.#closing.signal.aborted) return;
    this.#cancelPoll = this.#options.clock.after(delayMs, () => void this.poll());
  }
}
