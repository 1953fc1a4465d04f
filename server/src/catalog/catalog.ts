/**
 * The list of repositories and of the paths that users have added: one readable file, `catalogue.json`.
 *
 * Adding and removing paths and repositories takes effect when it is on disk. If the write fails, these methods throw
 * STORAGE_FAILED and nothing has changed. Everything else (states, revisions, counts) is written in batches a moment
 * later, and at the latest by `close`: what a crash loses can be read again from the manifests and the repositories.
 * Ids are never reused.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { Repository, RepositoryId } from "#model/repository";
import { type Clock, systemClock } from "#platform/clock";
import { diskFiles, type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";
import type { RepositoryChange } from "./change";
import { newEntry, type RepositoryFacts, updatedEntry } from "./facts";
import { type CatalogEntry, type IndexedState, printCatalog } from "./format";
import { uniqueName } from "./naming";
import {
  isExcluded,
  isInside,
  isRemoved,
  type PathSet,
  type Removal,
  withoutPath,
  withoutRepository,
  withPath,
} from "./paths";
import { type KnownRepository, loadCatalog, rebuildCatalog } from "./recovery";

export type CatalogEvent =
  | { readonly kind: "changed"; readonly repository: Repository }
  | { readonly kind: "removed"; readonly repository: Repository };

export interface CatalogOptions {
  readonly log: Log;
  readonly files?: Files;
  readonly clock?: Clock;
  /** Repositories found in the manifests: they replace a lost file, and their ids are not reused. */
  readonly known?: Iterable<KnownRepository>;
}

/** How long changes are collected; a crash loses no more than that. */
const writeDelayMs = 1000;

interface RepositoryLists {
  readonly own: readonly Repository[];
  readonly packages: readonly Repository[];
}

export class Catalog {
  readonly #file: string;
  /** The folder of the repositories that code hosts list, instead of scans. */
  readonly #mirrors: string;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<(event: CatalogEvent) => void>();
  #pathSet: PathSet;
  #nextId: number;
  readonly #entries = new Map<RepositoryId, CatalogEntry>();
  readonly #idsByName = new Map<string, RepositoryId>();
  /** Without packages, several of which may share a folder. */
  readonly #idsByPath = new Map<string, RepositoryId>();
  /** Built on demand; replaced, never modified. */
  #lists: RepositoryLists | undefined;
  /** Ids sorted by name; rebuilt only when a name is added or removed. */
  #order: readonly RepositoryId[] | undefined;
  #cancelWrite: (() => void) | undefined;
  #hasWriteFailed = false;

  /**
   * Opens `catalogue.json` in the data directory. A damaged file is moved aside and rebuilt from `known`.
   *
   * Throws STORAGE_FAILED for a file of a newer format, or one that cannot be read.
   */
  static open(folder: string, options: CatalogOptions): Catalog {
    return new Catalog(join(folder, "catalogue.json"), join(realpathSync(folder), "mirrors"), options);
  }

  private constructor(
    file: string,
    mirrors: string,
    { log, files = diskFiles, clock = systemClock, known = [] }: CatalogOptions,
  ) {
    this.#file = file;
    this.#mirrors = mirrors;
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    const knownRepositories = [...known];
    const content = loadCatalog(file, files, clock, log) ?? rebuildCatalog(knownRepositories, mirrors);
    this.#pathSet = { paths: content.paths, excluded: content.excluded };
    for (const entry of content.entries) this.#put(entry);
    this.#nextId = Math.max(content.nextId, ...knownRepositories.map(({ repositoryId }) => repositoryId + 1));
  }

  /** The paths that were added and not removed, in order of addition. Absolute, without symbolic links. */
  get paths(): readonly string[] {
    return this.#pathSet.paths;
  }

  /** Removed paths below an added one. Scans skip them until they are added themselves. */
  get excluded(): readonly string[] {
    return this.#pathSet.excluded;
  }

