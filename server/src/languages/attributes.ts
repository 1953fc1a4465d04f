/**
 * What a repository's `.gitattributes` says of its files, as Linguist reads it: `linguist-language`,
 * `linguist-generated`, `linguist-vendored` and `linguist-documentation`.
 *
 * Patterns are git's: one without a slash matches the name in any folder, one with a slash the path from the file's own
 * folder; `*` and `?` stop at a slash, `**` between slashes is any number of folders. Of the lines that match, each
 * attribute takes the last.
 */

import { matchesGlob } from "#base/glob";
import { resolveLanguage } from "./languages";

export interface LinguistAttributes {
  /** Linguist's name. */
  readonly language?: string;
  readonly isGenerated?: boolean;
  readonly isVendored?: boolean;
  readonly isDocumentation?: boolean;
}

/** Tells of a path relative to the folder in which `.gitattributes` lies, `/`-separated. */
export type AttributesOf = (path: string) => LinguistAttributes;

interface Line {
  readonly pattern: string;
  readonly attributes: LinguistAttributes;
}

/** More lines than any repository has; past it the rest is not read, so that no file makes indexing slow. */
const maxLines = 1000;
const maxLineLength = 1024;
const none: LinguistAttributes = {};

/** Lines without such attributes, and lines that make no sense, say nothing. */
export function parseLinguistAttributes(text: string): AttributesOf {
  const lines: Line[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (lines.length === maxLines) break;
    const parsed = line.includes("linguist-") && line.length <= maxLineLength ? parseLine(line) : undefined;
    if (parsed !== undefined) lines.push(parsed);
  }
  if (lines.length === 0) return () => none;
  return (path) =>
    Object.assign({}, ...lines.map((line) => (covers(line.pattern, path) ? line.attributes : none)));
}

function parseLine(line: string): Line | undefined {
  const [, quoted, bare, rest = ""] =
    /^[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s#"]\S*))[ \t]+(.*)$/.exec(line) ?? [];
  const pattern = bare ?? quoted?.replace(/\\(.)/g, "$1");
  // Git refuses patterns that negate, and one of a folder never matches a file.
  if (pattern === undefined || pattern === "" || pattern.startsWith("!") || pattern.endsWith("/"))
    return undefined;
  const attributes: LinguistAttributes = Object.assign({}, ...rest.split(/[ \t]+/).map(attribute));
  return Object.keys(attributes).length === 0 ? undefined : { pattern, attributes };
}

function attribute(word: string): LinguistAttributes {
  const [, sign = "", name = "", value] = /^([-!]?)linguist-([a-z]+)(?:=(.*))?$/.exec(word) ?? [];
  if (name === "language") {
    const language = value === undefined ? undefined : resolveLanguage(value);
    return language === undefined ? none : { language };
  }
  const isSet = sign === "" && value !== "false";
  switch (name) {
    case "generated":
      return { isGenerated: isSet };
    case "vendored":
      return { isVendored: isSet };
    case "documentation":
      return { isDocumentation: isSet };
    default:
      return none;
  }
}

function covers(pattern: string, path: string): boolean {
  if (!pattern.includes("/")) return matchesGlob(pattern, path.slice(path.lastIndexOf("/") + 1));
  return matchesGlob(pattern.startsWith("/") ? pattern.slice(1) : pattern, path);
}
