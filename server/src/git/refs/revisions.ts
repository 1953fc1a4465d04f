/** Chooses which refs of a repository are indexed. */
import { isServiceError } from "#base/error";
import { matchesAny } from "#base/glob";
import { runGit } from "#git/git";
import { type ObjectResult, readObjects } from "#git/objects/readObjects";
import type { GitRepository } from "#git/repository";
import type { CommitHash, Revision } from "#model/repository";
import type { Ref, Refs } from "./refs";

export interface RevisionSettings {
  /** Globs of short branch names. */
  readonly branches: readonly string[];
  /** Globs of short remote branch names (`origin/main`); none if absent. */
  readonly remoteBranches?: readonly string[];
  readonly tags: readonly string[];
  /** How many of the matching tags are indexed, newest first by the tag's or its commit's date. */
  readonly newestTags: number;
}

export const defaultRevisionSettings: RevisionSettings = { branches: ["**"], tags: ["**"], newestTags: 20 };

export interface ChosenRevisions {
  /** The default revision, then branches by name, remote branches by name, and tags, newest first. */
  readonly revisions: readonly Revision[];
  /** Name of the first revision; absent before the first commit. */
  readonly defaultRevision?: string;
  /** Commit date of the default revision, in milliseconds since 1970. */
  readonly committedAt?: number;
}

/** Whether a ref is one such as `origin/HEAD`, which is only a symbolic ref to another remote-tracking branch. */
export function isRemoteHead(ref: string): boolean {
  return ref.startsWith(remotePrefix) && ref.endsWith("/HEAD");
}

/** Chooses the revisions to index. Usually starts at most one git process, and none for an empty repository. */
export async function chooseRevisions(
  repository: GitRepository,
  refs: Refs,
  settings: RevisionSettings,
  signal?: AbortSignal,
): Promise<ChosenRevisions> {
  const defaultRevision = chooseDefault(refs);
  const branches = refsWithPrefix(refs, branchPrefix).filter(
    ([name]) =>
      name === defaultRevision?.name || matchesAny(settings.branches, name.slice(branchPrefix.length)),
  );
  const { remoteBranches = [] } = settings;
  const remotes = refsWithPrefix(refs, remotePrefix).filter(
    ([name]) => !isRemoteHead(name) && matchesAny(remoteBranches, name.slice(remotePrefix.length)),
  );
  const tags = refsWithPrefix(refs, tagPrefix).filter(([name]) =>
    matchesAny(settings.tags, name.slice(tagPrefix.length)),
  );
  const dates = await readDates(
    repository,
    defaultRevision?.commit,
    settings.newestTags > 0 ? tags : [],
    signal,
  );
  const revisions = [
    ...(defaultRevision ? [defaultRevision] : []),
    ...[...branches, ...remotes]
      .map(([name, { hash }]) => toRevision(name, hash))
      .filter(({ name }) => name !== defaultRevision?.name),
    ...dates.tags
      .slice(0, Math.max(settings.newestTags, 0))
      .map(({ name, commit }) => toRevision(name, commit)),
  ];
  if (defaultRevision === undefined) return { revisions };
  const committedAt = dates.commit === undefined ? {} : { committedAt: dates.commit * 1000 };
  return { revisions, defaultRevision: defaultRevision.name, ...committedAt };
}

const branchPrefix = "refs/heads/";
const remotePrefix = "refs/remotes/";
const tagPrefix = "refs/tags/";

/** Whether remote branches must be read. */
export function wantsRemotes({ remoteBranches = [] }: RevisionSettings): boolean {
  return remoteBranches.length > 0;
}

/** Revisions that `resolveRevision` passes to git: no ranges, no paths, no message searches. */
const revisionExpression = /^(?!-)(?!.*\.\.)[\w./@{}~^+-]{1,250}$/;

/**
 * Resolves a full ref name, a hash or a revision expression. The returned revision has the requested name. Returns
 * `undefined` if there is no such commit.
 */
export async function resolveRevision(
  repository: GitRepository,
  refs: Refs,
  name: string,
  signal?: AbortSignal,
): Promise<Revision | undefined> {
  const ref = refs.refs.get(name);
  if (ref === undefined && !revisionExpression.test(name)) return undefined;
  const requested = `${ref?.hash ?? name}^{commit}`;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", requested];
  const options = signal === undefined ? {} : { signal };
  const printed = await runGit(repository, args, { ...options, acceptedExitCode: 1 }).catch(
    (error: unknown) => {
      // A revision whose objects are missing cannot be indexed either.
      if (isServiceError(error, "GIT_FAILED") || isServiceError(error, "NOT_FOUND")) return Buffer.alloc(0);
      throw error;
    },
  );
  const hash = printed.toString("latin1").trim();
  return /^[0-9a-f]{40,64}$/.test(hash) ? toRevision(name, hash) : undefined;
}

/** Returns the revision of HEAD or, if it does not exist, of `main`, `master`, or the first branch. */
function chooseDefault({ head, refs }: Refs): Revision | undefined {
  if (head.kind === "detached") return toRevision("HEAD", head.hash);
  const candidates = [...(head.kind === "branch" ? [head.name] : []), "refs/heads/main", "refs/heads/master"];
  for (const name of [...candidates, ...refsWithPrefix({ refs }, branchPrefix).map(([other]) => other)]) {
    const ref = refs.get(name);
    if (ref) return toRevision(name, ref.hash);
  }
  return undefined;
}

function refsWithPrefix({ refs }: Pick<Refs, "refs">, prefix: string): [string, Ref][] {
  return [...refs].filter(([name]) => name.startsWith(prefix));
}

function toRevision(name: string, hash: string): Revision {
  return { name, commit: hash as CommitHash };
}

interface DatedTag {
  readonly name: string;
  readonly commit: string;
  /** Seconds since 1970. */
  readonly date: number;
}

/** Returns the date of `commit`, and the tags of commits, newest first. */
async function readDates(
  repository: GitRepository,
  commit: string | undefined,
  tags: readonly (readonly [string, Ref])[],
  signal: AbortSignal | undefined,
): Promise<{ commit: number | undefined; tags: DatedTag[] }> {
  const requested = tags.flatMap(([, { hash }]) => [hash, `${hash}^{commit}`]);
  if (commit !== undefined) requested.push(commit);
  const dated: DatedTag[] = [];
  let date: number | undefined;
  await readObjects(
    repository,
    requested,
    maxTagBytes,
    (object, index) => {
      const [name] = tags[index >> 1] ?? [];
      if (name === undefined || index % 2 === 0) date = dateOf(object);
      else if (object.kind === "content" || object.kind === "tooLarge") {
        dated.push({ name, commit: object.hash, date: date ?? dateOf(object) ?? 0 });
      }
      return undefined;
    },
    signal,
  );
  dated.sort((a, b) => b.date - a.date || (a.name < b.name ? 1 : -1));
  return { commit: commit === undefined ? undefined : date, tags: dated };
}

/** The header of a tag or commit is short, but its message may be long. */
const maxTagBytes = 1024 * 1024;

/** Returns a tag's `tagger` date or a commit's `committer` date, in seconds since 1970. */
function dateOf(object: ObjectResult): number | undefined {
  if (object.kind !== "content") return undefined;
  const text = object.bytes.toString("latin1");
  const headEnd = text.indexOf("\n\n");
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const match = /^(?:tagger|committer) .*> (-?\d+) [+-]\d+$/m.exec(head);
  return match ? Number(match[1]) : undefined;
}
