/** Returns the names within `maxEdits` edits of `word`, the nearest first. Ignores case. */
export function nearestNames(word: string, known: Iterable<string>, maxEdits = 2): string[] {
  const folded = word.toLowerCase();
  const found: { name: string; edits: number }[] = [];
  for (const name of known) {
    const edits = editDistance(folded, name.toLowerCase(), maxEdits);
    // A name in which every letter would change is not near.
    if (edits <= maxEdits && edits < Math.max(name.length, folded.length)) found.push({ name, edits });
  }
  return found
    .sort((left, right) => left.edits - right.edits || (left.name < right.name ? -1 : 1))
    .map((each) => each.name);
}

/** Returns the number of insertions, deletions, substitutions and swaps of adjacent letters, at most `maxEdits + 1`. */
function editDistance(left: string, right: string, maxEdits: number): number {
  if (Math.abs(left.length - right.length) > maxEdits) return maxEdits + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    let fewest = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1]
      ) {
        edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(edits);
      fewest = Math.min(fewest, edits);
    }
    // A swap spans two rows, so it may pay off only in the next one.
    if (fewest > maxEdits + 1) return maxEdits + 1;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
