/** Implements one run for one repository: checks its refs, updates its index, and compares its working tree. */
import { createHash } from "node:crypto";
import { throwIfAborted } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { RepositoryChange } from "#catalog/change";
import type { BytePath } from "#git/bytePath";
import { type Refs, readRefs, refLines } from "#git/refs/refs";
import { chooseRevisions, type RevisionSettings, resolveRevision, wantsRemotes } from "#git/refs/revisions";
import { type GitRepository, openGitRepository } from "#git/repository";
import { IndexFull } from "#indexing/draftGate";
import type { Indexer } from "#indexing/indexing";
import type { ZoektIndexer } from "#indexing/zoektIndexer";
import { type CommitHash, isPlainFolder, type Repository, type RepositoryId } from "#model/repository";
import type { OnFolders, Overlay } from "#overlay/overlay";
import type { Clock } from "#platform/clock";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { type Manifest, shardBytesOf } from "#shard/directory/manifest";
import type { ContentSettings } from "#shard/format/skipReason";
import { contentFingerprint, type IndexSettings } from "./syncSettings";
import { inspectShards, runOverlay, type WorkerResult, type WorkerTask } from "./workerTasks";

export interface RefreshContext {
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  readonly indexer: Indexer;
  /** Indexes git repositories instead of `indexer`, if they are on Zoekt nodes. */
  readonly zoekt?: ZoektIndexing | undefined;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  /** The current settings, read at the start of each run. */
  readonly settings: () => IndexSettings;
  /** What the connection of a mirror changes in these settings. */
  readonly revisionsOf?: (repository: Repository) => RevisionSettings | undefined;
  /** Returns why a mirror may be outdated although its index is current. */
  readonly problemOf?: (repository: Repository) => string | undefined;
  readonly clock: Clock;
  /** Called with the new overlay, or `undefined` if the working tree equals its default revision. */
  readonly onOverlay: (repositoryId: number, overlay: Overlay | undefined) => void;
}

/** Indexes git repositories on Zoekt nodes. */
export interface ZoektIndexing extends Pick<ZoektIndexer, "index"> {
  /** How many runs may be active at once, if most of them only wait. */
  readonly runLimit?: number;
  /** Describes what the index of a repository depends on, besides the repository: its node, and what that has indexed. */
  readonly fingerprintOf: (id: RepositoryId) => string;
  /** Returns what the node of a repository reports about its index, if it does. */
  readonly countsOf: (
    id: RepositoryId,
  ) => Pick<Repository, "documentCount" | "contentBytes" | "indexBytes"> | undefined;
}

/** What to check, in addition to whether refs have moved. */
export interface RefreshRequest {
  /** Absent for a plain folder, and if there is no longer a repository. */
  readonly gitRepository: GitRepository | undefined;
  /** Rebuild all shards. */
  readonly isRebuild: boolean;
  /** Scan the whole working tree. */
  readonly scansAll: boolean;
  /** Check these files, and those that differed before (`differing`). */
  readonly paths: readonly BytePath[];
  readonly differing: readonly BytePath[];
  /** Check files that git tracks but the commit does not contain. */
  readonly includesTracked: boolean;
  /** Revisions to index because they were searched, in addition to those that the settings select. */
  readonly requestedRevisions: readonly string[];
  /** Called with folders to watch, before the whole working tree is scanned. */
  readonly onFolders: OnFolders;
}

export interface RefreshResult {
  /** Folders to watch; absent if unchanged. */
  readonly folders?: {
    readonly paths: readonly BytePath[];
    /** Whether these are all folders to watch, not only some more. */
    readonly areAll: boolean;
  };
  /** Paths that now differ from the default revision. */
  readonly differing: readonly BytePath[];
  /** Whether the index has changed. */
  readonly isBuilt: boolean;
}

/**
 * Brings the index and overlay of one repository up to date. Starts no git process if neither refs nor files changed.
 *
 * Throws the errors of git and of the file system. The old index then remains in use.
 */
