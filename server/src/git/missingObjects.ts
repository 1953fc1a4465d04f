/**
 * Objects that a repository refers to but does not contain, because it is a partial clone or damaged.
 *
 * Nothing is fetched on demand. The messages of all git commands about absent or unreadable objects are recognized
 * here, so that the same cause is reported as the same error everywhere.
 */
import { ServiceError } from "#base/error";
import { configValue } from "./config";
import { type GitRepository, readConfig } from "./repository";

/**
 * Git prints this as soon as it tries to fetch an object. It would then search all promised objects for it, which takes
 * many seconds in a large clone, so it is killed instead. Git before 2.45 may not know `GIT_NO_LAZY_FETCH`; the fetch
 * that it starts fails, because no transport is allowed.
 */
const refusedFetch = /lazy fetching disabled|transport '[^']*' not allowed|from promisor remote/;

export function triedToFetch(errorText: string): boolean {
  return refusedFetch.test(errorText);
}

const unreadable = new RegExp(
  [
    "(?:unable to|could not|cannot|failed to) (?:read|find|unpack|parse)(?: \\w+)? '?[0-9a-f]{40}",
    "(?:bad|missing)(?: \\w+)? object ",
    "object file .* is empty",
    "object [0-9a-f]{40,64} .*is corrupt",
    "failed to traverse parents of commit",
    "cannot simplify commit",
    "revision walk setup failed",
    "not a tree object",
    // Blame is only run for paths that are known to exist.
    "no such path .* in [0-9a-f]{40}",
    "inflate: ",
  ].join("|"),
  "i",
);

/** Whether git's error text says that an object is absent or cannot be read. */
export function isObjectMissing(errorText: string): boolean {
  return triedToFetch(errorText) || unreadable.test(errorText);
}

/** Returns an error that names the repository, the object if `stderr` contains its hash, and how to get it. */
export function objectMissing(repository: GitRepository, stderr: string, cause?: unknown): ServiceError {
  const { repositoryName, workTree, gitDir } = repository;
  const label = repositoryName === undefined ? (workTree ?? gitDir) : `"${repositoryName}"`;
  const hash = /\b[0-9a-f]{40,64}\b/.exec(stderr)?.[0];
  const object = hash === undefined ? "git objects" : `the git object ${hash}`;
  const why = isPartialClone(repository)
    ? 'because it is a partial clone. Run "git fetch --refetch --no-filter" in it to get everything.'
    : 'so it is damaged. Run "git fsck" in it to list what is missing, and "git fetch --refetch" to fetch it.';
  return new ServiceError(
    "NOT_FOUND",
    `Repository ${label} is missing ${object} that this request needs, ${why}`,
    cause === undefined ? {} : { cause },
  );
}

export function isPartialClone(repository: GitRepository): boolean {
  const config = readConfig(repository.commonDir);
  if (configValue(config, "extensions.partialclone") !== undefined) return true;
  return [...config.keys()].some(
    (key) => /^remote\..*\.promisor$/s.test(key) && configValue(config, key) !== "false",
  );
}
