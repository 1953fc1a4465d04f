/**
 * The git command line, and the one way to call it.
 *
 * Repositories belong to others: a call takes no optional lock, asks nobody, fetches nothing, and runs no program that
 * a repository's own configuration names. A repository that git itself refuses (another owner) stays refused, because
 * git is started in its folder and finds it by itself; naming the git directory would switch that check off.
 *
 * Arguments are options of ours and full hashes, never names that somebody else chose. Paths inside a repository are
 * bytes, see `bytePath.ts`.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { type ProcessOptions, type RunningProcess, runProcess, spawnProcess } from "#platform/process";
import type { GitPlace } from "./place";

export interface GitOptions extends Omit<ProcessOptions, "cwd" | "env"> {
  /** Besides 0. */
  readonly acceptedExitCode?: number;
  /** Leaves out what the person and the system configure, folders to be trusted among it. */
  readonly isImpersonal?: boolean;
}

/** Each thread lets this many short calls run at once; the others wait in line. */
const calls = new Limiter(4);

/**
 * What git prints on standard output.
 *
 * Throws GIT_FAILED with git's own words, REPOSITORY_NOT_TRUSTED where git refuses the folder's owner, and what
 * `runProcess` throws.
 */
export function runGit(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  return calls.run(() => runGitNow(place, args, options), options.signal);
}

/** The same for one who keeps a line of their own. */
export async function runGitNow(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions,
): Promise<Buffer> {
  const { cwd, env } = surroundings(place);
  const { stdout, stderr, exitCode } = await runProcess("git", [...safeArguments, ...args], {
    ...options,
    cwd,
    env: { ...env, ...inLargePieces, ...(options.isImpersonal ? impersonal : {}) },
  });
  if (exitCode === 0 || exitCode === options.acceptedExitCode) return stdout;
  throw gitFailure(place, args, stderr || `exit code ${exitCode}`);
}

export interface SpawnOptions {
  readonly signal?: AbortSignal | undefined;
  /** Nobody waits for the first of its words: it may write many at once, which is much faster. */
  readonly inLargePieces?: boolean;
}

/** A git that we talk to for a while; it is not counted among the calls. */
export function spawnGit(
  place: GitPlace,
  args: readonly string[],
  options: SpawnOptions = {},
): RunningProcess {
  const { cwd, env } = surroundings(place);
  return spawnProcess("git", [...safeArguments, ...args], {
    cwd,
    env: options.inLargePieces ? { ...env, ...inLargePieces } : env,
    signal: options.signal,
  });
}

export function gitFailure(place: GitPlace, args: readonly string[], said: string): ServiceError {
  const path = workingFolder(place);
  if (/dubious ownership|unsafe repository/i.test(said)) {
    return new ServiceError(
      "REPOSITORY_NOT_TRUSTED",
      `Git does not trust ${path}, because somebody else owns it. To allow it: git config --global --add safe.directory ${quoted(path)}`,
      { cause: new Error(said) },
    );
  }
  if (/cannot use bare repository/i.test(said)) {
    return new ServiceError(
      "REPOSITORY_NOT_TRUSTED",
      `Git does not trust the bare repository ${path}, because safe.bareRepository is "explicit". To allow it: git config --global safe.bareRepository all`,
      { cause: new Error(said) },
    );
  }
  const gone = existsSync(path) ? "" : " The folder is not there.";
  return new ServiceError("GIT_FAILED", `git ${commandOf(args)} failed in ${path}: ${said}${gone}`);
}

/** The command among arguments, behind settings for it. */
export function commandOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
}

const oldestVersion = [2, 30] as const;

/** Gives git's version. Throws UNEXPECTED_ERROR where git is missing or older than 2.30. */
export async function checkGit(): Promise<string> {
  const { stdout } = await runProcess("git", ["version"], { timeoutMs: 20_000 });
  const text = stdout.toString("utf8").trim();
  const version = parseVersion(text);
  const [major, minor] = oldestVersion;
  if (!version || version[0] < major || (version[0] === major && version[1] < minor)) {
    throw new ServiceError(
      "UNEXPECTED_ERROR",
      `Git ${major}.${minor} or newer is needed; found: ${text || "none"}.`,
    );
  }
  return version.join(".");
}

/** `git version 2.39.5 (Apple Git-154)` -> [2, 39]. */
export function parseVersion(text: string): readonly [number, number] | undefined {
  const match = /(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2])] : undefined;
}

const safeArguments: readonly string[] = [
  "--no-pager",
  "--literal-pathspecs",
  "-c",
  "protocol.allow=never",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.untrackedCache=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "log.showSignature=false",
  "-c",
  "submodule.recurse=false",
  "-c",
  "diff.suppressBlankEmpty=false",
  // Names of people are the repository's to mend.
  "-c",
  "mailmap.file=",
];

/** Else some commands write each commit by itself, and waiting for a reader costs more than the commits. */
const inLargePieces = { GIT_FLUSH: "0" };

const impersonal = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function surroundings(place: GitPlace): { cwd: string; env: Record<string, string> } {
  const cwd = workingFolder(place);
  return {
    cwd,
    env: {
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      // Newer versions know this; for older ones no transport is left to fetch with. A repository's own
      // `protocol.<name>.allow` is stronger than `protocol.allow` of the command line, but not than this list.
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
      // A damaged repository must not be taken for the one around it.
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      // English, but letters beyond ASCII have two cases.
      LC_ALL: "C.UTF-8",
    },
  };
}

function workingFolder(place: GitPlace): string {
  return place.workTree ?? place.gitDir;
}

function quoted(path: string): string {
  return /^[\w/.:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
