/**
 * Indexes one repository: compares its refs with the manifest, has workers build a delta or all shards, and publishes
 * them in the shard directory.
 *
 * Changes take effect when the manifest is renamed, so a run that fails or is killed leaves the old index intact, and
 * runs are idempotent. `sync/` runs several repositories in parallel, but never two runs for one repository.
 */
import { setMaxListeners } from "node:events";
import { isServiceError } from "#base/error";
import type { ChosenRevisions } from "#git/refs/revisions";
import { type GitRepository, openGitRepository } from "#git/repository";
import type { Repository } from "#model/repository";
import type { Pool } from "#platform/threadPool";
import { type Draft, type ManifestChange, pathsOf, type ShardDirectory } from "#shard/directory/directory";
import type { IndexedRevision, Manifest } from "#shard/directory/manifest";
import type { ContentSettings } from "#shard/format/skipReason";
import type { MovedRevision } from "./deltaTask";
import { type DraftGate, draftPaths, IndexFull, openGate } from "./draftGate";
import { type IndexProgress, type IndexResult, type IndexTask, unexpectedResult } from "./indexTask";
import { contentsOf, packageSettings } from "./packageFiles";
import { assignSlots } from "./slots";

export interface IndexOptions {
  readonly signal: AbortSignal;
  /** Called with the share of documents that have been written, 0 to 1. */
  readonly onProgress?: (progress: number) => void;
  /** Rebuild all shards, as after damage. */
  readonly isRebuild?: boolean;
  readonly settings: ContentSettings;
}

/** A repository with this many deltas, which compaction should have merged, is rebuilt at the next change. */
const maxDeltas = 24;

export class Indexer {
  readonly #pool: Pool<IndexTask, IndexResult>;
  readonly #directory: ShardDirectory;
  readonly #gate: DraftGate;

  constructor(pool: Pool<IndexTask, IndexResult>, directory: ShardDirectory, gate = openGate(directory)) {
    this.#pool = pool;
    this.#directory = directory;
    this.#gate = gate;
  }

