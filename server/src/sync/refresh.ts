/** One run for one repository: its refs, its index, its working tree. */
import { createHash } from "node:crypto";
import { ServiceError, throwIfAborted } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { RepositoryChange } from "#catalogue/change";
import type { BytePath } from "#git/bytePath";
import type { GitPlace } from "#git/place";
import { readRefs, refLines } from "#git/refs";
import { chooseRevisions, type RevisionChoice, resolveRevision, wantsRemotes } from "#git/revisions";
import type { Indexer } from "#indexing/indexing";
import type { CommitHash, Repository } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import type { Clock } from "#platform/clock";
import type { Pool } from "#platform/workers";
import type { Manifest, ShardDirectory } from "#shard/directory";
import type { ContentChoice } from "#shard/skipReason";
import { contentStamp, type IndexChoice } from "./choice";
import { inspectShards, runOverlay, type Work, type WorkAnswer } from "./work";

export interface RefreshParts {
  readonly catalogue: Catalogue;
  readonly directory: ShardDirectory;
  readonly indexer: Indexer;
  readonly pool: Pool<Work, WorkAnswer>;
  /** May be another one with the next run. */
  readonly wanted: () => IndexChoice;
  readonly clock: Clock;
  /** A working tree differs from its default revision, or (`undefined`) no longer does. */
  readonly onOverlay: (repositoryId: number, overlay: Overlay | undefined) => void;
}

/** What is to be looked at; nothing of it means: only whether refs have moved. */
export interface RefreshRequest {
  /** Where the repository lies; absent for a folder, and for what is no repository any more. */
  readonly place: GitPlace | undefined;
  /** Build all shards anew. */
  readonly anew: boolean;
  /** Look at the whole working tree. */
  readonly everything: boolean;
  /** Look at these files, and at those that differed before. */
  readonly paths: readonly BytePath[];
  readonly differing: readonly BytePath[];
  /** Look at what git tracks besides what the commit has. */
  readonly tracked: boolean;
  /** Revisions that somebody searched, besides those that are always indexed. */
  readonly askedRevisions: readonly string[];
}

export interface RefreshResult {
  /** Where the watching has to be; absent where that has not changed. */
  readonly folders?: readonly BytePath[];
  /** Paths that differ from the default revision now. */
  readonly differing: readonly BytePath[];
  /** Whether the index has changed. */
  readonly isBuilt: boolean;
}

/**
 * Brings index and overlay of one repository up to date. No git process where neither refs nor files have moved.
 *
 * Throws what git and the disk throw; the old index then goes on serving.
 */
export async function refresh(
  repository: Repository,
  request: RefreshRequest,
  parts: RefreshParts,
  signal: AbortSignal,
): Promise<RefreshResult> {
  const before = parts.directory.manifest(repository.id);
  const choice = parts.wanted();
  const isOtherContent =
    before !== undefined &&
    (parts.catalogue.indexedState(repository.id)?.content ?? "") !== contentStamp(choice);
  const run = { ...request, anew: request.anew || isOtherContent, choice };
  const manifest =
    repository.kind === "folder"
      ? await refreshFolder(repository, run, parts, signal)
      : await refreshClone(repository, run, parts, signal);
  const isMoved = manifest !== before;
  const current = parts.catalogue.update(repository.id, {
    ...(isMoved ? await describe(manifest, before, parts, signal) : {}),
    state: "ready",
    progress: undefined,
    lastError: undefined,
  });
  throwIfAborted(signal);
  if (current === undefined || repository.kind === "bare") return { differing: [], isBuilt: isMoved };
  const moved: BaseMove = isMoved ? baseMove(repository, before, manifest) : { kind: "none" };
  return { ...(await lookAtFiles(repository, manifest, run, moved, parts, signal)), isBuilt: isMoved };
}

interface Run extends RefreshRequest {
  readonly choice: IndexChoice;
}

