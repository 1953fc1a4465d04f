/** Handlers of search and streamed search: plan the query, run the engine, convert the results. */

import { isServiceError, throwIfAborted } from "#base/error";
import type { RepositoryInfo } from "#contract/repositories";
import type * as contract from "#contract/search";
import type { CallContext, Handler } from "#contract/service";
import type { Engine, EngineResult, SearchPlan } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { AnyFile } from "#model/packedFile";
import type { Repository } from "#model/repository";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeSlice } from "#platform/timeSlice";
import { simplifyQuery } from "#query/analysis/simplify";
import { outlineQuery, type ParseOptions } from "#query/parser/parse";
import type { Suggestion } from "#query/parser/prefixes";
import type { Query } from "#query/query";
import type { History } from "#service/history/history";
import { evictionGaps } from "#service/repositories/evictedRepositories";
import { possibleRepositories, searchedRepositories } from "#service/repositories/repositoryFilters";
import { toRepositoryInfo } from "#service/repositories/repositoryItems";
import { type RepositoryView, viewGaps } from "#service/repositories/repositoryView";
import type { UnindexedRevisions } from "#service/repositories/unindexedRevisions";
import { findUnknownNames, type NameCheck } from "#service/repositories/unknownNames";
import { runBeforeDeadline } from "./beforeDeadline";
import { searchForCommits } from "./commitSearch";
import { type ConvertedFiles, FileConverter, toRepositoryMatch } from "./fileMatches";
import { findRepositories } from "./repositorySearch";
import { type PlannedSearch, type PlanOptions, planSearch, withoutExcepted } from "./searchPlan";

export interface SearchOptions extends PlanOptions {
  readonly engine: Engine;
  readonly history: History;
}

/** Receives files as they are found. */
type FilesHandler = (found: ConvertedFiles) => Promise<void>;
type QueryFlags = Pick<contract.SearchRequest, "query"> & ParseOptions;
type SearchOutcome = Omit<contract.SearchResult, "repositoryInfo"> & Pick<ConvertedFiles, "repositories">;

export function searchHandlers(options: SearchOptions): {
  search: Handler<"search">;
  streamSearch: Handler<"streamSearch">;
} {
  const { repositories } = options;
  return {
    async search(request, context) {
      const { repositories: names, ...found } = await runSearch(options, request, context);
      return { ...found, repositoryInfo: repositoryInfosOf(names, repositories, context.baseUrl) };
    },

    async streamSearch(request, context) {
      const { emit, signal, baseUrl } = context;
      const known = new Map<number, RepositoryInfo>();
      const disconnected = new AbortController();
      let sent = Promise.resolve();
      let fileCount = 0;
      let matchCount = 0;
      const send = (event: contract.SearchEvent) => {
        sent = sent.then(() => emit?.(event));
        // The client disconnected; cancel the search.
        sent.catch(() => disconnected.abort());
      };
      const onFiles: FilesHandler = ({ files, repositories: names, ...counts }) => {
        fileCount += counts.fileCount;
        matchCount += counts.rangeCount;
        send({ event: "files", data: { files, repositoryInfo: newInfos(names) } });
        send({ event: "progress", data: { fileCount, matchCount } });
        return sent;
      };
      const newInfos = (names: ReadonlySet<string>) => {
        const infos = repositoryInfosOf(names, repositories, baseUrl).filter(({ id }) => !known.has(id));
        for (const info of infos) known.set(info.id, info);
        return infos;
      };
      const combinedSignal = AbortSignal.any([signal, disconnected.signal]);
      const found = await runSearch(options, request, { ...context, signal: combinedSignal }, onFiles);
      const { files: _, commits, repositories: names, ...end } = found;
      if (commits !== undefined) {
        send({ event: "files", data: { files: [], commits, repositoryInfo: newInfos(names) } });
      }
      await sent;
      return { ...end, repositoryInfo: [...known.values()] };
    },
  };
}

