/**
 * Runs the git command line. All git calls go through this file, except for reading the user's identity
 * (`userIdentity.ts`).
 *
 * Repositories are not trusted: a call takes no optional lock, never prompts, fetches nothing, and runs no program that
 * a repository's configuration names. Git runs in the repository's directory and discovers it itself, because passing
 * the git directory would disable git's ownership check (`safe.directory`).
 *
 * Arguments are our own options and full hashes. A name or text from elsewhere is passed only where git cannot mistake
 * it for an option: after `--` or `--end-of-options`, or as the value of an option. Paths inside a repository are
 * bytes, see `bytePath.ts`.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { type ProcessOptions, type RunningProcess, runProcess, spawnProcess } from "#platform/process";
import { isObjectMissing, objectMissing, triedToFetch } from "./missingObjects";
import type { GitRepository } from "./repository";

export interface GitOptions extends Omit<ProcessOptions, "cwd" | "env"> {
  /** Accepted in addition to 0. */
  readonly acceptedExitCode?: number;
  /** Ignores the user's and the system's configuration, `safe.directory` included. */
  readonly ignoresUserConfig?: boolean;
}

/** Limits how many short calls each thread runs at once. */
const callLimiter = new Limiter(4);

/**
 * Runs git and returns its standard output.
 *
 * Throws GIT_FAILED with git's error message, NOT_FOUND if an object is missing, REPOSITORY_NOT_TRUSTED if git rejects
 * the owner of the directory, and what `runProcess` throws.
 */
export function runGit(
  repository: GitRepository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  return callLimiter.run(() => runGitUnqueued(repository, args, options), options.signal);
}

/** Like `runGit`, for callers that have a limiter of their own. */
export async function runGitUnqueued(
  repository: GitRepository,
  args: readonly string[],
  options: GitOptions,
): Promise<Buffer> {
  const { cwd, env } = cwdAndEnvironment(repository);
  const { stdout, stderr, exitCode } = await runProcess(
    "git",
    [...safeArguments, ...mailmapArguments(repository), ...args],
    {
      ...options,
      cwd,
      env: { ...env, ...bufferedOutput, ...(options.ignoresUserConfig ? withoutUserConfig : {}) },
      isFatal: triedToFetch,
    },
  );
  // Some commands report a missing object, print an incomplete result and exit with 0.
  const isAccepted = exitCode === 0 || exitCode === options.acceptedExitCode;
  if (isAccepted && !isObjectMissing(stderr)) return stdout;
  throw gitFailure(repository, args, stderr || `exit code ${exitCode}`);
}

export interface SpawnOptions {
  readonly signal?: AbortSignal | undefined;
  /** Lets git buffer its output, which is much faster but delays the first lines. */
  readonly isBuffered?: boolean;
  /** Kills the processes that git has started with it. */
  readonly killsGroup?: boolean;
  /** The protocol of `upload-pack`, as in the environment variable `GIT_PROTOCOL`. */
  readonly protocol?: `version=${0 | 1 | 2}`;
}

/** Starts a git process to communicate with. It does not count toward the limit of `runGit`. */
export function spawnGit(
  repository: GitRepository,
  args: readonly string[],
  options: SpawnOptions = {},
): RunningProcess {
  const { cwd, env } = cwdAndEnvironment(repository);
  const { protocol, isBuffered = false, killsGroup = false, signal } = options;
  return spawnProcess("git", [...safeArguments, ...mailmapArguments(repository), ...args], {
    cwd,
    env: {
      ...env,
      ...(isBuffered ? bufferedOutput : {}),
      ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
    },
    signal,
    killsGroup,
    isFatal: triedToFetch,
  });
}

/** Returns what a process printed to standard error, or a note that it printed nothing. */
export function errorTextOf(git: RunningProcess): string {
  return git.errorText() || "the process exited early";
}

/** Returns the error for a failed git command, depending on what it printed to standard error. */
export function gitFailure(repository: GitRepository, args: readonly string[], stderr: string): ServiceError {
  const path = workingDirectory(repository);
  if (/dubious ownership|unsafe repository/i.test(stderr)) {
    return new ServiceError(
      "REPOSITORY_NOT_TRUSTED",
      `Git does not trust ${path}, because another user owns it. To allow it, run: git config --global --add safe.directory ${shellQuoted(path)}`,
      { cause: new Error(stderr) },
    );
  }
  if (/cannot use bare repository/i.test(stderr)) {
    return new ServiceError(
      "REPOSITORY_NOT_TRUSTED",
      `Git does not trust the bare repository ${path}, because safe.bareRepository is "explicit". To allow it, run: git config --global safe.bareRepository all`,
      { cause: new Error(stderr) },
    );
  }
  if (isObjectMissing(stderr)) return objectMissing(repository, stderr, new Error(stderr));
  const missingHint = existsSync(path) ? "" : " The folder does not exist.";
  return new ServiceError("GIT_FAILED", `git ${commandOf(args)} failed in ${path}: ${stderr}${missingHint}`);
}

/** Returns the git command in `args`, skipping options and `-c` settings. */
export function commandOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
}

export const oldestVersion = [2, 30] as const;

/** Returns git's version. Throws UNEXPECTED_ERROR if git is missing or older than 2.30. */
export async function checkGitVersion(): Promise<string> {
  const { stdout } = await runProcess("git", ["version"], { timeoutMs: 20_000 });
  const text = stdout.toString("utf8").trim();
  const version = parseVersion(text);
  const [major, minor] = oldestVersion;
  if (!version || version[0] < major || (version[0] === major && version[1] < minor)) {
    throw new ServiceError(
      "UNEXPECTED_ERROR",
      `Trawl requires git ${major}.${minor} or newer, but found ${text || "no version"}. Update git.`,
    );
  }
  return version.join(".");
}

/** Parses `git version 2.39.5 (Apple Git-154)` to `[2, 39]`. Returns undefined if there is no version. */
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
];

/** Only the repository's own `.mailmap` may change names. */
function mailmapArguments({ workTree }: GitRepository): readonly string[] {
  const blob = workTree === undefined ? "HEAD:.mailmap" : "";
  return ["-c", "mailmap.file=", "-c", `mailmap.blob=${blob}`];
}

/** Without this, some commands flush their output after every commit, which takes longer than producing the commits. */
const bufferedOutput = { GIT_FLUSH: "0" };

const withoutUserConfig = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function cwdAndEnvironment(repository: GitRepository): { cwd: string; env: Record<string, string> } {
  const cwd = workingDirectory(repository);
  return {
    cwd,
    env: {
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      // Older versions ignore GIT_NO_LAZY_FETCH, so no transport is allowed either. A repository's own
      // `protocol.<name>.allow` overrides `protocol.allow` of the command line, but not GIT_ALLOW_PROTOCOL.
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
      // Do not mistake a damaged repository for the one that contains it.
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      // English messages, but case-insensitive matching of non-ASCII letters too.
      LC_ALL: "C.UTF-8",
      ...(repository.alternateObjects === undefined
        ? {}
        : { GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.alternateObjects }),
    },
  };
}

function workingDirectory(repository: GitRepository): string {
  return repository.workTree ?? repository.gitDir;
}

function shellQuoted(path: string): string {
  return /^[\w/.:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
