/** PATHs that were given, and what of them was removed since. */
import { sep } from "node:path";
import type { Repository } from "#model/repository";

export interface Places {
  /** In the order in which they were given. Absolute, real. */
  readonly paths: readonly string[];
  /** Below one of them, and passed over until it is given itself. */
  readonly excluded: readonly string[];
}

/** What is left, and the repositories that nothing leads to any more. */
export interface Forgotten {
  readonly places: Places;
  readonly forgotten: readonly Repository[];
}

/**
 * Given again, a path changes nothing; given for the first time it counts with all that lies below it, unless what was
 * removed there is to stay away.
 */
export function withPath(places: Places, path: string, keepsExcluded = false): Places {
  if (places.paths.includes(path)) return places;
  const excluded = places.excluded.filter((other) => keepsExcluded || !isInside(other, path));
  return { paths: [...places.paths, path], excluded };
}

/**
 * Also the repositories that are forgotten with it: those at and below it which have no path of their own there.
 * `staysAway`: it is passed over also where no other path leads to it at present.
 */
export function withoutPath(
  places: Places,
  path: string,
  repositories: readonly Repository[],
  staysAway = false,
): Forgotten {
  const paths = places.paths.filter((other) => other !== path);
  const forgotten = repositories.filter(
    (repository) =>
      isInside(repository.path, path) &&
      !paths.some((other) => isInside(other, path) && leadsTo(other, repository)),
  );
  const isBelowAPath = (place: string) => paths.some((other) => other !== place && isInside(place, other));
  const kept = places.excluded.filter(
    (other) => other !== path && (!isInside(other, path) || isBelowAPath(other)),
  );
  const isExcludedNow = forgotten.length > 0 && (staysAway || isBelowAPath(path));
  const wasExcluded = places.excluded.includes(path);
  return {
    places: { paths, excluded: isExcludedNow || wasExcluded ? [...kept, path] : kept },
    forgotten,
  };
}

/** Forgets one repository for good; others in its folder get paths of their own. */
export function withoutRepository(
  places: Places,
  { id, path }: Repository,
  repositories: readonly Repository[],
): Forgotten {
  const others = repositories.filter((other) => other.id !== id && isInside(other.path, path));
  const kept = others.reduce((known, other) => withPath(known, other.path, true), places);
  return withoutPath(kept, path, repositories, true);
}

/** Whether the path was removed, itself or with a folder around it, and not given since. */
export function isRemoved({ paths, excluded }: Places, path: string): boolean {
  return !paths.includes(path) && excluded.some((other) => isInside(path, other));
}

/** Whether a look at `root` passes `path` over. */
export function isExcluded({ excluded }: Places, path: string, root: string): boolean {
  return excluded.some((other) => other !== root && isInside(other, root) && isInside(path, other));
}

/** Whether `path` is `folder` or lies below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a look at `path` finds the repository; a plain folder is found at its own path only. */
function leadsTo(path: string, repository: Repository): boolean {
  return repository.kind === "folder" ? repository.path === path : isInside(repository.path, path);
}
