/**
 * `file:` values that are globs, as expressions.
 *
 * A value is a glob if a `*` stands at its start or behind a `/`, where in an expression it would repeat nothing or a
 * slash. `*` and `?` stay inside a directory, `**` does not. A glob begins at the root of the repository or behind any
 * `/`, with a leading `/` only at the root, and ends where the path ends.
 */
export function isGlob(value: string): boolean {
  return /(?:^|\/)\*/.test(value);
}

/** `src/*.ts` gives `(?:^|/)src/[^/]*\.ts$`. */
export function globExpression(glob: string): string {
  const rooted = glob.startsWith("/");
  const body = rooted ? glob.slice(1) : glob;
  let source = rooted ? "^" : "(?:^|/)";
  let braces = 0;
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
    else if (character === "{" && body.includes("}", at)) {
      source += "(?:";
      braces++;
    } else if (character === "}" && braces > 0) {
      source += ")";
      braces--;
    } else if (character === "," && braces > 0) source += "|";
    else if (character === "[") {
      const set = setAt(body, at);
      source += set === undefined ? "\\[" : set.source;
      at += set === undefined ? 0 : set.length - 1;
    } else if (character === "\\" && at + 1 < body.length) source += quote(body[++at] ?? "");
    else source += quote(character);
  }
  return `${source}${")".repeat(braces)}$`;
}

/** `[a-z]` or `[!a]`, never a `/`. */
function setAt(glob: string, at: number): { source: string; length: number } | undefined {
  const found = /\[(!|\^)?(\]?[^\]/]*)\]/y;
  found.lastIndex = at;
  const match = found.exec(glob);
  if (match?.[2] === undefined || match[2] === "") return undefined;
  const members = match[2].replace(/[\\[\]^&~]/g, "\\$&");
  return { source: match[1] === undefined ? `[${members}]` : `[^/${members}]`, length: match[0].length };
}

function quote(character: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(character) ? `\\${character}` : character;
}
