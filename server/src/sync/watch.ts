/**
 * Watching: one `fs.watch` for each folder that holds documents, and for the few that hold refs.
 *
 * A watch on a folder tells of its own entries only. Where the system's limit is reached the rest is not watched, and
 * whoever asked is told (`isComplete`), so that it can look for itself now and then.
 */
import * as fs from "node:fs";
import { type BytePath, joined, onDisk } from "#git/bytePath";

/** What has happened in one repository since the last call. */
export interface WatchEvents {
  /** Files that appeared, changed or went. */
  readonly paths: ReadonlySet<BytePath>;
  /** Folders appeared or went, an ignore file changed, or more happened than is worth telling: look at everything. */
  readonly everything: boolean;
  /** A ref or HEAD was written. */
  readonly refs: boolean;
}

export interface WatchTarget {
  /** Absent for a bare repository. */
  readonly root?: string;
  /** Absolute folders in which a change means that refs may have moved. */
  readonly refFolders: readonly string[];
}

/** An editor saves by several steps (write beside, rename): they are told as one. */
const settleMs = 20;
/** Past this many, looking at everything is cheaper than asking for each. */
const maxPaths = 2_000;
const ignoreFiles = new Set([".gitignore", ".ignore"]);
/** In a git directory: `index`, `*.lock`, `FETCH_HEAD` and the like change often and mean nothing to us. */
const refFiles = /^(?:HEAD|packed-refs|refs|reftable|tables\.list)$/;

export class RepositoryWatch {
  readonly #target: WatchTarget;
  readonly #onEvents: (events: WatchEvents) => void;
  readonly #folders = new Map<BytePath, fs.FSWatcher>();
  readonly #refFolders = new Map<string, fs.FSWatcher>();
  #paths = new Set<BytePath>();
  #everything = false;
  #refs = false;
  #timer: NodeJS.Timeout | undefined;
  #isComplete = true;

  constructor(target: WatchTarget, onEvents: (events: WatchEvents) => void) {
    this.#target = target;
    this.#onEvents = onEvents;
    this.#watchRefs();
  }

  /** False where not all folders can be watched. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get watchedFolders(): number {
    return this.#folders.size + this.#refFolders.size;
  }

  /**
   * Watches exactly these folders of the working tree from now on. Gives whether there are new ones among them: what
   * has changed in those since they were looked at was not told.
   */
  setFolders(folders: Iterable<BytePath>): boolean {
    const { root } = this.#target;
    if (root === undefined) return false;
    const wanted = new Set(folders);
    let hasNew = false;
    this.#isComplete = true;
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) {
      if (!this.#isComplete) break;
      if (this.#folders.has(folder)) continue;
      this.#watchFolder(root, folder);
      hasNew ||= this.#folders.has(folder);
    }
    return hasNew;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of [...this.#folders.values(), ...this.#refFolders.values()]) watcher.close();
    this.#folders.clear();
    this.#refFolders.clear();
  }

  #watchFolder(root: string, folder: BytePath): void {
    const place = folder === "" ? root : onDisk(root, folder);
    const watcher = this.#watch(place, (name) => {
      if (name === undefined) this.#tell({ everything: true });
      else this.#entryChanged(root, folder, name);
    });
    if (watcher === undefined) return;
    this.#folders.set(folder, watcher);
    watcher.on("error", () => {
      watcher.close();
      this.#folders.delete(folder);
      this.#tell({ everything: true });
    });
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
    const gitFolders = new Set(this.#target.refFolders);
    for (const folder of wanted) {
      if (this.#refFolders.has(folder)) continue;
      const watcher = this.#watch(folder, (name) => {
        if (name?.endsWith(".lock")) return;
        if (gitFolders.has(folder) && name !== undefined && !refFiles.test(name)) return;
        this.#tell({ refs: true });
      });
      if (watcher === undefined) continue;
      watcher.on("error", () => this.#tell({ refs: true }));
      this.#refFolders.set(folder, watcher);
    }
  }

  /** Never keeps the process alive. `undefined` where the folder is gone or nothing more can be watched. */
  #watch(place: string | Buffer, onEntry: (name: string | undefined) => void): fs.FSWatcher | undefined {
    try {
      return fs.watch(place, { persistent: false, encoding: "latin1" }, (_, name) =>
        onEntry(name ?? undefined),
      );
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#isComplete = false;
      return undefined;
    }
  }

  #tell(event: { readonly path?: BytePath; readonly everything?: true; readonly refs?: true }): void {
    if (event.path !== undefined) this.#paths.add(event.path);
    if (event.everything || this.#paths.size > maxPaths) this.#everything = true;
    if (event.refs) this.#refs = true;
    this.#timer ??= setTimeout(() => this.#flush(), settleMs).unref();
  }

  #flush(): void {
    const events = { paths: this.#paths, everything: this.#everything, refs: this.#refs };
    this.#timer = undefined;
    this.#paths = new Set();
    this.#everything = false;
    this.#refs = false;
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
