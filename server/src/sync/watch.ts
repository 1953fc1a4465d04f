/**
 * Watches a repository with one `fs.watch` for each folder of documents, and for the few folders of refs.
 *
 * A watch only reports the entries of its own folder. Past the system's limit of watches, folders are polled instead
 * (`folderPoll.ts`); `isComplete` is then false, so that the owner can scan everything from time to time.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { type BytePath, diskPath, joinPath } from "#git/bytePath";
import { readEntryCount } from "#git/workTree/indexFile";
import { TimeSlice } from "#platform/timeSlice";
import type { FolderPoll } from "./folderPoll";

/** What has changed in one repository since the last call. */
export interface WatchEvents {
  /** Files that were created, changed or deleted. */
  readonly paths: ReadonlySet<BytePath>;
  /** Everything must be scanned: folders were created or deleted, an ignore file changed, or too many files changed. */
  readonly scansAll: boolean;
  /** A ref or HEAD was written. */
  readonly hasRefChanges: boolean;
  /** The number of tracked files has changed: an ignored file may now be tracked. */
  readonly hasIndexChanges: boolean;
}

export interface WatchTarget {
  /** Absent for a bare repository. */
  readonly root?: string;
  /** Contains git's index; absent without one. */
  readonly gitDir?: string;
  /** Absolute folders whose changes mean that refs may have moved. */
  readonly refFolders: readonly string[];
}

/** Works like `fs.watch`, with names in latin1 (one character per byte). Throws past the system's limit. */
export type WatchFolder = (
  path: string | Buffer,
  onEntry: (name: string | undefined) => void,
) => Pick<fs.FSWatcher, "close" | "on">;

/** Calls `fs.watch`. The watcher never keeps the process alive. */
export const watchFolder: WatchFolder = (path, onEntry) =>
  fs.watch(path, { persistent: false, encoding: "latin1" }, (_, name) => onEntry(name ?? undefined));

type Watcher = ReturnType<WatchFolder>;

interface WatchedFolder {
  readonly watcher: Watcher;
  /** See `folderIdentity`. */
  readonly identity: string | undefined;
}

/** Combines the steps of an editor's save (write a temporary file, rename it) into one event. */
const settleMs = 20;
/** With more changed paths than this, scanning everything is cheaper. */
const maxPaths = 2_000;
const ignoreFiles = new Set([".gitignore", ".ignore"]);
/** The relevant files of a git directory. `*.lock`, `FETCH_HEAD` and the like change often and do not matter. */
const refFiles = /^(?:HEAD|packed-refs|refs|reftable|tables\.list)$/;

export interface WatchBackend {
  readonly watchFolder: WatchFolder;
  /** Polls the folders that exceed the system's limit. */
  readonly poll: FolderPoll;
}

const foldersPerStep = 50;

