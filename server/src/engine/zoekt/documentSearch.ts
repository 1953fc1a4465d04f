/** Searches repositories on nodes. */
import { untilAborted } from "#base/untilAborted";
import type { SearchCall, UnsavedText } from "#engine/embedded/searchMessages";
import type { UnsavedSymbols } from "#engine/embedded/unsavedSymbols";
import type { EngineResult, SearchPlan, UnavailablePart } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { Description } from "#query/description";
import type { Pattern, Query } from "#query/query";
import { dependsOnSymbols } from "#shard/evaluation/compile";
import type { CacheUse } from "./cacheUse";
import type { CandidateParser } from "./candidateParser";
import { candidatesWithoutFiles } from "./candidates";
import type { Hedging } from "./hedging";
import { type LineUse, lineUse } from "./matchedLines";
import { withReasons } from "./mergeResults";
import type { Assignments } from "./nodeRepositories";
import { NodeRequests } from "./nodeRequests";
import {
  type DescribedResult,
  describe,
  emptyResult,
  evaluate,
  hasEnough,
  isOutOfTime,
  noFollowUp,
  searchCall,
} from "./nodeResult";
import { documentCounts, type NodeReplies as FoundReplies } from "./nodeSearch";
import type { SearchedRepositories, SearchedRepositoriesOptions } from "./searchedRepositories";
import type { VerifyThread, VerifyThreads } from "./verifyThreads";
import type { CandidateSource, MissingDocument, NodeReplies } from "./zoektMessages";

export interface DocumentSearchOptions extends SearchedRepositoriesOptions {
  readonly threads: VerifyThreads;
  readonly parser: CandidateParser;
  readonly unsavedSymbols: UnsavedSymbols;
  readonly hedging: Hedging;
  /** Of texts, and of what is known of texts. */
  readonly cacheUse: { readonly texts: CacheUse; readonly facts: CacheUse };
  /** The largest response of a node to one request. */
  readonly maxBytes: number;
}

/** The same for documents that are parsed: more would take longer than a search may. */
export const parsedCounts = { first: 100, growth: 8, max: 2000 };
/** How many documents a node returns for a description, and after how many matches for each it skips the rest of a shard. */
const describedDocuments = 400;
const describedMatches = 100;
/** A search for many matches requests more documents at first, as if each had so many. */
const matchesPerDocument = 3;
/** Share of the time until the deadline in which documents are parsed. */
const parsingShare = 0.6;

/** A search, and what it needs. */
interface NodeSearch {
  readonly plan: SearchPlan;
  readonly call: SearchCall;
  readonly unsaved: readonly UnsavedText[];
  readonly needsSymbols: boolean;
  readonly lines: LineUse | undefined;
  readonly cacheUse: CacheUse;
  /** Whether all documents that match are requested. */
  readonly isWhole: boolean;
  readonly requests: NodeRequests;
  readonly missing: readonly UnavailablePart[];
  readonly assignments: Assignments;
  readonly options: DocumentSearchOptions;
  readonly onFirstFiles: DocumentScope["onFirstFiles"];
  readonly signal: AbortSignal;
}

/** Where a search looks for documents, or one part of it. */
export interface DocumentScope extends SearchedRepositories {
  readonly assignments: Assignments;
  /** How many nodes all parts together ask. */
  readonly nodeCount: number;
  /** Receives the best files before the first result. */
  readonly onFirstFiles?: (files: readonly FileMatch[]) => void;
  /** Whether this part needs no further documents, because all parts have found enough. */
  readonly haveAllEnough?: (result: EngineResult) => Promise<boolean>;
}

/** Requests few documents at first, because their text is most of the cost, and more if these have too few matches. */
export async function searchDocuments(
  plan: SearchPlan,
  { assignments, searched, missing, nodeCount, onFirstFiles, haveAllEnough }: DocumentScope,
  options: DocumentSearchOptions,
  signal: AbortSignal,
): Promise<EngineResult> {
  const { query, limits, grouping, description } = plan;
  const isUnlimited = limits.maxMatches === Number.POSITIVE_INFINITY;
  const selectsSymbols = dependsOnSymbols(query) || grouping?.by === "symbol";
  const needsSymbols = selectsSymbols || (limits.findsEnclosing === true && !isUnlimited);
  const ids = searched.map(({ id }) => id);
  const scoped = new Set(ids);
  const unsaved = await options.unsavedSymbols.textsOf(
    plan.unsaved.filter(({ repositoryId }) => scoped.has(repositoryId)),
    needsSymbols,
    signal,
  );
  const call = { ...searchCall(plan, ids), unsaved };
  const { byId } = assignments;
  const isWhole = isUnlimited && !selectsSymbols && description === undefined;
  const lines = isWhole || needsSymbols ? undefined : lineUse(plan);
  const contextLines = lines === undefined ? 0 : limits.contextLines;
  const request = { ...options, isWhole, contextLines, deadline: limits.deadline, byId };
  const requests = new NodeRequests(
    description === undefined
      ? { ...request, query }
      : { ...request, query: describedQuery(query, description), shardMatchesPerDocument: describedMatches },
    searched,
  );
  const cacheUse = options.cacheUse[lines === undefined ? "texts" : "facts"];
  const shared = { plan, call, unsaved, needsSymbols, lines, cacheUse, isWhole };
  const search = { ...shared, requests, missing, assignments, options, onFirstFiles, signal };
  const counts = selectsSymbols ? parsedCounts : documentCounts;
  const wanted =
    description !== undefined
      ? describedDocuments
      : isUnlimited
        ? counts.max
        : firstCount(limits.maxDisplayedMatches, counts.first, lines && nodeCount);
  // A search for all documents needs more texts than are cached.
  const canList = !isWhole && !needsSymbols;
  const hashesLater = lines?.documents === "all" && lines.hashesOfResult;
  let best: EngineResult | undefined;
  for (let count = Math.ceil(wanted); ; ) {
    const documentCount = Math.min(count, counts.max);
    const { result, hasMore, incomplete } =
      (await searchOnce(search, documentCount, !canList || !(hashesLater || cacheUse.isLikely))) ??
      (await searchOnce(search, documentCount, true)) ??
      lateResult(missing);
    // A node that failed this time has already returned some documents.
    if (best !== undefined && result.stats.totalMatchCount < best.stats.totalMatchCount) return best;
    best = result;
    const isLast = !hasMore || description !== undefined || documentCount === counts.max;
    if (!isOutOfTime(limits) && requests.avoid(incomplete)) continue;
    if (isLast || hasEnough(result, limits) || (await haveAllEnough?.(result))) return result;
    // Other parts may have taken the time that was left.
    if (isOutOfTime(limits)) return result;
    count *= counts.growth;
  }
}

