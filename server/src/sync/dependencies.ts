/**
 * Indexes the packages that lock files of the repositories name, as repositories of their own: each version once, for
 * all projects. Waits until everything else is indexed. Packages are neither watched nor checked again.
 */
import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { PackageCaches } from "#dependencies/dependencies";
import type { InstalledPackage } from "#dependencies/package";
import { removeUnpackedArchives } from "#dependencies/unpack";
import type { DraftGate } from "#indexing/draftGate";
import type { Repository, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { printPackageName } from "#query/packageName";
import { FirstRuns } from "./firstRuns";
import type { RefreshContext } from "./refresh";
import { Runs, type RunsOptions } from "./runs";
import { scanDependencies, type WorkerResult, type WorkerTask } from "./workerTasks";

export interface DependenciesOptions {
  readonly context: RefreshContext;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  readonly caches: PackageCaches;
  /** See `DependencyScan`. */
  readonly unpackFolder: string;
  readonly gate: DraftGate;
  readonly log: Log;
  /** See `RunsOptions`. */
  readonly onFull: RunsOptions["onFull"];
  /** Resolves when all other repositories are indexed. */
  readonly othersIdle: () => Promise<void>;
  /** Deletes the indexes of packages that were removed from the catalog. */
  readonly onRemoved: (packages: readonly Repository[]) => Promise<void>;
}

/** What the lock files of one project name. */
interface Project {
  /** By the name of the package as a repository. */
  readonly packages: ReadonlyMap<string, InstalledPackage>;
  readonly problem: string | undefined;
}

/** A package manager is at work until two scans with this delay between them find the same packages. */
const settleMs = 2000;

export class Dependencies {
  readonly #options: DependenciesOptions;
  readonly #firstRuns: FirstRuns;
  readonly #runs: Runs;
  readonly #closing = new AbortController();
  /** Projects to scan. The value is whether to wait until their packages have settled. */
  readonly #pending = new Map<RepositoryId, boolean>();
  readonly #projects = new Map<RepositoryId, Project>();
  #isEnabled: boolean;
  #running: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DependenciesOptions, isEnabled: boolean) {
    const { context, pool, gate, log, onFull } = options;
    this.#options = options;
    this.#isEnabled = isEnabled;
    this.#runs = new Runs({
      context,
      limit: pool.size,
      log,
      watches: false,
      onFull,
      onRemoved: (repository) => options.onRemoved([repository]),
    });
    this.#firstRuns = new FirstRuns({
      context,
      pool,
      gate,
      log,
      signal: this.#closing.signal,
      onEnd: (id) => this.#runs.refresh(id, "due"),
    });
  }

  /** Scans these repositories for packages. */
  scan(repositories: readonly Repository[]): void {
    for (const { id } of repositories) this.#pending.set(id, false);
    this.#start();
  }

  /** Scans a repository again, in which files have changed. */
  changed(id: RepositoryId): void {
    if (!this.#isEnabled) return;
    this.#pending.set(id, true);
    this.#startLater();
  }

  /** Removes the packages of all projects, or indexes them again. */
  setEnabled(isEnabled: boolean): void {
    if (isEnabled === this.#isEnabled) return;
    this.#isEnabled = isEnabled;
    this.scan(this.#options.context.catalog.all());
  }

  /** Queues a check of a package; with `isRebuild`, a rebuild of its shards. */
  refresh(id: RepositoryId, isRebuild: boolean): void {
    if (isRebuild) this.#runs.rebuild(id, "due");
    else this.#runs.refresh(id, "due");
  }

  /** Forgets removed projects and packages. */
  drop(removed: readonly Repository[]): void {
    for (const { id, kind } of removed) {
      this.#pending.delete(id);
      this.#projects.delete(id);
      this.#runs.drop(id);
      this.#firstRuns.drop(id);
      if (kind !== "package") this.#startLater();
    }
  }

  isRunning(id: RepositoryId): boolean {
    return this.#runs.isRunning(id);
  }

  /** See `Runs`. */
  settled(id: RepositoryId, signal: AbortSignal): Promise<void> {
    return this.#runs.settled(id, signal);
  }

  /** Resolves when no run of a package is active, or when the signal fires. */
  ended(id: RepositoryId, signal: AbortSignal): Promise<void> {
    return this.#runs.ended(id, signal);
  }

  /** See `Runs`. */
  release(id: RepositoryId): void {
    this.#runs.release(id);
  }

  setPaused(isPaused: boolean): void {
    this.#runs.setPaused(isPaused);
    this.#firstRuns.setPaused(isPaused);
  }

  get isIdle(): boolean {
    const isScanned =
      this.#running === undefined && this.#cancelTimer === undefined && this.#pending.size === 0;
    return isScanned && this.#firstRuns.isIdle && this.#runs.isIdle;
  }

  /** Resolves when nothing is left to do. Does not wait until packages have settled. */
  async idle(): Promise<void> {
    while (!this.isIdle && !this.#closing.signal.aborted) {
      if (this.#running !== undefined) await this.#running;
      else if (!this.#firstRuns.isIdle) await this.#firstRuns.idle();
      else if (!this.#runs.isIdle) await this.#runs.idle();
      else this.#start();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer?.();
    await this.#running;
    this.#pending.clear();
    await this.#firstRuns.close();
    await this.#runs.close();
  }

  #startLater(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelTimer ??= this.#options.context.clock.after(settleMs, () => {
      this.#cancelTimer = undefined;
      this.#start();
    });
  }

  #start(): void {
    if (this.#closing.signal.aborted || this.#running !== undefined) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!isServiceError(error, "CANCELLED"))
          this.#options.log.error("Cannot find dependencies.", { error });
      })
      .finally(() => {
        this.#running = undefined;
        if ([...this.#pending.values()].includes(false)) this.#start();
        else if (this.#pending.size > 0) this.#startLater();
      });
  }

  async #run(): Promise<void> {
    const { context, othersIdle } = this.#options;
    await untilAborted(othersIdle(), this.#closing.signal);
    const pending = new Map(this.#pending);
    this.#pending.clear();
    for (const [id, mustSettle] of pending) {
      const repository = context.catalog.get(id);
      if (repository !== undefined) await this.#scanProject(repository, mustSettle);
    }
    throwIfAborted(this.#closing.signal);
    await this.#update();
  }

  async #scanProject({ id, kind, path }: Repository, mustSettle: boolean): Promise<void> {
    const { context, caches, unpackFolder } = this.#options;
    const hasFiles = this.#isEnabled && kind !== "bare" && kind !== "package";
    const found = hasFiles
      ? await scanDependencies(context.pool, { root: path, caches, unpackFolder }, this.#closing.signal)
      : { packages: [] };
    // It may have been removed meanwhile.
    if (context.catalog.get(id) === undefined) return;
    const packages = new Map(found.packages.map((each) => [printPackageName(each), each]));
    const before = this.#projects.get(id);
    this.#projects.set(id, { packages, problem: found.problem });
    if (mustSettle && !haveSameKeys(before?.packages, packages)) this.#pending.set(id, true);
  }

  /** Brings the catalog up to date with the scanned projects, and queues new packages. */
  async #update(): Promise<void> {
    const { context, unpackFolder, onRemoved } = this.#options;
    const { catalog } = context;
    const settled = [...this.#projects].filter(([id]) => !this.#pending.has(id));
    const installed = new Map<string, InstalledPackage>();
    for (const [, { packages }] of settled) {
      for (const [name, each] of packages) {
        // Another project's copy takes over only from one that no longer exists.
        if (!installed.has(name) || catalog.byName(name)?.path === each.path) installed.set(name, each);
      }
    }
    const facts = [...installed].map(([remoteName, { path, entries, namespaces }]) => ({
      kind: "package" as const,
      path,
      ...(entries === undefined ? {} : { entries }),
      ...(namespaces === undefined ? {} : { namespaces }),
      remoteName,
      codeHostType: "genericGitHost" as const,
    }));
    const upserted = catalog.upsert(facts);
    const idOf = new Map(upserted.map(({ id }, at) => [facts[at]?.remoteName, id]));
    for (const [id, { packages, problem }] of settled) {
      const ids = [...packages.keys()].flatMap((name) => idOf.get(name) ?? []).sort((a, b) => a - b);
      const isSame = ids.join() === (catalog.get(id)?.dependencies ?? []).join();
      const change = isSame ? {} : { dependencies: ids.length === 0 ? undefined : ids };
      catalog.update(id, { ...change, dependencyProblem: problem });
    }
    const areAllScanned =
      catalog.all().every(({ id, kind }) => kind === "bare" || this.#projects.has(id)) &&
      this.#pending.size === 0;
    const present = new Set(idOf.values());
    const gone = areAllScanned ? catalog.packages().filter(({ id }) => !present.has(id)) : [];
    catalog.removeAll(gone.map(({ id }) => id));
    await onRemoved(gone);
    if (areAllScanned)
      removeUnpackedArchives(unpackFolder, new Set(catalog.packages().map(({ path }) => path)));
    for (const { id } of this.#firstRuns.claim(upserted)) this.#runs.refresh(id, "due");
  }
}

function haveSameKeys(
  one: ReadonlyMap<string, unknown> | undefined,
  other: ReadonlyMap<string, unknown>,
): boolean {
  return one?.size === other.size && [...other.keys()].every((key) => one.has(key));
}
