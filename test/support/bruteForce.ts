/**
 * A brute-force reference search that shares no code with the search it verifies.
 *
 * Regular expressions run in re2js over the whole text, decoded so that each invalid UTF-8 byte becomes one U+FFFD.
 * Matches follow Go's rules: left to right and non-overlapping, with no empty match directly after another match and
 * none after a document's final newline.
 */
import { RE2JS } from "re2js";
import type { Pattern, Query } from "#query/query";

export type ByteRange = readonly [start: number, end: number];

export interface BruteDocument {
  readonly repositoryId: number;
  readonly path: string;
  readonly content: Uint8Array;
  readonly language?: string;
  /** Short names of the refs that contain it. */
  readonly refs?: readonly string[];
}

/** A text and the byte offset of each of its UTF-16 units, plus one for its end. */
export interface BruteText {
  readonly text: string;
  readonly byteAt: readonly number[];
}

const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Cached, because every query of a test decodes the same documents. */
const decodedTexts = new WeakMap<Uint8Array, BruteText>();

export function decodeBrute(content: Uint8Array): BruteText {
  let decoded = decodedTexts.get(content);
  if (decoded === undefined) {
    decoded = decode(content);
    decodedTexts.set(content, decoded);
  }
  return decoded;
}

function decode(content: Uint8Array): BruteText {
  const byteAt: number[] = [];
  let text = "";
  for (let at = 0; at < content.length; ) {
    const first = content[at] ?? 0;
    if (first < 0x80) {
      byteAt.push(at++);
      text += String.fromCharCode(first);
      continue;
    }
    const wanted = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let piece = "\ufffd";
    let length = 1;
    try {
      const decoded = fatal.decode(content.subarray(at, at + wanted));
      if ([...decoded].length === 1) {
        piece = decoded;
        length = Math.min(wanted, content.length - at);
      }
    } catch {
      // Not the start of a valid sequence.
    }
    for (let unit = 0; unit < piece.length; unit++) byteAt.push(at);
    text += piece;
    at += length;
  }
  byteAt.push(content.length);
  return { text, byteAt };
}

/** Compiles a pattern once and returns a function that finds it in texts. */
export function bruteFinder(pattern: Pattern): (content: Uint8Array, isName?: boolean) => ByteRange[] {
  if (pattern.kind === "regexp") return expressionFinder(pattern.source, pattern.caseSensitive);
  const { text, caseSensitive } = pattern;
  const isAscii = Buffer.byteLength(text) === text.length;
  if (caseSensitive) return (content) => findBytes(content, Buffer.from(text));
  if (isAscii) return (content) => findFolded(content, Buffer.from(text));
  return (content) => findLetters(content, text);
}

function findBytes(content: Uint8Array, wanted: Uint8Array): ByteRange[] {
  const found: ByteRange[] = [];
  const [first] = wanted;
  for (let at = 0; at + wanted.length <= content.length; ) {
    let same = content[at] === first;
    for (let index = 1; same && index < wanted.length; index++) same = content[at + index] === wanted[index];
    if (same) found.push([at, at + wanted.length]);
    at += same ? wanted.length : 1;
  }
  return found;
}

/** Folds ASCII letters; `k` also matches U+212A (`e2 84 aa`), `s` also U+017F (`c5 bf`). */
function findFolded(content: Uint8Array, wanted: Uint8Array): ByteRange[] {
  const small = (byte = 0) => (byte >= 65 && byte <= 90 ? byte + 32 : byte);
  const target = Array.from(wanted, small);
  const [first] = target;
  const found: ByteRange[] = [];
  for (let at = 0; at < content.length; ) {
    const byte = content[at] ?? 0;
    if (byte < 0x80 && small(byte) !== first) {
      at += 1;
      continue;
    }
    let to = at;
    for (const byte of target) {
      if (small(content[to]) === byte && to < content.length) to += 1;
      else if (byte === 0x73 && content[to] === 0xc5 && content[to + 1] === 0xbf) to += 2;
      else if (byte === 0x6b && content[to] === 0xe2 && content[to + 1] === 0x84 && content[to + 2] === 0xaa)
        to += 3;
      else {
        to = -1;
        break;
      }
    }
    if (to > at) {
      found.push([at, to]);
      at = to;
    } else at += 1;
  }
  return found;
}

/** Compares code point by code point, with Unicode simple case folding. */
function findLetters(content: Uint8Array, wanted: string): ByteRange[] {
  const tests = Array.from(wanted, (letter) => {
    const escaped = letter.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
    const expression = new RegExp(`^${escaped}$`, "iu");
    const known = new Map<string, boolean>();
    return (other: string): boolean => {
      let same = known.get(other);
      if (same === undefined) {
        same = expression.test(other);
        known.set(other, same);
      }
      return same;
    };
  });
  const { letters, starts } = lettersOf(content);
  const [isFirst = () => false, ...rest] = tests;
  const found: ByteRange[] = [];
  for (let at = 0; at + tests.length <= letters.length; ) {
    if (isFirst(letters[at] ?? "") && rest.every((test, index) => test(letters[at + 1 + index] ?? ""))) {
      found.push([starts[at] ?? 0, starts[at + tests.length] ?? content.length]);
      at += tests.length;
    } else at += 1;
  }
  return found;
}