export async function refresh(
  repository: Repository,
  request: RefreshRequest,
  context: RefreshContext,
  signal: AbortSignal,
): Promise<RefreshResult> {
  const before = context.directory.manifest(repository.id);
  const settings = settingsOf(repository, context);
  const isOtherContent =
    before !== undefined &&
    (context.catalog.indexedState(repository.id)?.content ?? "") !== contentFingerprint(settings);
  const run = { ...request, isRebuild: request.isRebuild || isOtherContent, settings };
  const manifest = isPlainFolder(repository.kind)
    ? await refreshFolder(repository, run, context, signal)
    : await refreshClone(repository, run, context, signal);
  const isMoved = manifest !== before;
  const current = context.catalog.update(repository.id, {
    ...(isMoved ? await describeManifest(manifest, before, context, signal) : {}),
    ...(isPlainFolder(repository.kind) ? {} : context.zoekt?.countsOf(repository.id)),
    state: "ready",
    progress: undefined,
    lastError: context.problemOf?.(repository),
  });
  throwIfAborted(signal);
  const { kind } = repository;
  // Zoekt has no working trees.
  const hasOverlay = kind === "folder" || (kind === "clone" && context.zoekt === undefined);
  if (current === undefined || !hasOverlay) return { differing: [], isBuilt: isMoved };
  const moved: BaseMove = isMoved ? baseMove(repository, before, manifest) : { kind: "none" };
  return { ...(await refreshOverlay(repository, manifest, run, moved, context, signal)), isBuilt: isMoved };
}

/** Whether the index of a repository with git was built from its current refs. Starts no process. */
export async function isIndexCurrent(repository: Repository, context: RefreshContext): Promise<boolean> {
  if (repository.state !== "ready") return false;
  const settings = settingsOf(repository, context);
  const refs = await readRefs(openGitRepository(repository.path), undefined, wantsRemotes(settings));
  const digest = revisionsDigest(repository, linesOf(repository, refs, context), settings);
  return context.catalog.indexedState(repository.id)?.digest === digest;
}

/** Returns what the index of a repository depends on: its refs, and the node that it is on. */
function linesOf({ id }: Repository, refs: Refs, { zoekt }: RefreshContext): readonly string[] {
  return zoekt === undefined ? refLines(refs) : [...refLines(refs), `zoekt ${zoekt.fingerprintOf(id)}`];
}

function settingsOf(repository: Repository, context: RefreshContext): IndexSettings {
  return { ...context.settings(), ...context.revisionsOf?.(repository) };
}

interface RefreshRun extends RefreshRequest {
  readonly settings: IndexSettings;
}

/** How the commit under a working tree changed: not at all, by a delta, or completely. */
type BaseMove =
  | { readonly kind: "none" | "whole" }
  | { readonly kind: "delta"; readonly firstNewSegment: number };

function baseMove({ kind }: Repository, before: Manifest | undefined, manifest: Manifest): BaseMove {
  if (before === undefined || isPlainFolder(kind)) return { kind: "whole" };
  if (before.defaultRevision !== manifest.defaultRevision) return { kind: "whole" };
  if (defaultCommit(before) === defaultCommit(manifest)) return { kind: "none" };
  const isExtended = before.segments.every(({ file }, at) => manifest.segments[at]?.file === file);
  return isExtended ? { kind: "delta", firstNewSegment: before.segments.length } : { kind: "whole" };
}

