/** Plans a build on a worker: reads the trees of the revisions from git. */

import { objectMissing } from "#git/missingObjects";
import { diffTrees, findMissingObjects, listTree, rootTrees, type TreeEntry } from "#git/objects/tree";
import type { GitRepository } from "#git/repository";
import { attributesInTree } from "#git/workTree/attributesFiles";
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
  /** From the default revision; applied to all revisions. */
  readonly attributes: readonly AttributesFile[];
  /** Blobs that the repository lacks. */
  readonly missing: ReadonlySet<string>;
  /** Slots whose commits or trees are missing. */
  readonly lostSlots: readonly number[];
}

/**
 * Plans the documents of a repository. `revisions` must list the default revision first. Throws NOT_FOUND if its commit
 * or a part of its tree is missing.
 */
export async function planRepository(
  gitRepository: GitRepository,
  revisions: readonly SlottedCommit[],
  signal: AbortSignal,
): Promise<RepositoryPlan> {
  const commits = revisions.map(({ commit }) => commit);
  // Most small repositories have a single commit to index, which `listTree` accepts instead of a tree.
  const roots = new Set(commits).size === 1 ? commits : await rootTrees(gitRepository, commits, signal);
  const existing = revisions.flatMap(({ slot }, at) => {
    const tree = roots[at];
    return tree === undefined ? [] : [{ slot, tree }];
  });
  const [base, ...others] = existing;
  if (base === undefined || roots[0] === undefined) throw objectMissing(gitRepository, commits[0] ?? "");
  const entries = await listTree(gitRepository, base.tree, signal);
  const found = await addRevisions(gitRepository, base, entries, others, signal);
  const complete = new Set(found.slots);
  const trees = new Set(existing.filter(({ slot }) => complete.has(slot)).map(({ tree }) => tree));
  const missing = await findMissingObjects(gitRepository, [...trees], signal);
  const known = entries.filter(({ hash }) => !missing.has(hash));
  const attributes = await attributesInTree(gitRepository, known, signal);
  const documents = sortByRank(found.documents, categoryRank(linguistAttributes(attributes)));
  const lostSlots = revisions.filter(({ slot }) => !complete.has(slot)).map(({ slot }) => slot);
  return { documents, attributes, missing, lostSlots };
}

interface SlottedTree {
  readonly slot: number;
  readonly tree: string;
}

/** Returns the documents of all complete trees, and the slots of these trees. */
async function addRevisions(
  gitRepository: GitRepository,
  base: SlottedTree,
  entries: readonly TreeEntry[],
  others: readonly SlottedTree[],
  signal: AbortSignal,
): Promise<{ readonly documents: PlannedDocument[]; readonly slots: readonly number[] }> {
  // Branches often share a tree: compare each only once.
  const distinct = [...new Set(others.map(({ tree }) => tree))];
  const diffs = await diffTrees(
    gitRepository,
    distinct.map((tree) => ({ from: base.tree, to: tree })),
    signal,
  );
  const changesOf = new Map(distinct.map((tree, at) => [tree, diffs[at]]));
  const complete = others.flatMap(({ slot, tree }) => {
    const changes = changesOf.get(tree);
    return changes === undefined ? [] : [{ slot, changes }];
  });
  return {
    documents: planDocuments(entries, base.slot, complete),
    slots: [base.slot, ...complete.map(({ slot }) => slot)],
  };
}
