/**
 * Reads commits directly from a repository's files, with the same result as `git log`. Starting git takes longer than
 * reading a few hundred commits, and blocks this thread on Linux, because `fork` copies the page tables of the process.
 *
 * Functions return `undefined` where git must be used.
 */
import { partitionPoint } from "#base/binarySearch";
import { maxCommitBytes } from "#git/objects/commitHeader";
import { hasWholeHistory, ObjectDatabase } from "#git/objects/objectDatabase";
import { type Decorations, readDecorations } from "#git/refs/decorations";
import type { GitRepository } from "#git/repository";
import { type Commit, type CommitObject, formatTime, parseCommitObject } from "./commit";
import { type Mailmap, readMailmap } from "./mailmap";

/** Reading more commits takes longer than starting git. */
const maxCommits = 250;

/** Reads commits by their hashes, in the same order. */
export function readStoredCommits(
  repository: GitRepository,
  hashes: readonly string[],
): readonly Commit[] | undefined {
  if (hashes.length > maxCommits) return undefined;
  return StoredCommits.use(repository, (stored) => {
    const commits: Commit[] = [];
    for (const hash of hashes) {
      const found = stored.read(hash);
      if (found === undefined) return undefined;
      commits.push(stored.describe(found));
    }
    return commits;
  });
}

/** Reads a page of the commits reachable from `commit`, newest first. */
export function readStoredPage(
  repository: GitRepository,
  commit: string,
  skipped: number,
  count: number,
): readonly Commit[] | undefined {
  if (skipped + count > maxCommits) return undefined;
  return StoredCommits.use(repository, (stored) => {
    const walked = walk(stored, commit, skipped + count);
    return walked?.slice(skipped).map((each) => stored.describe(each));
  });
}

/**
 * Returns up to `count` commits in git's default order: repeatedly takes the pending commit with the latest committer date,
 * then adds its parents.
 */
function walk(stored: StoredCommits, start: string, count: number): CommitObject[] | undefined {
  const first = stored.read(start);
  if (first === undefined) return undefined;
  const seen = new Set([start]);
  const pending = [first];
  const walked: CommitObject[] = [];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    walked.push(next);
    if (walked.length >= count) break;
    for (const hash of next.parents) {
      if (seen.has(hash)) continue;
      seen.add(hash);
      const parent = stored.read(hash);
      if (parent === undefined) return undefined;
      const { time } = parent.committer;
      const older = partitionPoint(0, pending.length, (at) => (pending[at]?.committer.time ?? 0) >= time);
      pending.splice(older, 0, parent);
    }
  }
  return walked;
}

class StoredCommits {
  readonly #objects: ObjectDatabase;
  readonly #decorations: Decorations;
  readonly #mailmap: Mailmap;

  private constructor(objects: ObjectDatabase, decorations: Decorations, mailmap: Mailmap) {
    this.#objects = objects;
    this.#decorations = decorations;
    this.#mailmap = mailmap;
  }

  static use<Result>(
    repository: GitRepository,
    read: (stored: StoredCommits) => Result | undefined,
  ): Result | undefined {
    if (!hasWholeHistory(repository.commonDir)) return undefined;
    return ObjectDatabase.use(repository, (objects) => {
      if (objects === undefined) return undefined;
      const decorations = readDecorations(repository, objects);
      const mailmap = readMailmap(repository, objects);
      if (decorations === undefined || mailmap === undefined) return undefined;
      return read(new StoredCommits(objects, decorations, mailmap));
    });
  }

  read(hash: string): CommitObject | undefined {
    if (this.#objects.isExhausted) return undefined;
    const found = this.#objects.read(hash, maxCommitBytes);
    return found?.type === "commit" ? parseCommitObject(hash, found.bytes) : undefined;
  }

  describe({ hash, parents, author, committer, subject, body }: CommitObject): Commit {
    const mappedAuthor = this.#mailmap(author);
    const mappedCommitter = this.#mailmap(committer);
    return {
      hash,
      parents,
      date: formatTime(author),
      commitDate: formatTime(committer),
      authorName: mappedAuthor.name,
      authorEmail: mappedAuthor.email,
      committerName: mappedCommitter.name,
      committerEmail: mappedCommitter.email,
      refs: this.#decorations.get(hash) ?? "",
      subject,
      body,
    };
  }
}
