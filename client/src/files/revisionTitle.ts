/** What revisions and lines are called in titles and addresses. Pure: knows no VS Code. */

/** Adjacent lines from 1, the last one included. */
export interface LinkedLines {
  readonly first: number;
  readonly last: number;
}

/** What people call a branch or a tag. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** The same, and for a commit the start of its name. */
export function revisionName(ref: string): string {
  return /^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : shortRef(ref);
}

/** What a title calls the commit that `ref` names; absent where its own short name says as much. */
export function revisionTitle(ref: string, commit: string): string | undefined {
  const isHash = /^[0-9a-f]{4,}$/i.test(ref) && commit.startsWith(ref.toLowerCase());
  return isHash ? undefined : shortRef(ref);
}

/** Lines as the service takes them: `10` or `10-20`. */
export function linesText({ first, last }: LinkedLines): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Lines as editors take them behind `#`. */
export function linesFragment({ first, last }: LinkedLines): string {
  return first === last ? `L${first}` : `L${first}-L${last}`;
}

/** Of a selection, from 0: one that ends before a line's first character does not hold that line. */
export function linesOfSelection(
  start: { readonly line: number },
  end: { readonly line: number; readonly character: number },
): LinkedLines {
  const isBefore = end.character === 0 && end.line > start.line;
  return { first: start.line + 1, last: end.line + (isBefore ? 0 : 1) };
}
