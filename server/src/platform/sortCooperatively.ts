import { TimeSlice } from "./timeSlice";

/** Items that are sorted in one go. */
const runLength = 4096;

/** Returns the items sorted. Stable, and yields to the event loop while it works. */
export async function sortCooperatively<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Promise<readonly Item[]> {
  const slice = new TimeSlice();
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    if (slice.isExpired) await slice.yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, slice));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (left: Item, right: Item) => number,
  slice: TimeSlice,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const [first, second] = [left[atLeft], right[atRight]];
    const isLeft = second === undefined || (first !== undefined && compare(first, second) <= 0);
    merged.push((isLeft ? left[atLeft++] : right[atRight++]) as Item);
    if (merged.length % runLength === 0 && slice.isExpired) await slice.yieldToEventLoop();
  }
  return merged;
}