/** What a working tree stands over: the same as before, the same and a delta, or something else. */
type BaseMove =
  | { readonly kind: "none" | "whole" }
  | { readonly kind: "delta"; readonly firstNewSegment: number };

function baseMove({ kind }: Repository, before: Manifest | undefined, manifest: Manifest): BaseMove {
  if (before === undefined || kind === "folder") return { kind: "whole" };
  if (before.defaultRevision !== manifest.defaultRevision) return { kind: "whole" };
  if (defaultCommit(before) === defaultCommit(manifest)) return { kind: "none" };
  const isLonger = before.segments.every(({ file }, at) => manifest.segments[at]?.file === file);
  return isLonger ? { kind: "delta", firstNewSegment: before.segments.length } : { kind: "whole" };
}

async function refreshClone(
  repository: Repository,
  { place, anew, askedRevisions, choice }: Run,
  { catalogue, directory, indexer }: RefreshParts,
  signal: AbortSignal,
): Promise<Manifest> {
  if (place === undefined)
    throw new ServiceError("GIT_FAILED", `${repository.path} is no git repository any more.`);
  const refs = await readRefs(place, signal, wantsRemotes(choice));
  const digest = revisionsDigest(repository, refLines(refs), choice, askedRevisions);
  const manifest = directory.manifest(repository.id);
  if (!anew && manifest !== undefined && catalogue.indexedState(repository.id)?.digest === digest)
    return manifest;
  const always = await chooseRevisions(place, refs, choice, signal);
  const chosen = { ...always, revisions: [...always.revisions] };
  for (const name of askedRevisions) {
    if (chosen.revisions.some((revision) => revision.name === name)) continue;
    const asked = await resolveRevision(place, refs, name, signal);
    if (asked !== undefined) chosen.revisions.push(asked);
  }
  const isNew = manifest === undefined || anew;
  if (isNew) catalogue.update(repository.id, { state: "indexing", progress: 0 });
  if (chosen.committedAt !== undefined) catalogue.update(repository.id, { pushedAt: chosen.committedAt });
  const fresh = await indexer.index(repository, chosen, {
    signal,
    anew,
    choice: contentOf(choice),
    onProgress: (progress) => catalogue.update(repository.id, { progress }),
  });
  catalogue.markIndexed(repository.id, { digest, ...stamped(choice) });
  return fresh;
}

/** What happens in a folder later is in its overlay, until that is large. */
async function refreshFolder(
  repository: Repository,
  { anew, choice }: Run,
  { catalogue, directory, indexer, clock }: RefreshParts,
  signal: AbortSignal,
): Promise<Manifest> {
  const manifest = directory.manifest(repository.id);
  if (manifest !== undefined && !anew && catalogue.indexedState(repository.id) !== undefined) return manifest;
  catalogue.update(repository.id, { state: "indexing", progress: 0 });
  const since = clock.now();
  const { manifest: fresh, digest } = await indexer.buildFolder(repository, {
    signal,
    choice: contentOf(choice),
    onProgress: (progress) => catalogue.update(repository.id, { progress }),
  });
  catalogue.markIndexed(repository.id, { digest, since, ...stamped(choice) });
  return fresh;
}

async function lookAtFiles(
  repository: Repository,
  manifest: Manifest,
  request: Run,
  moved: BaseMove,
  parts: RefreshParts,
  signal: AbortSignal,
): Promise<Omit<RefreshResult, "isBuilt">> {
  const { everything, paths, tracked, differing: before, anew } = request;
  const hasEvents = everything || tracked || paths.length > 0;
  if (!hasEvents && moved.kind === "none") return { differing: before };
  const { catalogue, directory, pool, onOverlay } = parts;
  const defaultSlot = manifest.revisions.find(({ name }) => name === manifest.defaultRevision)?.slot;
  const indexedFolder = repository.kind === "folder" ? catalogue.indexedState(repository.id) : undefined;
  const answer = await runOverlay(
    pool,
    {
      repositoryId: repository.id,
      root: repository.path,
      choice: contentOf(request.choice),
      segmentPaths: manifest.segments.map((segment) => directory.pathOf(segment)),
      ...(defaultSlot === undefined ? {} : { defaultSlot }),
      ...(indexedFolder === undefined ? {} : { indexedFolder }),
      ...(everything || moved.kind === "whole" ? {} : { paths: [...new Set([...before, ...paths])] }),
      ...(tracked ? { withTracked: true } : {}),
      ...(moved.kind === "delta" ? { firstNewSegment: moved.firstNewSegment } : {}),
    },
    signal,
  );
  // Once more only: files that change all the time are not waited for.
  if (answer.isTooMuch && !anew) return refresh(repository, { ...request, anew: true }, parts, signal);
  onOverlay(repository.id, answer.overlay);
  const differing = answer.paths;
  return answer.folders === undefined ? { differing } : { differing, folders: answer.folders };
}

