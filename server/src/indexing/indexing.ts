/**
 * One repository and its shards: what has moved since the last time is compared, planned, built by workers and
 * published by the directory of shards.
 *
 * Nothing counts before the manifest is renamed, so a run that fails or is killed leaves the old index whole, and
 * running twice changes nothing. Runs of one repository follow one another (`sync`); those of several overlap.
 */
import { isServiceError, ServiceError } from "#base/error";
import { findPlace, type GitPlace } from "#git/place";
import type { ChosenRevisions } from "#git/revisions";
import type { Repository } from "#model/repository";
import type { Pool } from "#platform/workers";
import type { Draft, IndexedRevision, Manifest, ShardDirectory } from "#shard/directory";
import type { ContentChoice } from "#shard/skipReason";
import type { MovedRevision } from "./deltaTask";
import type { IndexAnswer, IndexProgress, IndexTask } from "./indexTask";
import { giveSlots } from "./slots";

export interface IndexOptions {
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress?: (progress: number) => void;
  /** Build all shards anew, as after damage. */
  readonly anew?: boolean;
  readonly choice: ContentChoice;
}

/** A repository with more deltas than this, which compaction should have merged, is built anew. */
const maxDeltas = 24;

export class Indexer {
  readonly #pool: Pool<IndexTask, IndexAnswer>;
  readonly #directory: ShardDirectory;

  constructor(pool: Pool<IndexTask, IndexAnswer>, directory: ShardDirectory) {
    this.#pool = pool;
    this.#directory = directory;
  }

  /** Brings the index of a git repository to these revisions and gives its manifest, the old one where they are equal. */
  async index(
    repository: Repository,
    { revisions, defaultRevision }: ChosenRevisions,
    options: IndexOptions,
  ): Promise<Manifest> {
    const old = options.anew ? undefined : this.#directory.manifest(repository.id);
    const slots = giveSlots(this.#directory.manifest(repository.id), revisions);
    const next = {
      ...slots,
      ...identity(repository),
      ...(defaultRevision === undefined ? {} : { defaultRevision }),
    };
    if (old !== undefined && isSame(old, next)) return old;
    if (revisions.length === 0) return this.#directory.publish({ ...next, keepSegments: false }, []);
    const place = placeOf(repository);
    const delta = old === undefined ? undefined : await this.#delta(old, next, place, options);
    return delta ?? (await this.#build(next, place, options));
  }

  /** Builds the index of a plain folder anew; `digest` (`#git/folderFiles`) tells which files it was made from. */
  async buildFolder(
    repository: Repository,
    options: IndexOptions,
  ): Promise<{ manifest: Manifest; digest: string }> {
    const next = { ...identity(repository), revisions: [], nextSlot: 1 };
    const root = repository.path;
    const draftPath = this.#directory.newDraft();
    const planned = await this.#pool.run(
      { kind: "folder", root, repositoryId: repository.id, draftPath, choice: options.choice },
      options.signal,
    );
    return { manifest: await this.#finish(next, planned, options), digest: digestOf(planned) };
  }

  /** `undefined` where a delta does not pay. */
  async #delta(
    old: Manifest,
    next: NextManifest,
    place: GitPlace,
    options: IndexOptions,
  ): Promise<Manifest | undefined> {
    const moved = movedRevisions(old, next);
    if (moved === undefined) return undefined;
    const defaultSlots = { before: defaultSlotOf(old), after: defaultSlotOf(next) };
    if (moved.length === 0 && defaultSlots.before === defaultSlots.after)
      return this.#directory.publish({ ...next, keepSegments: true }, []);
    if (old.segments.filter((segment) => segment.isDelta).length >= maxDeltas) return undefined;
    const answer = await this.#attempt({
      task: {
        kind: "delta",
        place,
        moved,
        defaultSlots,
        repositoryId: next.repositoryId,
        choice: options.choice,
        segmentPaths: old.segments.map((segment) => this.#directory.pathOf(segment)),
        draftPath: this.#directory.newDraft(),
      },
      options,
    });
    if (answer.kind === "rebuild") return undefined;
    if (answer.kind !== "built") throw unexpected(answer);
    const current = this.#directory.manifest(next.repositoryId);
    if (current !== undefined && current.segments !== old.segments) {
      // Overrides count on the segments that the worker saw; others (a compaction's) want another delta.
      this.#directory.discard(answer.drafts.map(({ path }) => path));
      return this.#delta(current, next, place, options);
    }
    return this.#directory.publish(
      { ...withoutLost(next, answer.lostSlots), keepSegments: true },
      answer.drafts,
    );
  }

  /** An older segment that is damaged does not hinder a build. */
  async #attempt({ task, options }: { task: IndexTask; options: IndexOptions }): Promise<IndexAnswer> {
    try {
      return await this.#pool.run(task, options.signal);
    } catch (error) {
      if (isServiceError(error, "SHARD_DAMAGED")) return { kind: "rebuild" };
      throw error;
    }
  }

  async #build(next: NextManifest, place: GitPlace, options: IndexOptions): Promise<Manifest> {
    const { repositoryId } = next;
    const revisions = defaultFirst(next).map(({ commit, slot }) => ({ commit, slot }));
    const draftPath = this.#directory.newDraft();
    const planned = await this.#pool.run(
      { kind: "plan", place, repositoryId, revisions, draftPath, choice: options.choice },
      options.signal,
    );
    return this.#finish(next, planned, options);
  }

  /** Publishes what is built, after building what is only planned. */
  async #finish(next: NextManifest, planned: IndexAnswer, options: IndexOptions): Promise<Manifest> {
    if (planned.kind !== "built" && planned.kind !== "planned") throw unexpected(planned);
    const drafts =
      planned.kind === "built" ? planned.drafts : await this.#buildAll(next.repositoryId, planned, options);
    return this.#directory.publish({ ...withoutLost(next, planned.lostSlots), keepSegments: false }, drafts);
  }

  /** Where one task fails the others are called off, and what is written is removed when all have ended. */
  async #buildAll(
    repositoryId: number,
    { tasks, from, attributes, documentCount }: Extract<IndexAnswer, { kind: "planned" }>,
    { signal, onProgress, choice }: IndexOptions,
  ): Promise<readonly Draft[]> {
    let done = 0;
    const onPartial = (partial: unknown) => {
      done += (partial as IndexProgress).documents;
      onProgress?.(Math.min(done / documentCount, 1));
    };
    const failure = new AbortController();
    const both = AbortSignal.any([signal, failure.signal]);
    const builds = tasks.map(async (documents) => {
      const task = {
        kind: "build",
        from,
        attributes,
        repositoryId,
        choice,
        documents,
        draftPath: this.#directory.newDraft(),
      } as const;
      try {
        const answer = await this.#pool.run(task, both, onPartial);
        if (answer.kind !== "built") throw unexpected(answer);
        return answer.drafts;
      } catch (error) {
        failure.abort();
        throw error;
      }
    });
    const ended = await Promise.allSettled(builds);
    const drafts = ended.flatMap((build) => (build.status === "fulfilled" ? build.value : []));
    const errors = ended.flatMap((build) => (build.status === "rejected" ? [build.reason as unknown] : []));
    if (errors.length === 0) return drafts;
    this.#directory.discard(drafts.map(({ path }) => path));
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
 * What a delta has to bring. A new ref begins as a copy of the one that names the same commit, else of the default
 * one. `undefined` where there is nothing to begin with.
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
    const like = byCommit.get(commit) ?? fallback;
    return [{ slot, commit, indexedCommit: like.commit, like: like.slot }];
  });
}

