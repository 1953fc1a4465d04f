/** From a folder to the repositories in it, by reading folders and small files: no git process. */
import * as fs from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ServiceError, throwIfAborted } from "#base/error";
import { Exclusion } from "#base/exclusion";
import type { RepositoryKind } from "#model/repository";
import { Pace } from "#platform/pace";
import { configValue, parseConfig } from "./config";
import { findPlace, type GitPlace, readText } from "./place";

export interface FoundRepository {
  readonly kind: RepositoryKind;
  /** The working tree of a clone, the git directory of a bare repository, the folder. Absolute and real. */
  readonly path: string;
  /** Absent for a folder. */
  readonly place?: GitPlace;
}

export interface Discovery {
  readonly repositories: readonly FoundRepository[];
  /** Folders that could not be read; what lies in them is not found. */
  readonly unreadable: readonly string[];
  /** Folders around repositories: a new one appears in one of them. Not all where there are very many. */
  readonly around: readonly string[];
}

export interface ScanChoice {
  /** How deep folders below the given one are looked into. */
  readonly scanDepth: number;
  /** Patterns of folders that are not looked into (`#base/exclusion`), from the given one or from the root of the disk. */
  readonly exclude: readonly string[];
  /** Whether submodules are repositories of their own. */
  readonly submodules: boolean;
}

export const usualScan: ScanChoice = { scanDepth: 4, exclude: [], submodules: true };

/** Hold no repository that anybody wrote, and very many folders. */
const neverScanned = new Set([".git", ".hg", ".svn", "node_modules"]);
const maxAround = 1000;
/** Others have their turn after so much time. */
const turnMs = 3;

/**
 * The repositories at and below `path`: clones, linked worktrees, submodules and bare repositories, each once by its
 * common git directory (a clone stands for its worktrees). Symbolic links are not followed, `path` itself aside. A
 * folder that holds no repository is itself one, of the kind `folder`.
 *
 * Throws NOT_FOUND for what is no folder.
 */
export async function discover(
  path: string,
  signal?: AbortSignal,
  choice: ScanChoice = usualScan,
): Promise<Discovery> {
  const root = realFolder(path);
  const scan = new Scan(root, choice);
  const waiting: { folder: string; depth: number; isInside: boolean }[] = [
    { folder: root, depth: 0, isInside: false },
  ];
  const around: string[] = [];
  const pace = new Pace(turnMs);
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    throwIfAborted(signal);
    const { isRepository, folders } = scan.visit(next.folder);
    const isInside = next.isInside || isRepository;
    if (!isInside && around.length < maxAround) around.push(next.folder);
    if (next.depth < choice.scanDepth)
      for (const folder of folders) waiting.push({ folder, depth: next.depth + 1, isInside });
    if (pace.isOver) await pace.rest();
  }
  const repositories = scan.repositories();
  if (repositories.length === 0)
    return { repositories: [{ kind: "folder", path: root }], unreadable: scan.unreadable, around: [] };
  return { repositories, unreadable: scan.unreadable, around };
}

function realFolder(path: string): string {
  try {
    const real = fs.realpathSync(path);
    if (fs.statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw new ServiceError("NOT_FOUND", `${path} is not there, or cannot be read.`, { cause });
  }
  throw new ServiceError("NOT_FOUND", `${path} is no folder.`);
}

class Scan {
  readonly unreadable: string[] = [];
  readonly #byCommonDir = new Map<string, FoundRepository>();
  readonly #root: string;
  readonly #exclusion: Exclusion;
  readonly #withSubmodules: boolean;
  /** Where submodules lie that nobody wants. */
  readonly #passedOver = new Set<string>();

  constructor(root: string, { exclude, submodules }: ScanChoice) {
    this.#root = root;
    this.#exclusion = new Exclusion(exclude);
    this.#withSubmodules = submodules;
  }

  /** Notes what the folder is, and gives the folders in it that are worth a look. */
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
    const place = mayBeRepository ? findPlace(folder) : undefined;
    if (place) this.#add(place);
    if (place && place.workTree === undefined && place.gitDir === folder)
      return { isRepository: true, folders: [] };
    if (place && names.has(".gitmodules")) this.#addSubmodules(folder);
    const folders = entries
      .filter((entry) => entry.isDirectory() && !neverScanned.has(entry.name))
      .map(({ name }) => join(folder, name))
      .filter((inside) => !this.#passedOver.has(inside) && !this.#isExcluded(inside));
    return { isRepository: place !== undefined, folders };
  }

  #isExcluded(folder: string): boolean {
    if (this.#exclusion.isEmpty) return false;
    const slashed = folder.split(sep).join("/");
    return (
      this.#exclusion.excludes(slashed.replace(/^\/+/, "")) ||
      this.#exclusion.excludes(relative(this.#root, folder).split(sep).join("/"))
    );
  }

  /** The clone itself wins over its worktrees, and the first of those over the others. */
  #add(place: GitPlace): void {
    const known = this.#byCommonDir.get(place.commonDir);
    const isMain = place.gitDir === place.commonDir;
    if (known && !isMain) return;
    this.#byCommonDir.set(place.commonDir, foundAt(place));
  }

  /** Submodules may lie deeper than a scan goes; where they are not wanted, a scan must not find them either. */
  #addSubmodules(workTree: string): void {
    const modules = parseConfig(readText(join(workTree, ".gitmodules")) ?? "");
    for (const key of modules.keys()) {
      const path = /^submodule\..*\.path$/s.test(key) ? configValue(modules, key) : undefined;
      if (path === undefined || isAbsolute(path)) continue;
      const folder = resolve(workTree, path);
      if (!this.#withSubmodules) {
        this.#passedOver.add(folder);
        continue;
      }
      const place = folder.startsWith(workTree + sep) ? findPlace(folder) : undefined;
      if (place?.workTree === undefined || !place.workTree.startsWith(workTree + sep)) continue;
      const isNew = !this.#byCommonDir.has(place.commonDir);
      this.#add(place);
      if (isNew) this.#addSubmodules(folder);
    }
  }

  repositories(): FoundRepository[] {
    return [...this.#byCommonDir.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** The repository whose working tree holds a folder, or is it. */
export function repositoryAround(folder: string): GitPlace | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const place = findPlace(at);
    if (place !== undefined) return place;
    if (dirname(at) === at) return undefined;
  }
}

/** What a place is found as. */
export function foundAt(place: GitPlace): FoundRepository {
  if (place.workTree !== undefined) return { kind: "clone", path: place.workTree, place };
  // `repo/.git` that says of itself that it is bare is known by the folder around it to nobody else.
  return { kind: "bare", path: place.gitDir, place };
}
