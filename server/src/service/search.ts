/** Search, whole and streamed: plan, engine, and what the state of the repositories adds to the answer. */
import { throwIfAborted } from "#base/error";
import type { RepositoryInfo } from "#contract/repositories";
import type * as contract from "#contract/search";
import type { CallContext, Handler } from "#contract/service";
import type { Engine, SearchPlan } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import { Pace } from "#platform/pace";
import type { Query } from "#query/query";
import { simplifyQuery } from "#query/simplify";
import { searchForCommits } from "./commitSearch";
import type { History } from "./history";
import { presentFile, presentFoundRepository, presentRepositoryInfo } from "./present";
import { possibleRepositories } from "./repositoryFilters";
import { findRepositories } from "./repositorySearch";
import type { RepositoryView } from "./repositoryView";
import type { LackingRevisions } from "./revisions";
import { type PlannedSearch, type PlanOptions, planSearch } from "./searchPlan";

export interface SearchOptions extends PlanOptions {
  readonly engine: Engine;
  readonly history: History;
}

type TakeFiles = (files: readonly contract.FileMatch[]) => Promise<void>;
type Found = Omit<contract.SearchResult, "repositoryInfo">;

export function searchHandlers(options: SearchOptions): {
  search: Handler<"search">;
  streamSearch: Handler<"streamSearch">;
} {
  const { repositories } = options;
  return {
    async search(request, context) {
      const found = await find(options, request, context);
      const listed = found.commits ?? found.files;
      return { ...found, repositoryInfo: introduce(listed, repositories, context.baseUrl) };
    },

    async streamSearch(request, context) {
      const { emit, signal, baseUrl } = context;
      const known = new Map<number, RepositoryInfo>();
      const broken = new AbortController();
      let sent = Promise.resolve();
      let fileCount = 0;
      let matchCount = 0;
      const send = (event: contract.SearchEvent) => {
        sent = sent.then(() => emit?.(event));
        // Nobody listens any more: the search need not go on.
        sent.catch(() => broken.abort());
      };
      const onFiles: TakeFiles = (files) => {
        fileCount += files.length;
        for (const file of files) matchCount += rangeCount(file);
        send({ event: "files", data: { files: [...files], repositoryInfo: fresh(files) } });
        send({ event: "progress", data: { fileCount, matchCount } });
        return sent;
      };
      const fresh = (listed: readonly InRepository[]) => {
        const infos = introduce(listed, repositories, baseUrl).filter(({ id }) => !known.has(id));
        for (const info of infos) known.set(info.id, info);
        return infos;
      };
      const either = AbortSignal.any([signal, broken.signal]);
      const found = await find(options, request, { ...context, signal: either }, onFiles);
      const { files: _, commits, ...end } = found;
      if (commits !== undefined) {
        send({ event: "files", data: { files: [], commits, repositoryInfo: fresh(commits) } });
      }
      await sent;
      return { ...end, repositoryInfo: [...known.values()] };
    },
  };
}

/** With `onFiles` the files are handed over, and the result has none. */
async function find(
  options: SearchOptions,
  request: contract.SearchRequest,
  context: Pick<CallContext, "signal" | "client" | "baseUrl" | "unsaved" | "folders">,
  onFiles?: TakeFiles,
): Promise<Found> {
  const { engine, repositories } = options;
  const { signal, baseUrl } = context;
  const planned = planSearch(request, context, options);
  const { plan, suggestions, lacking } = planned;
  if (plan.query.kind === "type" && plan.query.type === "commit") {
    return await findCommits(options, planned, plan.query.child, context);
  }
  const brought = await bringRevisions(lacking, plan.limits.deadline, repositories, signal);
  const reasons = [...planned.reasons, ...brought];
  // A repository may be forgotten while its files are searched; they are then nobody's.
  const present = (file: FileMatch) => {
    const repository = repositories.get(file.repositoryId);
    return repository === undefined ? [] : [presentFile(file, repository, baseUrl)];
  };
  const ids = repositories.all().map(({ id }) => id);

  let files: contract.FileMatch[];
  let stats: SearchStats;
  if (plan.query.kind === "type" && plan.query.type === "repo") {
    const child = await withRepositoryIds(plan.query.child, engine, plan, ids, signal);
    const found = await findRepositories(engine, plan, child, ids, plan.limits.maxMatches, signal);
    files = found.ids.flatMap((id) => {
      const repository = repositories.get(id);
      return repository === undefined ? [] : [presentFoundRepository(repository, baseUrl)];
    });
    stats = found.stats;
    if (onFiles !== undefined && files.length > 0) await onFiles(files);
  } else {
    const query = await withRepositoryIds(plan.query, engine, plan, ids, signal);
    const take = onFiles && ((found: readonly FileMatch[]) => onFiles(found.flatMap(present)));
    const result = await engine.search({ ...plan, query }, signal, take);
    files = await presentByTurns(result.files, present);
    stats = result.exhaustive ? result.stats : because(result.stats, ["ENGINE_PARTIAL"]);
  }
  const final = because(stats, reasons);
  return {
    stats: final,
    files: onFiles === undefined ? files : [],
    isSearchExhaustive: final.flushReason === "NONE",
    ...(suggestions.length === 0 ? {} : { suggestions: [...suggestions] }),
  };
}

