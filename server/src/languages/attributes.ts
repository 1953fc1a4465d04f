/**
 * The Linguist attributes in a repository's `.gitattributes`: `linguist-language`, `linguist-generated`,
 * `linguist-vendored` and `linguist-documentation`.
 *
 * Patterns follow git's rules: one without a slash matches the name in any folder, one with a slash the path from the
 * file's own folder; `*` and `?` do not match a slash, `**` between slashes matches any number of folders. For each
 * attribute, the last matching line wins.
 */

import { matchesGlob } from "#base/glob";
import { resolveLanguage } from "./languages";

/** Absent or `undefined` values are determined by the path and the text. */
export interface LinguistAttributes {
  /** Linguist's name. */
  readonly language?: string | undefined;
  readonly isGenerated?: boolean | undefined;
  readonly isVendored?: boolean | undefined;
  readonly isDocumentation?: boolean | undefined;
}

/** Returns the attributes of a path, which is relative to the folder of `.gitattributes` and uses `/`. */
export type AttributesOf = (path: string) => LinguistAttributes;

/** One `.gitattributes` file. */
export interface AttributesFile {
  /** Its folder, with `/`; `""` for the root. */
  readonly folder: string;
  readonly text: string;
}

interface Line {
  readonly covers: (path: string) => boolean;
  readonly attributes: LinguistAttributes;
}

/** More lines than any real repository has. The rest is ignored, so that no file slows down indexing. */
const maxLines = 1000;
const maxLineLength = 1024;
const none: LinguistAttributes = {};

const noAttributes: AttributesOf = () => none;

/** Combines several files for paths from the root. A file takes precedence over those in parent folders. */
export function linguistAttributes(files: readonly AttributesFile[]): AttributesOf {
  const byFolder = new Map<string, AttributesOf>();
  const effort = { left: maxEffort };
  for (const { folder, text } of files) {
    const lines = parseLines(text, effort);
    if (lines.length > 0) byFolder.set(folder, attributesOfLines(lines));
  }
  if (byFolder.size === 0) return noAttributes;
  return (path) => {
    let found = byFolder.get("")?.(path) ?? none;
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      const inside = byFolder.get(path.slice(0, slash))?.(path.slice(slash + 1));
      if (inside !== undefined) found = { ...found, ...inside };
    }
    return found;
  };
}

/** Parses one `.gitattributes` file. Ignores malformed lines, and lines without Linguist attributes. */
export function parseLinguistAttributes(text: string): AttributesOf {
  return attributesOfLines(parseLines(text, { left: maxEffort }));
}

function attributesOfLines(lines: readonly Line[]): AttributesOf {
  return (path) => {
    let found = none;
    for (const { covers, attributes } of lines) if (covers(path)) found = { ...found, ...attributes };
    return found;
  };
}

/**
 * Limits pattern length times path length, summed over all matches: a few seconds for the slowest patterns. Real
 * repositories stay far below. When it is used up, globs match nothing.
 */
const maxEffort = 5e9;

function parseLines(text: string, effort: { left: number }): Line[] {
  const lines: Line[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (lines.length === maxLines) break;
    const isRelevant = line.includes("linguist-") && line.length <= maxLineLength;
    const parsed = isRelevant ? parseLine(line, effort) : undefined;
    if (parsed !== undefined) lines.push(parsed);
  }
  return lines;
}

function parseLine(line: string, effort: { left: number }): Line | undefined {
  const [, quoted, bare, rest = ""] =
    /^[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s#"]\S*))[ \t]+(.*)$/.exec(line) ?? [];
  const pattern = bare ?? quoted?.replace(/\\(.)/g, "$1");
  // Git rejects negated patterns, and a pattern for a folder never matches a file.
  if (pattern === undefined || pattern === "" || pattern.startsWith("!") || pattern.endsWith("/"))
    return undefined;
  const attributes: LinguistAttributes = Object.assign({}, ...rest.split(/[ \t]+/).map(attribute));
  return Object.keys(attributes).length === 0 ? undefined : { covers: matcher(pattern, effort), attributes };
}

function attribute(word: string): LinguistAttributes {
  const [, sign = "", name = "", value] = /^([-!]?)linguist-([a-z]+)(?:=(.*))?$/.exec(word) ?? [];
  if (name === "language") {
    if (sign === "!") return { language: undefined };
    const language = value === undefined ? undefined : resolveLanguage(value);
    return language === undefined ? none : { language };
  }
  const isSet = sign === "!" ? undefined : sign === "" && value !== "false";
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

function matcher(pattern: string, effort: { left: number }): (path: string) => boolean {
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  if (!pattern.includes("/")) {
    // Fast paths for the two most frequent kinds.
    if (!/[*?[\\]/.test(pattern)) return (path) => nameOf(path) === pattern;
    if (!/[*?[\\]/.test(pattern.slice(1)) && pattern.startsWith("*"))
      return (path) => path.endsWith(pattern.slice(1)) && nameOf(path).length >= pattern.length - 1;
  }
  const matchesName = !pattern.includes("/");
  const glob = pattern.startsWith("/") ? pattern.slice(1) : pattern;
  return (path) => {
    const target = matchesName ? nameOf(path) : path;
    effort.left -= glob.length * target.length;
    return effort.left > 0 && matchesGlob(glob, target);
  };
}
