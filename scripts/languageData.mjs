/**
 * Writes `server/src/languages/generated/languages.json`: what the detector needs of linguist-languages, without its
 * colours and editor modes, and turned round so that a name, an extension or a file name is looked up in one step.
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

/** Languages are numbers: places in `names`. Lists hold first those for which the extension is their first one. */
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
    for (const [place, extension] of (language.extensions ?? []).entries()) {
      add(data.extensions, extension.toLowerCase(), index);
      if (place === 0) add(data.primary, extension.toLowerCase(), index);
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
