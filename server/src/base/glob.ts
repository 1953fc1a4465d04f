/**
 * Whether a path matches a pattern as git reads it: `*`, `?` and `[a-z]` stay within a folder, `**` between slashes does
 * not.
 *
 * Patterns come from repositories and callers, and a regular expression made of one can take exponential time. This takes at most
 * the product of both lengths: it goes back only to the last star, for whatever an earlier one could reach a later one
 * can, too.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const patternParts = pattern.split("/");
  const parts = path.split("/");
  return matchStars(
    patternParts.length,
    parts.length,
    (at) => patternParts[at] === "**",
    (at, place) => matchesPart(patternParts[at] ?? "", parts[place] ?? ""),
    // At the end of a pattern it stands for everything inside, and a folder is not inside itself.
    patternParts.at(-1) === "**" && patternParts.length > 1 ? 1 : 0,
  );
}

export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, path));
}

function matchesPart(pattern: string, part: string): boolean {
  const items = pattern.match(/\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? [];
  const characters = Array.from(part);
  return matchStars(
    items.length,
    characters.length,
    (at) => items[at] === "*" || items[at] === "**",
    (at, place) => matchesCharacter(items[at] ?? "", characters[place] ?? ""),
    0,
  );
}

/** `lastStarMinimum` is how much a star at the end takes at least. */
function matchStars(
  itemCount: number,
  length: number,
  isStar: (at: number) => boolean,
  matches: (at: number, place: number) => boolean,
  lastStarMinimum: number,
): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let starPlace = 0;
  while (place < length) {
    if (at < itemCount && isStar(at)) {
      star = at++;
      starPlace = place;
    } else if (at < itemCount && matches(at, place)) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++starPlace;
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
