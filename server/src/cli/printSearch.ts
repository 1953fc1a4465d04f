/** A search's answer as lines. */
import type { Chunk, FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { harmless, type Paint } from "./terminal";

export interface SearchStyle {
  readonly paint: Paint;
  /** For a person: control characters are made harmless, and very long lines are cut around their first match. */
  readonly screen: boolean;
}

/**
 * Lines `repository/path:line:text` of matches and `repository/path-line-text` of context, chunks apart by `--`; of
 * commits `repository hash date author: subject`.
 */
export function* searchLines(result: SearchResult, style: SearchStyle): Generator<string> {
  for (const commit of result.commits ?? []) yield commitLine(commit, style);
  const hasContext = result.files.some((file) => file.chunks.some(isWider));
  let first = true;
  for (const file of result.files) {
    const name = fileName(file, style);
    if (file.chunks.length === 0) {
      if (hasContext && !first) yield style.paint("dim", "--");
      first = false;
      yield name;
    }
    for (const chunk of file.chunks) {
      if (hasContext && !first) yield style.paint("dim", "--");
      first = false;
      yield* chunkLines(name, chunk, style);
    }
  }
}

function commitLine(commit: FoundCommit, { paint, screen }: SearchStyle): string {
  const { repository, hash, date, authorName, message } = commit;
  const [place, what] = [`${repository} ${hash.slice(0, 12)} ${date.slice(0, 10)} ${authorName}:`, message];
  return screen ? `${paint("dim", harmless(place))} ${harmless(what)}` : `${place} ${what}`;
}

/** The file's name as other programs read it; on a screen with the matches within. */
export function fileName(file: FileMatch, style: SearchStyle): string {
  if (!style.screen) return `${file.repository}/${file.fileName.text}`;
  const spans = file.fileName.matchRanges.map((range) => ({
    start: codeUnits(file.fileName.text, range.start.column),
    end: codeUnits(file.fileName.text, range.end.column),
  }));
  return (
    style.paint("dim", harmless(`${file.repository}/`)) + marked(file.fileName.text, spans, style, "path")
  );
}

/** Why the answer may be incomplete, in words; `undefined` where it is not. */
export function incompleteness(
  result: Pick<SearchResult, "isSearchExhaustive" | "stats">,
  maxMatches = 500,
): string | undefined {
  if (result.isSearchExhaustive) return undefined;
  switch (result.stats.flushReason) {
    case "MATCH_LIMIT":
      return `there are more than ${maxMatches} matches${maxMatches < 100_000 ? " (--matches N brings more)" : ""}`;
    case "TIME_LIMIT":
      return "the time was up before everything was searched";
    case "BYTE_LIMIT":
      return "the answer would have been too large";
    case "INDEXING":
      return "not everything is indexed (trawl status tells more)";
    case "REVISION_NOT_INDEXED":
      return "a revision that was asked for is not indexed";
    case "SHARD_DAMAGED":
      return "a part of the index is damaged and is being rebuilt";
    case "ENGINE_PARTIAL":
    case "NONE":
      return "the engine could not search everything";
  }
}

function isWider(chunk: Chunk): boolean {
  const lines = chunk.content.split("\n").length - (chunk.content.endsWith("\n") ? 1 : 0);
  const matched = new Set<number>();
  for (const { start, end } of chunk.matchRanges) {
    for (let line = start.lineNumber; line <= end.lineNumber; line++) matched.add(line);
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
    const spans = spansOn(chunk, lineNumber, text);
    const mark = spans === undefined ? "-" : ":";
    const shown = spans === undefined ? marked(text, [], style) : marked(text, spans, style);
    yield `${name}${mark}${style.paint("line", String(lineNumber))}${mark}${shown}`;
  }
}

/** The matches on a line in UTF-16 units, `undefined` for a line that no match touches. */
function spansOn(chunk: Chunk, lineNumber: number, text: string): Span[] | undefined {
  const touching = chunk.matchRanges.filter(
    ({ start, end }) =>
      start.lineNumber <= lineNumber &&
      // A match that ends with a newline does not touch the line after it.
      (lineNumber < end.lineNumber ||
        (lineNumber === end.lineNumber && (end.column > 1 || start.lineNumber === lineNumber))),
  );
  if (touching.length === 0) return undefined;
  return touching.map(({ start, end }) => ({
    start: start.lineNumber < lineNumber ? 0 : codeUnits(text, start.column),
    end: end.lineNumber > lineNumber ? text.length : codeUnits(text, end.column),
  }));
}

/** Where the code point number `column`, from 1, begins in `text`. */
function codeUnits(text: string, column: number): number {
  let at = 0;
  for (let passed = 1; passed < column && at < text.length; passed++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** A line wider than this, as in minified code, is no use on a screen. */
const widestOnScreen = 400;

function marked(text: string, spans: readonly Span[], style: SearchStyle, plain?: "path"): string {
  if (!style.screen) return text;
  const paintPlain = (part: string) => (plain === undefined ? part : style.paint(plain, part));
  const from =
    text.length <= widestOnScreen ? 0 : Math.max(0, Math.min(spans[0]?.start ?? 0, text.length) - 80);
  const to = Math.min(text.length, from + widestOnScreen);
  let shown = from > 0 ? style.paint("dim", "…") : "";
  let at = from;
  for (const span of spans) {
    const start = Math.max(span.start, at);
    const end = Math.min(span.end, to);
    if (start >= end) continue;
    shown +=
      paintPlain(harmless(text.slice(at, start))) + style.paint("match", harmless(text.slice(start, end)));
    at = end;
  }
  shown += paintPlain(harmless(text.slice(at, to)));
  return to < text.length ? shown + style.paint("dim", "…") : shown;
}
