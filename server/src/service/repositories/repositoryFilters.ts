/** Evaluates the repository filters of a query, because engines only know ids. */

import { ServiceError } from "#base/error";
import { matchesAny } from "#base/glob";
import type { Repository, RepositoryId } from "#model/repository";
import { monotonicNow } from "#platform/clock";
import { TimeSlice } from "#platform/timeSlice";
import { beginsWithEcosystem } from "#query/packageName";
import { readExpression } from "#query/parser/write";
import type { Pattern, Query } from "#query/query";
import { patternSource, textFinder } from "#query/regexp/regexp";
import type { RepositoryView } from "./repositoryView";

type Flag = Extract<Query, { kind: "flag" }>["flag"];

/** Search contexts: each maps its name to globs of repository names. */
export type Contexts = Readonly<Record<string, readonly string[]>>;

/** Time limit for matching the names of all repositories. Thousands of names usually take a few milliseconds. */
const maxNamesMs = 1000;
/** Only this many characters of a name are matched; real names are shorter. */
const maxNameLength = 1024;

/**
 * Returns the query with `repositoryIds` in place of every filter on repositories.
 *
 * Throws FAILED_TO_PARSE_QUERY for an unknown context or an expression that is too large, and TIMED_OUT if matching
 * names takes too long.
 */
export async function resolveRepositories(
  query: Query,
  repositories: readonly Repository[],
  contexts: Contexts,
): Promise<Query> {
  const deadline = monotonicNow() + maxNamesMs;
  const timeSlice = new TimeSlice();
  const cached = new Map<string, Query>();
  const matchNames = async (pattern: Pattern): Promise<Query> => {
    const source = patternSource(pattern);
    const known = cached.get(source);
    if (known !== undefined) return known;
    // Repository names are case-insensitive.
    const { hasMatch } = textFinder(source, false, maxNameLength);
    const found = new Set<Repository>();
    for (const repository of repositories) {
      if (hasMatch(repository.name)) found.add(repository);
      if (!timeSlice.isExpired) continue;
      await timeSlice.yieldToEventLoop();
      if (monotonicNow() > deadline)
        throw new ServiceError(
          "TIMED_OUT",
          `Matching the names of repositories took longer than ${maxNamesMs / 1000} s. Simplify the "repo:" filters.`,
        );
    }
    const exact = readExpression(source).toLowerCase();
    const renamed = formerlyNamed((name) => name.toLowerCase() === exact);
    const matching = repositoriesWhere((repository) => found.has(repository) || renamed(repository));
    cached.set(source, matching);
    return matching;
  };
  /** Former names lead to a repository only if they are written in full, and no other one has them. */
  const formerlyNamed = (matches: (name: string) => boolean) => {
    const isFree = (name: string) => repositories.every((each) => each.name !== name);
    return ({ formerNames = [] }: Repository) => formerNames.some((name) => matches(name) && isFree(name));
  };
  const repositoriesWhere = (matches: (repository: Repository) => boolean): Query => {
    const ids = repositories.filter(matches).map(({ id }) => id);
    if (ids.length === 0 || ids.length === repositories.length)
      return { kind: "const", value: ids.length > 0 };
    return { kind: "repositoryIds", ids: ids.sort((left, right) => left - right) };
  };
  const resolve = async (node: Query): Promise<Query> => {
    if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
    switch (node.kind) {
      case "and":
      case "or": {
        const children: Query[] = [];
        for (const child of node.children) children.push(await resolve(child));
        return { ...node, children };
      }
      case "not":
      case "type":
        return { ...node, child: await resolve(node.child) };
      case "repository":
        return matchNames(node.pattern);
      case "repositorySet": {
        const names = new Set(node.names);
        const renamed = formerlyNamed((name) => names.has(name));
        return repositoriesWhere((repository) => names.has(repository.name) || renamed(repository));
      }
      case "context": {
        const matches = contextMatcher(contexts, node.name);
        return repositoriesWhere(({ name }) => matches(name));
      }
      case "flag": {
        const { flag, value } = node;
        if (value === "yes") return { kind: "const", value: true };
        return repositoriesWhere((each) => hasFlag(each, flag) === (value === "only"));
      }
      case "topic": {
        const names = new Set(node.names);
        return repositoriesWhere(({ topics = [] }) => topics.some((topic) => names.has(topic.toLowerCase())));
      }
      case "visibility": {
        const { value } = node;
        if (value === "any") return { kind: "const", value: true };
        return repositoriesWhere(({ isPublic }) => isPublic === (value === "public"));
      }
      default:
        return node;
    }
  };
  return resolve(query);
}

