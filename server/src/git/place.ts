/** Where the parts of a repository lie, found by reading files. */
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { configValue, type GitConfig, parseConfig } from "./config";

/** Absolute real paths. */
export interface GitPlace {
  /** Absent for a bare repository. */
  readonly workTree?: string;
  /** `HEAD` and `index` lie here; a linked worktree has its own. */
  readonly gitDir: string;
  /** Configuration, refs and objects lie here; one for a clone and all its worktrees. */
  readonly commonDir: string;
}

/**
 * The repository whose root `path` is: a clone, a linked worktree, a submodule, a bare repository, or a clone's `.git`
 * folder, which stands for the clone. `undefined` for everything else, also for a `.git` file that leads nowhere.
 */
export function findPlace(path: string): GitPlace | undefined {
  const root = realPath(path);
  if (root === undefined) return undefined;
  const inside = placeOfWorkTree(root);
  if (inside) return inside;
  if (!isGitDirectory(root)) return undefined;
  if (basename(root) === ".git") {
    const around = placeOfWorkTree(dirname(root));
    if (around?.gitDir === root) return around;
  }
  return { gitDir: root, commonDir: commonDirectory(root) };
}

function placeOfWorkTree(workTree: string): GitPlace | undefined {
  const entry = join(workTree, ".git");
  const target = isFile(entry) ? gitFileTarget(entry) : entry;
  const gitDir = target === undefined ? undefined : realPath(target);
  if (gitDir === undefined || !isGitDirectory(gitDir)) return undefined;
  const commonDir = commonDirectory(gitDir);
  // A folder named `.git` may be a bare repository by its own word, as mirrors kept beside worktrees are.
  if (gitDir === join(workTree, ".git") && configValue(readConfig(commonDir), "core.bare") === "true") {
    return { gitDir, commonDir };
  }
  return { workTree, gitDir, commonDir };
}

/** The configuration of the repository alone; a file that cannot be read is empty. */
export function readConfig(commonDir: string): GitConfig {
  return parseConfig(readText(join(commonDir, "config")) ?? "");
}

/** `undefined` for a file that is not there, is no file, or cannot be read. */
export function readText(path: string): string | undefined {
  // Most that are asked for are not there, and an error costs ten times as much as this.
  if (!fs.existsSync(path)) return undefined;
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** What git itself asks of a git directory. */
function isGitDirectory(path: string): boolean {
  if (!hasHead(path)) return false;
  const common = commonDirectory(path);
  return isDirectory(join(common, "objects")) && isDirectory(join(common, "refs"));
}

/** HEAD may be a symbolic link to a branch that does not exist yet. */
function hasHead(path: string): boolean {
  try {
    return fs.lstatSync(join(path, "HEAD"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function gitFileTarget(path: string): string | undefined {
  const match = /^gitdir: (.+?)[\r\n]*$/s.exec(readText(path) ?? "");
  const target = match?.[1];
  return target === undefined ? undefined : resolve(dirname(path), target);
}

function commonDirectory(gitDir: string): string {
  const target = readText(join(gitDir, "commondir"))?.replace(/[\r\n]+$/, "");
  if (!target) return gitDir;
  return realPath(isAbsolute(target) ? target : join(gitDir, target)) ?? gitDir;
}

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

/** `undefined` also for what must not be looked at, and for a path through a file. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
