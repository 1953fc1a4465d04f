/** Finds repositories, topics and revisions that a query names but that do not exist, and similar names that do. */
import { isServiceError, throwIfAborted } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import type { Repository } from "#model/repository";
import { monotonicNow } from "#platform/clock";
import { TimeSlice } from "#platform/timeSlice";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Leaf, Outline } from "#query/parser/parse";
import { revisionSeparator } from "#query/parser/terms";
import { readExpression, writeExpression, writeName } from "#query/parser/write";
import type { Query } from "#query/query";
import {
  isRevisionGlob,
  looksLikeCommit,
  revisionMatcher,
  shortRefName,
  splitRevisionExpression,
} from "#query/revisionName";
import { type Contexts, possibleRepositories, resolveRepositories, topicCounts } from "./repositoryFilters";
import { refsInFiles } from "./unindexedRevisions";

export interface UnknownName {
  readonly kind: "repository" | "topic" | "revision";
  readonly name: string;
  /** Its range in the query, in UTF-16 units, including quotes. */
  readonly offset: number;
  readonly length: number;
  /** Similar names, the nearest first. */
  readonly nearest: readonly SimilarName[];
  /** False if some repositories were not checked for revisions that are not indexed. */
  readonly isCertain: boolean;
}

export interface NameCheck {
  readonly signal: AbortSignal;
  /** A time of `monotonicNow`. Default: limited by `checkingMs` alone. */
  readonly deadline?: number;
  /** Returns whether git knows a revision, or `undefined` if that is unknown at `deadline`. */
  readonly revisionExists: (
    repository: Repository,
    name: string,
    deadline: number,
  ) => Promise<boolean | undefined>;
}

export interface SimilarName {
  readonly name: string;
  /** The text that replaces the range. */
  readonly text: string;
}

/** Filters beyond this limit are not checked. */
const maxFilters = 20;
/** How long checking revisions may take, in refs and with git. */
const checkingMs = 1000;
/** Limited, because git may have to run for each repository. */
const maxRevisionChecks = 20;
const maxNearest = 3;

/** Checks the values of `repo:`, `reposet:`, `topic:` and `rev:`. Returns an empty array if that takes too long. */
export async function findUnknownNames(
  outline: Pick<Outline, "query" | "leaves">,
  all: readonly Repository[],
  contexts: Contexts,
  check: NameCheck,
): Promise<UnknownName[]> {
  try {
    return await checkNames(outline, all, contexts, check);
  } catch (error) {
    // Canceled, or an expression is too expensive, which the search itself reports.
    if (isServiceError(error)) return [];
    throw error;
  }
}

async function checkNames(
  { query, leaves }: Pick<Outline, "query" | "leaves">,
  all: readonly Repository[],
  contexts: Contexts,
  check: NameCheck,
): Promise<UnknownName[]> {
  const now = monotonicNow();
  const deadline = Math.min(check.deadline ?? Number.POSITIVE_INFINITY, now + checkingMs);
  if (now >= deadline) return [];
  const unknownRevisions = (name: NameInQuery, scope: readonly Repository[]) =>
    unknownRevision(name, scope, { ...check, deadline });
  const scopeOf = async (filter: Query) => {
    const resolved = simplifyQuery(await resolveRepositories(filter, all, contexts));
    const possible = possibleRepositories(resolved, new Set(all.map(({ id }) => id)));
    return all.filter(({ id }) => possible.has(id));
  };
  const nameFilters = leaves.filter(({ prefix, isValid, isNegated }) => {
    return isValid && !isNegated && ["repo", "reposet", "topic", "rev"].includes(prefix?.name ?? "");
  });
  if (all.length === 0 || nameFilters.length === 0) return [];
  const scope = await scopeOf(query);
  const found: UnknownName[] = [];
  for (const leaf of nameFilters.slice(0, maxFilters)) {
    if (leaf.prefix?.name === "rev") {
      found.push(...(await unknownRevisions(nameInQuery(leaf), scope.length === 0 ? all : scope)));
    } else if (leaf.prefix?.name === "reposet") {
      const names = new Set(all.flatMap(({ name, formerNames = [] }) => [name, ...formerNames]));
      found.push(...unknownNamesInList("repository", leaf, names, new Set(all.map(({ name }) => name))));
    } else if (leaf.prefix?.name === "topic") {
      const topics = new Set(topicCounts(all).keys());
      found.push(
        ...unknownNamesInList("topic", { ...leaf, value: leaf.value.toLowerCase() }, topics, topics),
      );
    } else {
      const { name, revision } = splitRevision(leaf);
      const pattern = { kind: "regexp", source: name.value, caseSensitive: false } as const;
      const matching = await scopeOf({ kind: "repository", pattern });
      if (matching.length === 0) found.push(unknownRepository(name, all));
      else if (revision !== undefined) found.push(...(await unknownRevisions(revision, matching)));
    }
  }
  return found;
}

/** A name, with its range in the query. */
interface NameInQuery {
  readonly value: string;
  readonly offset: number;
  readonly length: number;
}

function nameInQuery({ value, valueStart, end }: Leaf): NameInQuery {
  return { value, offset: valueStart, length: end - valueStart };
}

