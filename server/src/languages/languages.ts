/** The names of languages, as GitHub's Linguist gives them, and how people write them. */
import { nearestNames } from "#base/nearest";
import data from "./generated/languages.json";

/** Languages are numbers here: places in `names`. Lists of extensions are best first. */
export interface LanguageTables {
  readonly names: readonly string[];
  readonly aliases: Readonly<Record<string, number>>;
  readonly extensions: Readonly<Record<string, readonly number[]>>;
  readonly filenames: Readonly<Record<string, readonly number[]>>;
  readonly interpreters: Readonly<Record<string, readonly number[]>>;
}

export const tables: LanguageTables = data;

/** All names, in alphabetical order. */
export function languageNames(): readonly string[] {
  return tables.names;
}

/** The language of a name, an alias (`js`, `c++`) or an extension that only one language has, in any case. */
export function resolveLanguage(text: string): string | undefined {
  const word = text.trim().toLowerCase().replace(/^\./, "");
  const index = [word, word.replace(/\s+/g, "-"), word.replaceAll("-", " ")]
    .map((each) => byWord().get(each))
    .find((each) => each !== undefined);
  if (index !== undefined) return tables.names[index];
  const owners = lookUp(tables.extensions, `.${word}`);
  return owners?.length === 1 ? tables.names[owners[0] ?? -1] : undefined;
}

/** Names of languages that are written almost like `text`, or have such an alias: at most five, nearest names first. */
export function nearestLanguages(text: string): string[] {
  const word = text.trim();
  const aliased = nearestNames(word, Object.keys(tables.aliases)).map((alias) => resolveLanguage(alias));
  const found = [...nearestNames(word, tables.names), ...aliased];
  return [...new Set(found.filter((name) => name !== undefined))].slice(0, 5);
}

/** Names of languages that hold `text`, or have an alias that begins with it: exact ones first, then by how they begin. */
export function languagesLike(text: string): string[] {
  const word = text.trim().toLowerCase();
  const exact = byWord().get(word);
  const beginning = tables.names.filter((name) => name.toLowerCase().startsWith(word));
  const aliased = Object.entries(tables.aliases).flatMap(([alias, index]) =>
    alias.startsWith(word) ? [tables.names[index]] : [],
  );
  const holding = tables.names.filter((name) => name.toLowerCase().includes(word));
  const found = [exact === undefined ? undefined : tables.names[exact], ...beginning, ...aliased, ...holding];
  return [...new Set(found.filter((name) => name !== undefined))];
}

/** A list of the tables; what is no key of its own (`constructor`) has none. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

let words: Map<string, number> | undefined;

/** Made at the first question, because workers that only detect never ask. */
function byWord(): ReadonlyMap<string, number> {
  if (words !== undefined) return words;
  words = new Map(Object.entries(tables.aliases));
  for (const [index, name] of tables.names.entries()) words.set(name.toLowerCase(), index);
  return words;
}
