/** From the text of a query to a plan in which every decision is made. */
import { relative, sep } from "node:path";
import type { SearchRequest } from "#contract/search";
import type { CallContext } from "#contract/service";
import type { SearchPlan, UnsavedDocument } from "#engine/engine";
import type { Repository, RepositoryId } from "#model/repository";
import type { FlushReason } from "#model/stats";
import { type Limits, maxAnswerBytes } from "#query/limits";
import { parseQuery } from "#query/parse";
import type { Suggestion } from "#query/prefixes";
import { simplifyQuery } from "#query/simplify";
import { onlyWholeWords } from "#query/wholeWord";
import { type Contexts, possibleRepositories, resolveRepositories } from "./repositoryFilters";
import type { RepositoryView } from "./repositoryView";
import { type LackingRevisions, lackingRevisions } from "./revisions";

export interface PlannedSearch {
  readonly plan: SearchPlan;
  /** Why something may be hidden that no engine can know of. */
  readonly reasons: readonly FlushReason[];
  readonly lacking: LackingRevisions;
  readonly suggestions: readonly Suggestion[];
}

export interface PlanOptions {
  readonly repositories: RepositoryView;
  readonly contexts: Contexts;
  readonly timeLimitMs: number;
  /** Linguist's name for a document, `""` if unknown. */
  readonly languageOf: (root: string, path: string, text: string) => string;
}

/** Ranges, names and escapes take about as many bytes in an answer as its text. */
const maxTextBytes = maxAnswerBytes / 2;

/** Throws FAILED_TO_PARSE_QUERY. */
export function planSearch(
  request: SearchRequest,
  context: Pick<CallContext, "unsaved" | "folders">,
  { repositories: view, contexts, timeLimitMs, languageOf }: PlanOptions,
): PlannedSearch {
  const all = view.all();
  const parsed = parseQuery(request.query, { ...request, contexts: new Set(Object.keys(contexts)) });
  const asked = request.isWholeWordEnabled ? onlyWholeWords(parsed.query) : parsed.query;
  const query = simplifyQuery(resolveRepositories(asked, all, contexts));
  const limits: Limits = {
    maxMatches: request.matches,
    maxDisplayedMatches: request.matches,
    contextLines: request.contextLines,
    whole: request.whole,
    deadline: Date.now() + timeLimitMs,
    maxAnswerBytes: maxTextBytes,
    explain: request.explain,
  };
  const ids = new Set(all.map(({ id }) => id));
  const possible = possibleRepositories(query, ids);
  const scope = all.filter(({ id }) => possible.has(id));
  const reasons: FlushReason[] = [];
  if (view.isScanning() || scope.some(({ state }) => state !== "ready")) reasons.push("INDEXING");
  return {
    plan: {
      query,
      repositories: scope.length === all.length ? "all" : new Set(scope.map(({ id }) => id)),
      limits,
      unsaved: (context.unsaved ?? []).flatMap((document) => unsavedDocument(document, view, languageOf)),
      preferred: preferredRepositories(context.folders ?? [], all),
    },
    reasons,
    lacking: lackingRevisions(query, scope),
    suggestions: parsed.suggestions,
  };
}

/** Documents that lie in no repository are nobody's to search. */
export function unsavedDocument(
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

/** Repositories that hold one of these folders, or lie in one. */
export function preferredRepositories(
  folders: readonly string[],
  all: readonly Repository[],
): RepositoryId[] {
  const holds = (outer: string, inner: string) =>
    inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
  return all
    .filter(({ path }) => folders.some((folder) => holds(folder, path) || holds(path, folder)))
    .map(({ id }) => id);
}
