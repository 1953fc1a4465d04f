/** Finds clones next to open folders, within a short time limit and without git. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Catalog } from "#catalog/catalog";
import { type FoundRepository, findEnclosingRepository, toFoundRepository } from "#git/discover";
import { findGitRepository } from "#git/repository";
import type { CodeHostType } from "#model/repository";
import { TimeSlice } from "#platform/timeSlice";
import { factsOf } from "./repositoryFacts";

export interface Sibling {
  readonly repository: FoundRepository;
  /** Size of packs and loose objects, as far as they were counted within the time limit. */
  readonly objectBytes: number;
}

/** Depth of a clone below the parent of an open repository: at most one folder lies between them. */
const maxDepth = 2;
/** Time limit for finding clones next to open folders. */
export const siblingsMs = 1000;

/** Finds clones next to the open folders. `isComplete` is false if `limitMs` was exceeded or `signal` was aborted. */
export async function findSiblings(
  openFolders: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<{ readonly siblings: readonly Sibling[]; readonly isComplete: boolean }> {
  const endsAt = performance.now() + limitMs;
  const isExpired = () => signal.aborted || performance.now() > endsAt;
  const found = new Map<string, Sibling>();
  const queue = parentsOf(openFolders).map((folder) => ({ folder, depth: 0 }));
  const seen = new Set<string>();
  const timeSlice = new TimeSlice();
  for (let next = queue.shift(); next !== undefined && !isExpired(); next = queue.shift()) {
    if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
    const { folder, depth } = next;
    if (seen.has(folder)) continue;
    seen.add(folder);
    const gitRepository = depth === 0 ? undefined : findGitRepository(folder);
    if (gitRepository !== undefined) {
      // A clone also represents its linked worktrees.
      if (gitRepository.gitDir !== gitRepository.commonDir && found.has(gitRepository.commonDir)) continue;
      const objectBytes = sizeOfObjects(join(gitRepository.commonDir, "objects"), isExpired);
      found.set(gitRepository.commonDir, { repository: toFoundRepository(gitRepository), objectBytes });
    } else if (depth < maxDepth) {
      for (const name of foldersIn(folder)) queue.push({ folder: join(folder, name), depth: depth + 1 });
    }
  }
  return { siblings: [...found.values()], isComplete: !isExpired() };
}

/** Returns those that are not in the catalog, sorted by the names that they would have. */
export function unknownSiblings(
  siblings: readonly Sibling[],
  catalog: Catalog,
  hosts: Readonly<Record<string, CodeHostType>>,
) {
  const unknown = siblings.flatMap(({ repository, objectBytes }) => {
    const facts = factsOf(repository, hosts);
    if (catalog.has(facts)) return [];
    return { path: facts.path, name: catalog.nameFor(facts), sizeBytes: objectBytes };
  });
  return unknown.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Returns the parents of the enclosing repositories, or else of the folders, but never the root of a disk. */
function parentsOf(openFolders: readonly string[]): string[] {
  const parents = openFolders.map((folder) => {
    const gitRepository = findEnclosingRepository(folder);
    return dirname(gitRepository?.workTree ?? gitRepository?.gitDir ?? folder);
  });
  return [...new Set(parents)].filter((parent) => dirname(parent) !== parent);
}

/** Returns the names of the folders in a folder, without hidden ones and `node_modules`. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function sizeOfObjects(objects: string, isExpired: () => boolean): number {
  let bytes = 0;
  for (const name of foldersIn(objects)) {
    if (name !== "pack" && !/^[0-9a-f]{2}$/.test(name)) continue;
    for (const file of filesIn(join(objects, name))) {
      if (isExpired()) return bytes;
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
