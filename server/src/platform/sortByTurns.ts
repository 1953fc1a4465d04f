import { Pace } from "./pace";

/** What is sorted at once. */
const runLength = 4096;

/** Items in order, those that are equal as they were. Others have the thread in between where there are many. */
export async function sortByTurns<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Promise<readonly Item[]> {
  const pace = new Pace();
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    if (pace.isOver) await pace.rest();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (left: Item, right: Item) => number,
  pace: Pace,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const [first, second] = [left[atLeft], right[atRight]];
    const isLeft = second === undefined || (first !== undefined && compare(first, second) <= 0);
    merged.push((isLeft ? left[atLeft++] : right[atRight++]) as Item);
    if (merged.length % runLength === 0 && pace.isOver) await pace.rest();
  }
  return merged;
}
