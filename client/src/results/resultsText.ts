/**
 * Formats results as a document, and parses it again. Pure: does not use VS Code.
 *
 * ```
 * # Query: retryWithBackoff lang:go
 * # Scope: all repositories (214)   Revision: HEAD   Context: 2
 * # 143 matches in 38 files, 12 repositories · complete · 2026-08-23 14:02
 *
 * orders-api @ 3f2c1ab5d0 (main)
 *   internal/http/client.go
 *     118-  func (c *Client) do(ctx context.Context) error {
 *     119:    return retryWithBackoff(ctx, c.once)
 * ```
 *
 * The header ends before the first line that does not begin with `#`. After it, repositories are not indented, paths are
 * indented by two columns and lines of text by four or more, so that text from a repository never looks like another
 * kind of line. Names that could be misread are written as JSON strings.
 */

import { matchCountOf } from "#client/search/resultSet";
import type { SearchState } from "#client/search/searchState";
import type { FileMatch } from "#contract/search";
import { linesOf } from "./resultLines";

/** What is needed to run the search of a document again. */
export interface ResultsHeader {
  readonly state: SearchState;
  readonly contextLines: number;
}

export interface ResultsInput extends ResultsHeader {
  /** In the order in which they are written; found with `contextLines` lines around each match. */
  readonly files: readonly FileMatch[];
  /** Scope and revisions of the search, as text for the header. */
  readonly scope: string;
  readonly revision: string;
  /** Counts, completeness and time, as text for the header. */
  readonly summary: string;
}

/** `[line, start, end)`: a zero-based line, and columns in UTF-16 units. */
export type MatchRange = readonly [line: number, start: number, end: number];

export interface ResultsText {
  readonly text: string;
  readonly matches: readonly MatchRange[];
}

const commitDigits = 10;
const unitsInLine = 2000;
/** Separates lines that are not adjacent. */
const gap = "    ⋯";

export function resultsText(input: ResultsInput): ResultsText {
  const lines = headerLines(input);
  const matches: MatchRange[] = [];
  for (const [repository, files] of byRepository(input.files)) {
    lines.push("", repository);
    for (const file of files) {
      lines.push(`  ${encodedName(file.fileName.text)}`);
      addLines(file, lines, matches);
    }
  }
  return { text: `${lines.join("\n")}\n`, matches };
}

