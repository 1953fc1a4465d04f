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
  "dependencies",
  "visibility",
  "topic",
  "context",
  "reposet",
  "group",
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
  if (word === undefined || name === undefined || !isBeforeValue(text, offset + word.length + 1, name))
    return undefined;
  return { name, text: `${word}:` };
}

/**
 * What `group:` accepts: the properties by which counts can be grouped. Those of the contract are the same, or
 * `service/search/count.ts` does not compile.
 */
export const groupings = ["repo", "folder", "language", "author", "symbol", "text"] as const;

export type GroupProperty = (typeof groupings)[number];

/** The values of filters whose names are common in code or in manifests. */
const valuesOfCommonWords: Partial<Readonly<Record<PrefixName, readonly string[]>>> = {
  tests: ["yes", "no", "only"],
  dependencies: ["yes", "no", "only"],
  group: groupings,
};

/**
 * `tests:`, `dependencies:`, `group:`, `topic:` and `words:` are common in code. They are filters only at the end of the
 * query or directly before a value; all but the last two only before one of their own values, typed in part or in full.
 */
function isBeforeValue(text: string, offset: number, name: PrefixName): boolean {
  if (name === "words" || name === "topic") return !/[\s)]/.test(text.charAt(offset));
  const values = valuesOfCommonWords[name];
  if (values === undefined || offset === text.length) return true;
  const [written = ""] =
    /^(?:"[a-z]{0,10}"|[a-z]{0,10})(?![^\s)])/.exec(text.slice(offset, offset + 14)) ?? [];
  if (written.startsWith('"')) return values.includes(written.slice(1, -1));
  return written !== "" && values.some((value) => value.startsWith(written));
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

/** Not `group`, which is for counts only. */
const longNames = [...byWord.keys()].filter((word) => word.length > 1 && word !== "group");

function wordBeforeColon(text: string, offset: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}