/** Splits `name@revision`. */
function splitRevision(leaf: Leaf): { name: NameInQuery; revision?: NameInQuery } {
  const whole = nameInQuery(leaf);
  const { value, offset } = whole;
  const separator = leaf.isQuoted ? -1 : revisionSeparator(value);
  if (separator < 0) return { name: whole };
  const revision = value.slice(separator + 1);
  return {
    name: { value: value.slice(0, separator), offset, length: separator },
    revision: { value: revision, offset: offset + separator + 1, length: revision.length },
  };
}

function unknownRepository({ value, ...range }: NameInQuery, all: readonly Repository[]): UnknownName {
  const wanted = readExpression(value);
  // Compare as many segments as were written: `zoekt` with the last one of `github.com/sourcegraph/zoekt`.
  const segments = wanted.split("/").length;
  const names = new Set(all.map(({ name }) => name.split("/").slice(-segments).join("/")));
  const [start, end] = [value.startsWith("^") ? "^" : "", value.endsWith("$") ? "$" : ""];
  return {
    kind: "repository",
    name: value,
    ...range,
    isCertain: true,
    nearest: findSimilarNames(wanted, names, (name) => `${start}${writeExpression(name)}${end}`),
  };
}

/** Finds the names of a comma-separated list that are not `known`. Suggests some of `current`. */
function unknownNamesInList(
  kind: "repository" | "topic",
  leaf: Leaf,
  known: ReadonlySet<string>,
  current: ReadonlySet<string>,
): UnknownName[] {
  const { value, ...range } = nameInQuery(leaf);
  const given = value.split(",").map((name) => name.trim());
  const others = new Set([...current].filter((name) => !given.includes(name)));
  return given
    .filter((name) => name !== "" && !known.has(name))
    .map((unknown) => ({
      kind,
      name: unknown,
      ...range,
      isCertain: true,
      nearest: findSimilarNames(unknown, others, (name) =>
        writeName(given.map((each) => (each === unknown ? name : each)).join(",")),
      ),
    }));
}

/** Returns an empty array if the revision exists, or if it is an expression that could not be checked everywhere. */
async function unknownRevision(
  { value, ...range }: NameInQuery,
  scope: readonly Repository[],
  { signal, deadline, revisionExists }: Required<NameCheck>,
): Promise<UnknownName[]> {
  if (value === "HEAD") return [];
  const matches = revisionMatcher(value);
  const isIndexed = ({ revisions }: Repository) =>
    revisions.some(({ name, commit }) => matches(name, commit));
  if (scope.some(isIndexed)) return [];
  const { base, suffix } = splitRevisionExpression(value);
  const isBase = revisionMatcher(base);
  const timeSlice = new TimeSlice();
  const names = new Set<string>();
  let checkCount = 0;
  let isCertain = true;
  for (const repository of scope) {
    const { gitDir, revisions } = repository;
    let mayExist = looksLikeCommit(base) || (suffix !== "" && ["", "@", "HEAD"].includes(base));
    for (const [ref, { hash }] of gitDir === undefined ? [] : refsInFiles(gitDir)) {
      if (matches(ref, hash)) return [];
      mayExist ||= suffix !== "" && isBase(ref, hash);
      names.add(shortRefName(ref));
    }
    for (const { name } of revisions) names.add(shortRefName(name));
    if (mayExist && gitDir !== undefined) {
      const exists =
        checkCount++ < maxRevisionChecks ? await revisionExists(repository, value, deadline) : undefined;
      if (exists === true) return [];
      if (exists === undefined) isCertain = false;
    }
    if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
    throwIfAborted(signal);
    if (monotonicNow() > deadline) isCertain = false;
    if (!isCertain) break;
  }
  if (suffix !== "" && !isCertain) return [];
  names.delete(base);
  const similar = isRevisionGlob(base)
    ? []
    : findSimilarNames(base, names, (name) => writeName(name + suffix));
  const nearest = similar.map(({ name, text }) => ({ name: name + suffix, text }));
  return [{ kind: "revision", name: value, ...range, nearest, isCertain }];
}

function findSimilarNames(
  wanted: string,
  known: ReadonlySet<string>,
  write: (name: string) => string,
): SimilarName[] {
  // Two edits change too much of a short name.
  return nearestNames(wanted, known, wanted.length < 5 ? 1 : 2)
    .slice(0, maxNearest)
    .map((name) => ({ name, text: write(name) }));
}

/** Returns a message for the person who wrote the query. */
export function describeUnknownName(unknown: UnknownName): string {
  const { name, nearest } = unknown;
  const what =
    unknown.kind === "topic"
      ? `No repository has the topic "${name}".`
      : `No ${subjectOf(unknown)} matches "${name}".`;
  const [first, ...others] = nearest.map((each) => `"${each.name}"`);
  if (first === undefined) return what;
  const last = others.pop();
  const names = last === undefined ? first : `${[first, ...others].join(", ")} or ${last}`;
  return `${what} Did you mean ${names}?`;
}

function subjectOf({ kind, name, isCertain }: UnknownName): string {
  if (kind === "repository") return "repository";
  if (splitRevisionExpression(name).suffix !== "") return "revision";
  const refs = looksLikeCommit(name) ? "branch, tag or commit" : "branch or tag";
  return isCertain ? refs : `indexed ${refs}`;
}
