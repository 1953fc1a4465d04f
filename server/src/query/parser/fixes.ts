/** Suggests fixes for invalid queries. Every fix is parsed before it is suggested, so it leads to a valid query. */
import type { Edit, QueryError } from "./errors";
import { type Leaf, type Outline, type ParseOptions, parseQuery } from "./parse";
import { quoteText } from "./write";

export interface QueryFix {
  /** The label of its button. */
  readonly title: string;
  readonly query: string;
  /** The new value of the flag, if it changes. */
  readonly isRegexEnabled?: boolean;
}

/** A query as written, and its parse. */
export interface OutlinedQuery {
  readonly text: string;
  readonly options: ParseOptions;
  readonly outline: Outline;
}

const maxFixes = 4;

/** Returns a list of fixes for each error. If there are several errors, the first list fixes them all at once. */
export function suggestFixes(draft: OutlinedQuery): readonly (readonly QueryFix[])[] {
  const [first, ...others] = draft.outline.errors;
  if (first === undefined) return [];
  const own = others.length === 0 ? fixesOf(draft, first) : fixTogether(draft);
  const all = [...asLiteral(draft), ...own];
  return [all.length > 0 ? all.slice(0, maxFixes) : quoteAll(draft), ...others.map(() => [])];
}

/** Applies each edit, and returns those that make the query valid; only the first of each title. */
export function workingFixes({ text, options }: OutlinedQuery, edits: readonly Edit[]): QueryFix[] {
  const found = new Map<string, QueryFix>();
  for (const edit of edits) {
    const query = applyEdit(text, edit);
    if (!found.has(edit.title) && isValidQuery(query, options))
      found.set(edit.title, { title: edit.title, query });
  }
  return [...found.values()];
}

function fixesOf(draft: OutlinedQuery, error: QueryError): QueryFix[] {
  const leaf = leafAt(draft.outline.leaves, error.offset);
  const quoted = leaf === undefined ? [] : quoteEdit(draft.text, leaf);
  return workingFixes(draft, [...error.edits, ...quoted]);
}

function asLiteral({ text, options }: OutlinedQuery): QueryFix[] {
  if (!options.isRegexEnabled || !isValidQuery(text, { ...options, isRegexEnabled: false })) return [];
  return [{ title: "Treat as literal", query: text, isRegexEnabled: false }];
}

/** Applies the first edit of each error, all at once. */
function fixTogether({ text, options, outline }: OutlinedQuery): QueryFix[] {
  const edits = outline.errors.flatMap((error) => {
    const leaf = leafAt(outline.leaves, error.offset);
    return [...error.edits, ...(leaf === undefined ? [] : quoteEdit(text, leaf))].slice(0, 1);
  });
  const backwards = edits.sort((left, right) => right.offset - left.offset);
  const query = backwards.reduce(applyEdit, text);
  return isValidQuery(query, options) ? [{ title: "Fix all", query }] : [];
}

function quoteAll({ text, options }: OutlinedQuery): QueryFix[] {
  const query = quoteText(text.trim());
  return isValidQuery(query, options) ? [{ title: "Search for it as text", query }] : [];
}

/** Quotes a term, or a filter with its dash, which makes it literal text. */
function quoteEdit(text: string, { start, termStart, end, isQuoted, prefix }: Leaf): Edit[] {
  if (isQuoted && prefix === undefined) return [];
  const dash = text.slice(start, termStart).indexOf("-");
  const offset = dash < 0 ? termStart : start + dash;
  const written = text.slice(offset, end).trimEnd();
  return [{ title: "Quote it", offset, length: written.length, text: quoteText(written) }];
}

function leafAt(leaves: readonly Leaf[], offset: number): Leaf | undefined {
  return leaves.find(({ start, end }) => start <= offset && offset <= end);
}

function applyEdit(text: string, { offset, length, text: instead }: Edit): string {
  return text.slice(0, offset) + instead + text.slice(offset + length);
}

function isValidQuery(text: string, options: ParseOptions): boolean {
  try {
    parseQuery(text, options);
    return true;
  } catch {
    // Parsing throws only for invalid queries.
    return false;
  }
}
