/** Evaluates a search on the documents that nodes returned, and adds what the nodes reported to the result. */
import type { SearchCall } from "#engine/embedded/searchMessages";
import { planStages, runSearch } from "#engine/embedded/searchRun";
import type { EngineResult, SearchPlan, UnavailablePart } from "#engine/engine";
import { type FlushReason, noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import type { Limits } from "#query/limits";
import { withReasons } from "./mergeResults";
import { type NodeReplies, partOf } from "./nodeSearch";
import type { LoadedCandidates } from "./verifyThreads";

/** With less time left, a search does not request more documents. */
const minRetryMs = 500;

interface Evaluated {
  readonly result: EngineResult;
  readonly nodes: LoadedCandidates["nodes"];
}

/** Returns undefined if an expression takes too long for a thread that others wait for. */
export async function evaluate(
  { thread, nodes }: LoadedCandidates,
  call: SearchCall,
  signal: AbortSignal,
): Promise<Evaluated | undefined> {
  const stages = planStages(call.limits, false);
  const limits = { ...call.limits, deadline: stages.searchUntil };
  const run = {
    threads: [thread],
    callFor: () => ({ ...call, limits }),
    limits: call.limits,
    stages,
    emit: undefined,
    onDamage: () => {},
  };
  const result = await runSearch(run, signal);
  return result === "tooSlow" ? undefined : { result, nodes };
}

/** Adds what the nodes reported to a result. `incomplete` are the nodes whose responses cannot be used as they are. */
export function describe(
  { result, nodes }: Evaluated,
  found: NodeReplies,
  failed: readonly UnavailablePart[],
  isWhole: boolean,
): { result: EngineResult; omittedCount: number; incomplete: ReadonlySet<string> } {
  const unavailable = [...failed];
  const incomplete = new Set<string>();
  const reasons: FlushReason[] = [...found.reasons];
  let omittedCount = 0;
  let contentBytesLoaded = 0;
  let indexBytesLoaded = 0;
  for (const [at, node] of nodes.entries()) {
    const reply = found.replies[at];
    if (reply === undefined) continue;
    if (node.kind === "malformed") {
      unavailable.push(partOf(reply.scope, "returned a malformed response"));
      incomplete.add(reply.node);
      continue;
    }
    contentBytesLoaded += node.contentBytesLoaded;
    indexBytesLoaded += node.indexBytesLoaded;
    if (node.crashCount > 0) {
      unavailable.push(partOf(reply.scope, "has not loaded all of its index"));
      incomplete.add(reply.node);
    }
    if (node.skippedCount > 0) reasons.push(reply.isLate || isWhole ? "TIME_LIMIT" : "MATCH_LIMIT");
    omittedCount += node.omittedCount;
  }
  if (omittedCount > 0) reasons.push("MATCH_LIMIT");
  if (unavailable.length > 0) reasons.push("ENGINE_PARTIAL");
  const stats = withReasons({ ...result.stats, contentBytesLoaded, indexBytesLoaded }, reasons);
  const described = {
    ...result,
    stats,
    isExhaustive: stats.flushReason === "NONE",
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
  return { result: described, omittedCount, incomplete };
}

/** Whether too little time is left for another request. */
export function isOutOfTime({ deadline }: Pick<Limits, "deadline">): boolean {
  return deadline - monotonicNow() < minRetryMs;
}

/** Whether a search needs no further documents: it has found what it may show, or has no time left. */
export function hasEnough(
  { stats }: EngineResult,
  { maxMatches, maxDisplayedMatches, deadline }: Limits,
): boolean {
  if (stats.flushReason === "BYTE_LIMIT" || isOutOfTime({ deadline })) return true;
  return maxDisplayedMatches > 0
    ? stats.actualMatchCount >= maxDisplayedMatches
    : stats.totalMatchCount >= maxMatches;
}

export function emptyResult(
  unavailable: readonly UnavailablePart[],
  found: readonly FlushReason[] = [],
): EngineResult {
  const reasons: FlushReason[] = unavailable.length === 0 ? [...found] : [...found, "ENGINE_PARTIAL"];
  const stats = withReasons(noStats, reasons);
  return {
    files: [],
    stats,
    isExhaustive: stats.flushReason === "NONE",
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
}

export function searchCall(plan: SearchPlan, repositories: readonly number[]): SearchCall {
  const { query, phrase, limits, unsaved, preferred, grouping } = plan;
  return {
    kind: "search",
    query,
    phrase: limits.maxDisplayedMatches === 0 ? undefined : phrase,
    repositories,
    // The documents are in memory, so the best of them are found by evaluating all.
    limits: { ...limits, maxMatches: Number.POSITIVE_INFINITY },
    unsaved,
    searchesUnsaved: true,
    preferred,
    isStreamed: false,
    lane: "fast",
    grouping,
  };
}