function hasFlag({ kind, isArchived, isFork }: Repository, flag: Flag): boolean {
  switch (flag) {
    case "archived":
      return isArchived;
    case "fork":
      return isFork;
    case "dependencies":
      return kind === "package";
  }
}

/** Returns the topics of repositories, in lower case, with the number of repositories that have them. */
export function topicCounts(repositories: readonly Repository[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { topics = [] } of repositories)
    for (const topic of new Set(topics.map((each) => each.toLowerCase())))
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
  return counts;
}

/**
 * Returns the repositories that a query searches if no filter excludes them. Packages are among them only if the query
 * asks for them: with `dependencies:yes` or `only`, or with the name of one, which begins with an ecosystem.
 */
export function searchedRepositories(view: RepositoryView, query: Query): readonly Repository[] {
  return asksForPackages(query) ? [...view.all(), ...view.packages()] : view.all();
}

function asksForPackages(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(asksForPackages);
    case "type":
      return asksForPackages(query.child);
    case "repository":
      return beginsWithEcosystem(patternSource(query.pattern));
    case "repositorySet":
      return query.names.some(beginsWithEcosystem);
    case "flag":
      return query.flag === "dependencies" && query.value !== "no";
    default:
      return false;
  }
}

/** Returns the ids of repositories for the engine: `"all"` for everything that is indexed, which is faster. */
export function engineScope(
  view: RepositoryView,
  repositories: readonly Repository[],
): ReadonlySet<RepositoryId> | "all" {
  const isEverything = !view.isLimited && repositories.length === view.all().length + view.packages().length;
  return isEverything ? "all" : new Set(repositories.map(({ id }) => id));
}

function contextMatcher(contexts: Contexts, name: string): (name: string) => boolean {
  const globs = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (globs === undefined) {
    throw new ServiceError("FAILED_TO_PARSE_QUERY", `There is no context "${name}".`);
  }
  // Repository names are case-insensitive.
  const folded = globs.map((glob) => glob.toLowerCase());
  return (repository) => matchesAny(folded, repository.toLowerCase());
}

/** Repositories in which a query may match, and those in which it matches every document. */
interface Bounds {
  readonly possible: ReadonlySet<number>;
  readonly certain: ReadonlySet<number>;
}

/** Returns the ids of `all` in which the query may match, judged by its repository filters. */
export function possibleRepositories(query: Query, all: ReadonlySet<number>): ReadonlySet<number> {
  return boundsOf(query, all).possible;
}

/** Returns the ids of `all` that match, if repository filters alone decide the query; otherwise `undefined`. */
export function decidedRepositories(query: Query, all: ReadonlySet<number>): ReadonlySet<number> | undefined {
  const { possible, certain } = boundsOf(query, all);
  return possible.size === certain.size ? possible : undefined;
}

const noRepositories: ReadonlySet<number> = new Set();

function boundsOf(query: Query, all: ReadonlySet<number>): Bounds {
  switch (query.kind) {
    case "const":
      return query.value
        ? { possible: all, certain: all }
        : { possible: noRepositories, certain: noRepositories };
    case "repositoryIds": {
      const ids = new Set(query.ids.filter((id) => all.has(id)));
      return { possible: ids, certain: ids };
    }
    case "and": {
      const parts = query.children.map((child) => boundsOf(child, all));
      return {
        possible: intersection(
          parts.map(({ possible }) => possible),
          all,
        ),
        certain: intersection(
          parts.map(({ certain }) => certain),
          all,
        ),
      };
    }
    case "or": {
      const parts = query.children.map((child) => boundsOf(child, all));
      return {
        possible: union(parts.map(({ possible }) => possible)),
        certain: union(parts.map(({ certain }) => certain)),
      };
    }
    case "not": {
      const { possible, certain } = boundsOf(query.child, all);
      return { possible: difference(all, certain), certain: difference(all, possible) };
    }
    case "type":
      return boundsOf(query.child, all);
    default:
      return { possible: all, certain: noRepositories };
  }
}

function intersection(sets: readonly ReadonlySet<number>[], all: ReadonlySet<number>): ReadonlySet<number> {
  const narrow = sets.filter((set) => set !== all).sort((left, right) => left.size - right.size);
  const [smallest, ...others] = narrow;
  if (smallest === undefined) return all;
  return others.length === 0
    ? smallest
    : new Set([...smallest].filter((id) => others.every((other) => other.has(id))));
}

function union(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  const [first] = sets;
  return sets.length === 1 && first !== undefined ? first : new Set(sets.flatMap((set) => [...set]));
}

function difference(all: ReadonlySet<number>, without: ReadonlySet<number>): ReadonlySet<number> {
  return without.size === 0 ? all : new Set([...all].filter((id) => !without.has(id)));
}
