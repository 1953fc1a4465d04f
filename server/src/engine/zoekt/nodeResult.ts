/** Evaluates a search on the documents that nodes returned, and adds what the nodes reported to the result. */
import { ServiceError } from "#base/error";
import type { SearchCall, SearchThread, WorkerCall } from "#engine/embedded/searchMessages";
import { planStages, runSearch } from "#engine/embedded/searchRun";
import type { EngineResult, SearchPlan, UnavailablePart } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { listPacked, type PackedFiles } from "#model/packedFile";
import { type FlushReason, noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import type { Description } from "#query/description";
import type { Limits } from "#query/limits";
import { withReasons } from "./mergeResults";
import { type NodeReplies, partOf } from "./nodeSearch";
import type { NodeScope } from "./replicas";
import type { VerifyThread } from "./verifyThreads";
import type {
  CandidateSource,
  LoadedFiles,
  MissingDocument,
  NodeCandidates,
  UnhashedResponse,
  ZoektResponse,
} from "./zoektMessages";

/** With less time left, a search does not request more documents. */
const minRetryMs = 500;

/** Of this many documents the hashes are requested before all others if files are shown as soon as they are found. */
const firstHashes = 3;

interface Evaluated {
  readonly result: EngineResult;
  readonly nodes: readonly NodeCandidates[];
}

/** Where to evaluate a search, and on what. */
export interface Evaluation {
  readonly thread: VerifyThread;
  readonly source: CandidateSource;
  readonly description: Description | undefined;
  /** Receives the best files of the result before the hashes of all others are known. */
  readonly onFirstFiles: ((files: readonly FileMatch[]) => void) | undefined;
  /** Requests texts that neither the responses nor the cache contain. Returns undefined if that fails. */
  readonly textsOf: (missing: readonly MissingDocument[]) => Promise<readonly Uint8Array[] | undefined>;
  /** Receives the share of documents whose texts were in the cache. */
  readonly onCachedShare: (share: number) => void;
}

/**
 * Returns "tooSlow" if an expression takes too long for a thread that others wait for, and "lacksTexts" if some texts could
 * not be requested.
 */
export async function evaluate(
  evaluation: Evaluation,
  call: SearchCall,
  signal: AbortSignal,
): Promise<Evaluated | "tooSlow" | "lacksTexts"> {
  const stages = planStages(call.limits, false);
  const limits = { ...call.limits, deadline: stages.searchUntil };
  let nodes: readonly NodeCandidates[] | undefined = [];
  const run = {
    threads: [
      searchThread(evaluation, (reported) => {
        nodes = reported;
      }),
    ],
    callFor: () => ({ ...call, limits }),
    limits: call.limits,
    stages,
    emit: undefined,
    onDamage: () => {},
  };
  const result = await runSearch(run, signal);
  if (nodes === undefined) return "lacksTexts";
  return result === "tooSlow" ? result : { result, nodes };
}

/** Presents a thread to the embedded engine's `runSearch`. */
function searchThread(
  evaluation: Evaluation,
  onNodes: (nodes: readonly NodeCandidates[] | undefined) => void,
): SearchThread {
  const { thread, source, description, textsOf, onCachedShare } = evaluation;
  let loaded: LoadedFiles | undefined;
  const evaluateOn = async (from: CandidateSource, search: SearchCall, signal: AbortSignal | undefined) =>
    await thread.run({ kind: "evaluate", source: from, search, description }, signal);
  return {
    async run(call: WorkerCall, signal, onPartial) {
      if (call.kind === "files" && loaded !== undefined) {
        for (const piece of loaded.pieces) await onPartial?.(piece);
        return loaded.response;
      }
      if (call.kind === "files") {
        const files = await thread.run(call, signal, onPartial);
        if (files.kind === "files") return files;
      } else if (call.kind === "search") {
        let evaluated = await evaluateOn(source, call, signal);
        if (evaluated.kind === "missing" && source.kind === "replies") {
          const texts = await textsOf(evaluated.documents);
          evaluated = texts === undefined ? evaluated : await evaluateOn({ ...source, texts }, call, signal);
        }
        if (evaluated.kind === "unhashed")
          evaluated = (await addHashes(evaluation, evaluated, signal)) ?? evaluated;
        if (evaluated.kind === "missing" || evaluated.kind === "unhashed") {
          onNodes(undefined);
          throw new ServiceError("ENGINE_UNAVAILABLE", "Some texts are missing.");
        }
        if (evaluated.kind === "evaluated") {
          onNodes(evaluated.nodes);
          if (evaluated.cachedShare !== undefined) onCachedShare(evaluated.cachedShare);
          loaded = evaluated.files;
          return evaluated.response;
        }
      }
      throw new Error(`Unexpected call of a thread that evaluates candidates: ${call.kind}`);
    },
    close: () => thread.close(),
    end: () => thread.end(),
  };
}

/** Requests the texts of documents whose hashes are missing in a result. Returns undefined if one of them is not found. */
async function addHashes(
  { thread, textsOf, onFirstFiles }: Evaluation,
  unhashed: UnhashedResponse,
  signal: AbortSignal | undefined,
): Promise<ZoektResponse | undefined> {
  const { documents } = unhashed;
  /** The search on the thread, while no call for it is under way. */
  let waiting: number | undefined = unhashed.token;
  const firstCount = onFirstFiles === undefined ? 0 : firstHashes;
  try {
    for (const batch of [documents.slice(0, firstCount), documents.slice(firstCount)]) {
      if (batch.length === 0) continue;
      const texts = await textsOf(batch);
      if (texts === undefined) return undefined;
      const call = { kind: "hash" as const, token: waiting, texts };
      waiting = undefined;
      const hashed = await thread.run(call, signal);
      if (hashed.kind !== "unhashed") return hashed;
      onFirstFiles?.(hashedFiles(hashed.files));
      waiting = hashed.token;
    }
    return undefined;
  } finally {
    if (waiting !== undefined) thread.run({ kind: "hash", token: waiting }).catch(() => undefined);
  }
}

/** Returns the files before the first one without a hash. */
function hashedFiles(loaded: LoadedFiles | undefined): readonly FileMatch[] {
  if (loaded === undefined) return [];
  const packed = [...(loaded.pieces as PackedFiles[]), loaded.response.last].flatMap(listPacked);
  const files = packed.map((file) => file?.unpack());
  const end = files.findIndex((file) => (file?.blobSha ?? "") === "");
  return files.slice(0, end < 0 ? files.length : end).flatMap((file) => file ?? []);
}

/** Adds what the nodes reported to a result. */
export function describe(
  { result, nodes }: Evaluated,
  found: NodeReplies,
  failed: readonly UnavailablePart[],
  isWhole: boolean,
): DescribedResult {
  const unavailable = [...failed];
  const reasons: FlushReason[] = [...found.reasons];
  let omittedCount = 0;
  let contentBytesLoaded = 0;
  let indexBytesLoaded = 0;
  for (const [at, node] of nodes.entries()) {
    const reply = found.replies[at];
    if (reply === undefined) continue;
    if (node.kind === "malformed") {
      unavailable.push(partOf(reply.scope, "returned a malformed response"));
      continue;
    }
    contentBytesLoaded += node.contentBytesLoaded;
    indexBytesLoaded += node.indexBytesLoaded;
    if (node.crashCount > 0) unavailable.push(partOf(reply.scope, "has not loaded all of its index"));
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
  return { result: described, ...followUp(nodes, found) };
}

/** Which further requests may find more. */
export interface FollowUp {
  /** Whether nodes may return more documents if they are asked for more. */
  readonly hasMore: boolean;
  /** What nodes were asked for whose responses cannot be used as they are. */
  readonly incomplete: readonly NodeScope[];
}

export const noFollowUp: FollowUp = { hasMore: false, incomplete: [] };

export function followUp(nodes: readonly NodeCandidates[], { replies }: NodeReplies): FollowUp {
  const hasMore = nodes.some(
    (node, at) =>
      node.kind === "documents" &&
      (node.omittedCount > 0 || (node.skippedCount > 0 && replies[at]?.isLate === false)),
  );
  const incomplete = replies.filter((_, at) => {
    const node = nodes[at];
    return node?.kind === "malformed" || (node !== undefined && node.crashCount > 0);
  });
  return { hasMore, incomplete: incomplete.map(({ scope }) => scope) };
}

/** Returns why nodes did not return all documents that match. */
export function partialReasons(
  nodes: readonly NodeCandidates[],
  found: NodeReplies,
  missing: readonly UnavailablePart[],
): FlushReason[] {
  const { hasMore, incomplete } = followUp(nodes, found);
  const isPartial = missing.length + found.unavailable.length + incomplete.length > 0;
  const isLate = found.replies.some((reply, at) => {
    const node = nodes[at];
    return reply.isLate && node?.kind === "documents" && node.skippedCount > 0;
  });
  return [
    ...found.reasons,
    ...(isPartial ? ["ENGINE_PARTIAL" as const] : []),
    ...(isLate ? ["TIME_LIMIT" as const] : []),
    ...(hasMore ? ["MATCH_LIMIT" as const] : []),
  ];
}

export interface DescribedResult extends FollowUp {
  readonly result: EngineResult;
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
  const { query, phrase, limits, unsaved, preferred, starLevels, grouping } = plan;
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
    starLevels,
    isStreamed: false,
    lane: "fast",
    grouping,
  };
}