/** Returns a query for documents that contain any word of a description. */
function describedQuery(query: Query, { stems }: Description): Query {
  const children = stems.map((text): Query => {
    const pattern: Pattern = { kind: "literal", text, caseSensitive: false };
    return { kind: "text", pattern, where: "both" };
  });
  return { kind: "and", children: [query, { kind: "or", children }] };
}

/**
 * Returns how many documents to request from each node at first: enough for a page, even if each has few matches, because
 * evaluating a query on texts again may be slow. On lines it is fast, so all nodes together return enough.
 */
function firstCount(matchCount: number, min: number, nodes: number | undefined): number {
  const expected = matchCount / matchesPerDocument;
  return nodes === undefined
    ? Math.max(min, Math.min(matchCount, 2 * min), expected)
    : Math.max(min, expected / nodes);
}

/** Returns undefined if texts that the responses do not contain cannot be requested. */
async function searchOnce(
  search: NodeSearch,
  documentCount: number,
  hasTexts: boolean,
): Promise<DescribedResult | undefined> {
  const { plan, call, unsaved, isWhole, requests, missing, assignments, cacheUse, onFirstFiles, signal } =
    search;
  const { limits } = plan;
  const { threads } = search.options;
  const found = await requests.send(documentCount, hasTexts, signal);
  const failed = [...missing, ...found.unavailable];
  if (found.replies.length === 0 && unsaved.length === 0)
    return { result: emptyResult(failed, found.reasons), ...noFollowUp };
  const none =
    unsaved.length === 0 && plan.grouping === undefined ? candidatesWithoutFiles(found) : undefined;
  if (none !== undefined) return describe({ result: emptyResult([]), nodes: none }, found, failed, isWhole);
  const limit = new TimeLimit(signal, limits.deadline - monotonicNow());
  try {
    const evaluateOn = async (thread: VerifyThread, lane: SearchCall["lane"]) => {
      const source = await sourceOn(thread, search, found, limit.signal);
      const textsOf = (documents: readonly MissingDocument[]) =>
        requests.texts(found, documents, limit.signal);
      const onCachedShare = (share: number) => cacheUse.record(share);
      const { description } = plan;
      const evaluation = { thread, source, description, onFirstFiles, textsOf, onCachedShare };
      return evaluate(evaluation, { ...call, lane }, signal);
    };
    const [node, ...otherNodes] = new Set(found.replies.map((reply) => reply.node));
    const only = otherNodes.length === 0 ? node : undefined;
    let result = await threads.run(assignments, (thread) => evaluateOn(thread, "fast"), only);
    if (result === "tooSlow")
      result = await threads.runSlow(assignments, limit.signal, (thread) => evaluateOn(thread, "slow"));
    if (result === "tooSlow") throw new Error("A slow search must not report tooSlow");
    if (result === "lacksTexts") return undefined;
    return describe(result, found, failed, isWhole);
  } catch (error) {
    if (!limit.isExpired || signal.aborted) throw error;
    return lateResult(failed);
  } finally {
    limit.dispose();
  }
}

async function sourceOn(
  thread: VerifyThread,
  { unsaved, needsSymbols, lines, plan, options }: NodeSearch,
  found: FoundReplies,
  signal: AbortSignal,
): Promise<CandidateSource> {
  const replies = repliesFor(found, unsaved);
  if (!needsSymbols) return { kind: "replies", ...replies, lineUse: lines };
  const now = monotonicNow();
  const until = now + (plan.limits.deadline - now) * parsingShare;
  return await parsedSource(thread, replies, options.parser, until, signal);
}

/** Returns what a thread needs of replies. */
export function repliesFor({ replies }: FoundReplies, unsaved: readonly UnsavedText[]): NodeReplies {
  return {
    replies: replies.map(({ scope: _scope, isLate: _isLate, ...reply }) => reply),
    others: unsaved.map(({ repositoryId }) => repositoryId),
  };
}

/** Parses the documents of replies until the time `until`. */
export async function parsedSource(
  thread: VerifyThread,
  replies: NodeReplies,
  parser: CandidateParser,
  until: number,
  signal: AbortSignal,
): Promise<CandidateSource> {
  const prepared = await untilAborted(thread.run({ kind: "prepare", replies }, signal), signal);
  if (prepared.kind !== "prepared") throw new Error(`Unexpected response: ${prepared.kind}`);
  const { token, texts } = prepared;
  return { kind: "prepared", token, symbols: await parser.symbolsOf(texts, until, signal) };
}

function lateResult(failed: readonly UnavailablePart[]): DescribedResult {
  const empty = emptyResult(failed);
  const stats = withReasons(empty.stats, ["TIME_LIMIT"]);
  return { result: { ...empty, stats, isExhaustive: false }, ...noFollowUp };
}
