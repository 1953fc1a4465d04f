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
export type PrefixName = (typeof prefixNames)[number];

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

export interface Prefix {
  readonly name: PrefixName;
  /** As written, with the colon. */
  readonly text: string;
}

/** A known prefix at this very place: small letters only, as other words with a colon are text. */
export function prefixAt(text: string, at: number): Prefix | undefined {
  const word = wordBeforeColon(text, at, /[a-z]+(?=:)/y);
  const name = word === undefined ? undefined : byWord.get(word);
  return name === undefined ? undefined : { name, text: `${word}:` };
}

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
