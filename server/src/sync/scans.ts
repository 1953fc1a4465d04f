/** Scans added paths: adds new repositories to the catalog, and removes those that no longer exist. */
import { existsSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isServiceError } from "#base/error";
import { SingleFlight } from "#base/singleFlight";
import { Waiters } from "#base/waiters";
import type { Catalog } from "#catalog/catalog";
import { bytePath } from "#git/bytePath";
import { findEnclosingRepository, type ScanSettings } from "#git/discover";
import { isIgnored } from "#git/workTree/workingTree";
import type { CodeHostType, Repository, RepositoryId } from "#model/repository";
import { homeFolder } from "#platform/environment";
import { realPath } from "#platform/files";
import type { Log } from "#platform/log";
import type { PathScan, ScannedPath } from "./repositoryFacts";
import { haveSameScanSettings } from "./syncSettings";

export interface ScansOptions {
  readonly catalog: Catalog;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  /** The current settings. A scan during which they change is repeated. */
  readonly settings: () => ScanSettings;
  /** Whether a path is that of a mirror, which scans neither add nor remove. */
  readonly isMirror: (path: string) => boolean;
  /** Whether folders without any git repository are skipped. */
  readonly isGitOnly: boolean;
  readonly log: Log;
  /** Scans a path. Throws NOT_FOUND if it is not a folder. */
  readonly scanPath: (scan: PathScan, signal: AbortSignal) => Promise<ScannedPath>;
  /** Called after a scan of an added path, with the folders in which new repositories may appear. */
  readonly onScanned: (path: string, parentFolders: readonly string[]) => void;
  /** Called after repositories were removed from the catalog. */
  readonly onRepositoriesRemoved: (repositories: readonly Repository[]) => Promise<void>;
}

export class Scans {
  readonly #options: ScansOptions;
  /** Reads that several scans of a path may share. */
  readonly #reads = new SingleFlight();
  /** The end of each running call that adds paths, and these paths. */
  readonly #adding = new Map<Waiters, ReadonlySet<string>>();
  /** Paths that were scanned before the first `scanAll` has ended. */
  #scanned: Set<string> | undefined = new Set();
  #running = 0;
  readonly #idleWaiters = new Waiters();

