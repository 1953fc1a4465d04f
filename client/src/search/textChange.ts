/** From one text to another with few changes. Pure: knows no VS Code. */

export interface LineChange {
  /** Lines `[start, end)` of the old text, from 0. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** More differences are not looked for: all from the first to the last one is then replaced. */
const differencesAtMost = 1000;

/** What to replace in `before`, from top to bottom; the changes do not touch each other. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  let top = 0;
  while (top < before.length && top < after.length && before[top] === after[top]) top++;
  let bottom = 0;
  while (
    bottom < before.length - top &&
    bottom < after.length - top &&
    before[before.length - 1 - bottom] === after[after.length - 1 - bottom]
  ) {
    bottom++;
  }
  const old = before.slice(top, before.length - bottom);
  const fresh = after.slice(top, after.length - bottom);
  const kept = commonLines(old, fresh);
  const changes: LineChange[] = [];
  let at = 0;
  let from = 0;
  for (const [oldLine, freshLine] of [...kept, [old.length, fresh.length] as const]) {
    if (oldLine > at || freshLine > from) {
      changes.push({ start: top + at, end: top + oldLine, lines: fresh.slice(from, freshLine) });
    }
    at = oldLine + 1;
    from = freshLine + 1;
  }
  return changes;
}

/** Pairs of equal lines, ascending in both: as many as there can be, by Myers' shortest way. */
function commonLines(
  old: readonly string[],
  fresh: readonly string[],
): readonly (readonly [number, number])[] {
  const steps: Map<number, number>[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  for (let distance = 0; distance <= Math.min(differencesAtMost, old.length + fresh.length); distance++) {
    steps.push(new Map(furthest));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = isDown(furthest, diagonal, distance)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return walkBack(steps, old.length, fresh.length);
    }
  }
  return [];
}

function isDown(furthest: ReadonlyMap<number, number>, diagonal: number, distance: number): boolean {
  return (
    diagonal === -distance ||
    (diagonal !== distance && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1))
  );
}

function walkBack(
  steps: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  freshLength: number,
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let x = oldLength;
  let y = freshLength;
  for (let distance = steps.length - 1; distance >= 0; distance--) {
    const furthest = steps[distance] ?? new Map<number, number>();
    const diagonal = x - y;
    const before = isDown(furthest, diagonal, distance) ? diagonal + 1 : diagonal - 1;
    const fromX = distance === 0 ? 0 : (furthest.get(before) ?? 0);
    const fromY = distance === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return pairs.reverse();
}
