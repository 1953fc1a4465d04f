/** What a person is writing: the word or the value in which the cursor stands. */
import { quotedEnd, skipBlanks, unquote } from "./lex";
import { type Leaf, type Outline, outlineQuery, type ParseOptions } from "./parse";
import type { PrefixName } from "./prefixes";

export interface Cursor {
  /** Absent where the name of a filter may be meant. */
  readonly prefix?: PrefixName;
  /** What stands before the cursor of the word or the value, without quotes. */
  readonly typed: string;
  readonly isNegated: boolean;
  /** Whether commits are searched for. */
  readonly forCommits: boolean;
  /** The stretch that something else would take the place of, in UTF-16 units. */
  readonly offset: number;
  readonly length: number;
  /** What the rest of the query asks for; what is wrong in it asks for everything. */
  readonly rest: Outline;
}

/** Undefined between words and inside a quoted term, where any text may be meant. Never throws. */
export function cursorAt(text: string, offset: number, options: ParseOptions): Cursor | undefined {
  const place = Math.min(offset, text.length);
  const head = text.slice(0, place);
  const { leaves: whole, layout } = outlineQuery(text, options);
  const { forCommits } = layout;
  const leaf = outlineOfHead(head, { ...options, forCommits }).leaves.findLast(
    ({ at, end }) => at <= place && place <= end,
  );
  if (leaf === undefined) {
    const isEmpty = skipBlanks(text, 0, text.length) === text.length;
    return isEmpty ? cursorOn(place, place, "", leaf) : undefined;
  }
  return leaf.prefix === undefined ? word(leaf) : value(leaf, leaf.prefix.name);

  function cursorOn(start: number, end: number, typed: string, own: Leaf | undefined): Cursor {
    const other = `${text.slice(0, own?.start ?? start)} ${text.slice(end)}`;
    const isNegated = own?.isNegated ?? false;
    return {
      typed,
      isNegated,
      forCommits,
      offset: start,
      length: end - start,
      rest: outlineQuery(other, options),
    };
  }

  function word(own: Leaf): Cursor | undefined {
    const dash = head[own.at] === "-" ? 1 : 0;
    const start = own.at + dash;
    const typed = head.slice(start);
    if (!/^[a-z]*$/.test(typed)) return undefined;
    // In the middle of a word more may follow, but of the name of a filter there is only one.
    const around = whole.find(({ at, prefix }) => at === start && prefix !== undefined);
    const end = around?.prefix === undefined ? place : start + around.prefix.text.length;
    return { ...cursorOn(start, end, typed, own), isNegated: dash === 1 || own.isNegated };
  }

  function value(own: Leaf, prefix: PrefixName): Cursor {
    const written = head.slice(own.valueStart);
    const isClosed = quotedEnd(written, 0, written.length) === written.length;
    const typed = own.isQuoted ? unquote(isClosed ? written : `${written}"`) : written;
    const ends = whole
      .filter(({ at, end, valueStart }) => at <= place && valueStart <= place && place <= end)
      .map(({ end }) => end);
    return { ...cursorOn(own.valueStart, Math.max(place, ...ends), typed, own), prefix };
  }
}

/** The text before the cursor, with what is still open in it closed. */
function outlineOfHead(head: string, options: ParseOptions): Outline {
  const isOpen = ({ valueStart, end, isQuoted }: Leaf) =>
    !isQuoted && end > valueStart && head[valueStart] === '"' && !head.includes("\n", valueStart);
  const bare = outlineQuery(head, options);
  const quoted = bare.leaves.some(isOpen) ? `${head}"` : head;
  const { unclosed } = quoted === head ? bare.layout : outlineQuery(quoted, options).layout;
  return outlineQuery(quoted + ")".repeat(unclosed), options);
}