function defaultSlotOf({ revisions, defaultRevision }: Pick<Manifest, "revisions" | "defaultRevision">) {
  return revisions.find(({ name }) => name === defaultRevision)?.slot;
}

function defaultFirst({ revisions, defaultRevision }: NextManifest): IndexedRevision[] {
  const isDefault = ({ name }: IndexedRevision) => name === defaultRevision;
  return [...revisions.filter(isDefault), ...revisions.filter((revision) => !isDefault(revision))];
}

/** A ref whose commit is not there (a broken or shallow repository) is left out until it is. */
function withoutLost(next: NextManifest, lostSlots: readonly number[]): NextManifest {
  if (lostSlots.length === 0) return next;
  const revisions = next.revisions.filter(({ slot }) => !lostSlots.includes(slot));
  const { defaultRevision, ...rest } = next;
  const isDefaultLost = !revisions.some(({ name }) => name === defaultRevision);
  return defaultRevision === undefined || isDefaultLost
    ? { ...rest, revisions }
    : { ...rest, revisions, defaultRevision };
}

function placeOf(repository: Repository): GitPlace {
  const place = findPlace(repository.path);
  if (place) return place;
  throw new ServiceError("GIT_FAILED", `${repository.path} is no git repository any more.`);
}

function digestOf(answer: IndexAnswer): string {
  return answer.kind === "built" || answer.kind === "planned" ? answer.digest : "";
}

function unexpected(answer: IndexAnswer): Error {
  return new Error(`An index worker answered ${answer.kind}`);
}
