/** Which refs of a repository are indexed, and at which commits. */
import { isServiceError } from "#base/error";
import { matchesAny } from "#base/glob";
import type { CommitHash, Revision } from "#model/repository";
import { runGit } from "./git";
import { type ReadObject, readObjects } from "./objects";
import type { GitPlace } from "./place";
import type { Ref, Refs } from "./refs";

export interface RevisionChoice {
  /** Globs of short names. */
  readonly branches: readonly string[];
  /** The same of what was fetched from others (`origin/main`); absent: none. */
  readonly remoteBranches?: readonly string[];
  readonly tags: readonly string[];
  /** Of the wanted tags, this many of the newest, by their own date or their commit's. */
  readonly newestTags: number;
}

export const allBranches: RevisionChoice = { branches: ["**"], tags: ["**"], newestTags: 20 };

export interface ChosenRevisions {
  /** The default one first, then branches by name, those of remotes, then tags, newest first. */
  readonly revisions: readonly Revision[];
  /** Name of the first; absent before the first commit. */
  readonly defaultRevision?: string;
  /** Of its commit, in milliseconds since 1970. */
  readonly committedAt?: number;
}

/** At most one git process, and none for an empty repository. */
export async function chooseRevisions(
  place: GitPlace,
  refs: Refs,
  choice: RevisionChoice,
  signal?: AbortSignal,
): Promise<ChosenRevisions> {
  const defaultRevision = chooseDefault(refs);
  const branches = named(refs, branchPrefix).filter(
    ([name]) =>
      name === defaultRevision?.name || matchesAny(choice.branches, name.slice(branchPrefix.length)),
  );
  const { remoteBranches = [] } = choice;
  const remotes = named(refs, remotePrefix).filter(([name]) => {
    const short = name.slice(remotePrefix.length);
    // It stands for one of the others.
    return !short.endsWith("/HEAD") && matchesAny(remoteBranches, short);
  });
  const tags = named(refs, tagPrefix).filter(([name]) =>
    matchesAny(choice.tags, name.slice(tagPrefix.length)),
  );
  const dates = await readDates(place, defaultRevision?.commit, choice.newestTags > 0 ? tags : [], signal);
  const revisions = [
    ...(defaultRevision ? [defaultRevision] : []),
    ...[...branches, ...remotes]
      .map(([name, { hash }]) => revision(name, hash))
      .filter(({ name }) => name !== defaultRevision?.name),
    ...dates.tags.slice(0, Math.max(choice.newestTags, 0)).map(({ name, commit }) => revision(name, commit)),
  ];
  if (defaultRevision === undefined) return { revisions };
  const committedAt = dates.commit === undefined ? {} : { committedAt: dates.commit * 1000 };
  return { revisions, defaultRevision: defaultRevision.name, ...committedAt };
}

const branchPrefix = "refs/heads/";
const remotePrefix = "refs/remotes/";
const tagPrefix = "refs/tags/";

/** Whether the branches of remotes have to be read. */
export function wantsRemotes({ remoteBranches = [] }: RevisionChoice): boolean {
  return remoteBranches.length > 0;
}

/** What `resolveRevision` passes on to git: no ranges, no paths, no searches in messages. */
const calculated = /^(?!-)(?!.*\.\.)[\w./@{}~^+-]{1,250}$/;

/**
 * The commit of a full ref name, a commit's hash or what git calculates from one; `undefined` where there is none.
 * The revision is called as it was asked for.
 */
export async function resolveRevision(
  place: GitPlace,
  refs: Refs,
  name: string,
  signal?: AbortSignal,
): Promise<Revision | undefined> {
  const ref = refs.refs.get(name);
  if (ref === undefined && !calculated.test(name)) return undefined;
  const asked = `${ref?.hash ?? name}^{commit}`;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", asked];
  const options = signal === undefined ? {} : { signal };
  const printed = await runGit(place, args, { ...options, acceptedExitCode: 1 }).catch((error: unknown) => {
    if (isServiceError(error, "GIT_FAILED")) return Buffer.alloc(0);
    throw error;
  });
  const hash = printed.toString("latin1").trim();
  return /^[0-9a-f]{40,64}$/.test(hash) ? revision(name, hash) : undefined;
}

/** What HEAD names. Where that does not exist (yet), a branch with one of the usual names, else the first. */
function chooseDefault({ head, refs }: Refs): Revision | undefined {
  if (head.kind === "detached") return revision("HEAD", head.hash);
  const candidates = [...(head.kind === "branch" ? [head.name] : []), "refs/heads/main", "refs/heads/master"];
  for (const name of [...candidates, ...named({ refs }, branchPrefix).map(([other]) => other)]) {
    const ref = refs.get(name);
    if (ref) return revision(name, ref.hash);
  }
  return undefined;
}

function named({ refs }: Pick<Refs, "refs">, prefix: string): [string, Ref][] {
  return [...refs].filter(([name]) => name.startsWith(prefix));
}

function revision(name: string, hash: string): Revision {
  return { name, commit: hash as CommitHash };
}

interface DatedTag {
  readonly name: string;
  readonly commit: string;
  /** Seconds since 1970. */
  readonly date: number;
}

/** The date of one commit, and the tags, newest first. Those that lead to no commit (some lead to a tree) are left out. */
async function readDates(
  place: GitPlace,
  commit: string | undefined,
  tags: readonly (readonly [string, Ref])[],
  signal: AbortSignal | undefined,
): Promise<{ commit: number | undefined; tags: DatedTag[] }> {
  const asked = tags.flatMap(([, { hash }]) => [hash, `${hash}^{commit}`]);
  if (commit !== undefined) asked.push(commit);
  const dated: DatedTag[] = [];
  let date: number | undefined;
  await readObjects(
    place,
    asked,
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

/** The head of a tag or commit is short; its message may be long. */
const maxTagBytes = 1024 * 1024;

/** Seconds since 1970: a tag's `tagger`, a commit's `committer`. */
function dateOf(object: ReadObject): number | undefined {
  if (object.kind !== "content") return undefined;
  const text = object.bytes.toString("latin1");
  const headEnd = text.indexOf("\n\n");
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const match = /^(?:tagger|committer) .*> (-?\d+) [+-]\d+$/m.exec(head);
  return match ? Number(match[1]) : undefined;
}
