/** Turns a search request into a plan that leaves no decisions to the engine. */
import { relative, sep } from "node:path";
import type { SearchRequest } from "#contract/search";
import type { CallContext } from "#contract/service";
import type { SearchPlan, UnsavedDocument } from "#engine/engine";
import type { Repository, RepositoryId } from "#model/repository";
import type { FlushReason } from "#model/stats";
import { simplifyQuery } from "#query/analysis/simplify";
import { onlyWholeWords, wholeWord } from "#query/analysis/wholeWord";
import { type Limits, maxResponseBytes } from "#query/limits";
import { type ParseOptions, parseQuery } from "#query/parser/parse";
import { phraseOf } from "#query/parser/phrase";
import type { GroupProperty, Suggestion } from "#query/parser/prefixes";
import type { Query } from "#query/query";
import { namesRepositories, noteNames, restoreNamed } from "#service/repositories/evictedRepositories";
import {
  type Contexts,
  engineScope,
  possibleRepositories,
  resolveRepositories,
  searchedRepositories,
} from "#service/repositories/repositoryFilters";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { starLevelsOf } from "#service/repositories/stars";
import {
  findUnindexedRevisions,
  revisionNames,
  type UnindexedRevisions,
} from "#service/repositories/unindexedRevisions";

export interface PlannedSearch {
  readonly plan: SearchPlan;
  /** The repositories that the query searches if no filter excludes them. */
  readonly searched: readonly Repository[];
  /** Those of them that no filter excludes. */
  readonly scope: readonly RepositoryId[];
  /** How many evictions there were before `scope` was found. */
  readonly evictionCount: number;
  /** Why the response may be incomplete, in addition to the reasons that the engine reports. */
  readonly reasons: readonly FlushReason[];
  readonly unindexed: UnindexedRevisions;
  readonly suggestions: readonly Suggestion[];
  /** The value of `group:`. */
  readonly grouping: GroupProperty | undefined;
}

export interface PlanOptions {
  readonly repositories: RepositoryView;
  readonly contexts: Contexts;
  /** Returns Linguist's name for the language of a document, `""` if unknown. */
  readonly languageOf: (root: string, path: string, text: string) => string;
}

/** Leaves room for the statistics and the repositories. */
const maxFileBytes = maxResponseBytes * (15 / 16);

/** Plans a search. Throws FAILED_TO_PARSE_QUERY, TIMED_OUT. */
export async function planSearch(
  request: SearchRequest & Pick<ParseOptions, "isCount">,
  context: Pick<CallContext, "unsaved" | "folders" | "deadline" | "signal">,
  { repositories: view, contexts, languageOf }: PlanOptions,
): Promise<PlannedSearch> {
  const parsed = parseQuery(request.query, { ...request, contexts: new Set(Object.keys(contexts)) });
  const parsedQuery = request.isWholeWordEnabled ? onlyWholeWords(parsed.query) : parsed.query;
  const phrase = phraseOf(parsed)?.pattern;
  let evictionCount = view.evictionCount();
  let { searchable, all, query, scope } = await findScope(parsedQuery, request, view, contexts);
  const unsaved = (context.unsaved ?? []).flatMap((document) =>
    toUnsavedDocuments(document, view, languageOf),
  );
  const preferred = preferredRepositories(context.folders ?? [], view.all());
  view.noteUse({ ids: [], open: [...preferred, ...unsaved.map(({ repositoryId }) => repositoryId)] });
  noteNames(parsedQuery, scope, view);
  const searchesIndex = query.kind !== "type" || query.type !== "commit";
  if (searchesIndex && namesRepositories(parsedQuery) && (await restoreNamed(scope, view, context))) {
    evictionCount = view.evictionCount();
    ({ searchable, all, query, scope } = await findScope(parsedQuery, request, view, contexts));
  }
  const limits: Limits = {
    maxMatches: request.matches,
    maxDisplayedMatches: request.matches,
    maxMatchesPerFile: request.matchesPerFile,
    contextLines: request.contextLines,
    returnsContent: request.whole,
    deadline: context.deadline,
    maxResponseBytes: maxFileBytes,
    explainsScores: request.explain,
    findsEnclosing: request.enclosing,
    omitsChunks: request.filesOnly,
  };
  const reasons: FlushReason[] = view.hasUnknownRights() ? ["RIGHTS_UNKNOWN"] : [];
  const isScanning = view.isScanning() || (searchable !== view.all() && view.isScanningPackages());
  const indexed = scope.filter(({ state }) => state !== "evicted");
  if (isScanning || indexed.some(({ state }) => state !== "ready")) reasons.push("INDEXING");
  const hasEvictedRevisions = indexed.some(({ evictedRevisions }) => evictedRevisions !== undefined);
  if (hasEvictedRevisions && revisionNames(query).length > 0 && !isLimitedToRevisions(query))
    reasons.push("REVISION_NOT_INDEXED");
  return {
    plan: {
      query,
      phrase: phrase && (request.isWholeWordEnabled ? wholeWord(phrase) : phrase),
      description: parsed.description,
      repositories: engineScope(view, scope),
      limits,
      unsaved,
      preferred,
      starLevels: starLevelsOf(view.all()),
    },
    searched: all,
    scope: scope.map(({ id }) => id),
    evictionCount,
    reasons,
    unindexed: await findUnindexedRevisions(query, indexed),
    suggestions: parsed.suggestions,
    grouping: parsed.grouping,
  };
}

