/** Locates the directories of a git repository by reading files, without running git. */
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { ServiceError } from "#base/error";
import { realPath } from "#platform/files";
import { configValue, type GitConfig, parseConfig } from "./config";

/** The directories of a repository, as absolute real paths. */
export interface GitRepository {
  /** Used in error messages. */
  readonly repositoryName?: string;
  /** Absent for a bare repository. */
  readonly workTree?: string;
  /** Contains `HEAD` and `index`. A linked worktree has its own. */
  readonly gitDir: string;
  /** Contains the configuration, refs and objects. A clone shares it with all its worktrees. */
  readonly commonDir: string;
  /** A directory outside of the repository in which git finds a commit-graph (`service/history/commitGraphs.ts`). */
  readonly alternateObjects?: string;
}

/**
 * Returns the repository with its root at `path`: a clone, a linked worktree, a submodule, a bare repository, or a
 * clone's `.git` directory, which is treated as the clone. Returns `undefined` for everything else, including a `.git`
 * file with a broken target.
 */
export function findGitRepository(path: string): GitRepository | undefined {
  const root = realPath(path);
  if (root === undefined) return undefined;
  const inside = repositoryInWorkTree(root);
  if (inside) return inside;
  if (!isGitDirectory(root)) return undefined;
  if (basename(root) === ".git") {
    const enclosing = repositoryInWorkTree(dirname(root));
    if (enclosing?.gitDir === root) return enclosing;
  }
  return { gitDir: root, commonDir: readCommonDir(root) };
}

/** Like `findGitRepository`. Throws GIT_FAILED if there is no repository at `path`. */
export function openGitRepository(path: string): GitRepository {
  const repository = findGitRepository(path);
  if (repository) return repository;
  throw new ServiceError("GIT_FAILED", `${path} is no longer a git repository.`);
}

function repositoryInWorkTree(workTree: string): GitRepository | undefined {
  const entry = join(workTree, ".git");
  const target = isFile(entry) ? gitFileTarget(entry) : entry;
  const gitDir = target === undefined ? undefined : realPath(target);
  if (gitDir === undefined || !isGitDirectory(gitDir)) return undefined;
  const commonDir = readCommonDir(gitDir);
  // A `.git` directory with `core.bare` is a bare repository, such as a mirror kept next to its worktrees.
  if (gitDir === join(workTree, ".git") && configValue(readConfig(commonDir), "core.bare") === "true") {
    return { gitDir, commonDir };
  }
  return { workTree, gitDir, commonDir };
}

/** Reads the repository's own configuration. A file that cannot be read counts as empty. */
export function readConfig(commonDir: string): GitConfig {
  return parseConfig(readText(join(commonDir, "config")) ?? "");
}

/** Reads a UTF-8 file. Returns `undefined` if `path` does not exist, is not a file, or cannot be read. */
export function readText(path: string): string | undefined {
  // Most of these files do not exist, and an exception costs ten times as much as this check.
  if (!fs.existsSync(path)) return undefined;
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Makes the same checks as git (`is_git_directory`). */
function isGitDirectory(path: string): boolean {
  if (!hasHead(path)) return false;
  const common = readCommonDir(path);
  return isDirectory(join(common, "objects")) && isDirectory(join(common, "refs"));
}

/** Uses `lstat`, because HEAD may be a symbolic link to a branch that does not exist yet. */
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

function readCommonDir(gitDir: string): string {
  const target = readText(join(gitDir, "commondir"))?.replace(/[\r\n]+$/, "");
  if (!target) return gitDir;
  return realPath(isAbsolute(target) ? target : join(gitDir, target)) ?? gitDir;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

/** Also returns `undefined` if access is denied, or if a parent is a file. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
