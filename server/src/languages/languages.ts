/** The names of languages, as in GitHub's Linguist, and their aliases. */
import { nearestNames } from "#base/nearestNames";
import data from "./generated/languages.json";

/** Languages are indexes into `names`. The languages of an extension are listed best first. */
export interface LanguageTables {
  readonly names: readonly string[];
  readonly aliases: Readonly<Record<string, number>>;
  readonly extensions: Readonly<Record<string, readonly number[]>>;
  readonly filenames: Readonly<Record<string, readonly number[]>>;
  readonly interpreters: Readonly<Record<string, readonly number[]>>;
}

export const tables: LanguageTables = data;

/** Returns all names, in alphabetical order. */
export function languageNames(): readonly string[] {
  return tables.names;
}

/** Resolves a name, an alias (`js`, `c++`) or an extension that only one language has. Ignores case. */
export function resolveLanguage(text: string): string | undefined {
  const word = text.trim().toLowerCase().replace(/^\./, "");
  const index = [word, word.replace(/\s+/g, "-"), word.replaceAll("-", " ")]
    .map((each) => byWord().get(each))
    .find((each) => each !== undefined);
  if (index !== undefined) return tables.names[index];
  const owners = ownValue(tables.extensions, `.${word}`);
  return owners?.length === 1 ? tables.names[owners[0] ?? -1] : undefined;
}

/** Returns up to five languages with a name or alias similar to `text`, nearest first. */
export function nearestLanguages(text: string): string[] {
  const word = text.trim();
  const aliased = nearestNames(word, Object.keys(tables.aliases)).map((alias) => resolveLanguage(alias));
  const found = [...nearestNames(word, tables.names), ...aliased];
  return [...new Set(found.filter((name) => name !== undefined))].slice(0, 5);
}

/** Returns languages whose name contains `text`, or whose alias starts with it: exact matches first, then prefixes. */
export function languagesLike(text: string): string[] {
  const word = text.trim().toLowerCase();
  const exact = byWord().get(word);
  const starting = tables.names.filter((name) => name.toLowerCase().startsWith(word));
  const aliased = Object.entries(tables.aliases).flatMap(([alias, index]) =>
    alias.startsWith(word) ? [tables.names[index]] : [],
  );
  const containing = tables.names.filter((name) => name.toLowerCase().includes(word));
  const found = [
    exact === undefined ? undefined : tables.names[exact],
    ...starting,
    ...aliased,
    ...containing,
  ];
  return [...new Set(found.filter((name) => name !== undefined))];
}

/** Returns an own property of a table, so that `constructor` finds nothing. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

let words: Map<string, number> | undefined;

/** Maps names and aliases to indexes. Built on first use, because workers that only detect languages do not need it. */
function byWord(): ReadonlyMap<string, number> {
  if (words !== undefined) return words;
  words = new Map(Object.entries(tables.aliases));
  for (const [index, name] of tables.names.entries()) words.set(name.toLowerCase(), index);
  return words;
}
