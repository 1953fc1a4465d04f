/**
 * Matches a path against a glob with git's rules: `*`, `?` and `[a-z]` do not match a slash; `**` between slashes
 * matches any number of folders.
 *
 * Patterns come from repositories and callers, and a regular expression made from one could take exponential time. This
 * matcher takes time proportional to the product of both lengths at most. It backtracks only to the last star, because
 * a later star can match whatever an earlier one could.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  return globMatcher(pattern)(path);
}

/** Like `matchesGlob`, but parses the pattern once for many paths. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const patternParts = pattern.split("/").map((part) => ({ part, items: itemsOf(part) }));
  const endsInGlobstar = patternParts.at(-1)?.part === "**" && patternParts.length > 1;
  return (path) => {
    const parts = path.split("/");
    return matchStars(
      patternParts.length,
      parts.length,
      (at) => patternParts[at]?.part === "**",
      (at, position) => matchesPart(patternParts[at]?.items ?? [], parts[position] ?? ""),
      // A final `**` matches everything inside a folder, but not the folder itself.
      endsInGlobstar ? 1 : 0,
    );
  };
}

export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, path));
}

/**
 * Splits a pattern into stars, sets, escaped characters and plain characters. An unclosed bracket is a plain character.
 */
function itemsOf(pattern: string): readonly string[] {
  const lastBracket = pattern.lastIndexOf("]");
  const sets = pattern.slice(0, lastBracket + 1).match(/\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? [];
  return [...sets, ...(pattern.slice(lastBracket + 1).match(/\\.|./gsu) ?? [])];
}

function matchesPart(items: readonly string[], part: string): boolean {
  const characters = Array.from(part);
  return matchStars(
    items.length,
    characters.length,
    (at) => items[at] === "*" || items[at] === "**",
    (at, position) => matchesCharacter(items[at] ?? "", characters[position] ?? ""),
    0,
  );
}

/** `lastStarMinimum` is how many items a final star must match. */
function matchStars(
  itemCount: number,
  length: number,
  isStar: (index: number) => boolean,
  matches: (index: number, position: number) => boolean,
  lastStarMinimum: number,
): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let starPosition = 0;
  while (position < length) {
    if (at < itemCount && isStar(at)) {
      star = at++;
      starPosition = position;
    } else if (at < itemCount && matches(at, position)) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++starPosition;
    } else return false;
  }
  while (at < itemCount && isStar(at) && lastStarMinimum === 0) at++;
  return at === itemCount;
}

function matchesCharacter(item: string, character: string): boolean {
  if (item === "?") return true;
  if (item.startsWith("\\") && item.length > 1) return item.slice(1) === character;
  if (!item.startsWith("[") || item.length < 3) return item === character;
  const isNegated = /^\[[!^]/.test(item);
  const members = Array.from(item.slice(isNegated ? 2 : 1, -1));
  let found = false;
  for (let at = 0; at < members.length; at++) {
    const first = members[at] ?? "";
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    const last = isRange ? (members[at + 2] ?? "") : first;
    if (first <= character && character <= last) found = true;
    if (isRange) at += 2;
  }
  return found !== isNegated;
}
