/**
 * What is known of each repository, and which PATHs were given: one file, `catalogue.json`, readable without a
 * database.
 *
 * Ids are given once and never again; they are on disk before anybody sees them. Everything else (states, revisions,
 * counts) is written a moment later, many changes at once, and at the latest by `close`: what a crash takes can be
 * read again from the manifests and from the repositories themselves.
 */
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { CodeHostType, Repository, RepositoryId, RepositoryKind } from "#model/repository";
import { type Clock, systemClock } from "#platform/clock";
import { diskFiles, type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";
import type { RepositoryChange } from "./change";
import { type CatalogueEntry, type IndexedState, printCatalogue } from "./format";
import { uniqueName } from "./naming";
import {
  type Forgotten,
  isExcluded,
  isInside,
  isRemoved,
  type Places,
  withoutPath,
  withoutRepository,
  withPath,
} from "./places";
import { catalogueOf, type KnownRepository, loadCatalogue } from "./recovery";

/** What a look at a repository's folder tells. */
export interface RepositoryFacts {
  readonly kind: RepositoryKind;
  readonly path: string;
  readonly gitDir?: string;
  /** Host and path of the remote's URL, where it has one. */
  readonly remoteName?: string;
  readonly codeHostType: CodeHostType;
  readonly hostUrl?: string;
}

export type CatalogueEvent =
  | { readonly kind: "changed"; readonly repository: Repository }
  | { readonly kind: "removed"; readonly repository: Repository };

export interface CatalogueOptions {
  readonly log: Log;
  readonly files?: Files;
  readonly clock?: Clock;
  /** From the manifests; used where the file is lost, and for ids that must not be given again. */
  readonly known?: Iterable<KnownRepository>;
}

/** Changes are gathered for so long; a crash takes no more than that. */
const writeDelayMs = 1000;

export class Catalogue {
  readonly #file: string;
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<(event: CatalogueEvent) => void>();
  #places: Places;
  #nextId: number;
  readonly #entries = new Map<RepositoryId, CatalogueEntry>();
  readonly #idsByName = new Map<string, RepositoryId>();
  readonly #idsByPlace = new Map<string, RepositoryId>();
  /** Made when asked for; replaced, never changed. */
  #all: readonly Repository[] | undefined;
  /** Ids by name; made anew only where a name comes or goes. */
  #order: readonly RepositoryId[] | undefined;
  #cancelWrite: (() => void) | undefined;

  /**
   * Opens `catalogue.json` in the data directory. A damaged one is put aside and made again from `known`.
   *
   * Throws STORAGE_FAILED for a file of a newer format, or one that cannot be read.
   */
  static open(folder: string, options: CatalogueOptions): Catalogue {
    return new Catalogue(join(folder, "catalogue.json"), options);
  }

  private constructor(
    file: string,
    { log, files = diskFiles, clock = systemClock, known = [] }: CatalogueOptions,
  ) {
    this.#file = file;
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    const knownRepositories = [...known];
    const content = loadCatalogue(file, files, clock, log) ?? catalogueOf(knownRepositories);
    this.#places = { paths: content.paths, excluded: content.excluded };
    for (const entry of content.entries) this.#put(entry);
    this.#nextId = Math.max(content.nextId, ...knownRepositories.map(({ repositoryId }) => repositoryId + 1));
  }

  /** PATHs that were given and not removed since, in the order in which they came. Absolute, real. */
  get paths(): readonly string[] {
    return this.#places.paths;
  }

  /** What lies below remembered PATHs and was removed since: it is passed over until it is given itself. */
  get excluded(): readonly string[] {
    return this.#places.excluded;
  }

  /** Whether a look at `root` passes `path` over. */
  isExcluded(path: string, root: string): boolean {
    return isExcluded(this.#places, path, root);
  }

  /** Whether the path was removed, itself or with a folder around it, and not remembered since. */
  isRemoved(path: string): boolean {
    return isRemoved(this.#places, path);
  }

  /** `keepsExcluded`: what was removed below it stays away. */
  rememberPath(path: string, keepsExcluded = false): void {
    const before = this.#places;
    this.#places = withPath(before, path, keepsExcluded);
    if (this.#places === before) return;
    this.#writeOr(() => {
      this.#places = before;
    });
  }

  /**
   * Forgets a PATH, or what lies at it; gives the repositories that are forgotten with it. What another remembered PATH
   * would find again is passed over from then on.
   */
  forgetPath(path: string): readonly Repository[] {
    return this.#forget(withoutPath(this.#places, path, this.all()));
  }

  /** Forgets one repository, whatever else lies in its folder; it is passed over until its path is remembered. */
  forgetRepository(id: RepositoryId): void {
    const repository = this.get(id);
    if (repository !== undefined) this.#forget(withoutRepository(this.#places, repository, this.all()));
  }

  #forget({ places, forgotten }: Forgotten): readonly Repository[] {
    const before = this.#places;
    this.#places = places;
    try {
      this.removeAll(forgotten.map(({ id }) => id));
    } catch (error) {
      this.#places = before;
      throw error;
    }
    return forgotten;
  }

  /** All repositories, by name. */
  all(): readonly Repository[] {
    this.#order ??= [...this.#idsByName.keys()].sort().flatMap((name) => this.#idsByName.get(name) ?? []);
    this.#all ??= this.#order.flatMap((id) => this.get(id) ?? []);
    return this.#all;
  }

  get(id: RepositoryId): Repository | undefined {
    return this.#entries.get(id)?.repository;
  }

  /** By the exact fully-qualified name. */
  byName(name: string): Repository | undefined {
    const id = this.#idsByName.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  /** The repository whose working tree or folder holds `path`: the innermost, where one lies in another. */
  containing(path: string): Repository | undefined {
    let innermost: Repository | undefined;
    for (const repository of this.all()) {
      const isInnermost = innermost === undefined || repository.path.length > innermost.path.length;
      if (repository.kind !== "bare" && isInnermost && isInside(path, repository.path))
        innermost = repository;
    }
    return innermost;
  }

  knows(fact: RepositoryFacts): boolean {
    return this.#find(fact) !== undefined;
  }

  /** What was remembered with `markIndexed`. */
  indexedState(id: RepositoryId): IndexedState | undefined {
    return this.#entries.get(id)?.indexed;
  }

  /**
   * Adds what is new and brings up to date what is known (by its common git directory, else by its path), with one
   * write for all. Gives the repositories in the order of `facts`. Throws STORAGE_FAILED, and nothing has changed then.
   */
  upsert(facts: readonly RepositoryFacts[]): readonly Repository[] {
    const nextId = this.#nextId;
    const undo: (() => void)[] = [];
    const events: Repository[] = [];
    const found = facts.map((fact) => {
      const old = this.#find(fact);
      const entry = old ? this.#renewed(old, fact) : this.#created(fact);
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
    this.#writeOr(() => {
      for (const step of undo.reverse()) step();
      this.#nextId = nextId;
    });
    for (const repository of events) this.#tell({ kind: "changed", repository });
    return found;
  }

  /** Gives the changed repository; one that was removed meanwhile changes nothing and gives `undefined`. */
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
    // Progress is for those who look now; it is never read again.
    if (Object.keys(change).some((name) => name !== "progress")) this.#writeSoon();
    this.#tell({ kind: "changed", repository });
    return repository;
  }

  /** Remembers what the index of a repository was made from, for the next start. */
  markIndexed(id: RepositoryId, indexed: IndexedState): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#put({ ...entry, indexed });
    this.#writeSoon();
  }

  /** Their ids are never given again. */
  removeAll(ids: readonly RepositoryId[]): void {
    const removed = ids.map((id) => this.#entries.get(id)).filter((entry) => entry !== undefined);
    for (const entry of removed) this.#drop(entry);
    this.#writeOr(() => {
      for (const entry of removed) this.#put(entry);
    });
    for (const { repository } of removed) this.#tell({ kind: "removed", repository });
  }

  /** Calls for each change after it counts; gives what ends that. */
  onChange(listener: (event: CatalogueEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what is not written yet. Throws STORAGE_FAILED. */
  flush(): void {
    if (this.#cancelWrite) this.#write();
  }

  close(): void {
    this.#listeners.clear();
    this.flush();
  }

  #find(fact: RepositoryFacts): CatalogueEntry | undefined {
    const id = this.#idsByPlace.get(fact.gitDir ?? fact.path) ?? this.#idsByPlace.get(fact.path);
    return id === undefined ? undefined : this.#entries.get(id);
  }

  #created(fact: RepositoryFacts): CatalogueEntry {
    const id = this.#nextId++ as RepositoryId;
    const { remoteName, ...known } = fact;
    return {
      preferredName: remoteName ?? "",
      repository: {
        ...known,
        id,
        name: this.nameFor(fact),
        isFork: false,
        isArchived: false,
        isPublic: false,
        revisions: [],
        state: "queued",
        documentCount: 0,
        skippedCount: 0,
        contentBytes: 0,
        indexBytes: 0,
      },
    };
  }

  /** The same entry where nothing has changed. A name once given stays, unless the remote's URL has changed. */
  #renewed(entry: CatalogueEntry, fact: RepositoryFacts): CatalogueEntry {
    const { remoteName = "", ...known } = fact;
    const isRenamed = remoteName !== entry.preferredName;
    const { hostUrl: _, gitDir: __, ...rest } = entry.repository;
    const name = isRenamed ? this.nameFor(fact, entry.repository.id) : entry.repository.name;
    const repository: Repository = { ...rest, ...known, name };
    const isSame =
      !isRenamed &&
      (["kind", "path", "gitDir", "codeHostType", "hostUrl"] as const).every(
        (field) => repository[field] === entry.repository[field],
      );
    return isSame ? entry : { ...entry, preferredName: remoteName, repository };
  }

  /** The name that the repository would have; `own` is its id where it has one. */
  nameFor(fact: RepositoryFacts, own?: RepositoryId): string {
    return uniqueName(fact.remoteName, fact.path, (name) => {
      const holder = this.#idsByName.get(name);
      return holder !== undefined && holder !== own;
    });
  }

  #put(entry: CatalogueEntry): void {
    const { id, name, path, gitDir } = entry.repository;
    if (this.#entries.get(id)?.repository.name !== name) this.#order = undefined;
    this.#entries.set(id, entry);
    this.#idsByName.set(name, id);
    this.#idsByPlace.set(path, id);
    if (gitDir !== undefined) this.#idsByPlace.set(gitDir, id);
    this.#all = undefined;
  }

  #drop({ repository: { id, name, path, gitDir = path } }: CatalogueEntry): void {
    this.#entries.delete(id);
    this.#idsByName.delete(name);
    this.#idsByPlace.delete(path);
    this.#idsByPlace.delete(gitDir);
    this.#all = undefined;
    this.#order = undefined;
  }

  #tell(event: CatalogueEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#clock.after(writeDelayMs, () => {
      try {
        this.#write();
      } catch (error) {
        this.#log.error("The catalogue could not be written; it is tried again.", { error });
        this.#writeSoon();
      }
    });
  }

  #write(): void {
    this.#cancelWrite?.();
    const content = {
      nextId: this.#nextId,
      ...this.#places,
      entries: [...this.#entries.values()],
    };
    try {
      replaceFile(this.#files, this.#file, printCatalogue(content));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError(
        "STORAGE_FAILED",
        `The catalogue cannot be written to ${this.#file}: ${reason}`,
        { cause },
      );
    } finally {
      this.#cancelWrite = undefined;
    }
  }

  #writeOr(undo: () => void): void {
    try {
      this.#write();
    } catch (error) {
      undo();
      throw error;
    }
  }
}
