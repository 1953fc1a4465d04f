/** Compiles a query to a predicate on commits, and to filters that git can apply. */

import type { GitRequest } from "#git/gitRequest";
import type { Commit } from "#git/history/commit";
import { resolveDates } from "#git/history/dates";
import type { CommitSearch } from "#git/history/log";
import type { RepositoryId } from "#model/repository";
import { TimeSlice } from "#platform/timeSlice";
import type { Pattern, Query } from "#query/query";
import { compileExpression, patternSource, type TextFinder, textFinder } from "#query/regexp/regexp";

/** Only this many characters of a message are searched. */
const maxMessageLength = 64 * 1024;

type CommitPredicate = (commit: Commit, repositoryId: RepositoryId) => boolean;

/** Filters that let git skip most commits, and the predicate for the rest. */
export interface CommitMatch extends Omit<CommitSearch, "from"> {
  readonly matches: CommitPredicate;
  /** How many characters of a message and of an author's name and address `matches` searches. */
  readonly searched: { readonly message: number; readonly author: number };
}

/** Compiles a query. Throws what running git throws, because git parses the dates. */
export async function compileMatch(query: Query, gitRequest: GitRequest): Promise<CommitMatch> {
  const dates = await resolveDates(
    gitRequest,
    Object.fromEntries(datesIn(query).map((date) => [date, date])),
  );
  const finders = new Map<Query, TextFinder>();
  const timeSlice = new TimeSlice();
  for (const { node, pattern } of patternsIn(query)) {
    finders.set(node, textFinder(patternSource(pattern), pattern.caseSensitive, maxMessageLength));
    if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
  }
  const searchedLength = (kind: Query["kind"]) =>
    Math.min(
      maxMessageLength,
      ...[...finders].flatMap(([node, { maxLength }]) => (node.kind === kind ? [maxLength] : [])),
    );
  const timeOfDate = (date: string) => dates[date] ?? 0;

  const parts = query.kind === "and" ? query.children : [query];
  const messages = parts.flatMap((part) => (part.kind === "text" ? requiredText(part.pattern) : []));
  // Only the first author, because git treats several as alternatives.
  const [author] = parts.flatMap((part) => (part.kind === "author" ? requiredText(part.pattern) : []));
  const timesOf = (which: "since" | "until") =>
    parts.flatMap((part) =>
      part.kind === "committed" && part.bound === which ? [timeOfDate(part.date)] : [],
    );
  const since = timesOf("since");
  const until = timesOf("until");
  return {
    matches: compileTest(query, finders, timeOfDate),
    searched: { message: searchedLength("text"), author: searchedLength("author") },
    messages,
    ...(author === undefined ? {} : { author }),
    ...(since.length === 0 ? {} : { since: Math.max(...since) }),
    ...(until.length === 0 ? {} : { until: Math.min(...until) }),
  };
}

/**
 * Returns a literal that every match contains, for git to filter by, or an empty array. Arguments and messages cannot
 * contain NUL.
 */
function requiredText(pattern: Pattern): string[] {
  const { required } = compileExpression(patternSource(pattern), pattern.caseSensitive);
  return required === undefined || required.text.includes("\0") ? [] : [required.text];
}

function patternsIn(query: Query): readonly { readonly node: Query; readonly pattern: Pattern }[] {
  switch (query.kind) {
    case "text":
    case "author":
      return [{ node: query, pattern: query.pattern }];
    case "not":
      return patternsIn(query.child);
    case "and":
    case "or":
      return query.children.flatMap(patternsIn);
    default:
      return [];
  }
}

function datesIn(query: Query): readonly string[] {
  switch (query.kind) {
    case "committed":
      return [query.date];
    case "not":
      return datesIn(query.child);
    case "and":
    case "or":
      return query.children.flatMap(datesIn);
    default:
      return [];
  }
}

function compileTest(
  query: Query,
  finders: ReadonlyMap<Query, TextFinder>,
  timeOfDate: (date: string) => number,
): CommitPredicate {
  const compile = (node: Query): CommitPredicate => {
    switch (node.kind) {
      case "const":
        return () => node.value;
      case "and": {
        const tests = node.children.map(compile);
        return (commit, id) => tests.every((test) => test(commit, id));
      }
      case "or": {
        const tests = node.children.map(compile);
        return (commit, id) => tests.some((test) => test(commit, id));
      }
      case "not": {
        const test = compile(node.child);
        return (commit, id) => !test(commit, id);
      }
      case "text": {
        const finder = finders.get(node);
        return (commit) => finder?.hasMatch(messageOf(commit).slice(0, finder.maxLength)) ?? false;
      }
      case "author": {
        const finder = finders.get(node);
        return (commit) => finder?.hasMatch(authorOf(commit).slice(0, finder.maxLength)) ?? false;
      }
      case "committed": {
        const time = timeOfDate(node.date);
        return (commit) => (node.bound === "since" ? timeOf(commit) >= time : timeOf(commit) <= time);
      }
      case "repositoryIds": {
        const ids: ReadonlySet<number> = new Set(node.ids);
        return (_, id) => ids.has(id);
      }
      // Already applied: revisions select the histories that are searched.
      case "revision":
        return () => true;
      default:
        throw new Error(`${node.kind} in a search for commits`);
    }
  };
  return compile(query);
}

function messageOf({ subject, body }: Commit): string {
  return `${subject}\n\n${body}`;
}

function authorOf({ authorName, authorEmail }: Commit): string {
  return `${authorName} <${authorEmail}>`;
}

/** Returns whether part of the commit was not searched, because it is too long. */
export function isTooLong(commit: Commit, { searched }: CommitMatch): boolean {
  return messageOf(commit).length > searched.message || authorOf(commit).length > searched.author;
}

/** Returns the commit date in seconds since 1970; 0 if it is unreadable. */
export function timeOf({ commitDate }: Commit): number {
  return (Date.parse(commitDate) || 0) / 1000;
}