async function refreshClone(
  repository: Repository,
  { isRebuild, requestedRevisions, settings, ...request }: RefreshRun,
  context: RefreshContext,
  signal: AbortSignal,
): Promise<Manifest> {
  const { catalog, directory, indexer, zoekt } = context;
  const gitRepository = request.gitRepository ?? openGitRepository(repository.path);
  const refs = await readRefs(gitRepository, signal, wantsRemotes(settings));
  const digest = revisionsDigest(
    repository,
    linesOf(repository, refs, context),
    settings,
    requestedRevisions,
  );
  const manifest = directory.manifest(repository.id);
  if (!isRebuild && manifest !== undefined && catalog.indexedState(repository.id)?.digest === digest)
    return manifest;
  const always = await chooseRevisions(gitRepository, refs, settings, signal);
  const { evictedRevisions = [] } = catalog.get(repository.id) ?? {};
  const isKept = ({ name }: { readonly name: string }) =>
    name === always.defaultRevision || !evictedRevisions.includes(name);
  const chosen = { ...always, revisions: always.revisions.filter(isKept) };
  for (const name of requestedRevisions) {
    if (evictedRevisions.includes(name) || chosen.revisions.some((revision) => revision.name === name))
      continue;
    const requested = await resolveRevision(gitRepository, refs, name, signal);
    if (requested !== undefined) chosen.revisions.push(requested);
  }
  const isNew = manifest === undefined || isRebuild;
  if (isNew) catalog.update(repository.id, { state: "indexing", progress: 0 });
  if (chosen.committedAt !== undefined) catalog.update(repository.id, { pushedAt: chosen.committedAt });
  const usedIndexer = zoekt ?? indexer;
  const options = {
    signal,
    isRebuild,
    settings: contentSettingsOf(settings),
    onProgress: (progress: number) => catalog.update(repository.id, { progress }),
  };
  const fresh = await usedIndexer.index(repository, chosen, options).catch(async (error: unknown) => {
    const [first, ...others] = chosen.revisions;
    if (!(error instanceof IndexFull && error.isTooLarge) || first === undefined || others.length === 0)
      throw error;
    // The default revision alone may fit.
    const evicted = new Set([...evictedRevisions, ...others.map(({ name }) => name)]);
    catalog.update(repository.id, { evictedRevisions: [...evicted] });
    return await usedIndexer.index(
      repository,
      { ...chosen, revisions: [first] },
      { ...options, isRebuild: true },
    );
  });
  catalog.markIndexed(repository.id, { digest, ...contentStateOf(settings) });
  return fresh;
}

/** Builds the shards of a plain folder. Later changes go to its overlay, until there are too many for it. */
async function refreshFolder(
  repository: Repository,
  { isRebuild, settings }: RefreshRun,
  { catalog, directory, indexer, clock }: RefreshContext,
  signal: AbortSignal,
): Promise<Manifest> {
  const manifest = directory.manifest(repository.id);
  if (manifest !== undefined && !isRebuild && catalog.indexedState(repository.id) !== undefined)
    return manifest;
  catalog.update(repository.id, { state: "indexing", progress: 0 });
  const since = clock.now();
  const { manifest: fresh, digest } = await indexer.buildFolder(repository, {
    signal,
    settings: contentSettingsOf(settings),
    onProgress: (progress) => catalog.update(repository.id, { progress }),
  });
  catalog.markIndexed(repository.id, { digest, since, ...contentStateOf(settings) });
  return fresh;
}

async function refreshOverlay(
  repository: Repository,
  manifest: Manifest,
  request: RefreshRun,
  moved: BaseMove,
  context: RefreshContext,
  signal: AbortSignal,
): Promise<Omit<RefreshResult, "isBuilt">> {
  const { scansAll, paths, includesTracked, differing: before, isRebuild } = request;
  const hasEvents = scansAll || includesTracked || paths.length > 0;
  if (!hasEvents && moved.kind === "none") return { differing: before };
  const { catalog, directory, pool, onOverlay } = context;
  const defaultSlot = manifest.revisions.find(({ name }) => name === manifest.defaultRevision)?.slot;
  const indexedFolder = isPlainFolder(repository.kind) ? catalog.indexedState(repository.id) : undefined;
  const checksAll = scansAll || moved.kind === "whole";
  const result = await runOverlay(
    pool,
    {
      repositoryId: repository.id,
      root: repository.path,
      settings: contentSettingsOf(request.settings),
      segmentPaths: manifest.segments.map((segment) => directory.pathOf(segment)),
      ...(defaultSlot === undefined ? {} : { defaultSlot }),
      ...(indexedFolder === undefined ? {} : { indexedFolder }),
      ...(checksAll ? {} : { paths: [...new Set([...before, ...paths])] }),
      ...(includesTracked ? { includesTracked: true } : {}),
      ...(moved.kind === "delta" ? { firstNewSegment: moved.firstNewSegment } : {}),
    },
    signal,
    request.onFolders,
  );
  // Retry only once, because files may keep changing.
  if (result.mustReindex && !isRebuild)
    return refresh(repository, { ...request, isRebuild: true }, context, signal);
  onOverlay(repository.id, result.overlay);
  const { count, bytes } = result.added;
  catalog.update(repository.id, { addedCount: count || undefined, addedBytes: bytes || undefined });
  return { differing: result.paths, folders: { paths: result.folders, areAll: checksAll } };
}

