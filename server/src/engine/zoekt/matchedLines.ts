/**
 * Evaluates queries on the lines that match instead of on whole texts.
 *
 * A node that lists documents returns the lines of their matches, too. If it finds exactly the lines that the query matches,
 * the rest of the text changes neither the result nor its order, so it need not be transferred. What depends on it is in
 * `TextFacts`.
 */
import { partitionPoint } from "#base/binarySearch";
import type { SearchPlan } from "#engine/engine";
import type { Pattern, Query } from "#query/query";
import { compileExpression } from "#query/regexp/regexp";
import type { TextShift } from "#shard/format/reader";
import { countNewlines } from "#shard/format/writer";
import { farApartBytes } from "#shard/matches/score";
import { zoektPattern } from "./zoektPattern";
import type { ZoektChunk } from "./zoektReplies";

/** In which documents a node finds exactly the lines that a query matches. */
export interface LineUse {
  readonly documents: "all" | "ascii";
  /** Whether hashes are needed only of the documents that the result contains. Else they must be known before. */
  readonly hashesOfResult: boolean;
  /** Whether the distance between matches influences their score. */
  readonly keepsDistances: boolean;
}

/** Results with more matches are sent in pieces after the documents have been evaluated. */
export const maxLoadedMatches = 2000;
/** More lines than this around each match are not requested. */
const maxContextLines = 10;
const newline = 0x0a;

/** Returns undefined if whole texts are needed. */
export function lineUse({ query, phrase, limits, grouping, description }: SearchPlan): LineUse | undefined {
  const { contextLines, returnsContent, maxDisplayedMatches } = limits;
  if (grouping !== undefined || description !== undefined || returnsContent === true) return undefined;
  if (maxDisplayedMatches === 0 || contextLines > maxContextLines) return undefined;
  const patterns = requiredPatterns(query);
  if (patterns === undefined || !patterns.every(isExactPerLine)) return undefined;
  // A phrase of several lines may match lines that do not follow each other in the text.
  if (phrase !== undefined && !isExactPerLine(phrase)) return undefined;
  return {
    documents: patterns.some(mayMissLongS) ? "ascii" : "all",
    hashesOfResult: maxDisplayedMatches <= maxLoadedMatches,
    keepsDistances: patterns.length > 1,
  };
}

/** Returns the patterns in texts, all of which must match; undefined if the query combines them in another way. */
function requiredPatterns(query: Query): readonly Pattern[] | undefined {
  switch (query.kind) {
    case "and": {
      const patterns = query.children.map(requiredPatterns);
      return patterns.includes(undefined) ? undefined : patterns.flatMap((each) => each ?? []);
    }
    case "or":
    case "not": {
      const children = query.kind === "or" ? query.children : [query.child];
      return children.every((child) => requiredPatterns(child)?.length === 0) ? [] : undefined;
    }
    case "text":
      return query.where === "name" ? [] : [query.pattern];
    case "const":
    case "language":
    case "revision":
    case "repositoryIds":
      return [];
    default:
      return undefined;
  }
}

function isExactPerLine(pattern: Pattern): boolean {
  if (zoektPattern(pattern)?.isExact !== true) return false;
  return pattern.kind === "literal"
    ? !pattern.text.includes("\n")
    : !compileExpression(pattern.source, pattern.caseSensitive).needsWholeDocument;
}

/** Whether Zoekt does not find words that are written with U+017F, as Trawl does. */
function mayMissLongS(pattern: Pattern): boolean {
  return pattern.kind === "literal" && !pattern.caseSensitive && /s/iu.test(pattern.text);
}

/** The lines of a document that match, and where they are in its text. */
export interface MatchedLines {
  readonly content: Buffer;
  /** Returns what to add to a position in `content` to get the position in the text. */
  shiftAt(offset: number): TextShift;
}

/**
 * Joins the chunks of a document. Before chunks that do not follow the one before, or the start of the text, are empty lines,
 * which no pattern matches.
 */
export function joinChunks(chunks: readonly ZoektChunk[], { keepsDistances }: LineUse): MatchedLines {
  const sorted = chunks.toSorted((left, right) => left.byteOffset - right.byteOffset);
  const maxGap = keepsDistances ? farApartBytes : 1;
  const maxLength = sorted.reduce((sum, { text }) => sum + maxGap + Buffer.byteLength(text, "base64"), 0);
  const bytes = Buffer.allocUnsafe(maxLength);
  const starts: number[] = [];
  const shifts: TextShift[] = [];
  let length = 0;
  let line = 1;
  /** Where the last chunk ends in the text. */
  let last = 0;
  for (const { byteOffset, lineNumber, text } of sorted) {
    const gap = Math.max(0, Math.min(byteOffset - last, maxGap));
    bytes.fill(newline, length, length + gap);
    length += gap;
    line += gap;
    starts.push(length);
    shifts.push({ bytes: byteOffset - length, lines: lineNumber - line });
    const start = length;
    length += bytes.write(text, start, "base64");
    line += countNewlines(bytes, start, length);
    last = byteOffset + length - start;
  }
  return {
    content: bytes.subarray(0, length),
    shiftAt(offset) {
      const after = partitionPoint(0, starts.length, (at) => (starts[at] ?? 0) <= offset);
      return shifts[Math.max(0, after - 1)] ?? { bytes: 0, lines: 0 };
    },
  };
}
