/**
 * Watching: one `fs.watch` for each folder that holds documents, and for the few that hold refs.
 *
 * A watch on a folder tells of its own entries only. Where the system's limit is reached the rest is asked for its
 * time instead (`folderPoll.ts`), and whoever asked is told (`isComplete`), so that it can look for itself now and then.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { type BytePath, joined, onDisk } from "#git/bytePath";
import { readEntryCount } from "#git/indexFile";
import type { FolderPoll } from "./folderPoll";

/** What has happened in one repository since the last call. */
export interface WatchEvents {
  /** Files that appeared, changed or went. */
  readonly paths: ReadonlySet<BytePath>;
  /** Folders appeared or went, an ignore file changed, or more happened than is worth telling: look at everything. */
  readonly everything: boolean;
  /** A ref or HEAD was written. */
  readonly refs: boolean;
  /** Git tracks more files than before, or fewer: one that is ignored may be among them. */
  readonly index: boolean;
}

export interface WatchTarget {
  /** Absent for a bare repository. */
  readonly root?: string;
  /** Where git's index lies; absent without one. */
  readonly gitDir?: string;
  /** Absolute folders in which a change means that refs may have moved. */
  readonly refFolders: readonly string[];
}

/** As `fs.watch` with names of one character a byte; throws where the system does not watch any more. */
export type WatchFolder = (
  place: string | Buffer,
  onEntry: (name: string | undefined) => void,
) => Pick<fs.FSWatcher, "close" | "on">;

/** Never keeps the process alive. */
export const watchFolder: WatchFolder = (place, onEntry) =>
  fs.watch(place, { persistent: false, encoding: "latin1" }, (_, name) => onEntry(name ?? undefined));

type Watcher = ReturnType<WatchFolder>;

/** An editor saves by several steps (write beside, rename): they are told as one. */
const settleMs = 20;
/** Past this many, looking at everything is cheaper than asking for each. */
const maxPaths = 2_000;
const ignoreFiles = new Set([".gitignore", ".ignore"]);
/** In a git directory: `*.lock`, `FETCH_HEAD` and the like change often and mean nothing to us. */
const refFiles = /^(?:HEAD|packed-refs|refs|reftable|tables\.list)$/;

export interface WatchMeans {
  readonly watchFolder: WatchFolder;
  /** For folders past the system's limit. */
  readonly poll: FolderPoll;
}

