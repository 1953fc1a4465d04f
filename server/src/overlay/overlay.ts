/**
 * The working tree over the default revision: what differs on disk, as a small shard in memory, and the paths that it
 * hides below itself. A plain folder has the same over its shards: what has changed since they were written.
 *
 * The worker that makes an overlay keeps nothing. The leader remembers which paths differ; after an event only those
 * and the ones that changed are looked at again.
 */
import { ServiceError } from "#base/error";
import { attributesOnDisk, isAttributesFile } from "#git/attributesFiles";
import { type BytePath, bytePath, bytesOf, foldersOf, textOf } from "#git/bytePath";
import { digestFolder, walkFolder } from "#git/folderFiles";
import { findPlace } from "#git/place";
import { WorkingFiles } from "#git/workingFile";
import {
  checkPaths,
  listTracked,
  scanWorkingTree,
  type WorkingChange,
  type WorkingChanges,
} from "#git/workingTree";
import { linguistAttributes } from "#languages/attributes";
import { traitsOf } from "#languages/traits";
import type { SkipReason } from "#model/document";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/checksum";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import { Admission, type ContentChoice, skipReason } from "#shard/skipReason";
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
  /** For a plain folder, what its shards were made from. */
  readonly indexedFolder?: {
    /** See `#git/folderFiles`. */
    readonly digest: string;
    /** When that began, in milliseconds since 1970. */
    readonly since?: number;
  };
  readonly segmentPaths: readonly string[];
  /** Of the default revision; absent before the first commit. */
  readonly defaultSlot?: number;
  readonly choice: ContentChoice;
  /** Look at these only; absent: at everything. */
  readonly paths?: readonly BytePath[];
  /** Look also at what git tracks, or no longer tracks, besides what the commit has. */
  readonly withTracked?: true;
  /** Look also at what the segments from this one on have changed: the delta of a commit. */
  readonly firstNewSegment?: number;
}

export interface OverlayAnswer {
  readonly overlay?: Overlay;
  /** All paths that differ: to be looked at again together with those that change next. */
  readonly paths: readonly BytePath[];
  /** After a look at everything: the folders that hold documents, all of them. */
  readonly folders?: readonly BytePath[];
  /** So much of a plain folder differs that its shards are better built anew; there is no overlay then. */
  readonly isTooMuch?: true;
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
    const compared =
      task.indexedFolder === undefined
        ? await compareClone(task, segments, signal)
        : compareFolder(task, task.indexedFolder, segments);
    if (compared === undefined) return { paths: [], isTooMuch: true };
    const { changes, folders } = compared;
    const found = { paths: [...changes.keys()], ...(folders === undefined ? {} : { folders }) };
    return changes.size === 0 ? found : { ...found, overlay: await writeOverlay(task, changes) };
  } finally {
    for (const reader of readers) reader.close();
  }
}

interface Compared {
  readonly changes: WorkingChanges;
  readonly folders?: readonly BytePath[];
}

async function compareClone(
  { root, defaultSlot, paths, withTracked, firstNewSegment }: OverlayTask,
  segments: RepositorySegments,
  signal: AbortSignal,
): Promise<Compared> {
  const place = findPlace(root);
  if (place?.workTree === undefined)
    throw new ServiceError("GIT_FAILED", `${root} is no working tree any more.`);
  const tree = { ...place, workTree: place.workTree };
  const isInBase = (slots: readonly number[]) => defaultSlot !== undefined && slots.includes(defaultSlot);
  if (paths !== undefined) {
    const blobAt = (path: BytePath) =>
      segments.find(bytesOf(path)).find(({ slots }) => isInBase(slots))?.blob;
    const changed = firstNewSegment === undefined ? [] : changedPaths(segments, firstNewSegment);
    const tracked = withTracked ? await listTracked(tree, signal) : [];
    const added = tracked.filter((path) => blobAt(path) === undefined);
    const all = new Set([...paths, ...changed, ...added]);
    return { changes: await checkPaths(tree, blobAt, [...all], signal) };
  }
  const base = new Map<BytePath, string>();
  for (const { path, blob, slots } of documentsOf(segments)) if (isInBase(slots)) base.set(path, blob);
  const changes = await scanWorkingTree(tree, base, signal);
  const present = [...changes].filter(([, change]) => change === "present").map(([path]) => path);
  return { changes, folders: foldersOf([...base.keys(), ...present]) };
}

