/** Groups of languages whose code can use one another's symbols by name. */
import { ServiceError } from "#base/error";
import { nearestLanguages, resolveLanguage } from "#languages/languages";
import { definesNames } from "#symbols/grammars/grammars";

const families: readonly (readonly string[])[] = [
  ["TypeScript", "TSX", "JavaScript", "Vue", "Svelte"],
  ["C", "C++", "Objective-C", "Objective-C++"],
  ["Java", "Kotlin", "Scala"],
];

/** Languages without a parser in which no keyword introduces definitions. */
export const languagesWithoutDefinitions: readonly string[] = [
  "",
  "AsciiDoc",
  "CSV",
  "Diff",
  "INI",
  "JSON with Comments",
  "Markdown",
  "Org",
  "Pod",
  "reStructuredText",
  "RTF",
  "Roff",
  "SVG",
  "TeX",
  "Text",
  "XML",
];

/** Returns the languages of a family, the given one first. */
function languageFamily(language: string): readonly string[] {
  const family = families.find((names) => names.includes(language)) ?? [];
  return [language, ...family.filter((name) => name !== language)];
}

/** Resolves a language name or alias to its family. JSX is JavaScript, as in Linguist. Throws INVALID_REQUEST_BODY. */
export function requestedLanguages(text: string): readonly string[] {
  const language = resolveLanguage(/^jsx$/i.test(text.trim()) ? "JavaScript" : text);
  if (language !== undefined) return languageFamily(language);
  const near = nearestLanguages(text);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  const message = `"language" must be a known language, but is ${JSON.stringify(text)}.${hint}`;
  throw new ServiceError("INVALID_REQUEST_BODY", message);
}

/**
 * Returns the languages in which to look up a name from a file of this language. `undefined` means all, because prose
 * may mention any code.
 */
export function lookupLanguages(language: string): readonly string[] | undefined {
  return definesNames(language) ? languageFamily(language) : undefined;
}
