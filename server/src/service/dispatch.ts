/** The entry point of every transport: admits, validates, records and runs calls, and responds by the deadline. */

import type { Access } from "#access/access";
import type { Audit } from "#access/audit";
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import { Limiter } from "#base/limiter";
import { untilAborted } from "#base/untilAborted";
import { type Operation, waitsForGit } from "#contract/operation";
import { type OperationName, operation } from "#contract/operations";
import type { Call, CallContext, Caller, Handler, RequestOf, ResponseOf } from "#contract/service";
import { monotonicNow } from "#platform/clock";
import { MemoryLimit } from "#platform/memoryLimit";
import { TimeLimit } from "#platform/timeLimit";
import { inSpan } from "#platform/tracing";
import { patienceFactor } from "#service/history/history";
import type { Services } from "./createService";
import type { Metrics } from "./metrics";
import { validate } from "./validate";

export interface DispatchOptions {
  readonly services: Services;
  readonly access: Access;
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** How long a request may take, in milliseconds from its arrival to its response. */
  readonly timeLimitMs: number;
  /** The same for requests about files and history. */
  readonly gitTimeLimitMs: () => number;
  /**
   * How many calls may run concurrently. The engine's workers determine the throughput; more calls than workers only
   * keep them busy while responses are encoded, and the response of each may take 64 MiB.
   */
  readonly maxRunning?: number;
  /** How many calls may wait for a slot. Further calls fail with OVERLOADED. */
  readonly maxWaiting?: number;
  readonly memoryLimit?: MemoryLimit;
}

/** The share of the time limit that is reserved for encoding and sending a partial response, up to `maxMs`. */
const sendingReserve = { maxMs: 500, share: 0.05 };

/**
 * Searches that return this many matches or more have a queue of their own: if many of them share the processor, all are
 * late instead of some, and each needs memory for its response. Streams are sent as they are found. Counts by some
 * properties are in the same queue.
 */
const minLargeMatches = 20_000;
const maxLargeSearches = 2;
/** The same while the process exceeds its memory limit. */
const maxLargeSearchesOverLimit = 1;

