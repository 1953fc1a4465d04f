import { nearestNames } from "#base/nearest";

export const prefixNames = [
  "file",
  "repo",
  "lang",
  "rev",
  "content",
  "sym",
  "case",
  "type",
  "archived",
  "fork",
  "visibility",
  "context",
  "reposet",
] as const;

/** Filters of searches for commits; elsewhere they are text. */
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

const byWordOfCommits = new Map<string, PrefixName>([
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
 * A known prefix at this very place: small letters only, as other words with a colon are text. `forCommits` tells
 * whether the filters of searches for commits are known.
 */
export function prefixAt(text: string, at: number, forCommits = false): Prefix | undefined {
  const word = wordBeforeColon(text, at, /[a-z]+(?=:)/y);
  const name = word === undefined ? undefined : (forCommits ? byWordOfCommits : byWord).get(word);
  return name === undefined ? undefined : { name, text: `${word}:` };
}

/** Names that begin with `start`, own ones before those of which only an alias does. */
export function prefixesStarting(start: string, forCommits: boolean): PrefixName[] {
  const words = forCommits ? byWordOfCommits : byWord;
  const found = [...words].filter(
    ([word, name]) => word.startsWith(start) && !(forCommits && ofFiles.has(name)),
  );
  const own = found.filter(([word, name]) => word === name);
  return [...new Set([...own, ...found].map(([, name]) => name))];
}

/** Filters that do not go with `type:commit`. */
export const ofFiles: ReadonlySet<PrefixName> = new Set(["file", "lang", "sym"]);

/** What a person probably meant who wrote an unknown prefix that is one or two edits from a known one. */
export interface Suggestion {
  /** Where the unknown prefix stands, in UTF-16 units of the query. */
  readonly offset: number;
  readonly length: number;
  readonly prefix: string;
  readonly suggestion: string;
}

/** Undefined for known prefixes, for `http://x` and `std::x`, and for words too short to tell. */
export function suggestPrefix(text: string, at: number): Suggestion | undefined {
  const word = wordBeforeColon(text, at, /[A-Za-z]{3,20}(?=:[^:/\s])/y);
  if (word === undefined || byWord.has(word)) return undefined;
  // Of a short word two edits leave too little: `port:` is not `fork:`.
  const [nearest] = nearestNames(word, longNames, word.length < 5 ? 1 : 2);
  if (nearest === undefined) return undefined;
  return { offset: at, length: word.length + 1, prefix: `${word}:`, suggestion: `${nearest}:` };
}

const longNames = [...byWord.keys()].filter((word) => word.length > 1);

function wordBeforeColon(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
