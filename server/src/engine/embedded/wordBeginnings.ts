import { foldName } from "#base/foldCase";
import { beginningsIn } from "#base/nameBeginnings";
import { closenessOf } from "#base/nameCloseness";
import { lettersOf } from "#shard/symbolFile/nameLetters";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import type { NameMatch, TierMatches } from "./nameMatch";

/** Maximum length of a text, in bytes: a mask of 32 bits has one bit for each number of matched bytes. */
const maxText = 30;

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
  const counts = new Map<string, number>();
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
