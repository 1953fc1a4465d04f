/** What an index worker can be asked for about one repository, and how it answers. Everything here crosses threads. */
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { isPartialClone, missingObjects } from "#git/partialClone";
import type { GitPlace } from "#git/place";
import { diffTrees, listTree, rootTrees } from "#git/tree";
import { diskFiles, type Files } from "#platform/files";
import type { TaskContext } from "#platform/workers";
import type { Draft } from "#shard/directory";
import { type Building, buildShards, categoryRank } from "./buildTask";
import { buildDelta, type MovedRevision } from "./deltaTask";
import { buildFolder, digestFolder, walkFolder } from "./folderTask";
import {
  cutTasks,
  type PackedDocuments,
  type PlannedDocument,
  packDocuments,
  planDocuments,
  sortByRank,
  unpackDocuments,
} from "./plan";
import { withSignal } from "./taskSignal";

interface Draftable {
  readonly repositoryId: number;
  readonly draftPath: string;
}

export interface SlottedCommit {
  readonly commit: string;
  readonly slot: number;
}

export type IndexTask =
  /** List all documents; a small repository is built at once. The default revision is the first. */
  | ({
      readonly kind: "plan";
      readonly place: GitPlace;
      readonly revisions: readonly SlottedCommit[];
    } & Draftable)
  | ({
      readonly kind: "build";
      readonly place: GitPlace;
      readonly documents: PackedDocuments;
      readonly missing: readonly string[];
    } & Draftable)
  | ({
      readonly kind: "delta";
      readonly place: GitPlace;
      readonly moved: readonly MovedRevision[];
      readonly segmentPaths: readonly string[];
    } & Draftable)
  /** Build a plain folder, unless its digest is still `digest`. */
  | ({ readonly kind: "folder"; readonly root: string; readonly digest?: string } & Draftable);

export type IndexAnswer =
  | {
      readonly kind: "planned";
      /** One a build. */
      readonly tasks: readonly PackedDocuments[];
      readonly missing: readonly string[];
      readonly documentCount: number;
      /** Slots whose commits are not in the repository. */
      readonly lostSlots: readonly number[];
    }
  | { readonly kind: "built"; readonly drafts: readonly Draft[]; readonly lostSlots: readonly number[] }
  | { readonly kind: "folderBuilt"; readonly drafts: readonly Draft[]; readonly digest: string }
  /** Nothing differs from what the index has. */
  | { readonly kind: "unchanged" }
  /** A delta does not pay: build anew. */
  | { readonly kind: "rebuild" };

/** What is emitted: documents written since the last one. */
export interface IndexProgress {
  readonly documents: number;
}

/** Shards are written one after another in a thread, because they share their tables. */
const oneWriter = new Limiter(1);

/** The task of an index worker; `files` is where drafts are written. */
export function indexTask(
  files: Files = diskFiles,
): (task: IndexTask, context: TaskContext) => Promise<IndexAnswer> {
  return (task, context) =>
    withSignal(context, (signal) =>
      oneWriter.run(() => {
        const { repositoryId, draftPath } = task;
        const onDocuments = (documents: number) => context.emit({ documents } satisfies IndexProgress);
        return run(task, { repositoryId, draftPath, signal, onDocuments, files, missing: new Set<string>() });
      }, signal),
    );
}

async function run(task: IndexTask, frame: Omit<Building, "place">): Promise<IndexAnswer> {
  switch (task.kind) {
    case "plan":
      return plan(task.revisions, { ...frame, place: task.place });
    case "build": {
      const building = { ...frame, place: task.place, missing: new Set(task.missing) };
      return {
        kind: "built",
        drafts: await buildShards(unpackDocuments(task.documents), building),
        lostSlots: [],
      };
    }
    case "delta": {
      const delta = await buildDelta(task.moved, task.segmentPaths, { ...frame, place: task.place });
      return delta === undefined ? { kind: "rebuild" } : { kind: "built", ...delta };
    }
    case "folder": {
      const found = [...walkFolder(task.root)];
      const digest = digestFolder(found);
      if (digest === task.digest) return { kind: "unchanged" };
      return { kind: "folderBuilt", drafts: await buildFolder(task.root, found, frame), digest };
    }
  }
}

async function plan(revisions: readonly SlottedCommit[], building: Building): Promise<IndexAnswer> {
  const { place, signal } = building;
  const trees = await rootTrees(
    place,
    revisions.map(({ commit }) => commit),
    signal,
  );
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
  const missing = isPartialClone(place)
    ? await missingObjects(place, [...new Set(present.map(({ tree }) => tree))], signal)
    : new Set<string>();
  const documents = sortByRank(await listDocuments(place, base, others, signal), categoryRank);
  const tasks = cutTasks(documents);
  if (tasks.length <= 1) {
    return { kind: "built", drafts: await buildShards(documents, { ...building, missing }), lostSlots };
  }
  return {
    kind: "planned",
    tasks: tasks.map(packDocuments),
    missing: [...missing],
    documentCount: documents.length,
    lostSlots,
  };
}

interface SlottedTree {
  readonly slot: number;
  readonly tree: string;
}

async function listDocuments(
  place: GitPlace,
  base: SlottedTree,
  others: readonly SlottedTree[],
  signal: AbortSignal,
): Promise<PlannedDocument[]> {
  // Branches often share a tree: each is compared once.
  const distinct = [...new Set(others.map(({ tree }) => tree))];
  const entries = await listTree(place, base.tree, signal);
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