export class RepositoryWatch {
  readonly #target: WatchTarget;
  readonly #means: WatchMeans;
  readonly #onEvents: (events: WatchEvents) => void;
  readonly #folders = new Map<BytePath, Watcher>();
  readonly #refFolders = new Map<string, Watcher>();
  /** Folders that are asked for their times, each with what ends that. */
  readonly #polled = new Map<BytePath, () => void>();
  readonly #polledRefs = new Map<string, () => void>();
  #paths = new Set<BytePath>();
  #everything = false;
  #refs = false;
  #index = false;
  #entryCount: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(target: WatchTarget, means: WatchMeans, onEvents: (events: WatchEvents) => void) {
    this.#target = target;
    this.#means = means;
    this.#onEvents = onEvents;
    this.#entryCount = this.#readEntryCount();
    this.#watchRefs();
  }

  /** False where not all folders can be watched. */
  get isComplete(): boolean {
    return this.#polled.size + this.#polledRefs.size === 0;
  }

  /**
   * Watches exactly these folders of the working tree from now on. Gives whether there are new ones among them: what
   * has changed in those since they were looked at was not told.
   */
  setFolders(folders: Iterable<BytePath>): boolean {
    const { root } = this.#target;
    if (root === undefined || this.#isClosed) return false;
    const wanted = new Set(folders);
    const known = new Set([...this.#folders.keys(), ...this.#polled.keys()]);
    for (const folder of known) if (!wanted.has(folder)) this.#leave(folder);
    let mayWatch = true;
    for (const folder of wanted) {
      if (this.#folders.has(folder)) continue;
      // Where one is refused the next ones would be, too.
      if (mayWatch) mayWatch = this.#watchFolder(root, folder);
      if (mayWatch) this.#stopPolling(folder);
      else this.#pollFolder(root, folder);
    }
    // One that git names and the disk has not would be new each time.
    return [...wanted].some((folder) => !known.has(folder) && this.#sees(folder));
  }

  #sees(folder: BytePath): boolean {
    return this.#folders.has(folder) || this.#polled.has(folder);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const folder of [...this.#folders.keys(), ...this.#polled.keys()]) this.#leave(folder);
    for (const watcher of this.#refFolders.values()) watcher.close();
    for (const stop of this.#polledRefs.values()) stop();
    this.#refFolders.clear();
    this.#polledRefs.clear();
  }

  #leave(folder: BytePath): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
    this.#stopPolling(folder);
  }

  #stopPolling(folder: BytePath): void {
    this.#polled.get(folder)?.();
    this.#polled.delete(folder);
  }

  #pollFolder(root: string, folder: BytePath): void {
    if (this.#polled.has(folder)) return;
    const place = folder === "" ? root : onDisk(root, folder);
    this.#polled.set(
      folder,
      this.#means.poll.add(place, () => this.#tell({ everything: true })),
    );
  }

  /** Gives false where nothing more can be watched. */
  #watchFolder(root: string, folder: BytePath): boolean {
    const place = folder === "" ? root : onDisk(root, folder);
    const watcher = this.#watch(place, (name) => {
      if (name === undefined) this.#tell({ everything: true });
      else this.#entryChanged(root, folder, name);
    });
    if (watcher === undefined || watcher === "gone") return watcher === "gone";
    this.#folders.set(folder, watcher);
    watcher.on("error", () => {
      watcher.close();
      this.#folders.delete(folder);
      this.#tell({ everything: true });
    });
    return true;
  }

  #entryChanged(root: string, folder: BytePath, name: string): void {
    const path = joined(folder, name);
    if (path === ".git" || path.startsWith(".git/")) return;
    if (ignoreFiles.has(name)) this.#tell({ everything: true });
    const isKnownFolder = this.#folders.has(path);
    if (isFolder(root, path)) {
      // What happens in a folder that is watched is told by that watch; a new one must be looked into.
      if (!isKnownFolder) this.#tell({ everything: true });
    } else if (isKnownFolder) {
      this.#folders.get(path)?.close();
      this.#folders.delete(path);
      this.#tell({ everything: true });
    } else this.#tell({ path });
  }

  /** Ref folders come and go with branches like `a/b`; they are looked for again after each event. */
  #watchRefs(): void {
    const wanted = new Set(this.#target.refFolders.flatMap((folder) => [...foldersBelow(folder)]));
    for (const [folder, watcher] of this.#refFolders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#refFolders.delete(folder);
    }
    for (const [folder, stop] of this.#polledRefs) {
      if (wanted.has(folder)) continue;
      stop();
      this.#polledRefs.delete(folder);
    }
    for (const folder of wanted) if (!this.#refFolders.has(folder)) this.#watchRefFolder(folder);
  }

  #watchRefFolder(folder: string): void {
    const isGitFolder = this.#target.refFolders.includes(folder);
    const watcher = this.#watch(folder, (name) => {
      if (name?.endsWith(".lock")) return;
      if (isGitFolder && name === "index") this.#indexChanged(folder);
      else if (!isGitFolder || name === undefined || refFiles.test(name)) this.#tell({ refs: true });
    });
    if (watcher === "gone") return;
    if (watcher !== undefined) {
      this.#polledRefs.get(folder)?.();
      this.#polledRefs.delete(folder);
      watcher.on("error", () => this.#tell({ refs: true }));
      this.#refFolders.set(folder, watcher);
    } else if (!this.#polledRefs.has(folder)) {
      const stop = this.#means.poll.add(folder, () => {
        if (isGitFolder) this.#indexChanged(folder);
        this.#tell({ refs: true });
      });
      this.#polledRefs.set(folder, stop);
    }
  }

  /** Git writes its index often, mostly with the same files in it. */
  #indexChanged(folder: string): void {
    if (folder !== this.#target.gitDir) return;
    const count = this.#readEntryCount();
    if (count === this.#entryCount) return;
    this.#entryCount = count;
    this.#tell({ index: true });
  }

  #readEntryCount(): number | undefined {
    const { gitDir } = this.#target;
    return gitDir === undefined ? undefined : readEntryCount(join(gitDir, "index"));
  }

  /** `undefined` where nothing more can be watched. */
  #watch(place: string | Buffer, onEntry: (name: string | undefined) => void): Watcher | "gone" | undefined {
    try {
      return this.#means.watchFolder(place, onEntry);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      return code === "ENOENT" || code === "ENOTDIR" ? "gone" : undefined;
    }
  }

  #tell(event: Partial<Record<"everything" | "refs" | "index", true>> & { readonly path?: BytePath }): void {
    if (event.path !== undefined) this.#paths.add(event.path);
    if (event.everything || this.#paths.size > maxPaths) this.#everything = true;
    if (event.refs) this.#refs = true;
    if (event.index) this.#index = true;
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.#flush(), settleMs).unref();
  }

  #flush(): void {
    const events = {
      paths: this.#paths,
      everything: this.#everything,
      refs: this.#refs,
      index: this.#index,
    };
    this.#timer = undefined;
    this.#paths = new Set();
    this.#everything = false;
    this.#refs = false;
    this.#index = false;
    if (events.refs) this.#watchRefs();
    this.#onEvents(events);
  }
}

function isFolder(root: string, path: BytePath): boolean {
  try {
    return fs.lstatSync(onDisk(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** A git directory itself, and `refs` (or `reftable`) in it with all folders in that. */
function* foldersBelow(folder: string, isOfRefs = false): Generator<string> {
  yield folder;
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const holdsRefs = isOfRefs || entry.name === "refs" || entry.name === "reftable";
    if (entry.isDirectory() && holdsRefs) yield* foldersBelow(`${folder}/${entry.name}`, true);
  }
}