/** Runs a search. Passes files to `onFiles` if given; the result then has none. */
async function runSearch(
  options: SearchOptions,
  request: contract.SearchRequest,
  context: Omit<CallContext, "actor" | "emit">,
  onFiles?: FilesHandler,
): Promise<SearchOutcome> {
  const { engine, repositories } = options;
  const { signal, baseUrl } = context;
  const planned = await planSearch(request, context, options);
  const { plan, unindexed } = planned;
  if (plan.query.kind === "type" && plan.query.type === "commit") {
    return await findCommits(options, request, planned, plan.query.child, context);
  }
  const revisionReasons = await indexRevisions(unindexed, plan.limits.deadline, options, context);
  const reasons = [...planned.reasons, ...revisionReasons];
  const { searched } = planned;

  let converted: ConvertedFiles;
  let stats: SearchStats;
  let phraseMatchCount = 0;
  let unavailable: EngineResult["unavailable"];
  if (plan.query.kind === "type" && plan.query.type === "repo") {
    const { query, gaps } = await replaceRepositoryTypes(plan.query.child, engine, plan, searched, signal);
    const found = await findRepositories(engine, plan, query, searched, plan.limits.maxMatches, signal);
    const files = found.ids.flatMap((id) => {
      const repository = repositories.get(id);
      return repository === undefined ? [] : [toRepositoryMatch(repository, baseUrl)];
    });
    const names = new Set(files.map(({ repository }) => repository));
    converted = { files, fileCount: files.length, rangeCount: files.length, repositories: names };
    stats = addStats(found.stats, gaps);
    if (files.length > 0) await onFiles?.(converted);
  } else {
    const { query, gaps } = await replaceRepositoryTypes(plan.query, engine, plan, searched, signal);
    const take =
      onFiles &&
      ((found: readonly FileMatch[]) => {
        const piece = new FileConverter(context, repositories, request.scores);
        for (const file of found) piece.add(file);
        return onFiles(piece.finish());
      });
    const acceptsPacked = context.acceptsJsonText === true;
    const result = await engine.search({ ...plan, query, acceptsPacked }, signal, take);
    const converter = new FileConverter(context, repositories, request.scores);
    const isTruncated = !(await addCooperatively(
      converter,
      result.packed ?? result.files,
      plan.limits.maxResponseBytes,
    ));
    converted = converter.finish(result.release);
    phraseMatchCount = result.phraseMatchCount ?? 0;
    unavailable = result.unavailable;
    const reported = isTruncated ? { ...result.stats, actualMatchCount: converted.rangeCount } : result.stats;
    const cut: FlushReason[] = isTruncated ? ["BYTE_LIMIT"] : [];
    stats = addStats(addReasons(reported, result.isExhaustive ? cut : ["ENGINE_PARTIAL", ...cut]), gaps);
  }
  const evicted = evictionGaps(planned.scope, repositories, planned.evictionCount);
  const finalStats = addReasons(addStats(stats, evicted), reasons);
  return {
    stats: finalStats,
    files: onFiles === undefined ? converted.files : [],
    repositories: converted.repositories,
    isSearchExhaustive: finalStats.flushReason === "NONE",
    ...(unavailable === undefined ? {} : { unavailable: unavailable.map((part) => ({ ...part })) }),
    ...(await suggestionsFor(request, planned, finalStats, options, context)),
    ...(phraseMatchCount === 0 ? {} : { phraseMatchCount }),
  };
}

/** Returns the parser's suggestions and, if nothing was found, similar names for unknown repositories and revisions. */
export async function suggestionsFor(
  request: QueryFlags,
  { suggestions, plan }: PlannedSearch,
  { totalMatchCount }: SearchStats,
  options: SearchOptions,
  caller: Pick<CallContext, "signal" | "client">,
): Promise<Pick<SearchOutcome, "suggestions">> {
  const limits = { ...caller, deadline: plan.limits.deadline };
  const similar = totalMatchCount > 0 ? [] : await similarNames(request, options, limits);
  const all = [...suggestions, ...similar];
  return all.length === 0 ? {} : { suggestions: all };
}

async function similarNames(
  request: QueryFlags,
  { repositories, contexts, history }: SearchOptions,
  caller: Pick<CallContext, "signal" | "client" | "deadline">,
): Promise<Suggestion[]> {
  const names = new Set(Object.keys(contexts));
  const outline = outlineQuery(request.query, { ...request, contexts: names, skipsChecks: true });
  const searched = searchedRepositories(repositories, outline.query);
  const unknown = await findUnknownNames(outline, searched, contexts, nameCheck(history, caller));
  return unknown.flatMap(({ offset, length, name, nearest: [first] }) =>
    first === undefined ? [] : [{ offset, length, prefix: name, suggestion: first.text }],
  );
}

/** Searches commits in git itself: repositories must be known, but need not be indexed. */
async function findCommits(
  options: SearchOptions,
  request: contract.SearchRequest,
  planned: PlannedSearch,
  child: Query,
  context: Pick<CallContext, "signal" | "client" | "baseUrl">,
): Promise<SearchOutcome> {
  const { engine, repositories, history } = options;
  const { plan } = planned;
  const all = withoutExcepted(repositories.all(), request.exceptRepositories);
  const { query, gaps } = await replaceRepositoryTypes(child, engine, plan, all, context.signal);
  const possible = possibleRepositories(query, new Set(all.map(({ id }) => id)));
  const scope = all.filter(({ id }) => possible.has(id));
  const { limits } = plan;
  const found = await searchForCommits(history, { query, repositories: scope, limits }, context);
  const stats = addReasons(addStats(found.stats, gaps), [...found.reasons, ...viewGaps(repositories)]);
  return {
    stats,
    files: [],
    commits: [...found.commits],
    repositories: new Set(found.commits.map(({ repository }) => repository)),
    isSearchExhaustive: stats.flushReason === "NONE",
    ...(await suggestionsFor(request, planned, stats, options, context)),
  };
}