function defaultCommit({ revisions, defaultRevision }: Manifest): string | undefined {
  return revisions.find(({ name }) => name === defaultRevision)?.commit;
}

/** What the catalogue says of a new manifest. */
async function describe(
  manifest: Manifest,
  before: Manifest | undefined,
  { directory, pool, clock }: RefreshParts,
  signal: AbortSignal,
): Promise<RepositoryChange> {
  const { segments } = manifest;
  const older = new Set(before?.segments.map(({ file }) => file));
  // Where all shards are new, each has said what it holds. Deltas hide some of that, and compound shards hold more.
  const counts = segments.every(({ file }) => !older.has(file))
    ? added(segments)
    : await inspectShards(pool, { ...inspection(directory, manifest), withSkipped: false }, signal);
  return describeCounts(manifest, counts, clock);
}

/** The same where all shards are new. */
export function describeNew(manifest: Manifest, clock: Clock): RepositoryChange {
  return describeCounts(manifest, added(manifest.segments), clock);
}

function describeCounts(
  { revisions, defaultRevision, segments }: Manifest,
  counts: ReturnType<typeof added>,
  clock: Clock,
): RepositoryChange {
  return {
    revisions: revisions.map(({ name, commit }) => ({ name, commit: commit as CommitHash })),
    defaultRevision,
    documentCount: counts.documentCount,
    skippedCount: counts.skippedCount,
    contentBytes: counts.contentBytes,
    indexBytes: segments.reduce((sum, { shardBytes }) => sum + shardBytes, 0),
    indexedAt: clock.now(),
  };
}

function added(segments: Manifest["segments"]) {
  const sum = { documentCount: 0, skippedCount: 0, contentBytes: 0 };
  for (const { documentCount, skippedCount, contentBytes } of segments) {
    sum.documentCount += documentCount;
    sum.skippedCount += skippedCount;
    sum.contentBytes += contentBytes;
  }
  return sum;
}

/** What an index worker needs to look into the shards of a repository. */
export function inspection(directory: ShardDirectory, { repositoryId, kind, revisions, segments }: Manifest) {
  return {
    repositoryId,
    segmentPaths: segments.map((segment) => directory.pathOf(segment)),
    slots: kind === "folder" ? [0] : revisions.map(({ slot }) => slot),
  };
}

/** What the index of a git repository is made from: equal for equal refs, settings and names. */
export function revisionsDigest(
  { name, path }: Repository,
  lines: readonly string[],
  { branches, remoteBranches = [], tags, newestTags }: RevisionChoice,
  askedRevisions: readonly string[] = [],
): string {
  const choice = JSON.stringify([branches, remoteBranches, tags, newestTags]);
  const all = [...lines, name, path, choice, ...askedRevisions];
  return createHash("sha256").update(all.join("\n")).digest("hex");
}

function contentOf({ maxFileBytes, indexExclude }: ContentChoice): ContentChoice {
  return { maxFileBytes, indexExclude };
}

/** As the catalogue keeps it. */
export function stamped(choice: ContentChoice): { readonly content?: string } {
  const content = contentStamp(choice);
  return content === "" ? {} : { content };
}
