/** Finds the repositories in a folder by reading directories and small files, without running git. */
import * as fs from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ServiceError, throwIfAborted } from "#base/error";
import { Exclusion } from "#base/exclusion";
import type { RepositoryKind } from "#model/repository";
import { TimeSlice } from "#platform/timeSlice";
import { configValue, parseConfig } from "./config";
import { findGitRepository, type GitRepository, readText } from "./repository";

export interface FoundRepository {
  readonly kind: RepositoryKind;
  /** The working tree of a clone, the git directory of a bare repository, or the folder. An absolute real path. */
  readonly path: string;
  /** Absent for a plain folder. */
  readonly gitRepository?: GitRepository;
}

export interface Discovery {
  readonly repositories: readonly FoundRepository[];
  /** Folders that could not be read. Repositories in them are not found. */
  readonly unreadable: readonly string[];
  /** Scanned folders outside of repositories, in which new repositories may appear. Capped at `maxParentFolders`. */
  readonly parentFolders: readonly string[];
}

export interface ScanSettings {
  /** How many levels below the given folder are scanned. */
  readonly scanDepth: number;
  /** Patterns of folders to skip (`#base/exclusion`), relative to the given folder or absolute. */
  readonly exclude: readonly string[];
  /** Whether submodules count as repositories of their own. */
  readonly submodules: boolean;
}

export const defaultScanSettings: ScanSettings = { scanDepth: 4, exclude: [], submodules: true };

/** Folders that contain no source repositories, but a great many subfolders. */
const neverScanned = new Set([".git", ".hg", ".svn", "node_modules"]);
const maxParentFolders = 1000;
/** How long a scan runs before it yields to the event loop. */
const timeSliceMs = 3;

/**
 * Finds the repositories at and below `path`: clones, linked worktrees, submodules and bare repositories. Repositories
 * that share a common git directory are returned once, as the clone if it is among them. Symbolic links are not
 * followed, except `path` itself. If there are no repositories, returns the folder itself, with kind `folder`.
 *
 * Throws NOT_FOUND if `path` is not a readable folder, and CANCELLED.
 */
export async function discover(
  path: string,
  signal?: AbortSignal,
  settings: ScanSettings = defaultScanSettings,
): Promise<Discovery> {
  const root = realFolder(path);
  const scan = new Scan(root, settings);
  const queue: { folder: string; depth: number; isInside: boolean }[] = [
    { folder: root, depth: 0, isInside: false },
  ];
  const parentFolders: string[] = [];
  const slice = new TimeSlice(timeSliceMs);
  for (let next = queue.shift(); next; next = queue.shift()) {
    throwIfAborted(signal);
    const { isRepository, folders } = scan.visit(next.folder);
    const isInside = next.isInside || isRepository;
    if (!isInside && parentFolders.length < maxParentFolders) parentFolders.push(next.folder);
    if (next.depth < settings.scanDepth)
      for (const folder of folders) queue.push({ folder, depth: next.depth + 1, isInside });
    if (slice.isExpired) await slice.yieldToEventLoop();
  }
  if (scan.unreadable.includes(root)) throw new ServiceError("NOT_FOUND", `${path} cannot be read.`);
  const repositories = scan.repositories();
  if (repositories.length === 0)
    return { repositories: [{ kind: "folder", path: root }], unreadable: scan.unreadable, parentFolders: [] };
  return { repositories, unreadable: scan.unreadable, parentFolders };
}

