/** The tasks of an index worker and their results, which are passed between threads. */
import { canceled } from "#base/error";
import { Limiter } from "#base/limiter";
import type { GitRepository } from "#git/repository";
import { attributesOnDisk } from "#git/workTree/attributesFiles";
import { digestFolder, walkFolder } from "#git/workTree/folderFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import { type AttributesFile, linguistAttributes } from "#languages/attributes";
import { diskFiles, type Files } from "#platform/files";
import type { TaskContext } from "#platform/serveTask";
import type { Draft } from "#shard/directory/directory";
import { ContentFilter, type ContentSettings } from "#shard/format/skipReason";
import { type BuildContext, buildShards } from "./buildTask";
import { buildDelta, type Delta } from "./deltaTask";
import { buildFromDisk, planFolder } from "./folderTask";
import { type GatheredRepository, type GatherTask, gatherRepositories } from "./gatherTask";
import { type PackageContents, requirePackageFiles } from "./packageFiles";
import {
  type PackedDocuments,
  type PlannedDocument,
  packDocuments,
  splitIntoTasks,
  unpackDocuments,
} from "./plan";
import { planRepository, type SlottedCommit } from "./planTask";
import { withSignal } from "./withSignal";

interface DraftTask {
  readonly repositoryId: number;
  readonly settings: ContentSettings;
  readonly draftPath: string;
}

/** Where contents are read: objects of a repository, some of which (`missing`) it lacks, or files of a folder. */
export type ContentSource =
  | { readonly kind: "git"; readonly gitRepository: GitRepository; readonly missing: readonly string[] }
  | { readonly kind: "disk"; readonly root: string };

export type IndexTask =
  /** List all documents, and build a small repository immediately. `revisions` lists the default revision first. */
  | ({
      readonly kind: "plan";
      readonly gitRepository: GitRepository;
      readonly revisions: readonly SlottedCommit[];
    } & DraftTask)
  | ({
      readonly kind: "build";
      readonly from: ContentSource;
      readonly documents: PackedDocuments;
      readonly attributes: readonly AttributesFile[];
    } & DraftTask)
  | ({ readonly kind: "delta" } & Delta & DraftTask)
  /** Write several small repositories into one shard. */
  | ({ readonly kind: "gather" } & GatherTask)
  /** List the files of a plain folder, and build a small one immediately. */
  | ({
      readonly kind: "folder";
      readonly root: string;
      /** Present for a package. */
      readonly contents?: PackageContents;
    } & DraftTask);

export type IndexResult =
  | {
      readonly kind: "planned";
      /** One per build task. */
      readonly tasks: readonly PackedDocuments[];
      readonly from: ContentSource;
      readonly attributes: readonly AttributesFile[];
      readonly documentCount: number;
      /** Slots whose commits are not in the repository. */
      readonly lostSlots: readonly number[];
      /** The digest of a plain folder (`digestFolder`), `""` for a git repository. */
      readonly digest: string;
    }
  | {
      readonly kind: "built";
      readonly drafts: readonly Draft[];
      readonly lostSlots: readonly number[];
      readonly digest: string;
    }
  | {
      readonly kind: "gathered";
      readonly drafts: readonly Draft[];
      readonly gathered: readonly GatheredRepository[];
    }
  /** A delta is impossible or not worthwhile. */
  | { readonly kind: "rebuild" };

/** Progress event: documents written since the last one, and the size of a draft that is complete. */
export interface IndexProgress {
  readonly documents: number;
  readonly draftBytes?: number;
}

/** Returns the error for a result that does not belong to the task, which would be a defect. */
export function unexpectedResult(result: { readonly kind: string }): Error {
  return new Error(`An index worker returned an unexpected result: ${result.kind}.`);
}

/** A thread writes one shard at a time, because writers share tables. */
const oneWriter = new Limiter(1);

/** Returns the handler of these tasks, which writes drafts through `files`. */
export function indexTask(
  files: Files = diskFiles,
): (task: IndexTask, context: TaskContext) => Promise<IndexResult> {
  return (task, context) =>
    withSignal(context, (signal) =>
      oneWriter.run(() => {
        if (task.kind === "gather") return gather(task, files, signal);
        const { repositoryId, draftPath } = task;
        const contentFilter = new ContentFilter(task.settings);
        const onDocuments = (documents: number) => context.emit({ documents } satisfies IndexProgress);
        const onDraft = async (draftBytes: number) => {
          await context.emit({ documents: 0, draftBytes } satisfies IndexProgress);
          if (context.isCanceled()) throw canceled();
        };
        return run(task, { repositoryId, draftPath, signal, onDocuments, onDraft, files, contentFilter });
      }, signal),
    );
}

async function gather(task: GatherTask, files: Files, signal: AbortSignal): Promise<IndexResult> {
  return { kind: "gathered", ...(await gatherRepositories(task, files, signal)) };
}

async function run(
  task: Exclude<IndexTask, { kind: "gather" }>,
  context: BuildContext,
): Promise<IndexResult> {
  const { signal } = context;
  switch (task.kind) {
    case "plan": {
      const { gitRepository } = task;
      const { missing, ...planned } = await planRepository(gitRepository, task.revisions, signal);
      return buildOrSplit(
        { ...planned, from: { kind: "git", gitRepository, missing: [...missing] } },
        context,
      );
    }
    case "build": {
      const documents = unpackDocuments(task.documents);
      return built(await build({ ...task, documents }, context));
    }
    case "delta": {
      const delta = await buildDelta(task, context);
      return delta === undefined ? { kind: "rebuild" } : built(delta.drafts, delta.lostSlots);
    }
    case "folder": {
      const { root, contents, settings } = task;
      const found =
        contents === undefined ? [...walkFolder(root)] : requirePackageFiles(root, contents, settings);
      const attributes = attributesOnDisk(
        new WorkingFiles(root),
        found.map(({ path }) => path),
      );
      const documents = planFolder(found, linguistAttributes(attributes));
      const digest = digestFolder(found);
      return buildOrSplit({ documents, attributes, from: { kind: "disk", root }, digest }, context);
    }
  }
}

function built(drafts: readonly Draft[], lostSlots: readonly number[] = [], digest = ""): IndexResult {
  return { kind: "built", drafts, lostSlots, digest };
}

interface ShardPlan {
  readonly documents: readonly PlannedDocument[];
  readonly attributes: readonly AttributesFile[];
  readonly from: ContentSource;
  readonly lostSlots?: readonly number[];
  readonly digest?: string;
}

function build({ documents, attributes, from }: ShardPlan, context: BuildContext): Promise<Draft[]> {
  const building = { ...context, attributesOf: linguistAttributes(attributes) };
  if (from.kind === "disk") return buildFromDisk(from.root, documents, building);
  return buildShards(documents, {
    ...building,
    gitRepository: from.gitRepository,
    missing: new Set(from.missing),
  });
}

/** Builds a single shard immediately, which is cheaper than passing documents to another thread. */
async function buildOrSplit(plan: ShardPlan, context: BuildContext): Promise<IndexResult> {
  const { documents, attributes, from, lostSlots = [], digest = "" } = plan;
  const tasks = splitIntoTasks(documents);
  if (tasks.length <= 1) return built(await build(plan, context), lostSlots, digest);
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