/** Paths of which the segments from `first` on have something to say. */
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

/** Beyond so many documents an overlay is no longer small. */
const maxFolderChanges = 2_000;
/** Times of files are coarser than ours, and may be another machine's. */
const clockSlackMs = 3_000;

/**
 * A file differs where it is new, has another size, or was touched since the shards were made; `undefined` where
 * more than an overlay is for.
 *
 * A file that was moved in from elsewhere can keep all its times. Where such a one is all that changed, the digest
 * tells, and everything is built anew.
 */
function compareFolder(
  { root, paths }: OverlayTask,
  { digest, since = 0 }: NonNullable<OverlayTask["indexedFolder"]>,
  segments: RepositorySegments,
): Compared | undefined {
  if (paths !== undefined) {
    if (paths.length > maxFolderChanges || paths.some(isAttributesFile)) return undefined;
    const files = new WorkingFiles(root);
    return { changes: new Map(paths.map((path) => [path, files.stat(path) ? "present" : "absent"])) };
  }
  const found = [...walkFolder(root)];
  const folders = foldersOf(found.map(({ path }) => path));
  if (digestFolder(found) === digest) return { changes: new Map(), folders };
  const gone = new Map([...documentsOf(segments)].map(({ path, size }) => [path, size]));
  const sinceNs = BigInt(since - clockSlackMs) * 1_000_000n;
  const changes = new Map<BytePath, WorkingChange>();
  for (const { path, size, ctimeNs } of found) {
    if (gone.get(path) !== size || ctimeNs >= sinceNs) changes.set(path, "present");
    gone.delete(path);
  }
  for (const path of gone.keys()) changes.set(path, "absent");
  // What a `.gitattributes` says may be of files that have not changed.
  const isTooMuch = changes.size > maxFolderChanges || [...changes.keys()].some(isAttributesFile);
  return changes.size === 0 || isTooMuch ? undefined : { changes, folders };
}

interface LiveDocument {
  readonly path: BytePath;
  readonly blob: string;
  readonly slots: readonly number[];
  /** Bytes on disk. */
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
    yield { path: bytePath(reader.path(document)), blob, slots, size };
  }
}

async function writeOverlay(
  { repositoryId, root, choice }: OverlayTask,
  changes: WorkingChanges,
): Promise<Overlay> {
  const admission = new Admission(choice);
  const checksum = await loadChecksum();
  const files = new WorkingFiles(root);
  // A `.gitattributes` that is not committed speaks of what is not committed; the rest is as the commit has it.
  const attributesOf = linguistAttributes(attributesOnDisk(files, changes.keys()));
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, checksum);
  writer.beginRepository(repositoryId);
  const hiddenPaths: Uint8Array[] = [];
  for (const [path, change] of changes) {
    const name = bytesOf(path);
    hiddenPaths.push(name);
    if (change === "absent") continue;
    const file = files.read(path, admission.maxBytes);
    if (file.kind === "absent") continue;
    const content = file.kind === "content" ? file.bytes : undefined;
    const text = textOf(path);
    const skip = admission.excludes(text)
      ? "excluded"
      : reasonOf(file.kind, content, writer.contentBytes, admission.maxBytes);
    const document = { path: name, blob: "", slots: [], ...traitsOf(text, attributesOf(text), content) };
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
  maxBytes: number,
): SkipReason | undefined {
  if (kind !== "content") return kind;
  if (textBytes > maxOverlayBytes) return "tooLarge";
  return content === undefined ? "unreadable" : skipReason(content, maxBytes);
}
