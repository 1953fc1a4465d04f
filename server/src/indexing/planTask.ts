/** The worker's side of a plan: what a repository holds at its revisions, asked of git. */
import { ServiceError } from "#base/error";
import { attributesInTree } from "#git/attributesFiles";
import { findMissing } from "#git/partialClone";
import type { GitPlace } from "#git/place";
import { diffTrees, listTree, rootTrees, type TreeEntry } from "#git/tree";
import { type AttributesFile, linguistAttributes } from "#languages/attributes";
import { categoryRank } from "./buildTask";
import { type PlannedDocument, planDocuments, sortByRank } from "./plan";

export interface SlottedCommit {
  readonly commit: string;
  readonly slot: number;
}

export interface RepositoryPlan {
  /** Best first. */
  readonly documents: readonly PlannedDocument[];
  /** Those of the default revision count for all. */
  readonly attributes: readonly AttributesFile[];
  /** Blobs that the repository does not have. */
  readonly missing: ReadonlySet<string>;
  /** Slots whose commits are not in the repository. */
  readonly lostSlots: readonly number[];
}

/** The default revision is the first. Throws GIT_FAILED where none of the commits is there. */
export async function planRepository(
  place: GitPlace,
  revisions: readonly SlottedCommit[],
  signal: AbortSignal,
): Promise<RepositoryPlan> {
  const commits = revisions.map(({ commit }) => commit);
  // A commit stands for its tree. Most small repositories have one.
  const trees = new Set(commits).size === 1 ? commits : await rootTrees(place, commits, signal);
  const present = revisions.flatMap(({ slot }, at) => {
    const tree = trees[at];
    return tree === undefined ? [] : [{ slot, tree }];
  });
  const lostSlots = revisions.filter((_, at) => trees[at] === undefined).map(({ slot }) => slot);
  const [base, ...others] = present;
  if (base === undefined) {
    throw new ServiceError(
      "GIT_FAILED",
      `None of the commits of ${place.workTree ?? place.gitDir} can be read.`,
    );
  }
  const missing = await findMissing(place, [...new Set(present.map(({ tree }) => tree))], signal);
  const entries = await listTree(place, base.tree, signal);
  const known = entries.filter(({ hash }) => !missing.has(hash));
  const attributes = await attributesInTree(place, known, signal);
  const found = await withOthers(place, base, entries, others, signal);
  const documents = sortByRank(found, categoryRank(linguistAttributes(attributes)));
  return { documents, attributes, missing, lostSlots };
}

interface SlottedTree {
  readonly slot: number;
  readonly tree: string;
}

async function withOthers(
  place: GitPlace,
  base: SlottedTree,
  entries: readonly TreeEntry[],
  others: readonly SlottedTree[],
  signal: AbortSignal,
): Promise<PlannedDocument[]> {
  // Branches often share a tree: each is compared once.
  const distinct = [...new Set(others.map(({ tree }) => tree))];
  const diffs = await diffTrees(
    place,
    distinct.map((tree) => ({ from: base.tree, to: tree })),
    signal,
  );
  const changesOf = new Map(distinct.map((tree, at) => [tree, diffs[at] ?? []]));
  return planDocuments(
    entries,
    base.slot,
    others.map(({ slot, tree }) => ({ slot, changes: changesOf.get(tree) ?? [] })),
  );
}