/** Parses the header; returns `undefined` if the text does not begin with one. */
export function readHeader(text: string): ResultsHeader | undefined {
  const header = /^(?:#.*(?:\r?\n|$))+/.exec(text)?.[0] ?? "";
  const values = (name: string) =>
    [...header.matchAll(new RegExp(`^# ${name}: (.*(?:\\r?\\n#\\|.*)*)`, "gm"))].map(([, text = ""]) =>
      text.replace(/\r?\n#\| ?/g, "\n"),
    );
  const [query] = values("Query");
  if (query === undefined) return undefined;
  const flags = values("Flags")[0]?.split(" ") ?? [];
  const context = Number(/^# Scope: .* {3}Context: (\d{1,3})\r?$/m.exec(header)?.[1] ?? 0);
  return {
    state: {
      query,
      isRegex: flags.includes("RegExp"),
      isWholeWord: flags.includes("WholeWord"),
      caseSensitivity: flags.includes("CaseSensitive")
        ? "sensitive"
        : flags.includes("CaseInsensitive")
          ? "insensitive"
          : "smart",
      narrowed: values("Narrowed"),
    },
    contextLines: Math.min(100, context),
  };
}

function headerLines({ state, contextLines, scope, revision, summary }: ResultsInput): string[] {
  const flags = [
    ...(state.isWholeWord ? ["WholeWord"] : []),
    ...(state.isRegex ? ["RegExp"] : []),
    ...(state.caseSensitivity === "sensitive" ? ["CaseSensitive"] : []),
    ...(state.caseSensitivity === "insensitive" ? ["CaseInsensitive"] : []),
  ];
  return [
    ...queryLines("Query", state.query),
    ...state.narrowed.flatMap((part) => queryLines("Narrowed", part)),
    ...(flags.length === 0 ? [] : [`# Flags: ${flags.join(" ")}`]),
    `# Scope: ${oneLine(scope)}   Revision: ${oneLine(revision)}   Context: ${contextLines}`,
    `# ${oneLine(summary)}`,
  ];
}

function byRepository(files: readonly FileMatch[]): ReadonlyMap<string, readonly FileMatch[]> {
  const groups = new Map<string, FileMatch[]>();
  for (const file of files) {
    const line = repositoryLine(file);
    const group = groups.get(line);
    if (group === undefined) groups.set(line, [file]);
    else group.push(file);
  }
  return groups;
}

/** "orders-api @ 3f2c1ab5d0 (main)"; uncommitted text has its origin in place of the commit. */
function repositoryLine({ repository, commit, origin, branches }: FileMatch): string {
  const where =
    origin === "unsaved"
      ? "unsaved"
      : origin === "workingTree"
        ? "working tree"
        : commit.slice(0, commitDigits);
  const names =
    origin === "commit" ? branches.map((name) => name.replace(/^refs\/(?:heads|tags|remotes)\//, "")) : [];
  const [first] = names;
  const more = names.length > 1 ? ` +${names.length - 1}` : "";
  return `${encodedName(repository)} @ ${where}${first === undefined ? "" : ` (${printable(first)}${more})`}`;
}

function addLines(file: FileMatch, lines: string[], ranges: MatchRange[]): void {
  const lastLine = file.chunks.reduce(
    (last, { content, contentStart }) => Math.max(last, contentStart.lineNumber + content.split("\n").length),
    0,
  );
  const width = String(lastLine).length;
  const found = new Map(linesOf(file).map((line) => [line.lineNumber, line]));
  let next: number | undefined;
  for (const { content, contentStart } of file.chunks) {
    if (next !== undefined && next !== contentStart.lineNumber) lines.push(gap);
    next = contentStart.lineNumber;
    for (const text of content.replace(/\r?\n$/, "").split(/\r?\n/)) {
      const line = found.get(next);
      const before = `    ${String(next).padStart(width)}${line === undefined ? "-" : ":"}  `;
      for (const [start, end] of line?.matches ?? []) {
        if (end <= unitsInLine) ranges.push([lines.length, before.length + start, before.length + end]);
      }
      const shown = text.length > unitsInLine ? `${text.slice(0, unitsInLine)}…` : text;
      lines.push(shown === "" ? before.trimEnd() : `${before}${printable(shown)}`);
      next++;
    }
  }
}

/** A line of a document, as parsed. */
export type ResultsEntry =
  | {
      readonly kind: "repository";
      readonly line: number;
      readonly repository: string;
      /** Abbreviated commit SHA; empty for uncommitted text. */
      readonly commit: string;
      readonly origin: FileMatch["origin"];
    }
  | { readonly kind: "path"; readonly line: number; readonly path: string }
  | {
      readonly kind: "text";
      readonly line: number;
      readonly lineNumber: number;
      readonly isMatch: boolean;
      /** Columns of the line number. */
      readonly start: number;
      readonly end: number;
      readonly text: string;
    };

/** Parses a line after the header; returns `undefined` if it is none of the known kinds. */
function readLine(text: string, line: number): ResultsEntry | undefined {
  const content = /^( {4} *)(\d{1,9})([:-])(?: {2}(.*))?$/.exec(text);
  if (content !== null) {
    const [, indentation = "", digits = "", mark, words = ""] = content;
    const start = indentation.length;
    const lineNumber = Number(digits);
    return {
      kind: "text",
      line,
      lineNumber,
      isMatch: mark === ":",
      start,
      end: start + digits.length,
      text: words,
    };
  }
  const path = /^ {2}(?! )(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "path", line, path: decodedName(path) };
  const repository =
    /^(?![# ])("(?:\\.|[^"\\])*"|\S.*?) @ (working tree|unsaved|[0-9a-f]{7,64}|)(?: \(.*\))?$/.exec(text);
  if (repository === null) return undefined;
  const [, name = "", where = ""] = repository;
  const origin = where === "working tree" ? "workingTree" : where === "unsaved" ? "unsaved" : "commit";
  return {
    kind: "repository",
    line,
    repository: decodedName(name),
    commit: origin === "commit" ? where : "",
    origin,
  };
}

/** Returns all entries after the header. */
export function readEntries(text: string): readonly ResultsEntry[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => !line.startsWith("#"));
  return lines.flatMap((line, index) => (start < 0 || index < start ? [] : (readLine(line, index) ?? [])));
}

/** Returns the name as it is, or as a JSON string if it could be mistaken for something else. */
function encodedName(name: string): string {
  const isPlain = name !== "" && name === printable(name) && !/^[\s#"]|\s$| @ |\t/.test(name);
  return isPlain ? name : JSON.stringify(name).replace(/[\u007F-\u009F\p{Cf}\u2028\u2029]/gu, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

function decodedName(name: string): string {
  if (!name.startsWith('"')) return name;
  try {
    const value: unknown = JSON.parse(name);
    return typeof value === "string" ? value : name;
  } catch {
    return name;
  }
}

/** Replaces line breaks, bidirectional controls and lone surrogates, keeping the length in UTF-16 units. */
function printable(text: string): string {
  return text
    .replace(/[^\P{Cc}\t]|[\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu, "\uFFFD")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Returns a query as header lines: further lines of a quoted phrase begin with `#|`. */
function queryLines(name: string, query: string): string[] {
  const [first = "", ...others] = query.split(/\r?\n/);
  return [`# ${name}: ${oneLine(first)}`, ...others.map((line) => `#| ${oneLine(line)}`)];
}

/** Joins lines with spaces. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ");
}

/** Returns the counts for the header. */
export function countsOf(files: readonly FileMatch[]): {
  matches: number;
  files: number;
  repositories: number;
} {
  return {
    matches: files.reduce((sum, file) => sum + matchCountOf(file), 0),
    files: files.length,
    repositories: new Set(files.map(({ repositoryId }) => repositoryId)).size,
  };
}
