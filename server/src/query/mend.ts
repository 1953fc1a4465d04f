/** Changes after which a query that was refused is none any more: each was parsed before it is offered. */
import type { Edit, QueryFault } from "./fault";
import { type Leaf, type Outline, type ParseOptions, parseQuery } from "./parse";
import { quoteText } from "./write";

export interface Mending {
  /** What it does, as words for a button. */
  readonly title: string;
  readonly query: string;
  /** The flag after it, where it changes. */
  readonly isRegexEnabled?: boolean;
}

/** A query as a person wrote it. */
export interface Draft {
  readonly text: string;
  readonly options: ParseOptions;
  readonly outline: Outline;
}

/** More buttons than these are no help. */
const maxMendings = 4;

/** What mends the whole query: of several faults that are mended together, it is the first one's. */
export function mendFaults(draft: Draft): readonly (readonly Mending[])[] {
  const [first, ...others] = draft.outline.faults;
  if (first === undefined) return [];
  const mendings = others.length === 0 ? mendFault(draft, first) : mendTogether(draft);
  const all = [...asLiteral(draft), ...mendings];
  return [all.length > 0 ? all.slice(0, maxMendings) : quoteAll(draft), ...others.map(() => [])];
}

/** The query after those edits after which it can run; of several that bear one title the first. */
export function mendingsOf({ text, options }: Draft, edits: readonly Edit[]): Mending[] {
  const found = new Map<string, Mending>();
  for (const edit of edits) {
    const query = applied(text, edit);
    if (!found.has(edit.title) && runs(query, options)) found.set(edit.title, { title: edit.title, query });
  }
  return [...found.values()];
}

function mendFault(draft: Draft, fault: QueryFault): Mending[] {
  const leaf = leafAt(draft.outline.leaves, fault.offset);
  const quoted = leaf === undefined ? [] : quoteEdit(draft.text, leaf);
  return mendingsOf(draft, [...fault.edits, ...quoted]);
}

function asLiteral({ text, options }: Draft): Mending[] {
  if (!options.isRegexEnabled || !runs(text, { ...options, isRegexEnabled: false })) return [];
  return [{ title: "Treat as literal", query: text, isRegexEnabled: false }];
}

/** The first edit of each fault, all at once. */
function mendTogether({ text, options, outline }: Draft): Mending[] {
  const edits = outline.faults.flatMap((fault) => {
    const leaf = leafAt(outline.leaves, fault.offset);
    return [...fault.edits, ...(leaf === undefined ? [] : quoteEdit(text, leaf))].slice(0, 1);
  });
  const backwards = edits.sort((left, right) => right.offset - left.offset);
  const query = backwards.reduce(applied, text);
  return runs(query, options) ? [{ title: "Mend all", query }] : [];
}

function quoteAll({ text, options }: Draft): Mending[] {
  const query = quoteText(text.trim());
  return query === undefined || !runs(query, options) ? [] : [{ title: "Search for it as text", query }];
}

/** Quotes make a filter with the dash in front of it, or a term, plain text. */
function quoteEdit(text: string, { start, at, end, isQuoted, prefix }: Leaf): Edit[] {
  if (isQuoted && prefix === undefined) return [];
  const dash = text.slice(start, at).indexOf("-");
  const offset = dash < 0 ? at : start + dash;
  const written = text.slice(offset, end).trimEnd();
  const quoted = quoteText(written);
  return quoted === undefined ? [] : [{ title: "Quote it", offset, length: written.length, text: quoted }];
}

function leafAt(leaves: readonly Leaf[], offset: number): Leaf | undefined {
  return leaves.find(({ start, end }) => start <= offset && offset <= end);
}

function applied(text: string, { offset, length, text: instead }: Edit): string {
  return text.slice(0, offset) + instead + text.slice(offset + length);
}

function runs(text: string, options: ParseOptions): boolean {
  try {
    parseQuery(text, options);
    return true;
  } catch {
    // Parsing refuses, and does nothing else.
    return false;
  }
}