  #run(
    task: Exclude<IndexTask, { kind: "gather" }>,
    signal: AbortSignal,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<IndexResult> {
    return this.#gate.write({
      repositoryIds: [task.repositoryId],
      replaces: task.kind !== "delta",
      signal,
      run: (limited, onDraft) =>
        this.#pool.run(task, limited, async (partial) => {
          const progress = partial as IndexProgress;
          onProgress?.(progress);
          if (progress.draftBytes !== undefined) await onDraft(progress.draftBytes);
        }),
      draftsOf: draftPaths,
    });
  }

  #publish(change: ManifestChange, drafts: readonly Draft[]): Promise<Manifest> {
    const { repositoryId, keepSegments } = change;
    return this.#gate.publish(
      { repositoryIds: [repositoryId], replaces: !keepSegments, paths: pathsOf(drafts) },
      () => this.#directory.publish(change, drafts),
    );
  }

  /** Updates the index of a git repository to these revisions. Returns its manifest: the old one if nothing changed. */
  async index(
    repository: Repository,
    { revisions, defaultRevision }: ChosenRevisions,
    options: IndexOptions,
  ): Promise<Manifest> {
    const known = this.#directory.manifest(repository.id);
    // Without shards, it may be from a time when the repository was on a Zoekt node.
    const old = options.isRebuild || known?.segments.length === 0 ? undefined : known;
    const slots = assignSlots(known, revisions);
    const next = {
      ...slots,
      ...identity(repository),
      ...(defaultRevision === undefined ? {} : { defaultRevision }),
    };
    if (old !== undefined && isSame(old, next)) return old;
    if (revisions.length === 0) return this.#publish({ ...next, keepSegments: false }, []);
    const gitRepository = openGitRepository(repository.path);
    const delta =
      old === undefined
        ? undefined
        : await this.#delta(old, next, gitRepository, options).catch((error: unknown) => {
            // A rebuild takes less disk space than old shards and a delta together.
            if (error instanceof IndexFull && error.isTooLarge) return undefined;
            throw error;
          });
    return delta ?? (await this.#build(next, gitRepository, options));
  }

  /**
   * Rebuilds the index of a plain folder or package; `digest` (`digestFolder`) identifies the files that were indexed.
   */
  async buildFolder(
    repository: Repository,
    given: IndexOptions,
  ): Promise<{ manifest: Manifest; digest: string }> {
    const next = { ...identity(repository), revisions: [], nextSlot: 1 };
    const root = repository.path;
    const contents = contentsOf(repository);
    const options = contents === undefined ? given : { ...given, settings: packageSettings(given.settings) };
    const { settings, signal } = options;
    const draftPath = this.#directory.newDraft();
    const planned = await this.#run(
      {
        kind: "folder",
        root,
        ...(contents === undefined ? {} : { contents }),
        repositoryId: repository.id,
        draftPath,
        settings,
      },
      signal,
    );
    return { manifest: await this.#finish(next, planned, options), digest: digestOf(planned) };
  }

  /** Returns `undefined` if a rebuild is necessary. */
  async #delta(
    old: Manifest,
    next: NextManifest,
    gitRepository: GitRepository,
    options: IndexOptions,
  ): Promise<Manifest | undefined> {
    const moved = movedRevisions(old, next);
    if (moved === undefined) return undefined;
    const defaultSlots = { before: defaultSlotOf(old), after: defaultSlotOf(next) };
    if (moved.length === 0 && defaultSlots.before === defaultSlots.after)
      return this.#publish({ ...next, keepSegments: true }, []);
    if (old.segments.filter((segment) => segment.isDelta).length >= maxDeltas) return undefined;
    const result = await this.#attempt({
      task: {
        kind: "delta",
        gitRepository,
        moved,
        defaultSlots,
        repositoryId: next.repositoryId,
        settings: options.settings,
        segmentPaths: old.segments.map((segment) => this.#directory.pathOf(segment)),
        draftPath: this.#directory.newDraft(),
      },
      options,
    });
    if (result.kind === "rebuild") return undefined;
    if (result.kind !== "built") throw unexpectedResult(result);
    const current = this.#directory.manifest(next.repositoryId);
    if (current !== undefined && current.segments !== old.segments) {
      // Overrides refer to the segments that the worker read. After a compaction, the delta must be built again.
      this.#gate.discard(result.drafts.map(({ path }) => path));
      return this.#delta(current, next, gitRepository, options);
    }
    return this.#publish({ ...withoutLost(next, result.lostSlots), keepSegments: true }, result.drafts);
  }

  /** Runs a task. Returns `rebuild` if an older segment is damaged. */
  async #attempt({
    task,
    options,
  }: {
    task: Exclude<IndexTask, { kind: "gather" }>;
    options: IndexOptions;
  }): Promise<IndexResult> {
    try {
      return await this.#run(task, options.signal);
    } catch (error) {
      if (isServiceError(error, "SHARD_DAMAGED")) return { kind: "rebuild" };
      throw error;
    }
  }

  async #build(next: NextManifest, gitRepository: GitRepository, options: IndexOptions): Promise<Manifest> {
    const { repositoryId } = next;
    const revisions = defaultFirst(next).map(({ commit, slot }) => ({ commit, slot }));
    const draftPath = this.#directory.newDraft();
    const planned = await this.#run(
      { kind: "plan", gitRepository, repositoryId, revisions, draftPath, settings: options.settings },
      options.signal,
    );
    return this.#finish(next, planned, options);
  }

  /** Builds the shards if they are only planned, and publishes them. */
  async #finish(next: NextManifest, planned: IndexResult, options: IndexOptions): Promise<Manifest> {
    if (planned.kind !== "built" && planned.kind !== "planned") throw unexpectedResult(planned);
    const drafts =
      planned.kind === "built" ? planned.drafts : await this.#buildAll(next.repositoryId, planned, options);
    return this.#publish({ ...withoutLost(next, planned.lostSlots), keepSegments: false }, drafts);
  }

  /** Runs all build tasks. If one fails, cancels the others, and discards all drafts when they have ended. */
  async #buildAll(
    repositoryId: number,
    { tasks, from, attributes, documentCount }: Extract<IndexResult, { kind: "planned" }>,
    { signal, onProgress, settings }: IndexOptions,
  ): Promise<readonly Draft[]> {
    let done = 0;
    const onPartial = ({ documents }: IndexProgress) => {
      done += documents;
      onProgress?.(Math.min(done / documentCount, 1));
    };
    const failure = new AbortController();
    const both = AbortSignal.any([signal, failure.signal]);
    // Each task adds a listener to this signal, and Node warns about more than ten.
    setMaxListeners(0, both);
    const builds = tasks.map(async (documents) => {
      const task = {
        kind: "build",
        from,
        attributes,
        repositoryId,
        settings,
        documents,
        draftPath: this.#directory.newDraft(),
      } as const;
      try {
        const result = await this.#run(task, both, onPartial);
        if (result.kind !== "built") throw unexpectedResult(result);
        return result.drafts;
      } catch (error) {
        failure.abort();
        throw error;
      }
    });
    const ended = await Promise.allSettled(builds);
    const drafts = ended.flatMap((build) => (build.status === "fulfilled" ? build.value : []));
    const errors = ended.flatMap((build) => (build.status === "rejected" ? [build.reason as unknown] : []));
    if (errors.length === 0) return drafts;
    this.#gate.discard(drafts.map(({ path }) => path));
    throw errors.find((error) => !isServiceError(error, "CANCELLED")) ?? errors[0];
  }
}