/** Whether everything that a query finds is in revisions that it names. */
function isLimitedToRevisions(query: Query): boolean {
  switch (query.kind) {
    case "and":
      return query.children.some(isLimitedToRevisions);
    case "or":
      return query.children.every(isLimitedToRevisions);
    case "type":
      return isLimitedToRevisions(query.child);
    case "revision":
      return !query.names.includes("*");
    default:
      return false;
  }
}

/** Returns `repositories` without those with one of these names. */
export function withoutExcepted(
  repositories: readonly Repository[],
  names: SearchRequest["exceptRepositories"] = [],
): readonly Repository[] {
  if (names.length === 0) return repositories;
  const excepted = new Set(names.map((name) => name.toLowerCase()));
  return repositories.filter(({ name }) => !excepted.has(name.toLowerCase()));
}

/** Returns the repositories that a query may search, and the query with their ids. */
async function findScope(
  parsedQuery: Query,
  { exceptRepositories }: Pick<SearchRequest, "exceptRepositories">,
  view: RepositoryView,
  contexts: Contexts,
) {
  const searchable = searchedRepositories(view, parsedQuery);
  const all = withoutExcepted(searchable, exceptRepositories);
  const query = simplifyQuery(await resolveRepositories(parsedQuery, all, contexts));
  const possible = possibleRepositories(query, new Set(all.map(({ id }) => id)));
  return { searchable, all, query, scope: all.filter(({ id }) => possible.has(id)) };
}

/** Converts an open document for the engine. Returns an empty array if it is outside all repositories. */
export function toUnsavedDocuments(
  { path, text, version }: NonNullable<CallContext["unsaved"]>[number],
  view: RepositoryView,
  languageOf: PlanOptions["languageOf"],
): UnsavedDocument[] {
  const repository = view.containing(path);
  if (repository === undefined) return [];
  const inside = relative(repository.path, path).split(sep).join("/");
  const language = languageOf(repository.path, inside, text);
  return [{ repositoryId: repository.id, path: inside, text, language, version }];
}

/** Returns the repositories that contain one of these folders, or are inside one. */
export function preferredRepositories(
  folders: readonly string[],
  all: readonly Repository[],
): RepositoryId[] {
  const contains = (outer: string, inner: string) =>
    inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
  return all
    .filter(({ path }) => folders.some((folder) => contains(folder, path) || contains(path, folder)))
    .map(({ id }) => id);
}
