/** What an index worker can be asked for about one repository, and how it answers. Everything here crosses threads. */
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { digestFolder, walkFolder } from "#git/folderFiles";
import { findMissing } from "#git/partialClone";
import type { GitPlace } from "#git/place";
import { diffTrees, listTree, rootTrees } from "#git/tree";
import { diskFiles, type Files } from "#platform/files";
import type { TaskContext } from "#platform/workers";
import type { Draft } from "#shard/directory";
import { buildShards, categoryRank, type ShardBuilding } from "./buildTask";
import { buildDelta, type MovedRevision } from "./deltaTask";
import { buildFromDisk, planFolder } from "./folderTask";
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

/** Objects of a repository, of which some may be missing, or files of a folder. */
export type ContentSource =
  | { readonly kind: "git"; readonly place: GitPlace; readonly missing: readonly string[] }
  | { readonly kind: "disk"; readonly root: string };

export type IndexTask =
  /** List all documents; a small repository is built at once. The default revision is the first. */
  | ({
      readonly kind: "plan";
      readonly place: GitPlace;
      readonly revisions: readonly SlottedCommit[];
    } & Draftable)
  | ({
      readonly kind: "build";
      readonly from: ContentSource;
      readonly documents: PackedDocuments;
    } & Draftable)
  | ({
      readonly kind: "delta";
      readonly place: GitPlace;
      readonly moved: readonly MovedRevision[];
      readonly segmentPaths: readonly string[];
    } & Draftable)
  /** List the files of a plain folder; a small one is built at once. */
  | ({ readonly kind: "folder"; readonly root: string } & Draftable);

export type IndexAnswer =
  | {
      readonly kind: "planned";
      /** One a build. */
      readonly tasks: readonly PackedDocuments[];
      readonly from: ContentSource;
      readonly documentCount: number;
      /** Slots whose commits are not in the repository. */
      readonly lostSlots: readonly number[];
      /** Of a folder. */
      readonly digest: string;
    }
  | {
      readonly kind: "built";
      readonly drafts: readonly Draft[];
      readonly lostSlots: readonly number[];
      readonly digest: string;
    }
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
        return run(task, { repositoryId, draftPath, signal, onDocuments, files });
      }, signal),
    );
}

async function run(task: IndexTask, frame: ShardBuilding): Promise<IndexAnswer> {
  switch (task.kind) {
    case "plan":
      return plan(task.place, task.revisions, frame);
    case "build":
      return built(await build(task.from, unpackDocuments(task.documents), frame));
    case "delta": {
      const delta = await buildDelta(task.moved, task.segmentPaths, { ...frame, place: task.place });
      return delta === undefined ? { kind: "rebuild" } : built(delta.drafts, delta.lostSlots);
    }
    case "folder": {
      const found = [...walkFolder(task.root)];
      const from = { kind: "disk", root: task.root } as const;
      return buildOrCut(planFolder(found), from, frame, { digest: digestFolder(found) });
    }
  }
}

function built(drafts: readonly Draft[], lostSlots: readonly number[] = [], digest = ""): IndexAnswer {
  return { kind: "built", drafts, lostSlots, digest };
}

function build(
  from: ContentSource,
  documents: readonly PlannedDocument[],
  frame: ShardBuilding,
): Promise<Draft[]> {
  if (from.kind === "disk") return buildFromDisk(from.root, documents, frame);
  return buildShards(documents, { ...frame, place: from.place, missing: new Set(from.missing) });
}

/** A crossing to another thread does not pay for what one shard holds. */
async function buildOrCut(
  documents: readonly PlannedDocument[],
  from: ContentSource,
  frame: ShardBuilding,
  { lostSlots = [], digest = "" }: { lostSlots?: readonly number[]; digest?: string },
): Promise<IndexAnswer> {
  const tasks = cutTasks(documents);
  if (tasks.length <= 1) return built(await build(from, documents, frame), lostSlots, digest);
  return {
    kind: "planned",
    tasks: tasks.map(packDocuments),
    from,
    documentCount: documents.length,
    lostSlots,
    digest,
  };
}

async function plan(
  place: GitPlace,
  revisions: readonly SlottedCommit[],
  frame: ShardBuilding,
): Promise<IndexAnswer> {
  const { signal } = frame;
  const commits = revisions.map(({ commit }) => commit);
  // A commit stands for its tree. Most small repositories have one, and are spared a process.
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
  const documents = sortByRank(await listDocuments(place, base, others, signal), categoryRank);
  return buildOrCut(documents, { kind: "git", place, missing: [...missing] }, frame, { lostSlots });
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