function realFolder(path: string): string {
  try {
    const real = fs.realpathSync(path);
    if (fs.statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw new ServiceError("NOT_FOUND", `${path} does not exist or cannot be read.`, { cause });
  }
  throw new ServiceError("NOT_FOUND", `${path} is not a folder.`);
}

class Scan {
  readonly unreadable: string[] = [];
  readonly #byCommonDir = new Map<string, FoundRepository>();
  readonly #root: string;
  readonly #exclusion: Exclusion;
  readonly #includesSubmodules: boolean;
  /** Folders of submodules that the settings exclude. */
  readonly #skippedSubmodules = new Set<string>();

  constructor(root: string, { exclude, submodules }: ScanSettings) {
    this.#root = root;
    this.#exclusion = new Exclusion(exclude);
    this.#includesSubmodules = submodules;
  }

  /** Records `folder` if it is a repository, and returns the subfolders to scan. */
  visit(folder: string): { readonly isRepository: boolean; readonly folders: readonly string[] } {
    let entries: fs.Dirent[];
    try {
      entries = fs.readdirSync(folder, { withFileTypes: true });
    } catch {
      this.unreadable.push(folder);
      return { isRepository: false, folders: [] };
    }
    const names = new Set(entries.map(({ name }) => name));
    const mayBeRepository = names.has(".git") || (names.has("HEAD") && names.has("objects"));
    const repository = mayBeRepository ? findGitRepository(folder) : undefined;
    if (repository) this.#add(repository);
    if (repository && repository.workTree === undefined && repository.gitDir === folder)
      return { isRepository: true, folders: [] };
    if (repository && names.has(".gitmodules")) this.#addSubmodules(folder);
    const folders = entries
      .filter((entry) => entry.isDirectory() && !neverScanned.has(entry.name))
      .map(({ name }) => join(folder, name))
      .filter((inside) => !this.#skippedSubmodules.has(inside) && !this.#isExcluded(inside));
    return { isRepository: repository !== undefined, folders };
  }

  #isExcluded(folder: string): boolean {
    if (this.#exclusion.isEmpty) return false;
    const slashed = folder.split(sep).join("/");
    return (
      this.#exclusion.excludes(slashed.replace(/^\/+/, "")) ||
      this.#exclusion.excludes(relative(this.#root, folder).split(sep).join("/"))
    );
  }

  /** Prefers the clone over its worktrees, and the first worktree over later ones. */
  #add(repository: GitRepository): void {
    const known = this.#byCommonDir.get(repository.commonDir);
    const isMain = repository.gitDir === repository.commonDir;
    if (known && !isMain) return;
    this.#byCommonDir.set(repository.commonDir, toFoundRepository(repository));
  }

  /** Adds submodules at any depth, or marks them to be skipped if the settings exclude them. */
  #addSubmodules(workTree: string): void {
    const modules = parseConfig(readText(join(workTree, ".gitmodules")) ?? "");
    for (const key of modules.keys()) {
      const path = /^submodule\..*\.path$/s.test(key) ? configValue(modules, key) : undefined;
      if (path === undefined || isAbsolute(path)) continue;
      const folder = resolve(workTree, path);
      if (!this.#includesSubmodules) {
        this.#skippedSubmodules.add(folder);
        continue;
      }
      const repository = folder.startsWith(workTree + sep) ? findGitRepository(folder) : undefined;
      if (repository?.workTree === undefined || !repository.workTree.startsWith(workTree + sep)) continue;
      const isNew = !this.#byCommonDir.has(repository.commonDir);
      this.#add(repository);
      if (isNew) this.#addSubmodules(folder);
    }
  }

  repositories(): FoundRepository[] {
    return [...this.#byCommonDir.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** Returns the repository whose working tree contains `folder` or is `folder`. */
export function findEnclosingRepository(folder: string): GitRepository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const repository = findGitRepository(at);
    if (repository !== undefined) return repository;
    if (dirname(at) === at) return undefined;
  }
}

export function toFoundRepository(repository: GitRepository): FoundRepository {
  if (repository.workTree !== undefined)
    return { kind: "clone", path: repository.workTree, gitRepository: repository };
  // A bare `repo/.git` keeps the path of its git directory, because nothing else calls it `repo`.
  return { kind: "bare", path: repository.gitDir, gitRepository: repository };
}