/** Share of the search time that indexing a revision may take before the search continues without it. */
const indexingShare = 0.8;

/**
 * Indexes the revisions that a query names. Returns REVISION_NOT_INDEXED if that takes too long, if a limit truncated
 * `unindexed`, or if objects of a revision are missing.
 */
export async function indexRevisions(
  unindexed: UnindexedRevisions,
  deadline: number,
  { repositories, history }: Pick<SearchOptions, "repositories" | "history">,
  caller: Pick<CallContext, "signal" | "client">,
): Promise<readonly FlushReason[]> {
  const { signal } = caller;
  if (unindexed.revisions.length === 0) return unindexed.isComplete ? [] : ["REVISION_NOT_INDEXED"];
  const startedAt = monotonicNow();
  const timeMs = Math.max(0, Math.floor((deadline - startedAt) * indexingShare));
  const limits = { signal, deadline: startedAt + timeMs };
  const areResolved = await Promise.all(
    unindexed.revisions.map(async ({ repositoryId, name }) => {
      const result = await repositories.indexRevision(repositoryId, name, timeMs, signal);
      const repository = repositories.get(repositoryId);
      if (result !== "absent" || repository === undefined) return result !== "late";
      const exists = await runBeforeDeadline(limits, (limited) =>
        revisionExists(name, history, repository, { ...caller, signal: limited }),
      );
      return exists === false;
    }),
  );
  throwIfAborted(signal);
  return unindexed.isComplete && !areResolved.includes(false) ? [] : ["REVISION_NOT_INDEXED"];
}

/** Returns what `findUnknownNames` needs to look for revisions in git. */
export function nameCheck(
  history: History,
  {
    signal,
    client,
    deadline,
  }: Pick<CallContext, "signal" | "client"> & Partial<Pick<CallContext, "deadline">>,
): NameCheck {
  return {
    signal,
    ...(deadline === undefined ? {} : { deadline }),
    revisionExists: (repository, name, until) =>
      runBeforeDeadline({ signal, deadline: until }, (limited) =>
        revisionExists(name, history, repository, {
          ...(client === undefined ? {} : { client }),
          signal: limited,
        }),
      ),
  };
}

/** Returns whether a revision that could not be indexed exists, even if its objects are missing. */
async function revisionExists(
  name: string,
  history: History,
  repository: Repository,
  caller: Pick<CallContext, "signal" | "client">,
): Promise<boolean> {
  try {
    return (await history.find(history.open(repository, caller), name)) !== undefined;
  } catch (error) {
    if (!isServiceError(error) || caller.signal.aborted) throw error;
    return error.code !== "INVALID_GIT_REF";
  }
}

/** Adds reasons for an incomplete response. Statistics have one reason, so only the most important one is kept. */
export function addReasons(stats: SearchStats, reasons: readonly FlushReason[]): SearchStats {
  return reasons.reduce((sum, flushReason) => addStats(sum, { ...noStats, flushReason }), stats);
}

interface ReplacedQuery {
  readonly query: Query;
  /** Why some of the repositories may be missing, as statistics. */
  readonly gaps: SearchStats;
}

/** Returns `query` with each nested `type:repo` replaced by the ids of the repositories that it finds. */
export async function replaceRepositoryTypes(
  query: Query,
  engine: Engine,
  plan: SearchPlan,
  all: readonly Repository[],
  signal: AbortSignal,
): Promise<ReplacedQuery> {
  let gaps = noStats;
  const replace = async (node: Query): Promise<Query> => {
    switch (node.kind) {
      case "and":
      case "or": {
        const children: Query[] = [];
        for (const child of node.children) children.push(await replace(child));
        return { ...node, children };
      }
      case "not":
        return { ...node, child: await replace(node.child) };
      case "type": {
        const child = await replace(node.child);
        if (node.type !== "repo") return { ...node, child };
        const { ids, stats } = await findRepositories(engine, plan, child, all, all.length, signal);
        const { flushReason, filesMissing } = stats;
        gaps = addStats(gaps, { ...noStats, flushReason, filesMissing });
        return { kind: "repositoryIds", ids: [...ids].sort((left, right) => left - right) };
      }
      default:
        return node;
    }
  };
  return { query: simplifyQuery(await replace(query)), gaps };
}

/** Adds files, up to about `maxBytes`, in time slices, because there may be a hundred thousand. Returns whether all fit. */
async function addCooperatively(
  converter: FileConverter,
  files: Iterable<AnyFile>,
  maxBytes: number,
): Promise<boolean> {
  const timeSlice = new TimeSlice();
  for (const file of files) {
    if (!converter.add(file, maxBytes)) return false;
    if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
  }
  return true;
}

function repositoryInfosOf(
  names: ReadonlySet<string>,
  repositories: RepositoryView,
  baseUrl: string | undefined,
): RepositoryInfo[] {
  return [...names].flatMap((name) => {
    const repository = repositories.byName(name);
    return repository === undefined ? [] : [toRepositoryInfo(repository, baseUrl)];
  });
}
