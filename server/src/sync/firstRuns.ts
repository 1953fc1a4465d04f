/**
 * The first index of many small repositories: a worker writes some hundred of them into one shard. Everything else is
 * left to runs of their own, which also follow these here and look at the working trees.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isServiceError } from "#base/error";
import type { Gathered } from "#indexing/gatherTask";
import type { Repository, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/workers";
import type { IndexChoice } from "./choice";
import { describeNew, type RefreshParts, revisionsDigest, stamped } from "./refresh";
import type { Work, WorkAnswer } from "./work";

export interface FirstRunsOptions {
  readonly parts: RefreshParts;
  readonly pool: Pool<Work, WorkAnswer>;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** A repository's turn is over, whatever came of it. */
  readonly onEnd: (id: RepositoryId) => void;
}

/** Fewer are not worth a shard of their own. */
const minTogether = 16;
/** What a worker reads and writes in about a quarter of a second, so that the first ones are found soon. */
const maxTogether = 200;
/** Git's index takes about a hundred bytes a file: that of some five hundred. */
const maxIndexFileBytes = 64 * 1024;

export class FirstRuns {
  readonly #options: FirstRunsOptions;
  readonly #waiting = new Set<RepositoryId>();
  /** Waiting or running. */
  readonly #taken = new Set<RepositoryId>();
  readonly #running = new Set<Promise<void>>();
  #isPaused = false;

  constructor(options: FirstRunsOptions) {
    this.#options = options;
  }

  /** While paused nothing is started; what runs goes on to its end. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#startWaiting();
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  /** Takes what it is for; gives the others. */
  take(repositories: readonly Repository[]): readonly Repository[] {
    const others = repositories.filter(({ id }) => !this.#taken.has(id));
    const small = new Set(others.filter((repository) => this.#isFor(repository)));
    if (small.size < minTogether) return others;
    for (const { id } of small) {
      this.#waiting.add(id);
      this.#taken.add(id);
    }
    this.#startWaiting();
    return others.filter((repository) => !small.has(repository));
  }

  drop(id: RepositoryId): void {
    this.#waiting.delete(id);
    this.#taken.delete(id);
  }

  /** Resolves when all that run have ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #isFor({ id, kind, gitDir }: Repository): boolean {
    const { directory } = this.#options.parts;
    if (kind !== "clone" || gitDir === undefined || directory.manifest(id) !== undefined) return false;
    try {
      return statSync(join(gitDir, "index")).size <= maxIndexFileBytes;
    } catch {
      return false;
    }
  }

  #startWaiting(): void {
    while (!this.#isPaused && this.#waiting.size > 0 && this.#running.size < this.#options.pool.size) {
      const ids = [...this.#waiting].slice(0, maxTogether);
      for (const id of ids) this.#waiting.delete(id);
      const run: Promise<void> = this.#run(ids).finally(() => {
        this.#running.delete(run);
        for (const id of ids) this.#taken.delete(id);
        if (this.#options.signal.aborted) return;
        for (const id of ids) this.#options.onEnd(id);
        this.#startWaiting();
      });
      this.#running.add(run);
    }
  }

  /** Never rejects: whatever was not indexed here has its own run before it, which tells why. */
  async #run(ids: readonly RepositoryId[]): Promise<void> {
    const { parts, pool, log, signal } = this.#options;
    const { catalogue, directory } = parts;
    const wanted = parts.wanted();
    const repositories = ids.flatMap((id) => catalogue.get(id) ?? []);
    try {
      const answer = await pool.run(
        {
          kind: "gather",
          repositories: repositories.map(({ id, path }) => ({ id, path })),
          wanted,
          draftPath: directory.newDraft(),
        },
        signal,
      );
      if (answer.kind !== "gathered") throw new Error(`An index worker answered ${answer.kind}`);
      const [draft] = answer.drafts;
      if (draft === undefined) return;
      // Meanwhile one may have been forgotten, or indexed by somebody who could not wait.
      const current = answer.gathered.filter(
        ({ repositoryId }) =>
          catalogue.get(repositoryId as RepositoryId) !== undefined &&
          directory.manifest(repositoryId) === undefined,
      );
      await this.#publish(draft, current, wanted);
    } catch (error) {
      if (signal.aborted || isServiceError(error, "CANCELLED")) return;
      log.warn("Small repositories could not be indexed together; each is tried by itself.", { error });
    }
  }

  async #publish(
    draft: Parameters<RefreshParts["directory"]["publishTogether"]>[0],
    gathered: readonly Gathered[],
    wanted: IndexChoice,
  ) {
    const { catalogue, directory, clock } = this.#options.parts;
    if (gathered.length === 0) return directory.discard([draft.path]);
    const found = gathered.flatMap((each) => {
      const repository = catalogue.get(each.repositoryId as RepositoryId);
      return repository === undefined ? [] : [{ repository, each }];
    });
    const manifests = await directory.publishTogether(
      draft,
      found.map(({ repository, each }) => ({
        repositoryId: repository.id,
        name: repository.name,
        path: repository.path,
        kind: repository.kind,
        revisions: each.revisions,
        defaultRevision: each.defaultRevision,
        nextSlot: each.nextSlot,
      })),
    );
    for (const [at, { repository, each }] of found.entries()) {
      const manifest = manifests[at];
      if (manifest === undefined) continue;
      const { committedAt } = each;
      catalogue.update(repository.id, {
        ...describeNew(manifest, clock),
        ...(committedAt === undefined ? {} : { pushedAt: committedAt }),
      });
      const digest = revisionsDigest(repository, each.refLines, wanted);
      catalogue.markIndexed(repository.id, { digest, ...stamped(wanted) });
    }
  }
}
