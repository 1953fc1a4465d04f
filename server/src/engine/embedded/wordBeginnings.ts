import { lettersOf } from "#shard/nameLetters";
import type { SymbolNames } from "#shard/symbolNames";
import { foldName } from "#shard/symbols";
import { closenessOf, type NameMatch, type Rank, type TierMatches } from "./closeness";
import { wordStarts } from "./nameWords";

/** Bytes: nobody types more of several words, and a bit of a number stands for each. */
const maxText = 30;
/** Of one letter or little more, with words between them that are left out. */
const maxShortParts = 3;
/** What a word costs that is left out. */
const leftOutCost = 20;

/** Names whose words begin with `text`, cut into parts, the first word with the first part. `budget` is used up. */
export function wordBeginnings(
  names: SymbolNames,
  text: string,
  { maxNames, budget }: { readonly maxNames: number; readonly budget: { blocks: number } },
): TierMatches {
  const wanted = foldName(text);
  const [first = ""] = [...wanted];
  const { from, to } = names.find(first, false);
  const matches: NameMatch[] = [];
  if (from >= to || Buffer.byteLength(wanted) > maxText) return { matches, isCut: false };
  const begins = beginningsTest(Buffer.from(wanted));
  const letters = lettersOf(text);
  const counts = new Map<Rank, number>();
  let isCut = false;
  const lastBlock = names.blockOf(to - 1);
  for (let block = names.blockOf(from); block <= lastBlock; block++) {
    if (budget.blocks-- <= 0) return { matches, isCut: true };
    const { masks, starts } = names.lettersIn(block);
    let bytes: Buffer | undefined;
    for (let at = 0; at < masks.length; at++) {
      if (((masks[at] ?? 0) & letters) !== letters) continue;
      bytes ??= names.bytesOf(block);
      const [start, end] = [starts[at] ?? 0, (starts[at + 1] ?? 1) - 1];
      if (!begins(bytes, start, end)) continue;
      const name = bytes.toString("utf8", start, end);
      const found = beginningsIn(name, wanted);
      if (found === undefined) continue;
      const count = (counts.get(found.rank) ?? 0) + 1;
      counts.set(found.rank, count);
      if (count > maxNames) isCut = true;
      else {
        const closeness = closenessOf(found.rank, found.cost);
        matches.push({ number: names.firstIn(block) + at, name, closeness });
      }
    }
  }
  return { matches, isCut };
}

const smallLetter = 0x20;

function isCapital(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function isSmall(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

function isAlphanumeric(byte: number): boolean {
  return isCapital(byte) || isSmall(byte) || (byte >= 0x30 && byte <= 0x39);
}

/** Whether a name may have such words, told by its bytes and quickly; in doubt it may. */
function beginningsTest(wanted: Uint8Array): (bytes: Uint8Array, start: number, end: number) => boolean {
  // Of each byte: a bit for each place in what is wanted.
  const places = new Uint32Array(256);
  for (const [at, byte] of wanted.entries()) places[byte] = (places[byte] ?? 0) | (1 << at);
  const whole = 1 << wanted.length;
  return (bytes, start, end) => {
    // A bit for each number of letters that the words before this one begin with, and this one so far.
    let before = 1;
    let after = 0;
    let open = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x80) return true;
      const last = at === start ? 0 : (bytes[at - 1] ?? 0);
      const isStart = isCapital(byte)
        ? !isCapital(last) || isSmall(bytes[at + 1] ?? 0)
        : !isAlphanumeric(last) && isAlphanumeric(byte);
      if (isStart || at === start) {
        // The first word is never left out.
        before = at === start ? 1 : before === 1 ? after : before | after;
        if (before === 0) return false;
        open = before;
        after = 0;
      }
      if (open === 0) continue;
      open = (open & (places[isCapital(byte) ? byte | smallLetter : byte] ?? 0)) << 1;
      after |= open;
      if ((open & whole) !== 0) return true;
    }
    return false;
  };
}

/** Undefined also for a name that begins with all of it. */
function beginningsIn(name: string, wanted: string): { rank: Rank; cost: number } | undefined {
  const folded = foldName(name);
  const starts = wordStarts(name);
  if (starts[0] !== 0 || folded.startsWith(wanted)) return undefined;
  const rest = name.length - wanted.length;
  if (starts.length >= wanted.length && [...wanted].every((letter, at) => folded[starts[at] ?? 0] === letter))
    return { rank: starts.length === wanted.length ? "allInitials" : "firstInitials", cost: rest };
  const parts = fewestParts(folded, starts, wanted);
  if (parts === undefined) return undefined;
  // Many short parts of some words out of many are found by chance.
  const isScattered = parts.count > maxShortParts && wanted.length < 2 * parts.count;
  if (parts.leftOut > 0 && isScattered) return undefined;
  return { rank: "parts", cost: rest + parts.leftOut * leftOutCost };
}

interface Parts {
  readonly count: number;
  /** Words between those that begin with the parts. */
  readonly leftOut: number;
}

/** With the fewest words left out, and of these the fewest parts; undefined where words do not begin so. */
function fewestParts(folded: string, starts: readonly number[], wanted: string): Parts | undefined {
  const isFewer = (one: Parts, other: Parts | undefined) =>
    other === undefined ||
    one.leftOut < other.leftOut ||
    (one.leftOut === other.leftOut && one.count < other.count);
  // By how many letters are found.
  let known = new Map<number, Parts>([[0, { count: 0, leftOut: 0 }]]);
  let fewest: Parts | undefined;
  for (const [word, start] of starts.entries()) {
    const end = starts[word + 1] ?? folded.length;
    const next = new Map<number, Parts>();
    const note = (letters: number, parts: Parts) => {
      if (isFewer(parts, next.get(letters))) next.set(letters, parts);
    };
    for (const [letters, { count, leftOut }] of known) {
      if (letters > 0) note(letters, { count, leftOut: leftOut + 1 });
      const parts = { count: count + 1, leftOut };
      for (let at = 0; start + at < end && folded[start + at] === wanted[letters + at]; at++) {
        if (letters + at + 1 < wanted.length) note(letters + at + 1, parts);
        else if (isFewer(parts, fewest)) fewest = parts;
      }
    }
    if (next.size === 0) break;
    known = next;
  }
  return fewest;
}
