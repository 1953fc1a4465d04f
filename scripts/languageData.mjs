/**
 * Writes `server/src/languages/generated/languages.json`: what language detection needs from linguist-languages, without
 * colors and editor modes, as tables from names, extensions and file names to languages.
 *
 *     node scripts/languageData.mjs
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const target = join(
  dirname(fileURLToPath(import.meta.url)),
  "../server/src/languages/generated/languages.json",
);

/** Languages are indexes into `names`. Lists begin with the languages whose first extension it is. */
export async function languageData() {
  const languages = Object.values(await import("linguist-languages")).sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  const data = { names: [], aliases: {}, extensions: {}, primary: {}, filenames: {}, interpreters: {} };
  const add = (table, key, index) => {
    table[key] ??= [];
    if (!table[key].includes(index)) table[key].push(index);
  };
  for (const [index, language] of languages.entries()) {
    data.names.push(language.name);
    for (const alias of language.aliases ?? []) data.aliases[alias.toLowerCase()] ??= index;
    for (const [position, extension] of (language.extensions ?? []).entries()) {
      add(data.extensions, extension.toLowerCase(), index);
      if (position === 0) add(data.primary, extension.toLowerCase(), index);
    }
    for (const name of language.filenames ?? []) add(data.filenames, name, index);
    for (const interpreter of language.interpreters ?? []) add(data.interpreters, interpreter, index);
  }
  for (const [extension, indexes] of Object.entries(data.extensions)) {
    const isPrimary = (index) => data.primary[extension]?.includes(index) ?? false;
    indexes.sort((left, right) => isPrimary(right) - isPrimary(left) || left - right);
  }
  delete data.primary;
  return `${JSON.stringify(data)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await languageData());
