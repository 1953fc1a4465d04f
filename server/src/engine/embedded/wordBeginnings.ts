import { lettersOf } from "#shard/symbolFile/nameLetters";
import { foldName } from "#shard/symbolFile/symbolFile";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import { closenessOf, type NameMatch, type Rank, type TierMatches } from "./nameCloseness";
import { wordStarts } from "./nameWords";

/** Maximum length of a text, in bytes: a mask of 32 bits has one bit for each number of matched bytes. */
const maxText = 30;
/** A match that skips words may have at most this many parts of about one letter. */
const maxShortParts = 3;
/** The cost of each skipped word. */
const skippedWordCost = 20;

/**
 * Finds names whose words start with consecutive parts of `text`, beginning with the first word. Decreases
 * `budget.blocks` by the number of blocks read.
 */
export function wordBeginnings(
  names: SymbolNames,
  text: string,
  { maxNames, budget }: { readonly maxNames: number; readonly budget: { blocks: number } },
): TierMatches {
  const wanted = foldName(text);
  const [first = ""] = [...wanted];
  const { from, to } = names.find(first, false);
  const matches: NameMatch[] = [];
  if (from >= to || Buffer.byteLength(wanted) > maxText) return { matches, isTruncated: false };
  const mayMatch = beginningsTest(Buffer.from(wanted));
  const letters = lettersOf(text);
  const counts = new Map<Rank, number>();
  let isTruncated = false;
  const lastBlock = names.blockOf(to - 1);
  for (let block = names.blockOf(from); block <= lastBlock; block++) {
    if (budget.blocks-- <= 0) return { matches, isTruncated: true };
    const { masks, starts } = names.lettersIn(block);
    let bytes: Buffer | undefined;
    for (let at = 0; at < masks.length; at++) {
      if (((masks[at] ?? 0) & letters) !== letters) continue;
      bytes ??= names.bytesOf(block);
      const [start, end] = [starts[at] ?? 0, (starts[at + 1] ?? 1) - 1];
      if (!mayMatch(bytes, start, end)) continue;
      const name = bytes.toString("utf8", start, end);
      const found = beginningsIn(name, wanted);
      if (found === undefined) continue;
      const count = (counts.get(found.rank) ?? 0) + 1;
      counts.set(found.rank, count);
      if (count > maxNames) isTruncated = true;
      else {
        const closeness = closenessOf(found.rank, found.cost);
        matches.push({ number: names.firstIn(block) + at, name, closeness });
      }
    }
  }
  return { matches, isTruncated };
}

const caseBit = 0x20;

function isUppercase(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function isLowercase(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isAlphanumeric(byte: number): boolean {
  return isUppercase(byte) || isLowercase(byte) || (byte >= 0x30 && byte <= 0x39);
}

/** Returns a fast test of whether the name in `bytes` may match. It has no false negatives. */
function beginningsTest(wanted: Uint8Array): (bytes: Uint8Array, start: number, end: number) => boolean {
  // For each byte: one bit per position in `wanted`.
  const positions = new Uint32Array(256);
  for (const [at, byte] of wanted.entries()) positions[byte] = (positions[byte] ?? 0) | (1 << at);
  const matchBit = 1 << wanted.length;
  return (bytes, start, end) => {
    // Bit n is set if the first n bytes of `wanted` can match: `before` in the words before this one, `after` including
    // this word, and `open` with a match in this word that the next byte may extend.
    let before = 1;
    let after = 0;
    let open = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x80) return true;
      const last = at === start ? 0 : (bytes[at - 1] ?? 0);
      const isStart = isUppercase(byte)
        ? !isUppercase(last) || isLowercase(bytes[at + 1] ?? 0)
        : !isAlphanumeric(last) && isAlphanumeric(byte);
      if (isStart || at === start) {
        // The first word is never skipped.
        before = at === start ? 1 : before === 1 ? after : before | after;
        if (before === 0) return false;
        open = before;
        after = 0;
      }
      if (open === 0) continue;
      open = (open & (positions[isUppercase(byte) ? byte | caseBit : byte] ?? 0)) << 1;
      after |= open;
      if ((open & matchBit) !== 0) return true;
    }
    return false;
  };
}

/** Returns undefined if the name does not match, or starts with the whole text. */
function beginningsIn(name: string, wanted: string): { rank: Rank; cost: number } | undefined {
  const folded = foldName(name);
  const starts = wordStarts(name);
  if (starts[0] !== 0 || folded.startsWith(wanted)) return undefined;
  const rest = name.length - wanted.length;
  if (starts.length >= wanted.length && [...wanted].every((letter, at) => folded[starts[at] ?? 0] === letter))
    return { rank: starts.length === wanted.length ? "allInitials" : "firstInitials", cost: rest };
  const parts = fewestParts(folded, starts, wanted);
  if (parts === undefined) return undefined;
  // Many short parts that skip words match by chance.
  const isScattered = parts.count > maxShortParts && wanted.length < 2 * parts.count;
  if (parts.skippedWords > 0 && isScattered) return undefined;
  return { rank: "parts", cost: rest + parts.skippedWords * skippedWordCost };
}

interface Parts {
  readonly count: number;
  /** Skipped words between those that start with the parts. */
  readonly skippedWords: number;
}

/** Finds the match with the fewest skipped words, then the fewest parts; undefined if there is none. */
function fewestParts(folded: string, starts: readonly number[], wanted: string): Parts | undefined {
  const isFewer = (one: Parts, other: Parts | undefined) =>
    other === undefined ||
    one.skippedWords < other.skippedWords ||
    (one.skippedWords === other.skippedWords && one.count < other.count);
  // The best match so far, by number of matched letters.
  let known = new Map<number, Parts>([[0, { count: 0, skippedWords: 0 }]]);
  let fewest: Parts | undefined;
  for (const [word, start] of starts.entries()) {
    const end = starts[word + 1] ?? folded.length;
    const next = new Map<number, Parts>();
    const record = (letters: number, parts: Parts) => {
      if (isFewer(parts, next.get(letters))) next.set(letters, parts);
    };
    for (const [letters, { count, skippedWords }] of known) {
      if (letters > 0) record(letters, { count, skippedWords: skippedWords + 1 });
      const parts = { count: count + 1, skippedWords };
      for (let at = 0; start + at < end && folded[start + at] === wanted[letters + at]; at++) {
        if (letters + at + 1 < wanted.length) record(letters + at + 1, parts);
        else if (isFewer(parts, fewest)) fewest = parts;
      }
    }
    if (next.size === 0) break;
    known = next;
  }
  return fewest;
}
