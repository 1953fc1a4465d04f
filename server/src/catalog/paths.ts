/** The paths that users have added, and the paths below them that were removed. */
import { sep } from "node:path";
import { isPlainFolder, type Repository } from "#model/repository";

export interface PathSet {
  /** In order of addition. Absolute, without symbolic links. */
  readonly paths: readonly string[];
  /** Removed paths below one of `paths`. Scans skip them until they are added themselves. */
  readonly excluded: readonly string[];
}

/** The result of a removal: the remaining paths, and the repositories that no scan finds anymore. */
export interface Removal {
  readonly pathSet: PathSet;
  readonly removed: readonly Repository[];
}

/**
 * Adds a path. Adding it again changes nothing. Paths that were removed below it are included again, unless
 * `keepsExcluded`.
 */
export function withPath(pathSet: PathSet, path: string, keepsExcluded = false): PathSet {
  if (pathSet.paths.includes(path)) return pathSet;
  const excluded = pathSet.excluded.filter((other) => keepsExcluded || !isInside(other, path));
  return { paths: [...pathSet.paths, path], excluded };
}

/**
 * Removes a path, and the repositories at and below it that no other path reaches. `alwaysExcludes`: excludes the path
 * even if no other path reaches it now.
 */
export function withoutPath(
  pathSet: PathSet,
  path: string,
  repositories: readonly Repository[],
  alwaysExcludes = false,
): Removal {
  const paths = pathSet.paths.filter((other) => other !== path);
  const removed = repositories.filter(
    (repository) =>
      isInside(repository.path, path) &&
      !paths.some((other) => isInside(other, path) && canReach(other, repository)),
  );
  const isBelowAPath = (candidate: string) =>
    paths.some((other) => other !== candidate && isInside(candidate, other));
  const remaining = pathSet.excluded.filter(
    (other) => other !== path && (!isInside(other, path) || isBelowAPath(other)),
  );
  const isExcludedNow = removed.length > 0 && (alwaysExcludes || isBelowAPath(path));
  const wasExcluded = pathSet.excluded.includes(path);
  return {
    pathSet: { paths, excluded: isExcludedNow || wasExcluded ? [...remaining, path] : remaining },
    removed,
  };
}

/** Removes one repository permanently; others in its folder get paths of their own. */
export function withoutRepository(
  pathSet: PathSet,
  { id, path }: Repository,
  repositories: readonly Repository[],
): Removal {
  const others = repositories.filter((other) => other.id !== id && isInside(other.path, path));
  const remaining = others.reduce((known, other) => withPath(known, other.path, true), pathSet);
  return withoutPath(remaining, path, repositories, true);
}

/** Whether the path, or a folder above it, was removed and not added again. */
export function isRemoved({ paths, excluded }: PathSet, path: string): boolean {
  return !paths.includes(path) && excluded.some((other) => isInside(path, other));
}

/** Whether a scan of `root` skips `path`. */
export function isExcluded({ excluded }: PathSet, path: string, root: string): boolean {
  return excluded.some((other) => other !== root && isInside(other, root) && isInside(path, other));
}

/** Whether `path` is `folder` or below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a scan of `path` finds the repository. A plain folder is found only at its own path. */
function canReach(path: string, repository: Repository): boolean {
  return isPlainFolder(repository.kind) ? repository.path === path : isInside(repository.path, path);
}