/** What is indexed does not matter to it, but which repositories are known does. */
async function findCommits(
  { engine, repositories, history }: SearchOptions,
  { plan, suggestions }: PlannedSearch,
  child: Query,
  context: Pick<CallContext, "signal" | "client" | "baseUrl">,
): Promise<Found> {
  const all = repositories.all();
  const ids = all.map(({ id }) => id);
  const query = await withRepositoryIds(child, engine, plan, ids, context.signal);
  const possible = possibleRepositories(query, new Set(ids));
  const scope = all.filter(({ id }) => possible.has(id));
  const { limits } = plan;
  const found = await searchForCommits(history, { query, repositories: scope, limits }, context);
  const stats = because(found.stats, [
    ...found.reasons,
    ...(repositories.isScanning() ? ["INDEXING" as const] : []),
  ]);
  return {
    stats,
    files: [],
    commits: [...found.commits],
    isSearchExhaustive: stats.flushReason === "NONE",
    ...(suggestions.length === 0 ? {} : { suggestions: [...suggestions] }),
  };
}

/** Of the time for a search, what reading a revision from git may take before the search goes on without it. */
const bringingShare = 0.8;

/** Has revisions that are named indexed; a reason where that does not succeed in time. */
export async function bringRevisions(
  lacking: LackingRevisions,
  deadline: number,
  repositories: RepositoryView,
  signal: AbortSignal,
): Promise<readonly FlushReason[]> {
  if (lacking.revisions.length === 0) return lacking.isWhole ? [] : ["REVISION_NOT_INDEXED"];
  const timeMs = Math.max(0, Math.floor((deadline - Date.now()) * bringingShare));
  const brought = await Promise.all(
    lacking.revisions.map(({ repositoryId, name }) =>
      repositories.bringRevision(repositoryId, name, timeMs, signal),
    ),
  );
  throwIfAborted(signal);
  return lacking.isWhole && !brought.includes("late") ? [] : ["REVISION_NOT_INDEXED"];
}

/** A reason that the engine knows itself is the better one. */
function because(stats: SearchStats, reasons: readonly FlushReason[]): SearchStats {
  return reasons.reduce((sum, flushReason) => addStats(sum, { ...noStats, flushReason }), stats);
}

/** The query with each `type:repo` inside it replaced by the repositories that it finds. */
async function withRepositoryIds(
  query: Query,
  engine: Engine,
  plan: SearchPlan,
  all: readonly RepositoryId[],
  signal: AbortSignal,
): Promise<Query> {
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
        const { ids } = await findRepositories(engine, plan, child, all, all.length, signal);
        return { kind: "repositoryIds", ids: [...ids].sort((left, right) => left - right) };
      }
      default:
        return node;
    }
  };
  return simplifyQuery(await replace(query));
}

/** A whole answer may have a hundred thousand files; a piece of a stream has few. */
async function presentByTurns(
  files: readonly FileMatch[],
  present: (file: FileMatch) => contract.FileMatch[],
): Promise<contract.FileMatch[]> {
  const pace = new Pace();
  const presented: contract.FileMatch[] = [];
  for (const file of files) {
    presented.push(...present(file));
    if (pace.isOver) await pace.rest();
  }
  return presented;
}

type InRepository = Pick<contract.FileMatch, "repository">;

/** The repositories of what was found, in the order in which they come. */
function introduce(
  files: readonly InRepository[],
  repositories: RepositoryView,
  baseUrl: string | undefined,
): RepositoryInfo[] {
  const names = new Set(files.map(({ repository }) => repository));
  return [...names].flatMap((name) => {
    const repository = repositories.byName(name);
    return repository === undefined ? [] : [presentRepositoryInfo(repository, baseUrl)];
  });
}

function rangeCount({ fileName, chunks }: contract.FileMatch): number {
  return chunks.reduce((sum, { matchRanges }) => sum + matchRanges.length, fileName.matchRanges.length);
}
