/**
 * Indexes many small repositories or packages for the first time, on a worker. They share one shard, because a file and
 * a task for each repository would take far longer than reading it.
 */
import { throwIfAborted } from "#base/error";
import { textOf } from "#git/bytePath";
import { maxDirectReads } from "#git/objects/objectDatabase";
import { readObjects } from "#git/objects/readObjects";
import { readRefs, refLines } from "#git/refs/refs";
import { chooseRevisions, type RevisionSettings, wantsRemotes } from "#git/refs/revisions";
import { findGitRepository } from "#git/repository";
import { WorkingFiles } from "#git/workTree/workingFile";
import { linguistAttributes } from "#languages/attributes";
import type { SkipReason } from "#model/document";
import type { Files } from "#platform/files";
import type { Draft } from "#shard/directory/directory";
import { writeDraft } from "#shard/directory/draft";
import type { IndexedRevision } from "#shard/directory/manifest";
import { loadChecksum } from "#shard/format/checksum";
import { ContentFilter, type ContentSettings } from "#shard/format/skipReason";
import type { ShardWriter } from "#shard/format/writer";
import { addDocument } from "./buildTask";
import { addFile, planFolder } from "./folderTask";
import { type PackageContents, packageFiles, packageSettings } from "./packageFiles";
import { planRepository, type RepositoryPlan } from "./planTask";
import { assignSlots } from "./slots";

export interface GatherTask {
  readonly repositories: readonly {
    readonly id: number;
    readonly path: string;
    /** Absent for a git repository. */
    readonly contents?: PackageContents | undefined;
  }[];
  readonly settings: RevisionSettings & ContentSettings;
  readonly draftPath: string;
}

/** One repository of the shared shard. */
export interface GatheredRepository {
  readonly repositoryId: number;
  readonly revisions: readonly IndexedRevision[];
  readonly nextSlot: number;
  /** Absent for a package. */
  readonly defaultRevision?: string;
  /** In milliseconds since 1970. */
  readonly committedAt?: number;
  /** The refs as they were read (`refLines`). */
  readonly refLines: readonly string[];
}

/** Maximum text of a small repository. */
const maxTextBytes = 1024 * 1024;
const maxPackageFiles = 1000;

/**
 * Writes the repositories that are small, complete and undamaged. Omits the others: they get runs of their own, which
 * report errors. Leaves no draft if there is nothing to write.
 */
export async function gatherRepositories(
  { repositories, settings, draftPath }: GatherTask,
  files: Files,
  signal: AbortSignal,
): Promise<{ readonly drafts: readonly Draft[]; readonly gathered: readonly GatheredRepository[] }> {
  const gathered: GatheredRepository[] = [];
  const contentFilter = new ContentFilter(settings);
  const draft = await writeDraft(
    draftPath,
    await loadChecksum(),
    async (writer) => {
      for (const { id, path, contents } of repositories) {
        throwIfAborted(signal);
        const small =
          contents === undefined
            ? await smallRepository(path, settings, contentFilter, signal).catch(() => undefined)
            : smallPackage(path, contents, settings);
        throwIfAborted(signal);
        if (small === undefined) continue;
        writer.beginRepository(id);
        small.write(writer);
        gathered.push({ repositoryId: id, ...small.revisions });
      }
    },
    files,
  );
  if (gathered.length > 0) return { drafts: [draft], gathered };
  files.remove(draft.path);
  return { drafts: [], gathered };
}

interface SmallRepository {
  readonly revisions: Omit<GatheredRepository, "repositoryId">;
  /** Writes its documents. */
  readonly write: (writer: ShardWriter) => void;
}

/** Returns `undefined` unless the package is small. */
function smallPackage(
  root: string,
  contents: PackageContents,
  settings: ContentSettings,
): SmallRepository | undefined {
  const found = packageFiles(root, contents, settings, maxPackageFiles, maxTextBytes);
  if (found === undefined) return undefined;
  const contentFilter = new ContentFilter(packageSettings(settings));
  const build = { attributesOf: linguistAttributes([]), contentFilter };
  return {
    revisions: { revisions: [], nextSlot: 1, refLines: [] },
    write(writer) {
      const files = new WorkingFiles(root);
      for (const document of planFolder(found, build.attributesOf)) addFile(writer, files, document, build);
    },
  };
}

type Text = { readonly bytes: Buffer } | { readonly skip: SkipReason; readonly size: number };

/** Returns `undefined`, or rejects, unless the repository is small, complete and undamaged. */
async function smallRepository(
  path: string,
  settings: RevisionSettings,
  contentFilter: ContentFilter,
  signal: AbortSignal,
): Promise<SmallRepository | undefined> {
  const gitRepository = findGitRepository(path);
  if (gitRepository === undefined) return undefined;
  const refs = await readRefs(gitRepository, signal, wantsRemotes(settings));
  const {
    revisions: chosen,
    defaultRevision,
    committedAt,
  } = await chooseRevisions(gitRepository, refs, settings, signal);
  if (defaultRevision === undefined) return undefined;
  const { revisions, nextSlot } = assignSlots(undefined, chosen);
  const plan = await planRepository(gitRepository, revisions, signal);
  const { documents, missing, lostSlots } = plan;
  if (documents.length > maxDirectReads || missing.size > 0 || lostSlots.length > 0) return undefined;
  const texts: Text[] = [];
  let textBytes = 0;
  await readObjects(
    gitRepository,
    documents.map(({ hash }) => hash),
    contentFilter.maxBytes,
    (object) => {
      if (object.kind === "content") {
        textBytes += object.bytes.length;
        texts.push({ bytes: Buffer.from(object.bytes) });
      } else if (object.kind === "tooLarge") texts.push({ skip: object.kind, size: object.size });
      else texts.push({ skip: object.kind, size: 0 });
      return textBytes <= maxTextBytes;
    },
    signal,
  );
  if (texts.length < documents.length) return undefined;
  const dated = committedAt === undefined ? {} : { committedAt };
  const known = { revisions, nextSlot, defaultRevision, ...dated, refLines: refLines(refs) };
  return { revisions: known, write: (writer) => write(writer, plan, texts, contentFilter) };
}

/** `texts` has one text per document of the plan. */
function write(
  writer: ShardWriter,
  plan: RepositoryPlan,
  texts: readonly Text[],
  contentFilter: ContentFilter,
): void {
  const build = { attributesOf: linguistAttributes(plan.attributes), contentFilter };
  for (const [at, document] of plan.documents.entries()) {
    const text = texts[at];
    if (text === undefined) continue;
    if (contentFilter.excludes(textOf(document.path)))
      addDocument(writer, document, build, undefined, "excluded");
    else if ("bytes" in text) addDocument(writer, document, build, text.bytes);
    else addDocument(writer, document, build, undefined, text.skip, text.size);
  }
}
