/** Completes filter values from the list of repositories and from the index. */
import type { QueryCompletion } from "#contract/queries";
import type { CountRequest, Engine } from "#engine/engine";
import { languagesLike, resolveLanguage } from "#languages/languages";
import type { Repository, RepositoryId } from "#model/repository";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Outline } from "#query/parser/parse";
import { revisionSeparator } from "#query/parser/terms";
import { readExpression, writeExpression, writeName } from "#query/parser/write";
import {
  type Contexts,
  engineScope,
  possibleRepositories,
  resolveRepositories,
  searchedRepositories,
  topicCounts,
} from "#service/repositories/repositoryFilters";
import { documentCountOf } from "#service/repositories/repositoryItems";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { byStars } from "#service/repositories/stars";

/** The repositories and revisions that the rest of the query selects. */
export interface CompletionScope {
  readonly repositories: readonly Repository[];
  /** Values of `rev:`; empty for the default view. */
  readonly revisions: readonly string[];
  readonly ids: ReadonlySet<RepositoryId> | "all";
}

export async function resolveScope(
  rest: Outline,
  view: RepositoryView,
  contexts: Contexts,
): Promise<CompletionScope> {
  const all = searchedRepositories(view, rest.query);
  const query = simplifyQuery(await resolveRepositories(rest.query, all, contexts));
  const possible = possibleRepositories(query, new Set(all.map(({ id }) => id)));
  const revisions = rest.leaves.flatMap(({ prefix, value, isNegated, isQuoted, isValid }) => {
    if (isNegated || !isValid) return [];
    const separator = prefix?.name === "repo" && !isQuoted ? revisionSeparator(value) : -1;
    if (separator >= 0) return [value.slice(separator + 1)];
    return prefix?.name === "rev" ? [value] : [];
  });
  // Ignore filters that exclude everything, so that there is something to suggest.
  const isAll = possible.size === 0 || possible.size === all.length;
  const repositories = isAll ? all : all.filter(({ id }) => possible.has(id));
  return { repositories, revisions, ids: engineScope(view, repositories) };
}

/**
 * Returns the names that contain `typed`, ignoring case. Matches at the start of the last path segment come first;
 * equally good names keep their order.
 */
export function rankMatches(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const ranked = names.map((name) => ({ name, rank: matchRank(name.toLowerCase(), wanted) }));
  return ranked
    .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
    .sort((left, right) => left.rank - right.rank)
    .map(({ name }) => name);
}

function matchRank(name: string, wanted: string): number {
  const last = name.slice(name.lastIndexOf("/", name.length - 2) + 1);
  const criteria = [last.startsWith(wanted), name.startsWith(wanted), last.includes(wanted)];
  const rank = [...criteria, name.includes(`/${wanted}`), name.includes(wanted)].indexOf(true);
  return rank < 0 ? Number.POSITIVE_INFINITY : rank;
}

/** Completes a repository name. Of equally good matches, `preferred` repositories come first, then those with more stars. */
export function completeRepository(
  all: readonly Repository[],
  typed: string,
  preferred: ReadonlySet<number>,
): QueryCompletion[] {
  const ordered = [
    ...all.filter(({ id }) => preferred.has(id)),
    ...byStars(all.filter(({ id }) => !preferred.has(id))),
  ];
  const byName = new Map(ordered.map((repository) => [repository.name, repository]));
  return rankMatches([...byName.keys()], readExpression(typed)).map((name) => {
    const repository = byName.get(name);
    const state = repository?.state ?? "queued";
    const documentCount = repository === undefined ? 0 : documentCountOf(repository);
    const detail = state === "ready" || documentCount > 0 ? filesText(documentCount) : state;
    return { label: name, text: `^${writeExpression(name)}$`, detail, kind: "repository" };
  });
}

/** Completes the last topic of a `topic:` list, the most frequent first. */
export function completeTopic({ repositories }: CompletionScope, typed: string): QueryCompletion[] {
  const given = typed.split(",").map((topic) => topic.trim());
  const before = given.slice(0, -1).filter((topic) => topic !== "");
  const counts = topicCounts(repositories);
  const topics = [...counts.keys()].filter((topic) => !before.includes(topic)).sort();
  topics.sort((left, right) => (counts.get(right) ?? 0) - (counts.get(left) ?? 0));
  return rankMatches(topics, given.at(-1) ?? "").map((label) => {
    const detail = countText(counts.get(label) ?? 0, "repository", "repositories");
    return { label, text: writeName([...before, label].join(",")), detail, kind: "value" };
  });
}

/** Completes the last name of a `reposet:` list. */
export function completeRepositorySet(all: readonly Repository[], typed: string): QueryCompletion[] {
  const given = typed.split(",").map((name) => name.trim());
  const before = given.slice(0, -1).filter((name) => name !== "");
  const names = all.map(({ name }) => name).filter((name) => !name.includes(",") && !before.includes(name));
  return rankMatches(names, given.at(-1) ?? "").map((label) => {
    return { label, text: writeName([...before, label].join(",")), detail: "", kind: "repository" };
  });
}

