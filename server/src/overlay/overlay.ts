/**
 * The overlay of a working tree over the default revision: the files that differ, as a small shard in memory, and the
 * paths that it hides in the shards below. A plain folder has one, too, with what has changed since its shards were
 * written.
 *
 * The worker that builds an overlay is stateless. The leader remembers which paths differ; after a file-system event,
 * only those and the changed ones are checked again.
 */
import { ServiceError } from "#base/error";
import { ancestorsOf, type BytePath, bytePath, bytesOf, textOf } from "#git/bytePath";
import { findGitRepository } from "#git/repository";
import { attributesOnDisk, isAttributesFile } from "#git/workTree/attributesFiles";
import { digestFolder, walkFolder } from "#git/workTree/folderFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import {
  checkPaths,
  listTracked,
  scanWorkingTree,
  type WorkingChange,
  type WorkingChanges,
} from "#git/workTree/workingTree";
import { linguistAttributes } from "#languages/attributes";
import { traitsOf } from "#languages/traits";
import type { SkipReason } from "#model/document";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { ContentFilter, type ContentSettings, skipReason } from "#shard/format/skipReason";
import { MemorySink, ShardWriter } from "#shard/format/writer";

/** What search workers receive. Empty overlays are not created. */
export interface Overlay {
  /** A whole shard in shared memory; its documents have no slots. */
  readonly bytes: Uint8Array;
  /** Paths that have changed or been deleted. */
  readonly hiddenPaths: readonly Uint8Array[];
}

export interface OverlayTask {
  readonly repositoryId: number;
  /** The working tree, or the folder. */
  readonly root: string;
  /** For a plain folder: what its shards were built from. */
  readonly indexedFolder?: {
    /** A digest of all files (`digestFolder`). */
    readonly digest: string;
    /** When indexing began, in milliseconds since 1970. */
    readonly since?: number;
  };
  readonly segmentPaths: readonly string[];
  /** The slot of the default revision; absent before the first commit. */
  readonly defaultSlot?: number;
  readonly settings: ContentSettings;
  /** Check only these paths. Absent: check all. */
  readonly paths?: readonly BytePath[];
  /** Also check files that git tracks but the commit does not contain. */
  readonly includesTracked?: true;
  /** Also check the paths that the segments from this index on have changed, such as the delta of a new commit. */
  readonly firstNewSegment?: number;
}

export interface OverlayResult {
  readonly overlay?: Overlay;
  /** All paths that differ. They must be checked again together with the next changes. */
  readonly paths: readonly BytePath[];
  /** The folders that contain documents: all of them, or those of the checked paths. */
  readonly folders: readonly BytePath[];
  /** Files of the overlay that the default revision does not contain. */
  readonly added: AddedFiles;
  /** Too much of a plain folder differs: its shards must be rebuilt, and there is no overlay. */
  readonly mustReindex?: true;
}

export type OnFolders = (folders: readonly BytePath[]) => Promise<void> | void;

export interface AddedFiles {
  readonly count: number;
  /** Bytes of indexed text. */
  readonly bytes: number;
}

const noFiles: AddedFiles = { count: 0, bytes: 0 };

/** Limit for the text of an overlay, which is in memory and rebuilt on every save. Beyond it, only paths are added. */
const maxOverlayBytes = 64 * 1024 * 1024;

/**
 * Builds the overlay of a working tree or a plain folder. Before all files of a working tree are checked, passes the
 * folders of the default revision to `onFolders`, and waits until they are watched: no change is missed then. Throws
 * REPOSITORY_NOT_TRUSTED, GIT_FAILED, and SHARD_DAMAGED if the shards below cannot be read.
 */
export async function buildOverlay(
  task: OverlayTask,
  signal: AbortSignal,
  onFolders?: OnFolders,
): Promise<OverlayResult> {
  const readers: ShardReader[] = [];
  try {
    const checksum = await loadChecksum();
    for (const path of task.segmentPaths) readers.push(new ShardReader(fileSource(path), checksum));
    const segments = new RepositorySegments(task.repositoryId, readers);
    const compared =
      task.indexedFolder === undefined
        ? await compareClone(task, segments, signal, onFolders)
        : compareFolder(task, task.indexedFolder, segments);
    const { changes, folders, mustReindex } = compared;
    if (mustReindex) return { paths: [], folders, added: noFiles, mustReindex };
    const found = { paths: [...changes.keys()], folders };
    if (changes.size === 0) return { ...found, added: noFiles };
    const slot = task.indexedFolder === undefined ? task.defaultSlot : 0;
    const isAdded = (path: BytePath) =>
      !segments.find(bytesOf(path)).some(({ slots }) => slot !== undefined && slots.includes(slot));
    return { ...found, ...(await writeOverlay(task, changes, isAdded)) };
  } finally {
    for (const reader of readers) reader.close();
  }
}

