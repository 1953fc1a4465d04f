import type { SymbolNames } from "#shard/symbolNames";
import { foldName } from "#shard/symbols";
import type { NamedMatch } from "./findSymbols";

/** Names of one shard that are judged; typing on makes them fewer. */
const maxMatches = 4096;
/** What a letter in the middle of a word costs, and one that does not follow the one before. */
const insideCost = 120;
const gapCost = 40;
const notWholeCost = 1500;

/** Names that hold the letters of `text` in this order, in capitals or not. */
export function fuzzyNames(names: SymbolNames, text: string): { matches: NamedMatch[]; isCut: boolean } {
  const letters = [...foldName(text)];
  const expression = new RegExp(letters.map(escaped).join("[^\\n]*?"), "gi");
  const matches: NamedMatch[] = [];
  for (let block = 0; block < names.blockCount; block++) {
    const lines = names.textOf(block);
    expression.lastIndex = 0;
    let number = names.firstIn(block);
    let counted = 0;
    for (let match = expression.exec(lines); match !== null; match = expression.exec(lines)) {
      const start = lines.lastIndexOf("\n", match.index) + 1;
      const newline = lines.indexOf("\n", match.index);
      const end = newline < 0 ? lines.length : newline;
      for (let at = lines.indexOf("\n", counted); at >= 0 && at < start; at = lines.indexOf("\n", at + 1)) {
        number++;
        counted = at + 1;
      }
      const name = lines.slice(start, end);
      matches.push({ number, name, ...judge(name, letters) });
      if (matches.length === maxMatches) return { matches, isCut: true };
      expression.lastIndex = end;
    }
  }
  return { matches, isCut: false };
}

/** Letters at the beginnings of words and side by side are what a person means. */
function judge(name: string, letters: readonly string[]): { start: number; end: number; extra: number } {
  const folded = foldName(name);
  const whole = folded.indexOf(letters.join(""));
  if (whole >= 0) {
    const start = Buffer.byteLength(name.slice(0, whole));
    const length = Buffer.byteLength(letters.join(""));
    const isAtEdge = isWordStart(name, whole);
    return { start, end: start + length, extra: -rest(name, letters) - (isAtEdge ? 0 : insideCost) };
  }
  let cost = notWholeCost;
  let last = -1;
  for (const [index, letter] of letters.entries()) {
    const at = bestPlace(name, folded, last + 1, letter, letters.slice(index + 1));
    if (at !== last + 1) cost += isWordStart(name, at) ? gapCost : gapCost + insideCost;
    last = at;
  }
  return { start: 1, end: 1, extra: -cost - rest(name, letters) };
}

/** Right here, else at the beginning of a word as long as what follows has room behind it, else wherever it stands. */
function bestPlace(
  name: string,
  folded: string,
  from: number,
  letter: string,
  following: readonly string[],
): number {
  const first = folded.indexOf(letter, from);
  if (first === from) return first;
  for (let at = first; at >= 0; at = folded.indexOf(letter, at + 1)) {
    if (isWordStart(name, at)) return hasAll(folded, at + 1, following) ? at : first;
  }
  return first;
}

function rest(name: string, letters: readonly string[]): number {
  return Math.min(100, name.length - letters.length);
}

function hasAll(folded: string, from: number, letters: readonly string[]): boolean {
  let at = from;
  for (const letter of letters) {
    const found = folded.indexOf(letter, at);
    if (found < 0) return false;
    at = found + letter.length;
  }
  return true;
}

function isWordStart(name: string, at: number): boolean {
  if (at <= 0) return true;
  const [before, here] = [name[at - 1] ?? "", name[at] ?? ""];
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  return /\p{Lu}/u.test(here) && !/\p{Lu}/u.test(before);
}

function escaped(letter: string): string {
  return letter.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