function defaultCommit({ revisions, defaultRevision }: Manifest): string | undefined {
  return revisions.find(({ name }) => name === defaultRevision)?.commit;
}

/** Returns the fields that the catalog records about a new manifest. */
async function describeManifest(
  manifest: Manifest,
  before: Manifest | undefined,
  { directory, pool, clock }: RefreshContext,
  signal: AbortSignal,
): Promise<RepositoryChange> {
  const { segments } = manifest;
  const older = new Set(before?.segments.map(({ file }) => file));
  // New shards report their counts. Older ones must be inspected: deltas may hide some of their documents, and compound
  // shards also contain other repositories.
  const counts = segments.every(({ file }) => !older.has(file))
    ? sumCounts(segments)
    : await inspectShards(pool, { ...inspectionOf(directory, manifest), includesSkipped: false }, signal);
  return describeCounts(manifest, counts, clock);
}

/** Like `describeManifest`, for a manifest whose shards are all new. */
export function describeNewManifest(manifest: Manifest, clock: Clock): RepositoryChange {
  return describeCounts(manifest, sumCounts(manifest.segments), clock);
}

function describeCounts(
  { revisions, defaultRevision, segments }: Manifest,
  counts: ReturnType<typeof sumCounts>,
  clock: Clock,
): RepositoryChange {
  return {
    revisions: revisions.map(({ name, commit }) => ({ name, commit: commit as CommitHash })),
    defaultRevision,
    documentCount: counts.documentCount,
    skippedCount: counts.skippedCount,
    contentBytes: counts.contentBytes,
    indexBytes: shardBytesOf({ segments }),
    indexedAt: clock.now(),
  };
}

function sumCounts(segments: Manifest["segments"]) {
  const sum = { documentCount: 0, skippedCount: 0, contentBytes: 0 };
  for (const { documentCount, skippedCount, contentBytes } of segments) {
    sum.documentCount += documentCount;
    sum.skippedCount += skippedCount;
    sum.contentBytes += contentBytes;
  }
  return sum;
}

/** Returns what an index worker needs to inspect the shards of a repository. */
export function inspectionOf(
  directory: ShardDirectory,
  { repositoryId, kind, revisions, segments }: Manifest,
) {
  return {
    repositoryId,
    segmentPaths: segments.map((segment) => directory.pathOf(segment)),
    slots: isPlainFolder(kind) ? [0] : revisions.map(({ slot }) => slot),
  };
}

/**
 * Runs `read` on the manifest of a repository, again if the repository was indexed meanwhile and the shards of this
 * manifest have been deleted. Returns `undefined` for an unknown repository.
 */
export async function readShards<Result>(
  directory: ShardDirectory,
  id: RepositoryId,
  signal: AbortSignal,
  read: (manifest: Manifest) => Promise<Result>,
): Promise<Result | undefined> {
  for (;;) {
    const manifest = directory.manifest(id);
    if (manifest === undefined) return undefined;
    try {
      return await read(manifest);
    } catch (error) {
      if (signal.aborted || directory.manifest(id) === manifest) throw error;
    }
  }
}

/** Returns a digest of what the index of a git repository is built from: refs, settings, name and path. */
export function revisionsDigest(
  { name, path, evictedRevisions = [] }: Repository,
  lines: readonly string[],
  { branches, remoteBranches = [], tags, newestTags }: RevisionSettings,
  requestedRevisions: readonly string[] = [],
): string {
  const settings = JSON.stringify([branches, remoteBranches, tags, newestTags]);
  const evicted = evictedRevisions.map((each) => `evicted ${each}`);
  const all = [...lines, name, path, settings, ...requestedRevisions, ...evicted];
  return createHash("sha256").update(all.join("\n")).digest("hex");
}

function contentSettingsOf({ maxFileBytes, indexExclude }: ContentSettings): ContentSettings {
  return { maxFileBytes, indexExclude };
}

/** Returns the content fingerprint as the catalog stores it. */
export function contentStateOf(settings: ContentSettings): { readonly content?: string } {
  const content = contentFingerprint(settings);
  return content === "" ? {} : { content };
}