/** Completes indexed refs by short name, or by full name after `refs/`. */
export function completeRevision({ repositories }: CompletionScope, typed: string): QueryCompletion[] {
  const isFull = typed.startsWith("refs/");
  const found = new Map<string, { kinds: Set<string>; count: number }>();
  const byDefault = repositories.flatMap(({ revisions, defaultRevision }) => [
    ...revisions.filter(({ name }) => name === defaultRevision),
    ...revisions.filter(({ name }) => name !== defaultRevision),
  ]);
  for (const { name } of byDefault) {
    const [, kind = "", short = name] = /^refs\/(heads|tags|remotes)\/(.*)$/s.exec(name) ?? [];
    const label = isFull ? name : short;
    const known = found.get(label) ?? { kinds: new Set(), count: 0 };
    found.set(label, { kinds: known.kinds.add(refKinds[kind] ?? "commit"), count: known.count + 1 });
  }
  found.delete("HEAD");
  const named = rankMatches([...found.keys()], typed).map((label): QueryCompletion => {
    const { kinds = [], count = 0 } = found.get(label) ?? {};
    const where =
      repositories.length > 1 && count > 0 ? ` in ${countText(count, "repository", "repositories")}` : "";
    return { label, text: writeName(label), detail: `${[...kinds].join(" and ")}${where}`, kind: "revision" };
  });
  const special = [
    ["HEAD", "Default revision of each repository"],
    ["*", "All indexed revisions"],
  ] as const;
  const fixed = special
    .filter(([label]) => label.toLowerCase().startsWith(typed.toLowerCase()))
    .map(([label, detail]): QueryCompletion => ({ label, text: label, detail, kind: "revision" }));
  return typed === "" ? [...fixed, ...named] : [...named, ...fixed];
}

const refKinds: Readonly<Record<string, string>> = { heads: "branch", tags: "tag", remotes: "remote branch" };

/** Completes the languages of indexed documents; if none matches, any known language. */
export async function completeLanguage(
  engine: Engine,
  scope: CompletionScope,
  typed: string,
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  const like = languagesLike(typed);
  const by = { kind: "language", ...(typed === "" ? {} : { names: like }) } as const;
  const { counts, isComplete } = await engine.count({ by, ...countScope(scope) }, signal);
  const indexed = like.filter((name) => counts.has(name));
  const exact = typed === "" ? undefined : resolveLanguage(typed);
  const rank = (name: string) => {
    if (name === exact) return 0;
    return name.toLowerCase().startsWith(typed.toLowerCase()) ? 1 : 2;
  };
  return (indexed.length > 0 ? indexed : like)
    .sort((left, right) => rank(left) - rank(right) || (counts.get(right) ?? 0) - (counts.get(left) ?? 0))
    .map((label) => {
      const count = counts.get(label);
      const detail = count === undefined || !isComplete ? "" : filesText(count);
      return { label, text: writeName(label), detail, kind: "language" };
    });
}

/** Shorter prefixes match too many file names. */
const minNamedLength = 2;

/**
 * Completes paths: first the entries of the folder that was typed, then files anywhere below it whose names begin with
 * the last segment. Regular expressions and globs have no completions.
 */
export async function completePath(
  engine: Engine,
  scope: CompletionScope,
  typed: string,
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  if (/(?<!\\)[*?[\]{}|+()]/.test(typed)) return [];
  const path = readExpression(typed).replace(/^\//, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(folder.length);
  const [{ counts, isComplete }, named] = await Promise.all([
    engine.count({ by: { kind: "name", folder, part: start }, ...countScope(scope) }, signal),
    start.length < minNamedLength
      ? undefined
      : engine.count({ by: { kind: "path", folder, start }, ...countScope(scope) }, signal),
  ]);
  const inside = rankMatches([...counts.keys()].sort(foldersFirst), start).map((name) => folder + name);
  const below = [...(named?.counts.keys() ?? [])].sort(shortFirst);
  const paths = [...new Set([...inside, ...below])].filter((name) => !name.includes("\ufffd"));
  return paths.map((label) => {
    const isFolder = label.endsWith("/");
    const text = `^${writeExpression(label)}${isFolder ? "" : "$"}`;
    const detail = isFolder && isComplete ? filesText(counts.get(label.slice(folder.length)) ?? 0) : "";
    return { label, text, detail, kind: "path" };
  });
}

function countScope({ ids, revisions }: CompletionScope): Omit<CountRequest, "by"> {
  return { repositories: ids, revisions };
}

function foldersFirst(left: string, right: string): number {
  const order = Number(right.endsWith("/")) - Number(left.endsWith("/"));
  return order || (left.toLowerCase() < right.toLowerCase() ? -1 : 1);
}

function shortFirst(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : 1);
}

function filesText(count: number): string {
  return countText(count, "file", "files");
}

function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
