import { nearestNames } from "#base/nearestNames";

export const prefixNames = [
  "file",
  "repo",
  "lang",
  "rev",
  "content",
  "sym",
  "words",
  "case",
  "type",
  "archived",
  "fork",
  "tests",
  "visibility",
  "context",
  "reposet",
] as const;

/** Filters of commit searches; text in other searches. */
export const commitPrefixNames = ["author", "since", "until"] as const;

export type PrefixName = (typeof prefixNames)[number] | (typeof commitPrefixNames)[number];

const aliases: Readonly<Record<string, PrefixName>> = {
  f: "file",
  path: "file",
  r: "repo",
  l: "lang",
  language: "lang",
  branch: "rev",
  b: "rev",
  revision: "rev",
  c: "content",
  symbol: "sym",
  s: "sym",
  scope: "context",
};

const byWord = new Map<string, PrefixName>([
  ...prefixNames.map((name) => [name, name] as const),
  ...Object.entries(aliases),
]);

const byCommitWord = new Map<string, PrefixName>([
  ...byWord,
  ...commitPrefixNames.map((name) => [name, name] as const),
  ["after", "since"],
  ["before", "until"],
]);

export interface Prefix {
  readonly name: PrefixName;
  /** As written, with the colon. */
  readonly text: string;
}

/**
 * Returns the known prefix at an offset. Prefixes are lowercase; any other word with a colon is text. With
 * `forCommits`, the filters of commit searches are known too.
 */
export function prefixAt(text: string, offset: number, forCommits = false): Prefix | undefined {
  const word = wordBeforeColon(text, offset, /[a-z]+(?=:)/y);
  const name = word === undefined ? undefined : (forCommits ? byCommitWord : byWord).get(word);
  if (name === undefined || (name === "tests" && !isTestsFilter(text, offset))) return undefined;
  if (name === "words" && !isWordsFilter(text, offset)) return undefined;
  return { name, text: `${word}:` };
}

/**
 * `tests:` is common in code. It is a filter only before one of its values, typed in part or in full, or at the end of
 * the query.
 */
function isTestsFilter(text: string, offset: number): boolean {
  return /^tests:(?:(?:"(?:yes|no|only)"|yes|ye?|no?|only|onl|on|o)(?![^\s)])|$)/.test(
    text.slice(offset, offset + 13),
  );
}

/** `words: string[]` is common in code. It is a filter only directly before its value, or at the end of the query. */
function isWordsFilter(text: string, offset: number): boolean {
  return !/[\s)]/.test(text.charAt(offset + "words:".length));
}

/** Returns the prefixes that begin with `start`, those with a matching name before those with a matching alias. */
export function prefixesStarting(start: string, forCommits: boolean): PrefixName[] {
  const words = forCommits ? byCommitWord : byWord;
  const found = [...words].filter(
    ([word, name]) => word.startsWith(start) && !(forCommits && fileFilters.has(name)),
  );
  const own = found.filter(([word, name]) => word === name);
  return [...new Set([...own, ...found].map(([, name]) => name))];
}

/** Filters that cannot be combined with `type:commit`. */
export const fileFilters: ReadonlySet<PrefixName> = new Set(["file", "lang", "sym", "tests", "words"]);

/** A likely misspelled prefix: an unknown one that is one or two edits from a known one. */
export interface Suggestion {
  /** Of the unknown prefix, in UTF-16 units of the query. */
  readonly offset: number;
  readonly length: number;
  readonly prefix: string;
  readonly suggestion: string;
}

/** Returns undefined for known prefixes, `http://x`, `std::x`, and words that are too short. */
export function suggestPrefix(text: string, offset: number): Suggestion | undefined {
  const word = wordBeforeColon(text, offset, /[A-Za-z]{3,20}(?=:[^:/\s])/y);
  if (word === undefined || byWord.has(word)) return undefined;
  const nearest = nearestPrefix(word);
  if (nearest === undefined) return undefined;
  return { offset, length: word.length + 1, prefix: `${word}:`, suggestion: `${nearest}:` };
}

/** A cache, because a query may contain one word a thousand times. */
const nearestByWord = new Map<string, string | undefined>();
const maxNearestByWord = 1000;

function nearestPrefix(word: string): string | undefined {
  if (!nearestByWord.has(word)) {
    if (nearestByWord.size >= maxNearestByWord) nearestByWord.clear();
    // Two edits change too much of a short word: `port:` is not `fork:`.
    const [nearest] = nearestNames(word, longNames, word.length < 5 ? 1 : 2);
    nearestByWord.set(word, nearest);
  }
  return nearestByWord.get(word);
}

const longNames = [...byWord.keys()].filter((word) => word.length > 1);

function wordBeforeColon(text: string, offset: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}
