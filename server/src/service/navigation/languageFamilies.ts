/** Languages whose code calls one another's by the same names. */
import { ServiceError } from "#base/error";
import { nearestLanguages, resolveLanguage } from "#languages/languages";
import { definesNames } from "#symbols/grammars";

const families: readonly (readonly string[])[] = [
  ["TypeScript", "TSX", "JavaScript", "Vue", "Svelte"],
  ["C", "C++", "Objective-C", "Objective-C++"],
];

/** Languages that nobody parses, and that define nothing by a word before a name. */
export const withoutDefinitions: readonly string[] = [
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

/** A language with those that go with it; itself first. */
function languageFamily(language: string): readonly string[] {
  const family = families.find((names) => names.includes(language)) ?? [];
  return [language, ...family.filter((name) => name !== language)];
}

/** As a caller wrote it. Linguist counts JSX as JavaScript. Throws INVALID_REQUEST_BODY. */
export function requestedLanguages(text: string): readonly string[] {
  const language = resolveLanguage(/^jsx$/i.test(text.trim()) ? "JavaScript" : text);
  if (language !== undefined) return languageFamily(language);
  const near = nearestLanguages(text);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  throw new ServiceError("INVALID_REQUEST_BODY", `"language" names no known language.${hint}`);
}

/** Which languages a question from a file of this language is about; undefined for all: prose speaks of any code. */
export function languagesAround(language: string): readonly string[] | undefined {
  return definesNames(language) ? languageFamily(language) : undefined;
}
