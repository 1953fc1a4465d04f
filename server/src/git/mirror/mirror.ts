/**
 * Creates and updates mirrors: bare repositories with the branches and tags of a remote. Only Trawl writes to them, and
 * only one update of a mirror may run at once.
 *
 * A mirror takes its place only when its first fetch is complete. No remote is stored in it, so that nothing but these
 * functions fetches into it.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import { readRefs, refLines } from "#git/refs/refs";
import { openGitRepository } from "#git/repository";
import { type Files, replaceFile, replaceFileUnflushed } from "#platform/files";
import { packBytes, watchSize } from "./diskSpace";
import { MirrorDamaged, type NetworkOptions, type Remote, runNetworkGit } from "./networkGit";
import { draftSuffix, replacedSuffix, sweepMirror } from "./sweep";

export interface MirrorOptions extends NetworkOptions {
  readonly files: Files;
  /** Short name of the default branch, if the host named one. */
  readonly defaultBranch?: string | undefined;
  /**
   * How many commits of each branch and tag a new mirror gets. A mirror with the whole history keeps it; without a depth, a
   * mirror gets the whole history.
   */
  readonly depth?: number | undefined;
  /** A clone or fetch that makes the mirror larger is stopped. */
  readonly maxBytes?: number | undefined;
}

export interface MirrorUpdate {
  /** Whether a ref or HEAD differs from before. */
  readonly hasMoved: boolean;
  /** Whether the remote has no branches and tags. */
  readonly isEmpty: boolean;
}

/** Not `--mirror`, which includes the refs of all pull requests, often most of the repository. */
const refspecs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

/**
 * Clones a remote to `path` if there is nothing, and else fetches what has changed. A mirror that lacks objects is
 * replaced by a new clone.
 *
 * Throws GIT_FAILED, TIMED_OUT, ANSWER_TOO_LARGE beyond `maxBytes`, and CANCELLED. The mirror is then as before, except
 * that some of its refs may have been updated.
 */
export async function updateMirror(
  path: string,
  remote: Remote,
  options: MirrorOptions,
): Promise<MirrorUpdate> {
  if (!existsSync(path)) {
    const draft = await cloneDraft(path, remote, options);
    options.files.rename(draft, path);
    return { hasMoved: true, isEmpty: (await stateOf(path)).isEmpty };
  }
  try {
    const before = await stateOf(path);
    await withinSize(path, options, (limited) => fetchInto(path, remote, limited));
    const after = await stateOf(path);
    return { hasMoved: before.refs !== after.refs, isEmpty: after.isEmpty };
  } catch (error) {
    // Git was killed, or may have crashed.
    sweepMirror(path, options.files);
    if (!(error instanceof MirrorDamaged)) throw error;
    const draft = await cloneDraft(path, remote, options);
    options.files.rename(path, path + replacedSuffix);
    options.files.rename(draft, path);
    options.files.removeFolder(path + replacedSuffix);
    return { hasMoved: true, isEmpty: (await stateOf(path)).isEmpty };
  }
}

/** Clones into a folder next to `path`, and returns it. */
async function cloneDraft(path: string, remote: Remote, options: MirrorOptions): Promise<string> {
  const draft = path + draftSuffix;
  options.files.removeFolder(draft);
  try {
    await withinSize(draft, options, (limited) => cloneInto(draft, remote, limited));
    return draft;
  } catch (error) {
    options.files.removeFolder(draft);
    if (error instanceof MirrorDamaged) throw new ServiceError("GIT_FAILED", error.message);
    throw error;
  }
}

/**
 * Clones with a single command, which takes half the processes of creating a repository, fetching into it, and asking for
 * the default branch.
 */
async function cloneInto(path: string, remote: Remote, options: MirrorOptions): Promise<void> {
  const { depth } = options;
  const args = [
    "clone",
    "--bare",
    "--quiet",
    "--template=",
    "--no-recurse-submodules",
    ...(depth === undefined ? [] : [`--depth=${depth}`, "--no-single-branch"]),
    "--",
  ];
  await runNetworkGit(dirname(path), args, remote, [path], options);
  const config = join(path, "config");
  const withoutRemote = readFileSync(config, "utf8").replace(/^\[remote "origin"\]\n(?:\t.*\n)*/m, "");
  // A mirror works with an empty configuration, too.
  replaceFileUnflushed(options.files, config, Buffer.from(withoutRemote), 0o600);
  await chooseHead(path, options, async (current) => current);
}