export class RepositoryWatch {
  readonly #target: WatchTarget;
  readonly #backend: WatchBackend;
  readonly #onEvents: (events: WatchEvents) => void;
  readonly #folders = new Map<BytePath, WatchedFolder>();
  readonly #refFolders = new Map<string, WatchedFolder>();
  /** Polled folders, each with a function that stops polling. */
  readonly #polled = new Map<BytePath, () => void>();
  readonly #polledRefs = new Map<string, () => void>();
  #paths = new Set<BytePath>();
  #scansAll = false;
  #hasRefChanges = false;
  #hasIndexChanges = false;
  #entryCount: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(target: WatchTarget, backend: WatchBackend, onEvents: (events: WatchEvents) => void) {
    this.#target = target;
    this.#backend = backend;
    this.#onEvents = onEvents;
    this.#entryCount = this.#readEntryCount();
    this.#watchRefs();
  }

  /** False if some folders cannot be watched. */
  get isComplete(): boolean {
    return this.#polled.size + this.#polledRefs.size === 0;
  }

  /** Watches exactly these folders of the working tree from now on. Returns the same as `addFolders`. */
  setFolders(folders: Iterable<BytePath>): boolean {
    const wanted = new Set(folders);
    for (const folder of [...this.#folders.keys(), ...this.#polled.keys()])
      if (!wanted.has(folder)) this.#unwatch(folder);
    return this.addFolders(wanted);
  }

  /**
   * Watches these folders of the working tree, too. Returns whether any of them is new: changes in it between the scan
   * and the start of the watch were missed.
   */
  addFolders(folders: Iterable<BytePath>): boolean {
    const { root } = this.#target;
    if (root === undefined || this.#isClosed) return false;
    let hasNew = false;
    let mayWatch = true;
    for (const folder of folders) {
      if (this.#folders.has(folder)) continue;
      const isKnown = this.#polled.has(folder);
      // After one failure, watching the other folders would fail, too.
      if (mayWatch) mayWatch = this.#watchFolder(root, folder);
      if (mayWatch) this.#stopPolling(folder);
      else this.#pollFolder(root, folder);
      // A folder that does not exist on disk would count as new each time.
      if (!isKnown && this.#isWatched(folder)) hasNew = true;
    }
    return hasNew;
  }

  /** Like `addFolders`, for a whole working tree: lets other work run in between, because each takes system calls. */
  async addFoldersGradually(folders: readonly BytePath[]): Promise<void> {
    const slice = new TimeSlice();
    for (let at = 0; at < folders.length; at += foldersPerStep) {
      this.addFolders(folders.slice(at, at + foldersPerStep));
      if (slice.isExpired) await slice.yieldToEventLoop();
    }
  }

  #isWatched(folder: BytePath): boolean {
    return this.#folders.has(folder) || this.#polled.has(folder);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const folder of [...this.#folders.keys(), ...this.#polled.keys()]) this.#unwatch(folder);
    for (const { watcher } of this.#refFolders.values()) watcher.close();
    for (const stop of this.#polledRefs.values()) stop();
    this.#refFolders.clear();
    this.#polledRefs.clear();
  }

  #unwatch(folder: BytePath): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
    this.#stopPolling(folder);
  }

  /** Stops watching a folder that was deleted, moved or replaced, and all folders below it. */
  #unwatchBelow(folder: BytePath): void {
    const folders = [...this.#folders.keys(), ...this.#polled.keys()];
    for (const each of folders) if (each === folder || each.startsWith(`${folder}/`)) this.#unwatch(each);
  }

  #stopPolling(folder: BytePath): void {
    this.#polled.get(folder)?.();
    this.#polled.delete(folder);
  }

  #pollFolder(root: string, folder: BytePath): void {
    if (this.#polled.has(folder)) return;
    const path = folder === "" ? root : diskPath(root, folder);
    this.#polled.set(
      folder,
      this.#backend.poll.add(path, () => this.#report({ scansAll: true })),
    );
  }

  /** Returns false if the system cannot watch more folders. */
  #watchFolder(root: string, folder: BytePath): boolean {
    const path = folder === "" ? root : diskPath(root, folder);
    const identity = folderIdentity(path);
    const watcher = this.#watch(path, (name) => {
      if (name === undefined) this.#report({ scansAll: true });
      else this.#entryChanged(root, folder, name);
    });
    if (watcher === undefined || watcher === "gone") return watcher === "gone";
    this.#folders.set(folder, { watcher, identity });
    watcher.on("error", () => {
      watcher.close();
      this.#folders.delete(folder);
      this.#report({ scansAll: true });
    });
    return true;
  }

  #entryChanged(root: string, folder: BytePath, name: string): void {
    const path = joinPath(folder, name);
    if (path === ".git") this.#gitDirChanged();
    if (path === ".git" || path.startsWith(".git/")) return;
    if (ignoreFiles.has(name)) this.#report({ scansAll: true });
    const watched = this.#folders.get(path);
    const identity = folderIdentity(diskPath(root, path));
    if (watched === undefined && identity === undefined) this.#report({ path });
    // A watched folder reports its own changes. One that was deleted and created again is another folder.
    else if (watched === undefined || watched.identity !== identity) {
      this.#unwatchBelow(path);
      this.#report({ scansAll: true });
    }
  }

  /** A git directory that was deleted and created again must be watched again. */
  #gitDirChanged(): void {
    const { gitDir } = this.#target;
    if (gitDir !== undefined && !this.#refFolders.has(gitDir)) this.#report({ hasRefChanges: true });
  }

  /** Updates the set of watched ref folders: branches like `a/b` create and delete such folders. */
  #watchRefs(): void {
    const wanted = new Set(this.#target.refFolders.flatMap((folder) => [...refFoldersOf(folder)]));
    for (const [folder, { watcher, identity }] of this.#refFolders) {
      if (wanted.has(folder) && identity === folderIdentity(folder)) continue;
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
    const identity = folderIdentity(folder);
    const watcher = this.#watch(folder, (name) => {
      if (name?.endsWith(".lock")) return;
      if (isGitFolder && name === "index") this.#indexChanged(folder);
      else if (!isGitFolder || name === undefined || refFiles.test(name))
        this.#report({ hasRefChanges: true });
    });
    if (watcher === "gone") return;
    if (watcher !== undefined) {
      this.#polledRefs.get(folder)?.();
      this.#polledRefs.delete(folder);
      watcher.on("error", () => this.#report({ hasRefChanges: true }));
      this.#refFolders.set(folder, { watcher, identity });
    } else if (!this.#polledRefs.has(folder)) {
      const stop = this.#backend.poll.add(folder, () => {
        if (isGitFolder) this.#indexChanged(folder);
        this.#report({ hasRefChanges: true });
      });
      this.#polledRefs.set(folder, stop);
    }
  }

  /** Reports a change of git's index only if the number of its entries changed, because git writes it often. */
  #indexChanged(folder: string): void {
    if (folder !== this.#target.gitDir) return;
    const count = this.#readEntryCount();
    if (count === this.#entryCount) return;
    this.#entryCount = count;
    this.#report({ hasIndexChanges: true });
  }

  #readEntryCount(): number | undefined {
    const { gitDir } = this.#target;
    return gitDir === undefined ? undefined : readEntryCount(join(gitDir, "index"));
  }

  /** Returns `"gone"` if the folder does not exist, and `undefined` if the system cannot watch more folders. */
  #watch(path: string | Buffer, onEntry: (name: string | undefined) => void): Watcher | "gone" | undefined {
    try {
      return this.#backend.watchFolder(path, onEntry);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      return code === "ENOENT" || code === "ENOTDIR" ? "gone" : undefined;
    }
  }

  #report(
    event: Partial<Record<"scansAll" | "hasRefChanges" | "hasIndexChanges", true>> & {
      readonly path?: BytePath;
    },
  ): void {
    if (event.path !== undefined) this.#paths.add(event.path);
    if (event.scansAll || this.#paths.size > maxPaths) this.#scansAll = true;
    if (event.hasRefChanges) this.#hasRefChanges = true;
    if (event.hasIndexChanges) this.#hasIndexChanges = true;
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.#flush(), settleMs).unref();
  }

  #flush(): void {
    const events = {
      paths: this.#paths,
      scansAll: this.#scansAll,
      hasRefChanges: this.#hasRefChanges,
      hasIndexChanges: this.#hasIndexChanges,
    };
    this.#timer = undefined;
    this.#paths = new Set();
    this.#scansAll = false;
    this.#hasRefChanges = false;
    this.#hasIndexChanges = false;
    if (events.hasRefChanges) this.#watchRefs();
    this.#onEvents(events);
  }
}

/**
 * Returns what distinguishes a folder from a later one at the same path: the inode, which may be reused, and the time
 * of its creation. `undefined` if there is no folder at `path`.
 */
function folderIdentity(path: string | Buffer): string | undefined {
  try {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeNs}` : undefined;
  } catch {
    return undefined;
  }
}

/** Yields a git directory, and its `refs` (or `reftable`) folder with all subfolders. */
function* refFoldersOf(folder: string, isOfRefs = false): Generator<string> {
  yield folder;
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const containsRefs = isOfRefs || entry.name === "refs" || entry.name === "reftable";
    if (entry.isDirectory() && containsRefs) yield* refFoldersOf(`${folder}/${entry.name}`, true);
  }
}
