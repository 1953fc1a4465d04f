/**
 * Results as a document: written here, and read again when it is opened. Pure: knows no VS Code.
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
 * The header ends with the first line that does not begin with `#`. Behind it a repository stands at the margin, a
 * path two columns in, a line of text four: text of a repository can never look like one of the others. Names that
 * could be misread are written as JSON strings.
 */
import type { FileMatch } from "#contract/search";
import { linesOf } from "./resultLines";
import { matchCountOf } from "./resultSet";
import type { SearchState } from "./searchState";

/** What a document needs to be made again. */
export interface ResultsHeader {
  readonly state: SearchState;
  readonly contextLines: number;
}

export interface ResultsInput extends ResultsHeader {
  /** In the order in which they are to stand; found with `contextLines` lines around each match. */
  readonly files: readonly FileMatch[];
  /** Where and at which revisions was searched, in words. */
  readonly scope: string;
  readonly revision: string;
  /** Counts, completeness and time, in words. */
  readonly summary: string;
}

/** `[line, start, end)`: the line from 0, the columns in UTF-16 units. */
export type MatchPlace = readonly [line: number, start: number, end: number];

export interface ResultsText {
  readonly text: string;
  readonly matches: readonly MatchPlace[];
}

const commitDigits = 10;
const unitsInLine = 2000;
/** Between lines that do not follow each other. */
const gap = "    ⋯";

export function resultsText(input: ResultsInput): ResultsText {
  const lines = headerLines(input);
  const matches: MatchPlace[] = [];
  for (const [repository, files] of byRepository(input.files)) {
    lines.push("", repository);
    for (const file of files) {
      lines.push(`  ${written(file.fileName.text)}`);
      addLines(file, lines, matches);
    }
  }
  return { text: `${lines.join("\n")}\n`, matches };
}

/** `undefined` for what does not begin as such a document. */
export function readHeader(text: string): ResultsHeader | undefined {
  const header = /^(?:#.*(?:\r?\n|$))+/.exec(text)?.[0] ?? "";
  const value = (name: string) => new RegExp(`^# ${name}: (.*?)\\r?$`, "m").exec(header)?.[1];
  const query = value("Query");
  if (query === undefined) return undefined;
  const flags = value("Flags")?.split(" ") ?? [];
  const narrowed = [...header.matchAll(/^# Narrowed: (.*?)\r?$/gm)].map(([, part = ""]) => part);
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
      narrowed,
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
    `# Query: ${oneLine(state.query)}`,
    ...state.narrowed.map((part) => `# Narrowed: ${oneLine(part)}`),
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

/** "orders-api @ 3f2c1ab5d0 (main)"; what is in no commit says so instead. */
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
  return `${written(repository)} @ ${where}${first === undefined ? "" : ` (${printable(first)}${more})`}`;
}

function addLines(file: FileMatch, lines: string[], places: MatchPlace[]): void {
  const last = file.chunks.at(-1);
  if (last === undefined) return;
  const width = String(last.contentStart.lineNumber + last.content.split("\n").length).length;
  const found = new Map(linesOf(file).map((line) => [line.lineNumber, line]));
  let next: number | undefined;
  for (const { content, contentStart } of file.chunks) {
    if (next !== undefined && next !== contentStart.lineNumber) lines.push(gap);
    next = contentStart.lineNumber;
    for (const text of content.replace(/\r?\n$/, "").split(/\r?\n/)) {
      const line = found.get(next);
      const before = `    ${String(next).padStart(width)}${line === undefined ? "-" : ":"}  `;
      for (const [start, end] of line?.matches ?? []) {
        if (end <= unitsInLine) places.push([lines.length, before.length + start, before.length + end]);
      }
      const shown = text.length > unitsInLine ? `${text.slice(0, unitsInLine)}…` : text;
      lines.push(shown === "" ? before.trimEnd() : `${before}${printable(shown)}`);
      next++;
    }
  }
}

/** Columns of each kind of line, as they are read again. */
export type ResultsEntry =
  | {
      readonly kind: "repository";
      readonly line: number;
      readonly repository: string;
      /** First digits of the commit; empty for what is in none. */
      readonly commit: string;
      readonly origin: FileMatch["origin"];
    }
  | { readonly kind: "path"; readonly line: number; readonly path: string }
  | {
      readonly kind: "text";
      readonly line: number;
      readonly lineNumber: number;
      readonly isMatch: boolean;
      /** Where the number stands. */
      readonly start: number;
      readonly end: number;
      readonly text: string;
    };

/** What stands in a line of a document behind its header; `undefined` for all else. */
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
  if (path !== undefined) return { kind: "path", line, path: read(path) };
  const repository =
    /^(?![# ])("(?:\\.|[^"\\])*"|\S.*?) @ (working tree|unsaved|[0-9a-f]{7,64}|)(?: \(.*\))?$/.exec(text);
  if (repository === null) return undefined;
  const [, name = "", where = ""] = repository;
  const origin = where === "working tree" ? "workingTree" : where === "unsaved" ? "unsaved" : "commit";
  return {
    kind: "repository",
    line,
    repository: read(name),
    commit: origin === "commit" ? where : "",
    origin,
  };
}

/** All entries behind the header. */
export function readEntries(text: string): readonly ResultsEntry[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => !line.startsWith("#"));
  return lines.flatMap((line, index) => (start < 0 || index < start ? [] : (readLine(line, index) ?? [])));
}

/** A name as it stands, or as a JSON string where it could be taken for something else. */
function written(name: string): string {
  const isPlain = name !== "" && name === printable(name) && !/^[\s#"]|\s$| @ |\t/.test(name);
  return isPlain ? name : JSON.stringify(name).replace(/[\u007F-\u009F\p{Cf}\u2028\u2029]/gu, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

function read(name: string): string {
  if (!name.startsWith('"')) return name;
  try {
    const value: unknown = JSON.parse(name);
    return typeof value === "string" ? value : name;
  } catch {
    return name;
  }
}

/** Without ends of lines and what turns the direction of text, unit for unit. */
function printable(text: string): string {
  return text
    .replace(/[^\P{Cc}\t]|[\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu, "\uFFFD")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** In a query the end of a line is a blank as any other. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ");
}

/** Counts for the header. */
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