  constructor(options: ScansOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async idle(): Promise<void> {
    if (!this.isIdle) await this.#idleWaiters.wait();
  }

  /** Marks a scan as started, of paths that will be added. Returns a function that marks it as ended. */
  begin(paths: readonly string[] = []): () => void {
    const ended = new Waiters();
    if (paths.length > 0) this.#adding.set(ended, new Set(paths.map((path) => realPath(path) ?? path)));
    this.#running++;
    return () => {
      this.#running--;
      this.#adding.delete(ended);
      ended.notify();
      if (this.isIdle) this.#idleWaiters.notify();
    };
  }

  /** Scans a path, and adds it to the catalog. Throws NOT_FOUND if it is not a folder. */
  async add(path: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const repositories = await this.#scan(path, signal, { sharesRead: false });
    this.#options.catalog.addPath(realpathSync(path));
    return repositories;
  }

  /** Like `add`, for a folder that is open in an editor. Does not restore what the user removed, even meanwhile. */
  async addOpenFolder(folder: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const { catalog } = this.#options;
    const before = catalog.paths;
    const path = existsSync(folder) ? await resolveOpenFolder(realpathSync(folder), signal) : folder;
    const isWanted = () =>
      catalog.paths.includes(path) || !(before.includes(path) || catalog.isRemoved(path));
    if (!isWanted()) return [];
    const repositories = await this.#scan(path, signal, { isWanted });
    if (isWanted()) catalog.addPath(path, true);
    return repositories;
  }

  /**
   * Scans all added paths. Calls `onFound` with the repositories of each. The first call, at the start, omits paths that
   * are being added again at the same time, as most are.
   */
  async scanAll(signal: AbortSignal, onFound: (repositories: readonly Repository[]) => void): Promise<void> {
    for (const path of this.#options.catalog.paths) {
      for (const [ended, paths] of this.#adding) {
        const isAwaited = paths.has(path) && this.#scanned?.has(path) === false;
        if (isAwaited) await ended.wait();
      }
      if (!this.#scanned?.has(path)) await this.scanOne(path, signal, onFound);
    }
    this.#scanned = undefined;
  }

  /** Scans one added path. Logs errors. */
  async scanOne(
    path: string,
    signal: AbortSignal,
    onFound: (repositories: readonly Repository[]) => void,
  ): Promise<void> {
    if (signal.aborted) return;
    const found = await this.#tryScan(path, signal);
    if (found !== undefined && !signal.aborted) onFound(found);
  }

  /** Scans all added paths after a change of settings, and removes repositories that are no longer found. */
  async rescanAll(
    signal: AbortSignal,
    onFound: (repositories: readonly Repository[]) => void,
  ): Promise<void> {
    const { catalog, isMirror, onRepositoriesRemoved } = this.#options;
    const before = catalog.all();
    const present = new Set<RepositoryId>();
    const scannedPaths = new Set<string>();
    for (const path of catalog.paths) {
      const found = await this.#tryScan(path, signal);
      if (signal.aborted) return;
      if (found === undefined) continue;
      scannedPaths.add(path);
      onFound(found);
      for (const { id } of found) present.add(id);
    }
    // Paths whose scan failed, and those that were added during the scans.
    const otherPaths = catalog.paths.filter((path) => !scannedPaths.has(path));
    const gone = before.filter(
      ({ id, path }) =>
        catalog.get(id) !== undefined &&
        !present.has(id) &&
        !isMirror(path) &&
        !otherPaths.some((root) => path === root || isBelow(path, root)),
    );
    catalog.removeAll(gone.map(({ id }) => id));
    await onRepositoriesRemoved(gone);
  }

  /** Scans an added path, unless it is removed before that ends. Returns `undefined` if the scan failed. */
  async #tryScan(path: string, signal: AbortSignal): Promise<readonly Repository[] | undefined> {
    const isAdded = () => this.#options.catalog.paths.includes(path);
    try {
      return isAdded() ? await this.#scan(path, signal, { isWanted: isAdded }) : [];
    } catch (error) {
      if (!isServiceError(error, "CANCELLED")) this.#options.log.warn(`Cannot scan ${path}.`, { error });
      return undefined;
    }
  }

  /**
   * Adds what is found at a path, unless that is no longer wanted once its folders have been read. At the start, with
   * `sharesRead`, another scan may have begun to read them.
   */
  async #scan(
    path: string,
    signal: AbortSignal,
    { isWanted = (): boolean => true, sharesRead = true } = {},
  ): Promise<readonly Repository[]> {
    const { catalog, hosts, isMirror, isGitOnly, log, scanPath, onRepositoriesRemoved, onScanned } =
      this.#options;
    const end = this.begin();
    try {
      let settings: ScanSettings;
      let scanned: ScannedPath;
      do {
        settings = this.#options.settings();
        const read = { path, hosts, settings };
        scanned =
          sharesRead && this.#scanned !== undefined
            ? await this.#reads.run(JSON.stringify(read), (shared) => scanPath(read, shared), signal)
            : await scanPath(read, signal);
      } while (!haveSameScanSettings(settings, this.#options.settings()));
      const { facts, unreadable, parentFolders } = scanned;
      if (!isWanted()) return [];
      if (unreadable.length > 0)
        log.info(`${unreadable.length} folders in ${path} cannot be read.`, { unreadable });
      const root = realpathSync(path);
      const repositories = catalog.upsert(
        facts.filter(
          ({ path, kind }) =>
            !catalog.isExcluded(path, root) && !isMirror(path) && !(isGitOnly && kind === "folder"),
        ),
      );
      const gone = catalog
        .all()
        .filter(({ path }) => isBelow(path, root) && !isMirror(path) && !existsSync(path));
      catalog.removeAll(gone.map(({ id }) => id));
      await onRepositoriesRemoved(gone);
      onScanned(root, parentFolders);
      this.#scanned?.add(root);
      return repositories;
    } finally {
      end();
    }
  }
}

/**
 * Returns the root of the repository that contains `folder`, or `folder` itself if there is none, git ignores the
 * folder, or the repository contains the whole home folder.
 */
async function resolveOpenFolder(folder: string, signal: AbortSignal): Promise<string> {
  const gitRepository = findEnclosingRepository(folder);
  const enclosing = gitRepository?.workTree;
  if (gitRepository === undefined || enclosing === undefined || enclosing === folder) return folder;
  if (homeFolder() === enclosing || isBelow(homeFolder(), enclosing)) return folder;
  const path = bytePath(Buffer.from(relative(enclosing, folder).split(sep).join("/")));
  return (await isIgnored(gitRepository, path, signal).catch(() => true)) ? folder : enclosing;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, "/"));
}