type NextManifest = Omit<Manifest, "generation" | "segments">;

function identity({ id, name, path, kind }: Repository) {
  return { repositoryId: id, name, path, kind };
}

function isSame(old: Manifest, next: NextManifest): boolean {
  const lines = (revisions: readonly IndexedRevision[]) =>
    revisions
      .map(({ name, commit }) => `${name} ${commit}`)
      .sort()
      .join("\n");
  return (
    old.kind === next.kind &&
    old.name === next.name &&
    old.path === next.path &&
    old.defaultRevision === next.defaultRevision &&
    lines(old.revisions) === lines(next.revisions)
  );
}

/**
 * Returns the refs that a delta must update. A new ref starts as a copy of a ref to the same commit, or else of the
 * default revision. Returns `undefined` if there is nothing to copy.
 */
export function movedRevisions(
  old: Pick<Manifest, "revisions" | "defaultRevision">,
  next: Pick<Manifest, "revisions" | "defaultRevision">,
): MovedRevision[] | undefined {
  const bySlot = new Map(old.revisions.map((revision) => [revision.slot, revision]));
  const byCommit = new Map(old.revisions.map((revision) => [revision.commit, revision]));
  const fallback = old.revisions.find(({ name }) => name === old.defaultRevision) ?? old.revisions[0];
  if (fallback === undefined) return undefined;
  return next.revisions.flatMap(({ slot, commit }) => {
    const before = bySlot.get(slot);
    if (before) return before.commit === commit ? [] : [{ slot, commit, indexedCommit: before.commit }];
    const source = byCommit.get(commit) ?? fallback;
    return [{ slot, commit, indexedCommit: source.commit, copiedSlot: source.slot }];
  });
}

function defaultSlotOf({ revisions, defaultRevision }: Pick<Manifest, "revisions" | "defaultRevision">) {
  return revisions.find(({ name }) => name === defaultRevision)?.slot;
}

function defaultFirst({ revisions, defaultRevision }: NextManifest): IndexedRevision[] {
  const isDefault = ({ name }: IndexedRevision) => name === defaultRevision;
  return [...revisions.filter(isDefault), ...revisions.filter((revision) => !isDefault(revision))];
}

/** Omits refs whose commits are missing (in a damaged or shallow repository). */
function withoutLost(next: NextManifest, lostSlots: readonly number[]): NextManifest {
  if (lostSlots.length === 0) return next;
  const revisions = next.revisions.filter(({ slot }) => !lostSlots.includes(slot));
  const { defaultRevision, ...rest } = next;
  const isDefaultLost = !revisions.some(({ name }) => name === defaultRevision);
  return defaultRevision === undefined || isDefaultLost
    ? { ...rest, revisions }
    : { ...rest, revisions, defaultRevision };
}

function digestOf(result: IndexResult): string {
  return result.kind === "built" || result.kind === "planned" ? result.digest : "";
}
