/** Values that a filter can have, from the catalogue and the index. */
import type { QueryCompletion } from "#contract/queries";
import type { CountRequest, Engine } from "#engine/engine";
import { languagesLike, resolveLanguage } from "#languages/languages";
import type { Repository } from "#model/repository";
import type { Outline } from "#query/parse";
import { simplifyQuery } from "#query/simplify";
import { revisionSign } from "#query/terms";
import { readExpression, writeExpression, writeName } from "#query/write";
import { type Contexts, possibleRepositories, resolveRepositories } from "./repositoryFilters";

/** What the rest of a query narrows proposals to. */
export interface Scope {
  readonly repositories: readonly Repository[];
  /** Values of `rev:`; empty for the default view. */
  readonly revisions: readonly string[];
  readonly isAll: boolean;
}

export function scopeOf(rest: Outline, all: readonly Repository[], contexts: Contexts): Scope {
  const query = simplifyQuery(resolveRepositories(rest.query, all, contexts));
  const possible = possibleRepositories(query, new Set(all.map(({ id }) => id)));
  const revisions = rest.leaves.flatMap(({ prefix, value, isNegated, isQuoted, isUnderstood }) => {
    if (isNegated || !isUnderstood) return [];
    const sign = prefix?.name === "repo" && !isQuoted ? revisionSign(value) : -1;
    if (sign >= 0) return [value.slice(sign + 1)];
    return prefix?.name === "rev" ? [value] : [];
  });
  // A query of nothing but filters that exclude each other proposes as if they were not there.
  const isAll = possible.size === 0 || possible.size === all.length;
  return { repositories: isAll ? all : all.filter(({ id }) => possible.has(id)), revisions, isAll };
}

/** Those names that hold `typed`: first by how their last part holds it, then in the order given. Case does not count. */
export function likest(names: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const ranked = names.map((name) => ({ name, rank: likeness(name.toLowerCase(), wanted) }));
  return ranked
    .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
    .sort((left, right) => left.rank - right.rank)
    .map(({ name }) => name);
}

function likeness(name: string, wanted: string): number {
  const last = name.slice(name.lastIndexOf("/", name.length - 2) + 1);
  const places = [last.startsWith(wanted), name.startsWith(wanted), last.includes(wanted)];
  const rank = [...places, name.includes(`/${wanted}`), name.includes(wanted)].indexOf(true);
  return rank < 0 ? Number.POSITIVE_INFINITY : rank;
}

/** `preferred` come first among those that are alike. */
export function repositoryProposals(
  all: readonly Repository[],
  typed: string,
  preferred: ReadonlySet<number>,
): QueryCompletion[] {
  const ordered = [
    ...all.filter(({ id }) => preferred.has(id)),
    ...all.filter(({ id }) => !preferred.has(id)),
  ];
  const byName = new Map(ordered.map((repository) => [repository.name, repository]));
  return likest([...byName.keys()], readExpression(typed)).map((name) => {
    const { state, documentCount } = byName.get(name) ?? { state: "queued", documentCount: 0 };
    const detail = state === "ready" || documentCount > 0 ? filesText(documentCount) : state;
    return { label: name, text: `^${writeExpression(name)}$`, detail, kind: "repository" };
  });
}

/** For `reposet:`, whose last name is being written. */
export function listedProposals(all: readonly Repository[], typed: string): QueryCompletion[] {
  const given = typed.split(",").map((name) => name.trim());
  const before = given.slice(0, -1).filter((name) => name !== "");
  const names = all.map(({ name }) => name).filter((name) => !name.includes(",") && !before.includes(name));
  return likest(names, given.at(-1) ?? "").map((label) => {
    return { label, text: writeName([...before, label].join(",")), detail: "", kind: "repository" };
  });
}

/** Indexed refs by their short names, or by their full ones where one is being written. */
export function revisionProposals({ repositories }: Scope, typed: string): QueryCompletion[] {
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
  const named = likest([...found.keys()], typed).map((label): QueryCompletion => {
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

/** Those that the index holds; others only where none of them is meant by what was typed. */
export async function languageProposals(
  engine: Engine,
  scope: Scope,
  typed: string,
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  const counts = await engine.count({ by: { kind: "language" }, ...placeOf(scope) }, signal);
  const like = languagesLike(typed);
  const held = like.filter((name) => counts.has(name));
  const exact = typed === "" ? undefined : resolveLanguage(typed);
  const rank = (name: string) => {
    if (name === exact) return 0;
    return name.toLowerCase().startsWith(typed.toLowerCase()) ? 1 : 2;
  };
  return (held.length > 0 ? held : like)
    .sort((left, right) => rank(left) - rank(right) || (counts.get(right) ?? 0) - (counts.get(left) ?? 0))
    .map((label) => {
      const count = counts.get(label);
      const detail = count === undefined ? "" : filesText(count);
      return { label, text: writeName(label), detail, kind: "language" };
    });
}

/** A shorter beginning of a name says too little. */
const minNamedLength = 2;

/**
 * What lies in the folder that is being written, from the root, and behind that files anywhere below it whose names
 * begin so. What is an expression or a glob already has no proposals.
 */
export async function pathProposals(
  engine: Engine,
  scope: Scope,
  typed: string,
  signal: AbortSignal,
): Promise<QueryCompletion[]> {
  if (/(?<!\\)[*?[\]{}|+()]/.test(typed)) return [];
  const path = readExpression(typed).replace(/^\//, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(folder.length);
  const [counts, named] = await Promise.all([
    engine.count({ by: { kind: "name", folder }, ...placeOf(scope) }, signal),
    start.length < minNamedLength
      ? new Map<string, number>()
      : engine.count({ by: { kind: "path", folder, start }, ...placeOf(scope) }, signal),
  ]);
  const inside = likest([...counts.keys()].sort(foldersFirst), start).map((name) => folder + name);
  const paths = [...new Set([...inside, ...[...named.keys()].sort(shortFirst)])].filter(
    (name) => !name.includes("\ufffd"),
  );
  return paths.map((label) => {
    const isFolder = label.endsWith("/");
    const text = `^${writeExpression(label)}${isFolder ? "" : "$"}`;
    const detail = isFolder ? filesText(counts.get(label.slice(folder.length)) ?? 0) : "";
    return { label, text, detail, kind: "path" };
  });
}

function placeOf({ repositories, revisions, isAll }: Scope): Omit<CountRequest, "by"> {
  return { repositories: isAll ? "all" : new Set(repositories.map(({ id }) => id)), revisions };
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
