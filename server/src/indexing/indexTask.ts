/** What an index worker can be asked for about one repository, and how it answers. Everything here crosses threads. */
import { Limiter } from "#base/limiter";
import { attributesOnDisk } from "#git/attributesFiles";
import { digestFolder, walkFolder } from "#git/folderFiles";
import type { GitPlace } from "#git/place";
import { WorkingFiles } from "#git/workingFile";
import { type AttributesFile, linguistAttributes } from "#languages/attributes";
import { diskFiles, type Files } from "#platform/files";
import type { TaskContext } from "#platform/workers";
import type { Draft } from "#shard/directory";
import { Admission, type ContentChoice } from "#shard/skipReason";
import { buildShards, type TaskFrame } from "./buildTask";
import { buildDelta, type Delta } from "./deltaTask";
import { buildFromDisk, planFolder } from "./folderTask";
import { type Gathered, type Gathering, gatherRepositories } from "./gatherTask";
import { cutTasks, type PackedDocuments, type PlannedDocument, packDocuments, unpackDocuments } from "./plan";
import { planRepository, type SlottedCommit } from "./planTask";
import { withSignal } from "./taskSignal";

interface Draftable {
  readonly repositoryId: number;
  readonly choice: ContentChoice;
  readonly draftPath: string;
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
      readonly attributes: readonly AttributesFile[];
    } & Draftable)
  | ({ readonly kind: "delta" } & Delta & Draftable)
  /** Write several small repositories into one shard. */
  | ({ readonly kind: "gather" } & Gathering)
  /** List the files of a plain folder; a small one is built at once. */
  | ({ readonly kind: "folder"; readonly root: string } & Draftable);

export type IndexAnswer =
  | {
      readonly kind: "planned";
      /** One a build. */
      readonly tasks: readonly PackedDocuments[];
      readonly from: ContentSource;
      readonly attributes: readonly AttributesFile[];
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
  | { readonly kind: "gathered"; readonly drafts: readonly Draft[]; readonly gathered: readonly Gathered[] }
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
        if (task.kind === "gather") return gather(task, files, signal);
        const { repositoryId, draftPath } = task;
        const admission = new Admission(task.choice);
        const onDocuments = (documents: number) => context.emit({ documents } satisfies IndexProgress);
        return run(task, { repositoryId, draftPath, signal, onDocuments, files, admission });
      }, signal),
    );
}

async function gather(task: Gathering, files: Files, signal: AbortSignal): Promise<IndexAnswer> {
  return { kind: "gathered", ...(await gatherRepositories(task, files, signal)) };
}

async function run(task: Exclude<IndexTask, { kind: "gather" }>, frame: TaskFrame): Promise<IndexAnswer> {
  const { signal } = frame;
  switch (task.kind) {
    case "plan": {
      const { place } = task;
      const { missing, ...planned } = await planRepository(place, task.revisions, signal);
      return buildOrCut({ ...planned, from: { kind: "git", place, missing: [...missing] } }, frame);
    }
    case "build": {
      const documents = unpackDocuments(task.documents);
      return built(await build({ ...task, documents }, frame));
    }
    case "delta": {
      const delta = await buildDelta(task, frame);
      return delta === undefined ? { kind: "rebuild" } : built(delta.drafts, delta.lostSlots);
    }
    case "folder": {
      const { root } = task;
      const found = [...walkFolder(root)];
      const attributes = attributesOnDisk(
        new WorkingFiles(root),
        found.map(({ path }) => path),
      );
      const documents = planFolder(found, linguistAttributes(attributes));
      const digest = digestFolder(found);
      return buildOrCut({ documents, attributes, from: { kind: "disk", root }, digest }, frame);
    }
  }
}

function built(drafts: readonly Draft[], lostSlots: readonly number[] = [], digest = ""): IndexAnswer {
  return { kind: "built", drafts, lostSlots, digest };
}

interface ToBuild {
  readonly documents: readonly PlannedDocument[];
  readonly attributes: readonly AttributesFile[];
  readonly from: ContentSource;
  readonly lostSlots?: readonly number[];
  readonly digest?: string;
}

function build({ documents, attributes, from }: ToBuild, frame: TaskFrame): Promise<Draft[]> {
  const building = { ...frame, attributesOf: linguistAttributes(attributes) };
  if (from.kind === "disk") return buildFromDisk(from.root, documents, building);
  return buildShards(documents, { ...building, place: from.place, missing: new Set(from.missing) });
}

/** A crossing to another thread does not pay for what one shard holds. */
async function buildOrCut(plan: ToBuild, frame: TaskFrame): Promise<IndexAnswer> {
  const { documents, attributes, from, lostSlots = [], digest = "" } = plan;
  const tasks = cutTasks(documents);
  if (tasks.length <= 1) return built(await build(plan, frame), lostSlots, digest);
  return {
    kind: "planned",
    tasks: tasks.map(packDocuments),
    from,
    attributes,
    documentCount: documents.length,
    lostSlots,
    digest,
  };
}
