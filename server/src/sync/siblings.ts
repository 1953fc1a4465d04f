/** Clones that lie next to what somebody has open, found in a short time and without git. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FoundRepository, foundAt, repositoryAround } from "#git/discover";
import { findPlace } from "#git/place";
import { Pace } from "#platform/pace";

export interface Sibling {
  readonly repository: FoundRepository;
  /** Of packs and loose objects, as far as there was time. */
  readonly objectBytes: number;
}

/** Folders between the parent of an open repository and a clone are one at most. */
const maxDepth = 2;
const turnMs = 5;

/** `isComplete` is false where `limitMs` did not suffice, or `signal` fired. */
export async function findSiblings(
  openFolders: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<{ readonly siblings: readonly Sibling[]; readonly isComplete: boolean }> {
  const ends = performance.now() + limitMs;
  const isLate = () => signal.aborted || performance.now() > ends;
  const found = new Map<string, Sibling>();
  const waiting = parentsOf(openFolders).map((folder) => ({ folder, depth: 0 }));
  const seen = new Set<string>();
  const pace = new Pace(turnMs);
  for (let next = waiting.shift(); next !== undefined && !isLate(); next = waiting.shift()) {
    if (pace.isOver) await pace.rest();
    const { folder, depth } = next;
    if (seen.has(folder)) continue;
    seen.add(folder);
    const place = depth === 0 ? undefined : findPlace(folder);
    if (place !== undefined) {
      // A clone stands for its worktrees.
      if (place.gitDir !== place.commonDir && found.has(place.commonDir)) continue;
      const objectBytes = sizeOfObjects(join(place.commonDir, "objects"), isLate);
      found.set(place.commonDir, { repository: foundAt(place), objectBytes });
    } else if (depth < maxDepth) {
      for (const name of foldersIn(folder)) waiting.push({ folder: join(folder, name), depth: depth + 1 });
    }
  }
  return { siblings: [...found.values()], isComplete: !isLate() };
}

/** Of the repository around each folder, else of the folder; never the root of a disk, under which is everything. */
function parentsOf(openFolders: readonly string[]): string[] {
  const parents = openFolders.map((folder) => {
    const place = repositoryAround(folder);
    return dirname(place?.workTree ?? place?.gitDir ?? folder);
  });
  return [...new Set(parents)].filter((parent) => dirname(parent) !== parent);
}

/** Without those that nobody put a clone into. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function sizeOfObjects(objects: string, isLate: () => boolean): number {
  let bytes = 0;
  for (const name of foldersIn(objects)) {
    if (name !== "pack" && !/^[0-9a-f]{2}$/.test(name)) continue;
    for (const file of filesIn(join(objects, name))) {
      if (isLate()) return bytes;
      bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return bytes;
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
