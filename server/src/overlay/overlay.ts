/**
 * The working tree over the default revision: what differs on disk, as a small shard in memory, and the paths that it
 * hides below itself. A plain folder has the same over its shards: what has changed since they were written.
 *
 * The worker that makes an overlay keeps nothing. The leader remembers which paths differ; after an event only those
 * and the ones that changed are looked at again.
 */
import { ServiceError } from "#base/error";
import { type BytePath, bytePath, bytesOf, folderOf, textOf } from "#git/bytePath";
import { findPlace } from "#git/place";
import { WorkingFiles } from "#git/workingFile";
import { checkPaths, scanWorkingTree, type WorkingChanges } from "#git/workingTree";
import { categorize } from "#languages/categorize";
import { detectLanguage } from "#languages/detect";
import type { SkipReason } from "#model/document";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/checksum";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import { maxDocumentBytes } from "#shard/shard";
import { skipReason } from "#shard/skipReason";
import { MemorySink, ShardWriter } from "#shard/writer";

/** What a search worker is given; empty overlays are not made. */
export interface Overlay {
  /** A whole shard in shared memory; its documents have no slots. */
  readonly bytes: Uint8Array;
  /** Paths that are changed or gone. */
  readonly hiddenPaths: readonly Uint8Array[];
}

export interface OverlayTask {
  readonly repositoryId: number;
  /** The working tree, or the folder. */
  readonly root: string;
  readonly isFolder: boolean;
  readonly segmentPaths: readonly string[];
  /** Of the default revision; absent before the first commit. */
  readonly defaultSlot?: number;
  /** Look at these only; absent: at everything. */
  readonly paths?: readonly BytePath[];
}

export interface OverlayAnswer {
  readonly overlay?: Overlay;
  /** All paths that differ: to be looked at again together with those that change next. */
  readonly paths: readonly BytePath[];
  /** After a look at everything: the folders that hold documents, all of them. */
  readonly folders?: readonly BytePath[];
}

/** Text of one overlay; what is beyond keeps its name. It lives in memory, and a save makes it anew. */
const maxOverlayBytes = 64 * 1024 * 1024;

/** Throws REPOSITORY_NOT_TRUSTED, GIT_FAILED, and SHARD_DAMAGED where what lies below cannot be read. */
export async function makeOverlay(task: OverlayTask, signal: AbortSignal): Promise<OverlayAnswer> {
  const readers: ShardReader[] = [];
  try {
    const checksum = await loadChecksum();
    for (const path of task.segmentPaths) readers.push(new ShardReader(fileSource(path), checksum));
    const segments = new RepositorySegments(task.repositoryId, readers);
    const { changes, folders } = await changesOf(task, segments, signal);
    const found = { paths: [...changes.keys()], ...(folders === undefined ? {} : { folders }) };
    return changes.size === 0 ? found : { ...found, overlay: await writeOverlay(task, changes) };
  } finally {
    for (const reader of readers) reader.close();
  }
}

async function changesOf(
  { root, isFolder, defaultSlot, paths }: OverlayTask,
  segments: RepositorySegments,
  signal: AbortSignal,
): Promise<{ changes: WorkingChanges; folders?: readonly BytePath[] }> {
  if (isFolder) {
    const files = new WorkingFiles(root);
    const changes = new Map(
      (paths ?? []).map((path) => [path, files.stat(path) ? "present" : "absent"] as const),
    );
    return paths === undefined ? { changes, folders: foldersOf(pathsOf(segments)) } : { changes };
  }
  const place = findPlace(root);
  if (place?.workTree === undefined)
    throw new ServiceError("GIT_FAILED", `${root} is no working tree any more.`);
  const tree = { ...place, workTree: place.workTree };
  const isInBase = (slots: readonly number[]) => defaultSlot !== undefined && slots.includes(defaultSlot);
  if (paths !== undefined) {
    const blobAt = (path: BytePath) =>
      segments.find(bytesOf(path)).find(({ slots }) => isInBase(slots))?.blob;
    return { changes: await checkPaths(tree, blobAt, paths, signal) };
  }
  const base = blobsOf(segments, isInBase);
  const changes = await scanWorkingTree(tree, base, signal);
  const present = [...changes].filter(([, change]) => change === "present").map(([path]) => path);
  return { changes, folders: foldersOf([...base.keys(), ...present]) };
}

/** The root among them. */
function foldersOf(paths: Iterable<BytePath>): BytePath[] {
  const folders = new Set<BytePath>(["" as BytePath]);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return [...folders];
}

function* pathsOf(segments: RepositorySegments): Generator<BytePath> {
  for (const { segment, document } of segments.documents()) {
    const path = segments.segments[segment]?.reader.path(document);
    if (path) yield bytePath(path);
  }
}

function blobsOf(
  segments: RepositorySegments,
  isInBase: (slots: readonly number[]) => boolean,
): Map<BytePath, string> {
  const blobs = new Map<BytePath, string>();
  for (const { segment, document, blob, slots } of segments.documents()) {
    if (!isInBase(slots)) continue;
    const path = segments.segments[segment]?.reader.path(document);
    if (path) blobs.set(bytePath(path), blob);
  }
  return blobs;
}

async function writeOverlay({ repositoryId, root }: OverlayTask, changes: WorkingChanges): Promise<Overlay> {
  const checksum = await loadChecksum();
  const files = new WorkingFiles(root);
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, checksum);
  writer.beginRepository(repositoryId);
  const hiddenPaths: Uint8Array[] = [];
  for (const [path, change] of changes) {
    const name = bytesOf(path);
    hiddenPaths.push(name);
    if (change === "absent") continue;
    const file = files.read(path, maxDocumentBytes);
    if (file.kind === "absent") continue;
    const content = file.kind === "content" ? file.bytes : undefined;
    const skip = reasonOf(file.kind, content, writer.contentBytes);
    const text = textOf(path);
    const document = {
      path: name,
      blob: "",
      slots: [],
      category: categorize(text),
      language: detectLanguage(text, content),
    };
    if (content !== undefined && skip === undefined) writer.add({ ...document, content });
    else
      writer.add({ ...document, skip: skip ?? "unreadable", size: file.kind === "tooLarge" ? file.size : 0 });
  }
  writer.finish();
  return { bytes: sink.bytes(), hiddenPaths };
}

function reasonOf(
  kind: "content" | "tooLarge" | "unreadable",
  content: Uint8Array | undefined,
  textBytes: number,
): SkipReason | undefined {
  if (kind !== "content") return kind;
  if (textBytes > maxOverlayBytes) return "tooLarge";
  return content === undefined ? "unreadable" : skipReason(content);
}
