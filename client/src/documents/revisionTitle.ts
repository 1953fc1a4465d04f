/** Names of revisions and lines in titles and URIs. Pure: does not use VS Code. */

/** A range of lines, one-based and inclusive. */
export interface LinkedLines {
  readonly first: number;
  readonly last: number;
}

/** Returns the short name of a branch or tag. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** Returns the short name of a branch or tag, or an abbreviated commit SHA. */
export function revisionName(ref: string): string {
  return /^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : shortRef(ref);
}

/** Returns the name for `ref` in a title; undefined if `ref` is an abbreviation of `commit`. */
export function revisionTitle(ref: string, commit: string): string | undefined {
  const isHash = /^[0-9a-f]{4,}$/i.test(ref) && commit.startsWith(ref.toLowerCase());
  return isHash ? undefined : shortRef(ref);
}

/** Formats lines for the service: `10` or `10-20`. */
export function linesText({ first, last }: LinkedLines): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Formats lines as a URI fragment: `L10` or `L10-L20`. */
export function linesFragment({ first, last }: LinkedLines): string {
  return first === last ? `L${first}` : `L${first}-L${last}`;
}

/** Returns the lines of a zero-based selection, without a last line of which no character is selected. */
export function linesOfSelection(
  start: { readonly line: number },
  end: { readonly line: number; readonly character: number },
): LinkedLines {
  const isBefore = end.character === 0 && end.line > start.line;
  return { first: start.line + 1, last: end.line + (isBefore ? 0 : 1) };
}
