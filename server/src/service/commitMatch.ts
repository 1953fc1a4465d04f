/** What a search for commits asks of a commit. */
import { resolveDates } from "#git/dates";
import type { Commit, CommitSearch } from "#git/log";
import type { Question } from "#git/question";
import type { RepositoryId } from "#model/repository";
import type { Pattern, Query } from "#query/query";
import { compileExpression, type Expression, escapeExpression } from "#query/regexp";

/** Characters of a message that are looked at; expressions are fast on as much. */
const maxMessageLength = 64 * 1024;

type Test = (commit: Commit, repositoryId: RepositoryId) => boolean;

/** What git needs to know to leave out most of the others, and what decides about the rest. */
export interface CommitMatch extends Omit<CommitSearch, "from"> {
  readonly matches: Test;
}

/** Throws what `askGit` throws: git tells what the dates mean. */
export async function compileMatch(query: Query, question: Question): Promise<CommitMatch> {
  const dates = await resolveDates(question, Object.fromEntries(datesIn(query).map((date) => [date, date])));
  const compiled = new Map<Pattern, Expression>();
  const expressionOf = (pattern: Pattern) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const source = pattern.kind === "regexp" ? pattern.source : escapeExpression(pattern.text);
    const expression = compileExpression(source, pattern.caseSensitive);
    compiled.set(pattern, expression);
    return expression;
  };
  const timeOfDate = (date: string) => dates[date] ?? 0;

  const parts = query.kind === "and" ? query.children : [query];
  const messages = parts.flatMap((part) =>
    part.kind === "text" ? required(expressionOf(part.pattern)) : [],
  );
  // Git takes several authors for a choice.
  const [author] = parts.flatMap((part) =>
    part.kind === "author" ? required(expressionOf(part.pattern)) : [],
  );
  const bound = (which: "since" | "until") =>
    parts.flatMap((part) =>
      part.kind === "committed" && part.bound === which ? [timeOfDate(part.date)] : [],
    );
  const since = bound("since");
  const until = bound("until");
  return {
    matches: compileTest(query, expressionOf, timeOfDate),
    messages,
    ...(author === undefined ? {} : { author }),
    ...(since.length === 0 ? {} : { since: Math.max(...since) }),
    ...(until.length === 0 ? {} : { until: Math.min(...until) }),
  };
}

function required({ required: literal }: Expression): string[] {
  return literal === undefined ? [] : [literal.text];
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
  expressionOf: (pattern: Pattern) => Expression,
  timeOfDate: (date: string) => number,
): Test {
  const compile = (node: Query): Test => {
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
        const finds = finder(expressionOf(node.pattern));
        return (commit) => finds(messageOf(commit).slice(0, maxMessageLength));
      }
      case "author": {
        const finds = finder(expressionOf(node.pattern));
        return ({ authorName, authorEmail }) => finds(`${authorName} <${authorEmail}>`);
      }
      case "committed": {
        const time = timeOfDate(node.date);
        return (commit) => (node.bound === "since" ? timeOf(commit) >= time : timeOf(commit) <= time);
      }
      case "repositoryIds": {
        const ids: ReadonlySet<number> = new Set(node.ids);
        return (_, id) => ids.has(id);
      }
      // Where the histories begin, which is decided.
      case "revision":
        return () => true;
      default:
        throw new Error(`${node.kind} in a search for commits`);
    }
  };
  return compile(query);
}

function finder({ safe, unicode, findLinear }: Expression): (text: string) => boolean {
  if (!safe) return (text) => findLinear(text, 0) !== undefined;
  const expression = new RegExp(unicode.source, unicode.flags);
  return (text) => expression.test(text);
}

function messageOf({ subject, body }: Commit): string {
  return `${subject}\n\n${body}`;
}

/** Whether something of the message is not looked at. */
export function isTooLong(commit: Commit): boolean {
  return messageOf(commit).length > maxMessageLength;
}

/** The commit date, in seconds since 1970. */
export function timeOf({ commitDate }: Commit): number {
  return (Date.parse(commitDate) || 0) / 1000;
}