const knownLetters = new WeakMap<Uint8Array, { letters: readonly string[]; starts: readonly number[] }>();

/** The code points of a text and the offset of each. */
function lettersOf(content: Uint8Array): { letters: readonly string[]; starts: readonly number[] } {
  let known = knownLetters.get(content);
  if (known === undefined) {
    const { text, byteAt } = decodeBrute(content);
    const letters: string[] = [];
    const starts: number[] = [];
    for (let unit = 0; unit < text.length; ) {
      const letter = String.fromCodePoint(text.codePointAt(unit) ?? 0);
      letters.push(letter);
      starts.push(byteAt[unit] ?? 0);
      unit += letter.length;
    }
    known = { letters, starts };
    knownLetters.set(content, known);
  }
  return known;
}

function expressionFinder(source: string, caseSensitive: boolean) {
  const flags = RE2JS.MULTILINE | (caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  const compiled = RE2JS.compile(source, flags);
  return (content: Uint8Array, isName = false): ByteRange[] => {
    const { text, byteAt } = decodeBrute(content);
    const matcher = compiled.matcher(text);
    const found: ByteRange[] = [];
    let previousEnd = -1;
    for (let from = 0; from <= text.length && matcher.find(from); ) {
      const start = matcher.start();
      const end = matcher.end();
      const isPastText = !isName && start === text.length && (text === "" || text.endsWith("\n"));
      const isEmpty = start === end;
      if (!(isEmpty && (start === previousEnd || isPastText))) {
        found.push([byteAt[start] ?? content.length, byteAt[end] ?? content.length]);
      }
      previousEnd = end;
      from = isEmpty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
    }
    return found;
  };
}

interface Evaluated {
  readonly holds: boolean;
  readonly content: readonly ByteRange[];
  readonly name: readonly ByteRange[];
}

/** The expected matches in one document: ranges in its text or in its name. */
export type BruteHit = { readonly where: "content" | "name"; readonly ranges: readonly ByteRange[] };

/** Compiles a query and returns a function that evaluates it on a document. */
export function bruteQuery(query: Query): (document: BruteDocument) => BruteHit | undefined {
  const finders = new Map<Query, ReturnType<typeof bruteFinder>>();
  return (document) => {
    const judged = judge(query, document, false, finders);
    if (!judged.holds) return undefined;
    if (judged.content.length > 0) return { where: "content", ranges: joined(judged.content) };
    const length = Buffer.byteLength(document.path);
    return { where: "name", ranges: judged.name.length > 0 ? joined(judged.name) : [[0, length]] };
  };
}

function judge(
  query: Query,
  document: BruteDocument,
  namesOnly: boolean,
  finders: Map<Query, ReturnType<typeof bruteFinder>>,
): Evaluated {
  const truth = (holds: boolean): Evaluated => ({ holds, content: [], name: [] });
  switch (query.kind) {
    case "const":
      return truth(query.value);
    case "language":
      return truth(query.names.includes(document.language ?? ""));
    case "revision":
      return truth(query.names.some((name) => name === "*" || document.refs?.includes(name)));
    case "repositoryIds":
      return truth(query.ids.includes(document.repositoryId));
    case "type": {
      const isForNames = query.type !== "symbol";
      const judged = judge(query.child, document, namesOnly || isForNames, finders);
      return isForNames ? { ...judged, content: [] } : judged;
    }
    case "not":
      return truth(!judge(query.child, document, namesOnly, finders).holds);
    case "and":
    case "or": {
      const parts = query.children.map((child) => judge(child, document, namesOnly, finders));
      const holds =
        query.kind === "and" ? parts.every((part) => part.holds) : parts.some((part) => part.holds);
      if (!holds) return truth(false);
      return {
        holds,
        content: parts.flatMap((part) => part.content),
        name: parts.flatMap((part) => part.name),
      };
    }
    case "text": {
      let find = finders.get(query);
      if (find === undefined) {
        find = bruteFinder(query.pattern);
        finders.set(query, find);
      }
      const inContent = query.where === "content" || (query.where === "both" && !namesOnly);
      const content = inContent ? find(document.content) : [];
      const name = query.where === "content" ? [] : find(Buffer.from(document.path), true);
      return { holds: content.length + name.length > 0, content, name };
    }
    default:
      throw new Error(`Engines do not evaluate ${query.kind}.`);
  }
}

/** Sorts ranges and drops overlaps: the first range wins, and of several with one start the longest. */
function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const sorted = [...ranges].sort((left, right) => left[0] - right[0] || right[1] - left[1]);
  const selected: ByteRange[] = [];
  for (const range of sorted) {
    const last = selected.at(-1);
    if (last !== undefined && (range[0] < last[1] || (range[0] === last[0] && range[1] === last[1])))
      continue;
    selected.push(range);
  }
  return selected;
}

/** Returns the 1-based line and column, in code points, of a byte offset. */
export function brutePosition(
  content: Uint8Array,
  byteOffset: number,
): { lineNumber: number; column: number } {
  let lineStart = 0;
  let lineNumber = 1;
  for (let at = 0; at < byteOffset; at++) {
    if (content[at] !== 0x0a) continue;
    lineNumber++;
    lineStart = at + 1;
  }
  return { lineNumber, column: 1 + [...decodeBrute(content.subarray(lineStart, byteOffset)).text].length };
}
