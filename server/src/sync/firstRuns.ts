/**
 * Indexes many small repositories or packages for the first time: a worker writes up to 200 of them into one shard.
 * `runs.ts` indexes all others one by one, and then the working trees of these.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { isServiceError } from "#base/error";
import { Waiters } from "#base/waiters";
import { type DraftGate, draftPaths, IndexFull } from "#indexing/draftGate";
import type { GatheredRepository } from "#indexing/gatherTask";
import { unexpectedResult } from "#indexing/indexTask";
import { contentsOf } from "#indexing/packageFiles";
import type { Repository, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { contentStateOf, describeNewManifest, type RefreshContext, revisionsDigest } from "./refresh";
import type { IndexSettings } from "./syncSettings";
import type { WorkerResult, WorkerTask } from "./workerTasks";

export interface FirstRunsOptions {
  readonly context: RefreshContext;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  readonly gate: DraftGate;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when the batch of a repository has ended, whether the repository was indexed or not. */
  readonly onEnd: (id: RepositoryId) => void;
}

/** Fewer repositories than this are not worth a shared shard. */
const minBatchSize = 16;
/** A worker indexes this many in about a quarter of a second, so that the first ones are searchable soon. */
const maxBatchSize = 200;
/** Limit for git's index, which has about 100 bytes per file: some 600 files. */
const maxIndexFileBytes = 64 * 1024;

export class FirstRuns {
  readonly #options: FirstRunsOptions;
  readonly #waiting = new Set<RepositoryId>();
  /** Repositories that are waiting or running. */
  readonly #claimed = new Set<RepositoryId>();
  readonly #running = new Set<Promise<void>>();
  readonly #idleWaiters = new Waiters();
  #isPaused = false;

  constructor(options: FirstRunsOptions) {
    this.#options = options;
  }

  /** While paused, nothing is started. Running batches continue. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#startWaiting();
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  /** Claims the small new repositories if there are enough. Returns those that are not claimed, now or earlier. */
  claim(repositories: readonly Repository[]): readonly Repository[] {
    const others = repositories.filter(({ id }) => !this.#claimed.has(id));
    const small = new Set(others.filter((repository) => this.#isEligible(repository)));
    if (small.size < minBatchSize) return others;
    for (const { id } of small) {
      this.#waiting.add(id);
      this.#claimed.add(id);
    }
    this.#startWaiting();
    return others.filter((repository) => !small.has(repository));
  }

  /** Removes a repository from the queue. A running batch omits it once it has been removed from the catalog. */
  drop(id: RepositoryId): void {
    this.#waiting.delete(id);
    this.#claimed.delete(id);
    this.#notifyIdle();
  }

  /** Resolves when nothing is running or waiting. While paused, that may take until indexing continues. */
  async idle(): Promise<void> {
    if (!this.isIdle) await this.#idleWaiters.wait();
  }

  /** Drops what is waiting, and resolves when all running batches have ended. Call it after the signal has fired. */
  async close(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#running);
    this.#notifyIdle();
  }

  #notifyIdle(): void {
    if (this.isIdle) this.#idleWaiters.notify();
  }

  #isEligible({ id, kind, gitDir, state }: Repository): boolean {
    const { directory, zoekt } = this.#options.context;
    if (directory.manifest(id) !== undefined || state === "evicted") return false;
    if (kind === "package") return true;
    if (kind !== "clone" || gitDir === undefined || zoekt !== undefined) return false;
    try {
      return statSync(join(gitDir, "index")).size <= maxIndexFileBytes;
    } catch {
      return false;
    }
  }

  #startWaiting(): void {
    while (!this.#isPaused && this.#waiting.size > 0 && this.#running.size < this.#options.pool.size) {
      const ids = [...this.#waiting].slice(0, maxBatchSize);
      for (const id of ids) this.#waiting.delete(id);
      const run: Promise<void> = this.#run(ids).finally(() => {
        this.#running.delete(run);
        for (const id of ids) this.#claimed.delete(id);
        if (!this.#options.signal.aborted) {
          for (const id of ids) this.#options.onEnd(id);
          this.#startWaiting();
        }
        this.#notifyIdle();
      });
      this.#running.add(run);
    }
  }

  /** Never rejects: repositories that fail are indexed one by one afterwards, which reports the error. */
  async #run(ids: readonly RepositoryId[]): Promise<void> {
    const { context, pool, gate, log, signal } = this.#options;
    const { catalog, directory } = context;
    const settings = context.settings();
    const repositories = ids.flatMap((id) => catalog.get(id) ?? []);
    try {
      const result = await gate.write({
        repositoryIds: ids,
        replaces: false,
        signal,
        run: (limited) =>
          pool.run(
            {
              kind: "gather",
              repositories: repositories.map((each) => ({
                id: each.id,
                path: each.path,
                contents: contentsOf(each),
              })),
              settings,
              draftPath: directory.newDraft(),
            },
            limited,
          ),
        draftsOf: draftPaths,
      });
      if (result.kind !== "gathered") throw unexpectedResult(result);
      const [draft] = result.drafts;
      if (draft === undefined) return;
      await gate.publish({ repositoryIds: ids, replaces: false, paths: [draft.path] }, async () => {
        // Some may have been removed meanwhile, or indexed because a user requested it.
        const current = result.gathered.filter(
          ({ repositoryId }) =>
            catalog.get(repositoryId as RepositoryId) !== undefined &&
            directory.manifest(repositoryId) === undefined,
        );
        await this.#publish(draft, current, settings);
      });
    } catch (error) {
      // One by one, some of them may still fit.
      const isExpected = isServiceError(error, "CANCELLED") || error instanceof IndexFull;
      if (signal.aborted || isExpected) return;
      log.warn("Cannot index small repositories together; indexing them one by one.", { error });
    }
  }

  async #publish(
    draft: Parameters<RefreshContext["directory"]["publishTogether"]>[0],
    gathered: readonly GatheredRepository[],
    settings: IndexSettings,
  ) {
    const { catalog, directory, clock } = this.#options.context;
    if (gathered.length === 0) return directory.discard([draft.path]);
    const found = gathered.flatMap((each) => {
      const repository = catalog.get(each.repositoryId as RepositoryId);
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
        ...(each.defaultRevision === undefined ? {} : { defaultRevision: each.defaultRevision }),
        nextSlot: each.nextSlot,
      })),
    );
    for (const [at, { repository, each }] of found.entries()) {
      const manifest = manifests[at];
      if (manifest === undefined) continue;
      const { committedAt } = each;
      catalog.update(repository.id, {
        ...describeNewManifest(manifest, clock),
        ...(committedAt === undefined ? {} : { pushedAt: committedAt }),
      });
      const digest = revisionsDigest(repository, each.refLines, settings);
      catalog.markIndexed(repository.id, { digest, ...contentStateOf(settings) });
    }
  }
}
