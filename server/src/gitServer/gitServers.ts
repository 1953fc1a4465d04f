/** The git servers of a frontend: which repositories they have, and which one answers a request. */
import { isServiceError, ServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { HistoryOperation } from "#contract/historyOperations";
import type { CallContext, RequestOf, ResponseOf } from "#contract/service";
import { type Clock, monotonicNow } from "#platform/clock";
import type { Log } from "#platform/log";
import { rendezvousOrder } from "#platform/rendezvous";
import { TimeLimit } from "#platform/timeLimit";
import { firstResponse } from "./firstResponse";
import type { GitServerClientOptions } from "./gitServerClient";
import { GitServerFailure, type RequestOutcome } from "./gitServerFailure";
import { PolledServer } from "./polledServer";
import type { ListedRepository } from "./protocol";

export interface GitServersOptions {
  readonly servers: readonly (GitServerClientOptions & { readonly weight: number })[];
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the repositories of a server have changed. */
  readonly onList: () => void;
}

/** What a call needs of its context. */
export type HistoryContext = Pick<CallContext, "signal" | "client" | "baseUrl"> &
  Partial<Pick<CallContext, "deadline">>;

/** How long a server may take before the next one is asked, too. */
const maxStepMs = 3000;
const defaultTimeLimitMs = 10_000;

export class GitServers {
  readonly #servers: readonly PolledServer[];

  constructor({ servers, clock, log, onList }: GitServersOptions) {
    this.#servers = servers.map((server) => new PolledServer({ ...server, clock, log, onList }));
  }

  /** Begins to poll the servers. Resolves when each has responded or failed, but after `waitMs` at the latest. */
  async start(waitMs: number, signal: AbortSignal): Promise<void> {
    const limit = new TimeLimit(signal, waitMs);
    try {
      await untilAborted(Promise.all(this.#servers.map((server) => server.poll())), limit.signal);
    } catch (error) {
      if (!isServiceError(error, "CANCELLED")) throw error;
    } finally {
      limit.dispose();
    }
  }

  /** Whether every server has listed its repositories since the start. */
  get areAllListed(): boolean {
    return this.#servers.every(({ repositories }) => repositories !== undefined);
  }

  /** Whether any server has. */
  get isAnyListed(): boolean {
    return this.#servers.some(({ repositories }) => repositories !== undefined);
  }

  /** Returns what each server has listed: another object if that has changed. */
  lists(): readonly PolledServer["repositories"][] {
    return this.#servers.map(({ repositories }) => repositories);
  }

  /** Returns all repositories, by name, each as one of its servers describes it. */
  repositories(): ReadonlyMap<string, ListedRepository> {
    const found = new Map<string, ListedRepository>();
    for (const { repositories = new Map<string, ListedRepository>() } of this.#servers)
      for (const name of repositories.keys()) if (!found.has(name)) found.set(name, this.#describe(name));
    return found;
  }

  /** Requests of each server that have ended, by outcome. */
  *outcomes(): Iterable<readonly [labels: readonly [server: string, outcome: string], count: number]> {
    for (const { name, outcomes } of this.#servers)
      for (const [outcome, count] of outcomes) yield [[name, outcome], count];
  }

  /** Whether each server responds. */
  *responding(): Iterable<readonly [server: string, isResponding: number]> {
    for (const { name, isResponding } of this.#servers) yield [name, Number(isResponding)];
  }

  /**
   * Executes an operation on a server that has the repository, or on the next one if that fails, is slow, or lacks the
   * revision, which others may have fetched already.
   *
   * Throws the error of the operation, CANCELLED, and if no server could respond TIMED_OUT or ENGINE_UNAVAILABLE with the
   * names of the servers.
   */
  async call<Name extends HistoryOperation>(
    name: Name,
    repository: string,
    request: RequestOf<Name>,
    { signal, client, baseUrl, deadline }: HistoryContext,
  ): Promise<ResponseOf<Name>> {
    const servers = this.#orderFor(repository);
    const leftMs = Math.max(1, deadline === undefined ? defaultTimeLimitMs : deadline - monotonicNow());
    const endsAt = monotonicNow() + leftMs;
    const context = {
      ...(client === undefined ? {} : { client }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    };
    try {
      return await firstResponse({
        servers,
        stepMs: Math.min(maxStepMs, leftMs / servers.length),
        signal,
        send: async (server, sendSignal) => {
          const limits = { signal: sendSignal, timeLimitMs: Math.max(1, endsAt - monotonicNow()) };
          return await recorded(server, server.client.call(name, request, context, limits));
        },
        isFailure: (error) => error instanceof GitServerFailure || isMissing(error),
        onLate: (server) => server.suspend(),
      });
    } catch (error) {
      if (!Array.isArray(error)) throw error;
      // A revision that the others do not have either.
      throw error.find(isMissing) ?? unavailable(repository, error);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  /** Servers that have the repository, then those that are not known to lack it. Those that fail are the last ones. */
  #orderFor(name: string): readonly PolledServer[] {
    const rank = (server: PolledServer) => {
      const state = server.repositories?.get(name)?.state;
      const isListed = server.repositories !== undefined;
      const absence = state !== undefined ? 0 : isListed ? 8 : 1;
      return absence + (state === "cloning" ? 4 : 0) + (server.isSuspended ? 2 : 0);
    };
    const ordered = rendezvousOrder(name, this.#servers)
      .map((server) => ({ server, rank: rank(server) }))
      .sort((left, right) => left.rank - right.rank);
    const holders = ordered.filter((each) => each.rank < 8);
    return (holders.length > 0 ? holders : ordered).map(({ server }) => server);
  }

  #describe(name: string): ListedRepository {
    let best: ListedRepository | undefined;
    for (const { repositories } of this.#servers) {
      const listed = repositories?.get(name);
      if (listed !== undefined && (best === undefined || isBetter(listed, best))) best = listed;
    }
    if (best === undefined) throw new Error("A repository that no server lists cannot be described.");
    return best;
  }
}

/** Whether a server lacks what another one may have. */
function isMissing(error: unknown): boolean {
  return isServiceError(error, "NOT_FOUND") || isServiceError(error, "INVALID_GIT_REF");
}

/** The server with the latest commits knows most. */
function isBetter(one: ListedRepository, other: ListedRepository): boolean {
  const isReady = ({ state }: ListedRepository) => Number(state === "ready");
  return (isReady(one) - isReady(other) || (one.pushedAt ?? 0) - (other.pushedAt ?? 0)) > 0;
}

async function recorded<Response>(server: PolledServer, response: Promise<Response>): Promise<Response> {
  const outcomeOf = (error: unknown): RequestOutcome =>
    error instanceof GitServerFailure
      ? error.outcome
      : isServiceError(error, "CANCELLED")
        ? "canceled"
        : "refused";
  try {
    const value = await response;
    server.record("ok");
    return value;
  } catch (error) {
    server.record(outcomeOf(error), error instanceof GitServerFailure ? error : undefined);
    throw error;
  }
}

function unavailable(repository: string, failures: readonly GitServerFailure[]): ServiceError {
  const isLate = failures.every(({ outcome }) => outcome === "late");
  const reasons = failures.map(({ message }) => message).join("; ");
  return new ServiceError(
    isLate ? "TIMED_OUT" : "ENGINE_UNAVAILABLE",
    `Repository "${repository}" cannot be read now: ${reasons}.`,
  );
}
