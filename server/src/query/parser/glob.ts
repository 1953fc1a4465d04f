/**
 * Translates `file:` values that are globs to expressions.
 *
 * A value is a glob if it has a `*` at the start or after a `/`, where in an expression it would repeat nothing or a
 * slash. `*` and `?` match within a directory, `**` across directories. A glob matches from the root of the repository
 * or after any `/`, with a leading `/` only from the root, to the end of the path.
 */
export function isGlob(value: string): boolean {
  return /(?:^|\/)\*/.test(value);
}

/** Whether a path that cannot be an expression is a glob. */
export function hasWildcards(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** For example, `src/*.ts` becomes `(?:^|/)src/[^/]*\.ts$`. */
export function globExpression(glob: string): string {
  const rooted = glob.startsWith("/");
  const body = rooted ? glob.slice(1) : glob;
  let source = rooted ? "^" : "(?:^|/)";
  let braces = 0;
  const lastBrace = body.lastIndexOf("}");
  /** No set begins before this offset. Keeps the scan linear. */
  let noSetUntil = 0;
  for (let at = 0; at < body.length; at++) {
    const character = body[at] ?? "";
    if (body.startsWith("**/", at)) {
      source += "(?:.*/)?";
      at += 2;
    } else if (body.startsWith("**", at)) {
      source += ".*";
      at += 1;
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "{" && at < lastBrace) {
      source += "(?:";
      braces++;
    } else if (character === "}" && braces > 0) {
      source += ")";
      braces--;
    } else if (character === "," && braces > 0) source += "|";
    else if (character === "[") {
      const set = at < noSetUntil ? undefined : setAt(body, at);
      if (set === undefined && at >= noSetUntil) noSetUntil = endOfName(body, at);
      source += set === undefined ? "\\[" : set.source;
      at += set === undefined ? 0 : set.length - 1;
    } else if (character === "\\" && at + 1 < body.length) source += quote(body[++at] ?? "");
    else source += quote(character);
  }
  return `${source}${")".repeat(braces)}$`;
}

function endOfName(glob: string, offset: number): number {
  const slash = glob.indexOf("/", offset);
  return slash < 0 ? glob.length : slash;
}

/** `[a-z]` or `[!a]`, never a `/`. */
function setAt(glob: string, offset: number): { source: string; length: number } | undefined {
  const found = /\[(!|\^)?(\]?[^\]/]*)\]/y;
  found.lastIndex = offset;
  const match = found.exec(glob);
  if (match?.[2] === undefined || match[2] === "") return undefined;
  const members = match[2].replace(/[\\[\]^&~]/g, "\\$&");
  return { source: match[1] === undefined ? `[${members}]` : `[^/${members}]`, length: match[0].length };
}

function quote(character: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(character) ? `\\${character}` : character;
}