/** Groups that may be many, or need the position of each match: as `groupBy` of a count, or in its query. */
const largeGroups = /^(?:text|symbol|author)$/;
const largeGroupFilter = /(?<![^\s(])group:"?(?:text|symbol|author)/;

function isLargeSearch(row: Operation, request: object): boolean {
  if (row === operation("count")) {
    const { groupBy, query } = request as RequestOf<"count">;
    return groupBy === undefined ? largeGroupFilter.test(query) : largeGroups.test(groupBy);
  }
  return row.event === undefined && "matches" in request && Number(request.matches) >= minLargeMatches;
}

export function createDispatch(options: DispatchOptions): Caller {
  const { services, access, audit, metrics, maxRunning = 16, maxWaiting = 256 } = options;
  const { memoryLimit = new MemoryLimit() } = options;
  // Calls that wait for git must not keep others from searching, and neither must long searches.
  const queues = {
    git: createQueue(maxRunning, maxWaiting),
    large: createQueue(maxLargeSearches, maxWaiting),
    other: createQueue(maxRunning, maxWaiting),
  };
  const limitLargeSearches = () =>
    queues.large.resize(memoryLimit.check() ? maxLargeSearchesOverLimit : maxLargeSearches);
  const queueSizes = (size: keyof QueueSize) =>
    Object.entries(queues).map(([kind, queue]) => [kind, queue.size()[size]] as const);
  metrics.add(
    {
      kind: "gauge",
      name: "trawl_requests_running",
      help: "Requests that are being executed.",
      label: "queue",
      read: () => queueSizes("running"),
    },
    {
      kind: "gauge",
      name: "trawl_requests_waiting",
      help: "Requests that wait for a slot.",
      label: "queue",
      read: () => queueSizes("waiting"),
    },
  );

  return async function dispatch<Name extends OperationName>(
    name: Name,
    raw: unknown,
    call: Call<Name>,
  ): Promise<ResponseOf<Name>> {
    const began = performance.now();
    const count = (code: string) => metrics.observe(name, code, (performance.now() - began) / 1000);
    try {
      const response = await inSpan(name, () => admitted(name, raw, call));
      count("OK");
      return response;
    } catch (error) {
      count(isServiceError(error) ? error.code : "UNEXPECTED_ERROR");
      throw call.credentials.kind === "local" ? exposeStorageFailure(error) : error;
    }
  };

  async function admitted<Name extends OperationName>(
    name: Name,
    raw: unknown,
    call: Call<Name>,
  ): Promise<ResponseOf<Name>> {
    const {
      credentials,
      anonymous: _anonymous,
      repositoryRules: _rules,
      arrivedAt = performance.now(),
      ...rest
    } = call;
    const row = operation(name);
    const admission = timeOf(options.timeLimitMs, arrivedAt, call);
    const actor = await byDeadline(admission, (checkSignal) => access.admit(row, { ...call, checkSignal }));
    const request = validate(row, raw) as RequestOf<Name>;
    throwIfAborted(call.signal);
    const handler: Handler<Name> = services(actor.kind === "local" ? undefined : actor.sees)[name];
    const time = timeOf(timeLimitOf(row, request), arrivedAt, call);
    const reserveMs = Math.min(sendingReserve.maxMs, time.limitMs * sendingReserve.share);
    const deadline = monotonicNow() + time.leftMs - reserveMs;
    const admittedAt = performance.now();
    // A call that finds a free slot runs before `inQueue` returns.
    let isQueued = false;
    const work = async (signal: AbortSignal, recordingSignal = signal) => {
      const waitedMs = isQueued ? performance.now() - admittedAt : 0;
      const context: CallContext<Name> = { ...rest, signal, actor, deadline };
      const record = () => untilAborted(audit.recordCall(row, request, context), recordingSignal);
      // Audit records are written before the response is sent.
      if (!row.audit?.isRecordedAfterwards) await record();
      const response = await handler(request, context);
      if (row.audit?.isRecordedAfterwards) await record();
      return addWait(response, waitedMs);
    };
    // Open operations must stay responsive under load. Local calls without a REST endpoint take no slot, because some of
    // them last as long as the editor is open.
    const isUnlimited = (row.http === undefined || row.isLong === true) && credentials.kind === "local";
    if (row.access === "open" || isUnlimited) return work(call.signal);
    limitLargeSearches();
    const kind = waitsForGit(row) ? "git" : isLargeSearch(row, request) ? "large" : "other";
    const response = inQueue(row, time, queues[kind].run, work).finally(limitLargeSearches);
    isQueued = true;
    return response;
  }

  function timeLimitOf(row: Operation, request: object): number {
    if (!waitsForGit(row)) return options.timeLimitMs;
    const isPatient = "isPatient" in request && request.isPatient === true;
    return options.gitTimeLimitMs() * (isPatient ? patienceFactor : 1);
  }
}

/** Adds the time for which a search has waited for a slot to its statistics. */
function addWait<Response>(response: Response, waitedMs: number): Response {
  const { stats } = (response ?? {}) as { readonly stats?: { readonly wait?: number } };
  if (stats?.wait === undefined || waitedMs === 0) return response;
  return { ...response, stats: { ...stats, wait: stats.wait + Math.round(waitedMs * 1e6) } };
}

/** Makes the message of a storage failure visible: to the local user only, because it may contain a path. */
function exposeStorageFailure(error: unknown): unknown {
  if (!isServiceError(error, "STORAGE_FAILED")) return error;
  return new ServiceError("ENGINE_UNAVAILABLE", error.message, { cause: error });
}

/** The time of a call, and what may end it earlier. */
interface CallTime extends Pick<Call, "signal" | "client"> {
  readonly limitMs: number;
  readonly leftMs: number;
}

function timeOf(limitMs: number, arrivedAt: number, { signal, client }: Call): CallTime {
  const leftMs = limitMs - (performance.now() - arrivedAt);
  return { signal, limitMs, leftMs, ...(client === undefined ? {} : { client }) };
}

/**
 * Runs `work` with a signal that fires when the caller disconnects or the time limit expires. Throws TIMED_OUT if `work`
 * is then canceled.
 */
async function byDeadline<Response>(
  { signal, limitMs, leftMs }: CallTime,
  work: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const limit = new TimeLimit(signal, leftMs);
  try {
    return await work(limit.signal);
  } catch (error) {
    if (!limit.isExpired || signal.aborted || !isServiceError(error, "CANCELLED")) throw error;
    throw new ServiceError("TIMED_OUT", `The request took longer than ${limitMs / 1000} s.`, {
      cause: error,
    });
  } finally {
    limit.dispose();
  }
}

/**
 * Runs `work` when `queue` has a slot for it. When the time limit expires:
 *
 * - Operations with partial results end on their own. One that is still queued runs at once, with no time left.
 * - A running operation that must not be resent is completed: its caller could not know whether it took effect.
 * - All others are canceled and reject with TIMED_OUT.
 */
async function inQueue<Response>(
  row: Operation,
  time: CallTime,
  queue: Queue["run"],
  work: (signal: AbortSignal, recordingSignal?: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const isCanceledWhenLate = !row.isPartialWhenLate && row.resend !== "never";
  let isRunning = false;
  try {
    return await byDeadline(time, (signal) => {
      const response = queue(
        () => {
          isRunning = true;
          return work(isCanceledWhenLate ? signal : time.signal, signal);
        },
        { ...time, signal },
      );
      return isCanceledWhenLate ? untilAborted(response, signal) : response;
    });
  } catch (error) {
    if (!isServiceError(error, "TIMED_OUT") || !row.isPartialWhenLate || isRunning) throw error;
    return await byDeadline({ ...time, leftMs: sendingReserve.maxMs }, (signal) => work(time.signal, signal));
  }
}

interface QueueSize {
  readonly running: number;
  readonly waiting: number;
}

interface Queue {
  /** Throws OVERLOADED. */
  run<Response>(work: () => Promise<Response>, call: Pick<Call, "signal" | "client">): Promise<Response>;
  /** Changes how many calls may run concurrently. */
  resize(maxRunning: number): void;
  size(): QueueSize;
}

/** Serves callers round-robin. */
function createQueue(maxRunning: number, maxWaiting: number): Queue {
  const limiter = new Limiter(maxRunning);
  let admitted = 0;
  return {
    async run(work, { signal, client }) {
      if (admitted >= maxRunning + maxWaiting) {
        throw new ServiceError(
          "OVERLOADED",
          `More than ${maxWaiting} requests are waiting. Try again in a second.`,
        );
      }
      admitted++;
      try {
        return await limiter.run(work, signal, client);
      } finally {
        admitted--;
      }
    },
    resize: (maxRunning) => limiter.resize(maxRunning),
    size: () => ({ running: limiter.running, waiting: admitted - limiter.running }),
  };
}
