/** Finds definitions in repositories on nodes. */
import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { chooseSymbols } from "#engine/embedded/findSymbols";
import type { SymbolsCall, SymbolsResponse } from "#engine/embedded/searchMessages";
import type { SymbolRequest, SymbolsResult, UnavailablePart } from "#engine/engine";
import { addReason, type FlushReason } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import { wholeWord } from "#query/analysis/wholeWord";
import type { Pattern, Query } from "#query/query";
import { type DocumentSearchOptions, parsedCounts, parsedSource, repliesFor } from "./documentSearch";
import type { Assignments } from "./nodeRepositories";
import { NodeRequests } from "./nodeRequests";
import { type FollowUp, followUp, partialReasons } from "./nodeResult";
import { searchedRepositories } from "./searchedRepositories";

/** A lookup has no deadline of its own. */
const maxMs = 5000;
/** With less time left, no further documents are requested. */
const minRetryMs = 1000;
/** Share of the time until the deadline in which documents are parsed. */
const parsingShare = 0.8;
/** Zoekt looks up shorter texts in no index, and almost every document contains them. */
const minLength = 3;

const nothing: SymbolsResult = { symbols: [], flushReason: "NONE", filesMissing: 0 };

/** Requests documents that contain the name, and parses them: few at first, and more if these have too few definitions. */
export async function searchDefinitions(
  request: SymbolRequest,
  assignments: Assignments,
  options: DocumentSearchOptions,
  signal: AbortSignal,
): Promise<SymbolsResult> {
  const query = documentsWith(request);
  const { searched, missing } = searchedRepositories({ ...request, query }, assignments, options);
  if (searched.length === 0)
    return missing.length === 0 ? nothing : { ...nothing, flushReason: "ENGINE_PARTIAL" };
  if (isTooShort(request)) return { ...nothing, flushReason: "ENGINE_PARTIAL" };
  const deadline = monotonicNow() + maxMs;
  const { byId } = assignments;
  const requests = new NodeRequests({ ...options, query, isWhole: false, deadline, byId }, searched);
  const ids = searched.map(({ id }) => id);
  const lookup = { request, requests, ids, missing, deadline };
  const limit = new TimeLimit(signal, maxMs);
  let best = nothing;
  try {
    for (let count: number = parsedCounts.first; ; ) {
      const documentCount = Math.min(count, parsedCounts.max);
      const found = await searchOnce(lookup, documentCount, assignments, options, limit.signal);
      const { result, hasMore, incomplete } = found;
      if (result.symbols.length >= best.symbols.length) best = result;
      const isOutOfTime = deadline - monotonicNow() < minRetryMs;
      if (!isOutOfTime && requests.avoid(incomplete)) continue;
      const isLast = !hasMore || documentCount === parsedCounts.max || result.symbols.length >= request.limit;
      if (isLast || isOutOfTime) return withReason(best, fuzzyReason(request));
      count *= parsedCounts.growth;
    }
  } catch (error) {
    if (!limit.isExpired || signal.aborted || !isServiceError(error, "CANCELLED")) throw error;
    return withReason(best, "TIME_LIMIT");
  } finally {
    limit.dispose();
  }
}

interface Lookup {
  readonly request: SymbolRequest;
  readonly requests: NodeRequests;
  /** The repositories of the lookup. */
  readonly ids: readonly number[];
  readonly missing: readonly UnavailablePart[];
  readonly deadline: number;
}

async function searchOnce(
  { request, requests, ids, missing, deadline }: Lookup,
  documentCount: number,
  assignments: Assignments,
  { threads, parser, unsavedSymbols }: DocumentSearchOptions,
  signal: AbortSignal,
): Promise<FollowUp & { readonly result: SymbolsResult }> {
  const found = await requests.send(documentCount, true, signal);
  const scoped = new Set(ids);
  const unsaved = await unsavedSymbols.textsOf(
    request.unsaved.filter(({ repositoryId }) => scoped.has(repositoryId)),
    true,
    signal,
  );
  const call: SymbolsCall = {
    ...request,
    kind: "symbols",
    repositories: ids,
    unsaved,
    searchesUnsaved: true,
  };
  const replies = repliesFor(found, unsaved);
  const now = monotonicNow();
  const until = now + (deadline - now) * parsingShare;
  const { nodes, response } = await threads.run(assignments, async (thread) => {
    const source = await parsedSource(thread, replies, parser, until, signal);
    const response = await untilAborted(thread.run({ kind: "find", source, request: call }, signal), signal);
    if (response.kind !== "found") throw new Error(`Unexpected response: ${response.kind}`);
    return response;
  });
  const reasons = partialReasons(nodes, found, missing);
  const result = reasons.reduce(withReason, chosen(response, request.limit));
  return { result, ...followUp(nodes, found) };
}

function chosen(response: SymbolsResponse, limit: number): SymbolsResult {
  return chooseSymbols([response], limit, 1);
}

/** Merges the definitions of repositories on nodes with those of others. */
export function mergeDefinitions(left: SymbolsResult, right: SymbolsResult, limit: number): SymbolsResult {
  const symbols = [...left.symbols, ...right.symbols].sort((one, other) => other.score - one.score);
  const merged = {
    symbols: symbols.slice(0, limit),
    flushReason: addReason(left.flushReason, right.flushReason),
    filesMissing: left.filesMissing + right.filesMissing,
  };
  return symbols.length > limit ? withReason(merged, "MATCH_LIMIT") : merged;
}

function withReason(result: SymbolsResult, reason: FlushReason): SymbolsResult {
  return { ...result, flushReason: addReason(result.flushReason, reason) };
}

/** Returns a query for the documents that may define such a name. */
function documentsWith({ name, languages, revisions }: SymbolRequest): Query {
  const literal: Pattern = { kind: "literal", text: name.text, caseSensitive: name.caseSensitive };
  // Zoekt finds whole words fast only if it need not ignore case.
  const pattern = name.kind === "exact" && name.caseSensitive ? wholeWord(literal) : literal;
  const children: Query[] = [
    { kind: "type", type: "symbol", child: { kind: "const", value: true } },
    { kind: "text", pattern, where: "content" },
    ...(languages === undefined ? [] : [{ kind: "language" as const, names: languages }]),
    ...(revisions.length === 0 ? [] : [{ kind: "revision" as const, names: revisions }]),
  ];
  return { kind: "and", children };
}

function isTooShort({ name: { kind, text } }: SymbolRequest): boolean {
  return kind === "exact" ? text === "" : [...text].length < minLength;
}

/** Names that contain the letters with gaps are in documents that do not contain the text. */
function fuzzyReason({ name }: SymbolRequest): FlushReason {
  return name.kind === "fuzzy" ? "ENGINE_PARTIAL" : "NONE";
}
