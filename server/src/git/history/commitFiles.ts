/**
 * Reads commits directly from a repository's files, with the same result as `git log`. Starting git takes longer than
 * reading some hundred commits, and on Linux it stops this thread while the memory of the whole process is mapped again.
 *
 * Functions return `undefined` where git must be used.
 */
import { hasPlainAncestry, maxDirectReads, ObjectDatabase } from "#git/objects/objectDatabase";
import { type RefNames, readRefNames } from "#git/refs/refNames";
import type { GitRepository } from "#git/repository";
import { type Commit, type CommitObject, formatTime, parseCommitObject } from "./commit";
import { type Mailmap, readMailmap } from "./mailmap";

/** Reading more commits takes longer than starting git. */
const maxCommits = 250;
const maxCommitBytes = 64 * 1024;

/** Reads commits by their hashes, in the same order. */
export function readCommitFiles(
  repository: GitRepository,
  hashes: readonly string[],
): readonly Commit[] | undefined {
  if (hashes.length > maxCommits) return undefined;
  return CommitFiles.use(repository, (files) => {
    const commits: Commit[] = [];
    for (const hash of hashes) {
      const found = files.read(hash);
      if (found === undefined) return undefined;
      commits.push(files.describe(found));
    }
    return commits;
  });
}

/** Reads a page of the commits reachable from `commit`, newest first. */
export function readCommitPageFiles(
  repository: GitRepository,
  commit: string,
  skipped: number,
  count: number,
): readonly Commit[] | undefined {
  if (skipped + count > maxCommits) return undefined;
  return CommitFiles.use(repository, (files) => {
    const walked = walk(files, commit, skipped + count);
    return walked?.slice(skipped).map((each) => files.describe(each));
  });
}

/** Returns up to `count` commits in git's default order: always the newest of those that a listed commit names. */
function walk(files: CommitFiles, start: string, count: number): CommitObject[] | undefined {
  const first = files.read(start);
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
      const parent = files.read(hash);
      if (parent === undefined) return undefined;
      const older = pending.findIndex(({ committer }) => committer.time < parent.committer.time);
      pending.splice(older < 0 ? pending.length : older, 0, parent);
    }
  }
  return walked;
}

class CommitFiles {
  readonly #objects: ObjectDatabase;
  readonly #names: RefNames;
  readonly #mailmap: Mailmap;

  private constructor(objects: ObjectDatabase, names: RefNames, mailmap: Mailmap) {
    this.#objects = objects;
    this.#names = names;
    this.#mailmap = mailmap;
  }

  static use<Result>(
    repository: GitRepository,
    read: (files: CommitFiles) => Result | undefined,
  ): Result | undefined {
    if (!hasPlainAncestry(repository.commonDir)) return undefined;
    return ObjectDatabase.use(repository, (objects) => {
      if (objects === undefined) return undefined;
      const names = readRefNames(repository, objects);
      const mailmap = readMailmap(repository, objects);
      if (names === undefined || mailmap === undefined) return undefined;
      return read(new CommitFiles(objects, names, mailmap));
    });
  }

  read(hash: string): CommitObject | undefined {
    if (this.#objects.reads > maxDirectReads) return undefined;
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
      refs: this.#names.get(hash) ?? "",
      subject,
      body,
    };
  }
}
