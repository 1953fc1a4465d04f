/** Finds the word or the value at the cursor, for completion. */
import { layOut, quotedEnd, skipWhitespace, unquote } from "./lex";
import { type Leaf, type Outline, outlineQuery, type ParseOptions } from "./parse";
import type { PrefixName } from "./prefixes";

export interface Cursor {
  /** Absent if the cursor may be in the name of a filter. */
  readonly prefix?: PrefixName;
  /** The part of the word or the value before the cursor, without quotes. */
  readonly typed: string;
  readonly isNegated: boolean;
  /** Whether the query is a commit search. */
  readonly forCommits: boolean;
  /** The range to replace, in UTF-16 units. */
  readonly offset: number;
  readonly length: number;
  /** The rest of the query, whose invalid parts match everything. */
  readonly rest: Outline;
}

/** Returns undefined where nothing can be completed: between words, inside a quoted term, and after the first line of a quoted value. Never throws. */
export function cursorAt(text: string, offset: number, options: ParseOptions): Cursor | undefined {
  const position = Math.min(offset, text.length);
  const head = text.slice(0, position);
  const outlineOptions = { ...options, skipsChecks: true };
  const { leaves: whole, layout } = outlineQuery(text, outlineOptions);
  const { forCommits } = layout;
  const isInQuotes = whole.some(
    ({ prefix, termStart, valueStart, end, isQuoted }) =>
      isQuoted &&
      termStart < position &&
      position < end &&
      (prefix === undefined || text.slice(valueStart, position).includes("\n")),
  );
  if (isInQuotes) return undefined;
  const leaf = outlineOfHead(head, { ...outlineOptions, forCommits }).leaves.findLast(
    ({ termStart, end }) => termStart <= position && position <= end,
  );
  if (leaf === undefined) {
    const isEmpty = skipWhitespace(text, 0, text.length) === text.length;
    return isEmpty ? cursorOn(position, position, "", leaf) : undefined;
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
    const dash = head[own.termStart] === "-" ? 1 : 0;
    const start = own.termStart + dash;
    const typed = head.slice(start);
    if (!/^[a-z]*$/.test(typed)) return undefined;
    // Keeps text after the cursor, unless it is the rest of a filter name.
    const around = whole.find(({ termStart, prefix }) => termStart === start && prefix !== undefined);
    const end = around?.prefix === undefined ? position : start + around.prefix.text.length;
    return { ...cursorOn(start, end, typed, own), isNegated: dash === 1 || own.isNegated };
  }

  function value(own: Leaf, prefix: PrefixName): Cursor {
    const written = head.slice(own.valueStart);
    const isClosed = quotedEnd(layOut(written, false, false), 0, written.length) === written.length;
    const typed = own.isQuoted ? unquote(isClosed ? written : `${written}"`) : written;
    const ends = whole
      .filter(
        ({ termStart, end, valueStart }) =>
          termStart <= position && valueStart <= position && position <= end,
      )
      .map(({ end }) => end);
    return { ...cursorOn(own.valueStart, Math.max(position, ...ends), typed, own), prefix };
  }
}

/** Parses the text before the cursor, with open quotes and parentheses closed. */
function outlineOfHead(head: string, options: ParseOptions): Outline {
  const isOpen = ({ valueStart, end, isQuoted }: Leaf) =>
    !isQuoted && end > valueStart && head[valueStart] === '"' && !head.includes("\n", valueStart);
  const bare = outlineQuery(head, options);
  const quoted = bare.leaves.some(isOpen) ? `${head}"` : head;
  const { unclosed } = quoted === head ? bare.layout : outlineQuery(quoted, options).layout;
  return outlineQuery(quoted + ")".repeat(unclosed), options);
}
