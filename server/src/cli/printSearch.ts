/** Formats search results as lines. */
import { sanitize } from "#base/sanitize";
import { utf16Offset } from "#base/utf16Offset";
import type { CountResult } from "#contract/count";
import type { Chunk, FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { formatCount } from "./format";
import type { Paint } from "./terminal";

export interface SearchStyle {
  readonly paint: Paint;
  /** On a terminal, control characters are replaced, and very long lines are cut around their first match. */
  readonly isTty: boolean;
}

/**
 * Matches are `repository/path:line:text`, context lines `repository/path-line-text`, with `--` between chunks; commits
 * are `repository hash date author: subject`.
 */
export function* formatSearchLines(result: SearchResult, style: SearchStyle): Generator<string> {
  for (const commit of result.commits ?? []) yield commitLine(commit, style);
  const hasContext = result.files.some((file) => file.chunks.some(hasContextLines));
  let isFirst = true;
  for (const file of result.files) {
    const name = formatFileName(file, style);
    if (file.chunks.length === 0) {
      if (hasContext && !isFirst) yield style.paint("dim", "--");
      isFirst = false;
      yield name;
    }
    for (const chunk of file.chunks) {
      if (hasContext && !isFirst) yield style.paint("dim", "--");
      isFirst = false;
      yield* chunkLines(name, chunk, style);
    }
  }
}

function commitLine(commit: FoundCommit, { paint, isTty }: SearchStyle): string {
  const { repository, hash, date, authorName, message } = commit;
  const [prefix, what] = [`${repository} ${hash.slice(0, 12)} ${date.slice(0, 10)} ${authorName}:`, message];
  return isTty ? `${paint("dim", sanitize(prefix))} ${sanitize(what)}` : `${prefix} ${what}`;
}

/** `repository/path`; on a terminal, with its matches highlighted. */
export function formatFileName(file: FileMatch, style: SearchStyle): string {
  if (!style.isTty) return `${file.repository}/${file.fileName.text}`;
  const spans = file.fileName.matchRanges.map((range) => ({
    start: utf16Offset(file.fileName.text, range.start.column),
    end: utf16Offset(file.fileName.text, range.end.column),
  }));
  return (
    style.paint("dim", sanitize(`${file.repository}/`)) +
    highlightSpans(file.fileName.text, spans, style, "path")
  );
}

/** Returns why the results may be incomplete, as a clause; `undefined` if they are complete. */
export function incompleteReason(
  result: Pick<SearchResult, "isSearchExhaustive" | "stats" | "serverProblem" | "unavailable">,
  maxMatches = 500,
): string | undefined {
  if (result.isSearchExhaustive) return undefined;
  const { unavailable = [] } = result;
  if (unavailable.length > 0)
    return unavailable.map(({ node, reason }) => `node ${node} ${reason}`).join(", ");
  const { filesMissing } = result.stats;
  switch (result.stats.flushReason) {
    case "MATCH_LIMIT":
      return `there are more than ${maxMatches} matches${maxMatches < 100_000 ? " (use --matches N for more)" : ""}`;
    case "TIME_LIMIT":
      return "the search timed out before everything was searched";
    case "BYTE_LIMIT":
      return "the response would have been too large";
    case "INDEXING":
      return "not everything is indexed (see trawl status)";
    case "RIGHTS_UNKNOWN":
      return "a code host has not said yet which of its repositories you may see";
    case "REPOSITORY_EVICTED":
      return `${formatCount(result.stats.repositoriesEvicted, "repository has", "repositories have")} no index, because of the limit of its disk space (add repo:NAME to index one again, or raise maxIndexBytes)`;
    case "REVISION_NOT_INDEXED":
      return "a requested revision is not indexed";
    case "SHARD_DAMAGED":
      return "part of the index is damaged and is being rebuilt";
    case "ENGINE_PARTIAL":
    case "NONE":
      if (result.serverProblem !== undefined) return "the part of the team's server is missing";
      if (filesMissing > 0)
        return `the text of ${filesMissing} ${filesMissing === 1 ? "file" : "files"} that could match is missing, as in partial clones`;
      return "the engine could not search everything";
  }
}

/** The same for counts. */
export function incompleteCountReason({ isExhaustive, stats, ...rest }: CountResult): string | undefined {
  if (!isExhaustive && stats.flushReason === "MATCH_LIMIT")
    return "too many files would have to be blamed, so only some matches have authors";
  if (!isExhaustive && stats.flushReason === "BYTE_LIMIT")
    return "there are too many groups to keep, or matches too long for captures";
  return incompleteReason({ isSearchExhaustive: isExhaustive, stats, ...rest });
}

function hasContextLines(chunk: Chunk): boolean {
  const lines = chunk.content.split("\n").length - (chunk.content.endsWith("\n") ? 1 : 0);
  const matched = new Set<number>();
  for (const { start, end } of chunk.matchRanges) {
    // A match that ends with a newline does not extend to the next line.
    const last = end.column === 1 ? Math.max(start.lineNumber, end.lineNumber - 1) : end.lineNumber;
    for (let line = start.lineNumber; line <= last; line++) matched.add(line);
  }
  return lines > matched.size;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function* chunkLines(name: string, chunk: Chunk, style: SearchStyle): Generator<string> {
  const lines = chunk.content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [index, raw] of lines.entries()) {
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const lineNumber = chunk.contentStart.lineNumber + index;
    const spans = matchSpans(chunk, lineNumber, text);
    const separator = spans === undefined ? "-" : ":";
    const shown = spans === undefined ? highlightSpans(text, [], style) : highlightSpans(text, spans, style);
    yield `${name}${separator}${style.paint("line", String(lineNumber))}${separator}${shown}`;
  }
}

/** Returns the matches on a line as UTF-16 offsets; `undefined` for a line without matches. */
function matchSpans(chunk: Chunk, lineNumber: number, text: string): Span[] | undefined {
  const touching = chunk.matchRanges.filter(
    ({ start, end }) =>
      start.lineNumber <= lineNumber &&
      // A match that ends with a newline does not touch the line after it.
      (lineNumber < end.lineNumber ||
        (lineNumber === end.lineNumber && (end.column > 1 || start.lineNumber === lineNumber))),
  );
  if (touching.length === 0) return undefined;
  return touching.map(({ start, end }) => ({
    start: start.lineNumber < lineNumber ? 0 : utf16Offset(text, start.column),
    end: end.lineNumber > lineNumber ? text.length : utf16Offset(text, end.column),
  }));
}

/** Longer lines, as in minified code, are cut on a terminal. */
const maxLineWidth = 400;

function highlightSpans(text: string, spans: readonly Span[], style: SearchStyle, plain?: "path"): string {
  if (!style.isTty) return text;
  const paintPlain = (part: string) => (plain === undefined ? part : style.paint(plain, part));
  const from =
    text.length <= maxLineWidth ? 0 : Math.max(0, Math.min(spans[0]?.start ?? 0, text.length) - 80);
  const to = Math.min(text.length, from + maxLineWidth);
  let shown = from > 0 ? style.paint("dim", "…") : "";
  let at = from;
  for (const span of spans) {
    const start = Math.max(span.start, at);
    const end = Math.min(span.end, to);
    if (start >= end) continue;
    shown +=
      paintPlain(sanitize(text.slice(at, start))) + style.paint("match", sanitize(text.slice(start, end)));
    at = end;
  }
  shown += paintPlain(sanitize(text.slice(at, to)));
  return to < text.length ? shown + style.paint("dim", "…") : shown;
}