/** Clones or fetches, and stops when the packfiles exceed `maxBytes`. */
async function withinSize(
  path: string,
  options: MirrorOptions,
  run: (limited: MirrorOptions) => Promise<void>,
): Promise<void> {
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const tooLarge = () =>
    new ServiceError("ANSWER_TOO_LARGE", `The mirror would become larger than ${maxBytes} bytes.`);
  if ((await packBytes(path)) > maxBytes) throw tooLarge();
  const size = watchSize(path, maxBytes, options.signal);
  try {
    await run({ ...options, signal: size.signal });
  } catch (error) {
    throwIfAborted(options.signal);
    throw size.isExceeded ? tooLarge() : error;
  } finally {
    size.stop();
  }
}

async function fetchInto(path: string, remote: Remote, options: MirrorOptions): Promise<void> {
  const fetch = (depth: readonly string[]) => {
    const args = [
      "fetch",
      "--prune",
      "--no-tags",
      "--no-recurse-submodules",
      "--no-write-fetch-head",
      "--no-auto-maintenance",
      "--quiet",
      ...depth,
      "--",
    ];
    return runNetworkGit(path, args, remote, refspecs, options);
  };
  const depth = await depthArguments(path, options);
  try {
    await fetch(depth);
  } catch (error) {
    // Git fails if there is nothing that could have a depth.
    if (depth.length === 0 || !isServiceError(error, "GIT_FAILED")) throw error;
    const refs = await runNetworkGit(path, ["ls-remote", "--heads", "--tags", "--"], remote, [], options);
    if (refs.length > 0) throw error;
    await fetch([]);
  }
  await updateHead(path, remote, options);
}

async function depthArguments(path: string, { depth }: MirrorOptions): Promise<readonly string[]> {
  const isShallow = existsSync(join(path, "shallow"));
  if (depth === undefined) return isShallow ? ["--unshallow"] : [];
  return isShallow || (await stateOf(path)).isEmpty ? [`--depth=${depth}`] : [];
}

/** Points HEAD to the default branch, because a fetch never moves it. */
async function updateHead(path: string, remote: Remote, options: MirrorOptions): Promise<void> {
  await chooseHead(path, options, () => findRemoteHead(path, remote, options));
}

/** Points HEAD to the branch that the host named, or else to the one that `findTarget` returns. */
async function chooseHead(
  path: string,
  options: MirrorOptions,
  findTarget: (current: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const { head, refs } = await readRefs(openGitRepository(path));
  const branches = [...refs.keys()].filter((name) => name.startsWith("refs/heads/"));
  if (branches.length === 0) return;
  const named = `refs/heads/${options.defaultBranch}`;
  const current = head.kind === "branch" ? head.name : undefined;
  const target = refs.has(named) ? named : await findTarget(current);
  const candidates = [target, current, "refs/heads/main", "refs/heads/master", branches[0]];
  const chosen = candidates.find((name) => name !== undefined && refs.has(name));
  // Only names of fetched branches get here, so git has checked them.
  if (chosen !== undefined && chosen !== current)
    replaceFile(options.files, join(path, "HEAD"), Buffer.from(`ref: ${chosen}\n`), 0o600);
}

async function findRemoteHead(
  path: string,
  remote: Remote,
  options: MirrorOptions,
): Promise<string | undefined> {
  const output = await runNetworkGit(path, ["ls-remote", "--symref", "--"], remote, ["HEAD"], options);
  return /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(output.toString("utf8"))?.[1];
}

async function stateOf(path: string): Promise<{ readonly refs: string; readonly isEmpty: boolean }> {
  const refs = await readRefs(openGitRepository(path));
  return { refs: refLines(refs).join("\n"), isEmpty: refs.refs.size === 0 };
}