interface Compared {
  readonly changes: WorkingChanges;
  readonly folders: OverlayResult["folders"];
  readonly mustReindex?: true;
}

async function compareClone(
  { root, defaultSlot, paths, includesTracked, firstNewSegment }: OverlayTask,
  segments: RepositorySegments,
  signal: AbortSignal,
  onFolders?: OnFolders,
): Promise<Compared> {
  const gitRepository = findGitRepository(root);
  if (gitRepository?.workTree === undefined)
    throw new ServiceError("GIT_FAILED", `${root} is no longer a working tree.`);
  const tree = { ...gitRepository, workTree: gitRepository.workTree };
  const isInBase = (slots: readonly number[]) => defaultSlot !== undefined && slots.includes(defaultSlot);
  if (paths !== undefined) {
    const blobAt = (path: BytePath) => {
      const found = segments.find(bytesOf(path)).find(({ slots }) => isInBase(slots));
      const reader = found && segments.segments[found.segment]?.reader;
      return found && indexedBlob(reader, found.document, found.blob);
    };
    const changed = firstNewSegment === undefined ? [] : changedPaths(segments, firstNewSegment);
    const tracked = includesTracked ? await listTracked(tree, signal) : [];
    const added = tracked.filter((path) => blobAt(path) === undefined);
    const all = [...new Set([...paths, ...changed, ...added])];
    const changes = await checkPaths(tree, blobAt, all, signal);
    const documents = all.filter((path) => changes.get(path) === "present" || blobAt(path) !== undefined);
    return { changes, folders: ancestorsOf(documents) };
  }
  const base = blobsOf(segments, isInBase);
  const folders = ancestorsOf(base.keys());
  const isWatched = onFolders?.(folders);
  const changes = await scanWorkingTree(tree, base, signal, isWatched);
  return { changes, folders: [...new Set([...folders, ...ancestorsOf(presentPaths(changes))])] };
}

/** Returns the indexed blobs of a revision by path. `isInRevision` says whether a set of slots contains it. */
function blobsOf(
  segments: RepositorySegments,
  isInRevision: (slots: readonly number[]) => boolean,
): Map<BytePath, string> {
  const blobs = new Map<BytePath, string>();
  for (const segment of segments.segments) {
    if (segment === undefined) continue;
    const { reader, firstDocument, endDocument, documentSets } = segment;
    const isSetInRevision = segment.sets.map(isInRevision);
    const starts = reader.nameStarts;
    const firstName = starts[firstDocument] ?? 0;
    const names = bytePath(reader.names.subarray(firstName, starts[endDocument]));
    const blobOf = reader.blobs(firstDocument, endDocument);
    for (let document = firstDocument; document < endDocument; document++) {
      if (!isSetInRevision[documentSets[document - firstDocument] ?? 0]) continue;
      const path = names.slice(
        (starts[document] ?? 0) - firstName,
        (starts[document + 1] ?? 1) - 1 - firstName,
      ) as BytePath;
      blobs.set(path, indexedBlob(reader, document, blobOf(document)));
    }
  }
  return blobs;
}

function presentPaths(changes: WorkingChanges): BytePath[] {
  return [...changes].filter(([, change]) => change === "present").map(([path]) => path);
}

/** Returns the paths that the segments from `first` on add or override. */
function changedPaths({ segments }: RepositorySegments, first: number): BytePath[] {
  const paths: BytePath[] = [];
  for (const segment of segments.slice(first)) {
    if (segment === undefined) continue;
    const { reader, firstDocument, endDocument } = segment;
    for (let document = firstDocument; document < endDocument; document++)
      paths.push(bytePath(reader.path(document)));
    const { overrides } = reader;
    for (let at = 0; at + 2 < overrides.length; at += 3) {
      const target = segments[overrides[at] ?? 0]?.reader;
      if (target !== undefined) paths.push(bytePath(target.path(overrides[at + 1] ?? 0)));
    }
  }
  return paths;
}

/** A folder with more changes than this is reindexed. */
const maxFolderChanges = 2_000;
/** File times are coarse, and may come from another machine's clock. */
const clockSlackMs = 3_000;

/**
 * Finds the files that are new, have another size, or were modified since the shards were built.
 *
 * A file that was moved in from elsewhere can keep its times. If nothing else has changed, only the digest reveals it,
 * and the folder is reindexed.
 */