  /** Whether a scan of `root` skips `path`. */
  isExcluded(path: string, root: string): boolean {
    return isExcluded(this.#pathSet, path, root);
  }

  /** Whether the path, or a folder above it, was removed and not added again. */
  isRemoved(path: string): boolean {
    return isRemoved(this.#pathSet, path);
  }

  /** Adds a path. `keepsExcluded`: paths that were removed below it stay removed. */
  addPath(path: string, keepsExcluded = false): void {
    const before = this.#pathSet;
    this.#pathSet = withPath(before, path, keepsExcluded);
    if (this.#pathSet === before) return;
    this.#writeOrUndo(() => {
      this.#pathSet = before;
    });
  }

  /** Adds the paths of another data directory, and those that were removed there. Returns how many are new. */
  addPaths({ paths, excluded }: PathSet): number {
    const before = this.#pathSet;
    const added = paths.filter((path) => !before.paths.includes(path));
    const removed = excluded.filter((path) => ![...before.paths, ...before.excluded].includes(path));
    this.#pathSet = {
      paths: [...before.paths, ...added],
      excluded: [...before.excluded, ...removed],
    };
    this.#writeOrUndo(() => {
      this.#pathSet = before;
    });
    return added.length;
  }

  /**
   * Removes an added path, or excludes a path below one. Returns the repositories that are removed with it. Scans of
   * other added paths skip it from then on.
   */
  removePath(path: string): readonly Repository[] {
    const reachable = this.all().filter((each) => !isInside(each.path, this.#mirrors));
    return this.#applyRemoval(withoutPath(this.#pathSet, path, reachable));
  }

  /** Removes one repository, but not others in its folder. Scans skip it until its path is added. */
  removeRepository(id: RepositoryId): void {
    const repository = this.get(id);
    if (repository !== undefined)
      this.#applyRemoval(withoutRepository(this.#pathSet, repository, this.all()));
  }

  #applyRemoval({ pathSet, removed }: Removal): readonly Repository[] {
    const before = this.#pathSet;
    this.#pathSet = pathSet;
    try {
      this.removeAll(removed.map(({ id }) => id));
    } catch (error) {
      this.#pathSet = before;
      throw error;
    }
    return removed;
  }

  /** All repositories except packages, by name. */
  all(): readonly Repository[] {
    return this.#sorted().own;
  }

  /** All packages, by name. */
  packages(): readonly Repository[] {
    return this.#sorted().packages;
  }

  #sorted(): RepositoryLists {
    this.#order ??= [...this.#idsByName.keys()].sort().flatMap((name) => this.#idsByName.get(name) ?? []);
    if (this.#lists === undefined) {
      const all = this.#order.flatMap((id) => this.get(id) ?? []);
      const isPackage = ({ kind }: Repository) => kind === "package";
      this.#lists = { own: all.filter((each) => !isPackage(each)), packages: all.filter(isPackage) };
    }
    return this.#lists;
  }

  get(id: RepositoryId): Repository | undefined {
    return this.#entries.get(id)?.repository;
  }

  /** Finds a repository by its exact full name, such as `github.com/owner/repo`. */
  byName(name: string): Repository | undefined {
    const id = this.#idsByName.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  /** Finds a repository by a name that it had before. */
  byFormerName(name: string): Repository | undefined {
    return this.all().find(({ formerNames }) => formerNames?.includes(name));
  }

  /** Returns the repository whose working tree or folder contains `path`; the innermost if they are nested. */
  containing(path: string): Repository | undefined {
    let innermost: Repository | undefined;
    for (const { repository } of this.#entries.values()) {
      const isInnermost = innermost === undefined || repository.path.length > innermost.path.length;
      if (isInnermost && contains(repository, path)) innermost = repository;
    }
    return innermost;
  }

  /** Whether the repository, identified as in `upsert`, is in the catalog. */
  has(fact: RepositoryFacts): boolean {
    return this.#find(fact) !== undefined;
  }

  /** Returns the name that a repository has unless another one has it; `""` without a remote. */
  remoteNameOf(id: RepositoryId): string {
    return this.#entries.get(id)?.preferredName ?? "";
  }

  /** Gives a repository the name of its remote, which another one had until now. */
  reclaimName(id: RepositoryId): void {
    const entry = this.#entries.get(id);
    const name = entry?.preferredName ?? "";
    if (entry === undefined || name === "" || this.#idsByName.has(name)) return;
    this.#drop(entry);
    this.#put({ ...entry, repository: { ...entry.repository, name } });
    this.#writeSoon();
    this.#notify({ kind: "changed", repository: { ...entry.repository, name } });
  }

  /** Returns the state stored by `markIndexed`. */
  indexedState(id: RepositoryId): IndexedState | undefined {
    return this.#entries.get(id)?.indexed;
  }

  /**
   * Adds new repositories and updates known ones, identified by their common git directory or else by their path, and
   * packages by their name, with a single write. Returns the repositories in the order of `facts`.
   */
  upsert(facts: readonly RepositoryFacts[]): readonly Repository[] {
    const nextId = this.#nextId;
    const undo: (() => void)[] = [];
    const events: Repository[] = [];
    const found = facts.map((fact) => {
      const old = this.#find(fact);
      const name = () => this.nameFor(fact, old?.repository.id);
      const entry = old ? updatedEntry(old, fact, name) : newEntry(this.#newId(fact.id), fact, name());
      if (entry !== old) {
        undo.push(() => {
          this.#drop(entry);
          if (old) this.#put(old);
        });
        if (old) this.#drop(old);
        this.#put(entry);
        events.push(entry.repository);
      }
      return entry.repository;
    });
    if (events.length === 0) return found;
    this.#writeOrUndo(() => {
      for (const step of undo.reverse()) step();
      this.#nextId = nextId;
    });
    for (const repository of events) this.#notify({ kind: "changed", repository });
    return found;
  }

  /** Changes fields of a repository. Returns the updated repository, or `undefined` if it has been removed. */
  update(id: RepositoryId, change: RepositoryChange): Repository | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    const before: Readonly<Record<string, unknown>> = { ...entry.repository };
    if (Object.entries(change).every(([name, value]) => before[name] === value)) return entry.repository;
    const merged = Object.entries({ ...entry.repository, ...change }).filter(
      ([, value]) => value !== undefined,
    );
    const repository = Object.fromEntries(merged) as unknown as Repository;
    this.#put({ ...entry, repository });
    // Progress is only for display, and is not stored.
    if (Object.keys(change).some((name) => name !== "progress")) this.#writeSoon();
    this.#notify({ kind: "changed", repository });
    return repository;
  }

  /** Stores what the index of a repository was built from, for the next start. */
  markIndexed(id: RepositoryId, indexed: IndexedState): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#put({ ...entry, indexed });
    this.#writeSoon();
  }

  /** Removes repositories. Their ids are never reused. */
  removeAll(ids: readonly RepositoryId[]): void {
    const removed = ids.map((id) => this.#entries.get(id)).filter((entry) => entry !== undefined);
    if (removed.length === 0) return;
    for (const entry of removed) this.#drop(entry);
    this.#writeOrUndo(() => {
      for (const entry of removed) this.#put(entry);
    });
    for (const { repository } of removed) this.#notify({ kind: "removed", repository });
  }

  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  onChange(listener: (event: CatalogEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes pending changes. Throws STORAGE_FAILED. */
  flush(): void {
    if (this.#cancelWrite) this.#write();
  }

  close(): void {
    this.#listeners.clear();
    this.flush();
  }

  #find(fact: RepositoryFacts): CatalogEntry | undefined {
    if (fact.kind === "package") {
      const known = this.#entries.get(this.#idsByName.get(fact.remoteName ?? "") ?? (0 as RepositoryId));
      return known?.repository.kind === "package" ? known : undefined;
    }
    const id = this.#idsByPath.get(fact.gitDir ?? fact.path) ?? this.#idsByPath.get(fact.path);
    return id === undefined ? undefined : this.#entries.get(id);
  }

  #newId(wanted: RepositoryId | undefined): RepositoryId {
    const id = wanted !== undefined && !this.#entries.has(wanted) ? wanted : (this.#nextId as RepositoryId);
    this.#nextId = Math.max(this.#nextId, id + 1);
    return id;
  }

  /** Returns the name that the repository would have; `own` is its id if it has one. */
  nameFor(fact: RepositoryFacts, own?: RepositoryId): string {
    return uniqueName(fact.remoteName, fact.path, (name) => {
      const owner = this.#idsByName.get(name);
      return owner !== undefined && owner !== own;
    });
  }

  #put(entry: CatalogEntry): void {
    const { id, name, kind, path, gitDir } = entry.repository;
    if (this.#entries.get(id)?.repository.name !== name) this.#order = undefined;
    this.#entries.set(id, entry);
    this.#idsByName.set(name, id);
    if (kind !== "package") this.#idsByPath.set(path, id);
    if (gitDir !== undefined) this.#idsByPath.set(gitDir, id);
    this.#lists = undefined;
  }

  #drop({ repository: { id, name, kind, path, gitDir } }: CatalogEntry): void {
    this.#entries.delete(id);
    this.#idsByName.delete(name);
    if (kind !== "package") this.#idsByPath.delete(path);
    if (gitDir !== undefined) this.#idsByPath.delete(gitDir);
    this.#lists = undefined;
    this.#order = undefined;
  }

  #notify(event: CatalogEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#clock.after(writeDelayMs, () => {
      try {
        this.#write();
      } catch (error) {
        if (!this.#hasWriteFailed) this.#log.error("Cannot write the catalog; retrying later.", { error });
        this.#hasWriteFailed = true;
        this.#writeSoon();
      }
    });
  }

  #write(): void {
    this.#cancelWrite?.();
    const content = {
      nextId: this.#nextId,
      ...this.#pathSet,
      entries: [...this.#entries.values()],
    };
    try {
      replaceFile(this.#files, this.#file, printCatalog(content));
      this.#hasWriteFailed = false;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError("STORAGE_FAILED", `Cannot write the catalog to ${this.#file}: ${reason}`, {
        cause,
      });
    } finally {
      this.#cancelWrite = undefined;
    }
  }

  #writeOrUndo(undo: () => void): void {
    try {
      this.#write();
    } catch (error) {
      undo();
      throw error;
    }
  }
}

/** Whether a path is in the working tree or folder of a repository. */
function contains({ kind, path: root, entries }: Repository, path: string): boolean {
  if (kind === "bare" || !isInside(path, root)) return false;
  return entries === undefined || entries.some((entry) => isInside(path, join(root, entry)));
}
