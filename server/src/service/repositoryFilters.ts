/** What a query says about repositories, answered from the catalogue: engines know ids only. */
import { ServiceError } from "#base/error";
import { matchesAny } from "#base/glob";
import type { Repository } from "#model/repository";
import type { Pattern, Query } from "#query/query";
import { compileExpression, escapeExpression } from "#query/regexp";

/** Names of sets of repositories, each with globs of repository names. */
export type Contexts = Readonly<Record<string, readonly string[]>>;

/** Expressions over names may take this long in all; thousands of names take a few milliseconds. */
const maxNamesMs = 1000;

/** The same query with `repositoryIds` in place of every kind about repositories. */
export function resolveRepositories(
  query: Query,
  repositories: readonly Repository[],
  contexts: Contexts,
): Query {
  const deadline = Date.now() + maxNamesMs;
  const only = (holds: (repository: Repository) => boolean): Query => {
    const ids = repositories.filter(holds).map(({ id }) => id);
    if (ids.length === 0 || ids.length === repositories.length)
      return { kind: "const", value: ids.length > 0 };
    return { kind: "repositoryIds", ids: ids.sort((left, right) => left - right) };
  };
  const resolve = (node: Query): Query => {
    switch (node.kind) {
      case "and":
      case "or":
        return { ...node, children: node.children.map(resolve) };
      case "not":
      case "type":
        return { ...node, child: resolve(node.child) };
      case "repository": {
        const matches = nameMatcher(node.pattern, deadline);
        return only(({ name }) => matches(name));
      }
      case "repositorySet": {
        const names = new Set(node.names);
        return only(({ name }) => names.has(name));
      }
      case "context": {
        const matches = contextMatcher(contexts, node.name);
        return only(({ name }) => matches(name));
      }
      case "flag": {
        const { flag, value } = node;
        if (value === "yes") return { kind: "const", value: true };
        return only((each) => (flag === "fork" ? each.isFork : each.isArchived) === (value === "only"));
      }
      case "visibility": {
        const { value } = node;
        if (value === "any") return { kind: "const", value: true };
        return only(({ isPublic }) => isPublic === (value === "public"));
      }
      default:
        return node;
    }
  };
  return resolve(query);
}

function nameMatcher(pattern: Pattern, deadline: number): (name: string) => boolean {
  const source = pattern.kind === "regexp" ? pattern.source : escapeExpression(pattern.text);
  // Names of repositories are never told apart by case.
  const { findLinear } = compileExpression(source, false);
  return (name) => {
    if (Date.now() > deadline) {
      throw new ServiceError("TIMED_OUT", "The expressions on names of repositories take too long.");
    }
    return findLinear(name, 0) !== undefined;
  };
}

function contextMatcher(contexts: Contexts, name: string): (name: string) => boolean {
  const globs = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (globs === undefined) {
    throw new ServiceError("FAILED_TO_PARSE_QUERY", `There is no context "${name}".`);
  }
  // Names of repositories are never told apart by case.
  const folded = globs.map((glob) => glob.toLowerCase());
  return (repository) => matchesAny(folded, repository.toLowerCase());
}

/** Repositories in which a query can match something, and those in which everything matches. */
interface Bounds {
  readonly possible: ReadonlySet<number>;
  readonly certain: ReadonlySet<number>;
}

/** Ids of `all` in which something can match: everywhere else the query is false whatever the text says. */
export function possibleRepositories(query: Query, all: ReadonlySet<number>): ReadonlySet<number> {
  return boundsOf(query, all).possible;
}

/** Ids of `all` in which every document matches, where the query speaks of repositories alone. */
export function decidedRepositories(query: Query, all: ReadonlySet<number>): ReadonlySet<number> | undefined {
  const { possible, certain } = boundsOf(query, all);
  return possible.size === certain.size ? possible : undefined;
}

const none: ReadonlySet<number> = new Set();

function boundsOf(query: Query, all: ReadonlySet<number>): Bounds {
  switch (query.kind) {
    case "const":
      return query.value ? { possible: all, certain: all } : { possible: none, certain: none };
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
      return { possible: all, certain: none };
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