function compareFolder(
  { root, paths }: OverlayTask,
  { digest, since = 0 }: NonNullable<OverlayTask["indexedFolder"]>,
  segments: RepositorySegments,
): Compared {
  if (paths !== undefined) {
    const files = new WorkingFiles(root);
    const changes: WorkingChanges = new Map(
      paths.map((path) => [path, files.stat(path) ? "present" : "absent"]),
    );
    const mustReindex = paths.length > maxFolderChanges || paths.some(isAttributesFile);
    return { changes, folders: ancestorsOf(presentPaths(changes)), ...(mustReindex ? { mustReindex } : {}) };
  }
  const found = [...walkFolder(root)];
  const folders = ancestorsOf(found.map(({ path }) => path));
  if (digestFolder(found) === digest) return { changes: new Map(), folders };
  const deleted = new Map([...documentsOf(segments)].map(({ path, size }) => [path, size]));
  const sinceNs = BigInt(since - clockSlackMs) * 1_000_000n;
  const changes = new Map<BytePath, WorkingChange>();
  for (const { path, size, ctimeNs } of found) {
    if (deleted.get(path) !== size || ctimeNs >= sinceNs) changes.set(path, "present");
    deleted.delete(path);
  }
  for (const path of deleted.keys()) changes.set(path, "absent");
  // A `.gitattributes` file may affect files that have not changed.
  const mustReindex =
    changes.size === 0 || changes.size > maxFolderChanges || [...changes.keys()].some(isAttributesFile);
  return { changes, folders, ...(mustReindex ? { mustReindex } : {}) };
}

interface LiveDocument {
  readonly path: BytePath;
  readonly blob: string;
  readonly slots: readonly number[];
  /** Size of the file in bytes, even if its content is not indexed. */
  readonly size: number;
}

function* documentsOf(segments: RepositorySegments): Generator<LiveDocument> {
  const skipped = segments.segments.map(
    (segment) => new Map((segment?.reader.skipped() ?? []).map(({ document, size }) => [document, size])),
  );
  for (const { segment, document, blob, slots } of segments.documents()) {
    const reader = segments.segments[segment]?.reader;
    if (reader === undefined) continue;
    const size = skipped[segment]?.get(document) ?? reader.contentLength(document);
    const indexed = indexedBlob(reader, document, blob);
    yield { path: bytePath(reader.path(document)), blob: indexed, slots, size };
  }
}

/**
 * Returns the blob whose text is indexed; `""` if the repository lacks it, because the text on disk may be the same.
 */
function indexedBlob(reader: ShardReader | undefined, document: number, blob: string): string {
  return reader?.missingText?.has(document) ? "" : blob;
}

async function writeOverlay(
  { repositoryId, root, settings }: OverlayTask,
  changes: WorkingChanges,
  isAdded: (path: BytePath) => boolean,
): Promise<Pick<OverlayResult, "overlay" | "added">> {
  const contentFilter = new ContentFilter(settings);
  const checksum = await loadChecksum();
  const files = new WorkingFiles(root);
  // An uncommitted `.gitattributes` applies only to uncommitted files.
  const attributesOf = linguistAttributes(attributesOnDisk(files, changes.keys()));
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, checksum);
  writer.beginRepository(repositoryId);
  const hiddenPaths: Uint8Array[] = [];
  let added = noFiles;
  for (const [path, change] of changes) {
    const name = bytesOf(path);
    hiddenPaths.push(name);
    if (change === "absent") continue;
    const file = files.read(path, contentFilter.maxBytes);
    if (file.kind === "absent") continue;
    const content = file.kind === "content" ? file.bytes : undefined;
    const text = textOf(path);
    const skip = contentFilter.excludes(text)
      ? "excluded"
      : reasonOf(file.kind, content, writer.contentBytes, contentFilter.maxBytes);
    const document = { path: name, blob: "", slots: [], ...traitsOf(text, attributesOf(text), content) };
    const bytes = writer.contentBytes;
    if (content !== undefined && skip === undefined) writer.add({ ...document, content });
    else
      writer.add({ ...document, skip: skip ?? "unreadable", size: file.kind === "tooLarge" ? file.size : 0 });
    if (isAdded(path)) added = { count: added.count + 1, bytes: added.bytes + writer.contentBytes - bytes };
  }
  writer.finish();
  return { overlay: { bytes: sink.bytes(), hiddenPaths }, added };
}

function reasonOf(
  kind: "content" | "tooLarge" | "unreadable",
  content: Uint8Array | undefined,
  textBytes: number,
  maxBytes: number,
): SkipReason | undefined {
  if (kind !== "content") return kind;
  if (textBytes > maxOverlayBytes) return "tooLarge";
  return content === undefined ? "unreadable" : skipReason(content, maxBytes);
}
