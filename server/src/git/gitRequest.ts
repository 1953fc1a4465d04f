/**
 * Runs git on behalf of a caller, within limits: a few processes at once for all callers, served round-robin; a time
 * limit; an output limit; and cancellation when the caller disconnects.
 */
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import type { Limiter } from "#base/limiter";
import { TimeLimit } from "#platform/timeLimit";
import { commandOf, gitFailure, runGitUnqueued, spawnGit } from "./git";
import { isObjectMissing } from "./missingObjects";
import type { GitRepository } from "./repository";

/** The context of one caller's request to one repository. */
export interface GitRequest {
  readonly gitRepository: GitRepository;
  readonly signal: AbortSignal;
  /** Identifies the caller to the limiter. */
  readonly client: string;
  /** Applies to each process. */
  readonly timeLimitMs: number;
  /** Limits the processes of all callers. Processes that read objects (`objectReader.ts`) have their own limit. */
  readonly limiter: Limiter;
}

export interface GitRequestOptions {
  readonly input?: Uint8Array | string;
  /** Accepted in addition to 0. */
  readonly acceptedExitCode?: number;
  /** Ignores the user's and the system's configuration. */
  readonly ignoresUserConfig?: boolean;
}

export const defaultGitTimeLimitMs = 10_000;
export const defaultMaxGitProcesses = 4;

/** The maximum output of one git process, and the maximum size of an object that is returned. */
export const maxGitOutputBytes = 64 * 1024 * 1024;

/**
 * Runs git and returns its standard output.
 *
 * Throws CANCELLED, TIMED_OUT, ANSWER_TOO_LARGE, REPOSITORY_NOT_TRUSTED, NOT_FOUND if an object is missing, and
 * GIT_FAILED with git's error message.
 */
export async function runGitRequest(
  { gitRepository: repository, signal, client, timeLimitMs, limiter }: GitRequest,
  args: readonly string[],
  options: GitRequestOptions = {},
): Promise<Buffer> {
  const limits = { signal, timeoutMs: timeLimitMs, maxOutputBytes: maxGitOutputBytes };
  try {
    return await limiter.run(
      () => runGitUnqueued(repository, args, { ...options, ...limits }),
      signal,
      client,
    );
  } catch (error) {
    if (isServiceError(error, "TIMED_OUT")) throw gitTimedOut(commandOf(args), timeLimitMs);
    if (isServiceError(error, "ANSWER_TOO_LARGE")) throw responseTooLarge();
    throw error;
  }
}

export interface StreamOptions {
  readonly input?: Uint8Array | string | undefined;
  /** See `spawnGit`. */
  readonly isBuffered?: boolean;
}

/**
 * Runs git and passes its output to `onChunk` as it arrives, until that returns true.
 *
 * Throws what `onChunk` throws, CANCELLED, TIMED_OUT, REPOSITORY_NOT_TRUSTED, NOT_FOUND if an object is missing, and
 * GIT_FAILED with git's error message.
 */
export async function streamGitRequest(
  { gitRepository: repository, signal, client, timeLimitMs, limiter }: GitRequest,
  args: readonly string[],
  onChunk: (chunk: Buffer) => boolean | Promise<boolean>,
  { input = "", isBuffered = false }: StreamOptions = {},
): Promise<void> {
  const run = async () => {
    const limit = new TimeLimit(signal, timeLimitMs);
    const git = spawnGit(repository, args, { signal: limit.signal, isBuffered });
    git.stdin.end(input);
    let isDone = false;
    try {
      for await (const chunk of git.stdout) {
        isDone = await onChunk(Buffer.from(chunk));
        if (isDone) break;
      }
    } catch (error) {
      git.kill();
      limit.dispose();
      throw error;
    }
    if (isDone) git.kill();
    const exitCode = await git.ended.finally(() => limit.dispose());
    throwIfAborted(signal);
    if (isDone || (exitCode === 0 && !isObjectMissing(git.errorText()))) return;
    if (limit.isExpired) throw gitTimedOut(commandOf(args), timeLimitMs);
    throw gitFailure(repository, args, git.errorText() || `exit code ${exitCode}`);
  };
  await limiter.run(run, signal, client);
}

export function gitTimedOut(command: string, timeLimitMs: number): ServiceError {
  return new ServiceError(
    "TIMED_OUT",
    `git ${command} took longer than ${timeLimitMs / 1000} s and was stopped.`,
  );
}

export function responseTooLarge(): ServiceError {
  return new ServiceError(
    "ANSWER_TOO_LARGE",
    `The response would exceed ${maxGitOutputBytes} bytes. Request less, for example a single file.`,
  );
}

/** Converts git's error about lines beyond the end of a file to INVALID_QUERY_PARAMS; `undefined` for other errors. */
export function linesOutOfRange(error: unknown): ServiceError | undefined {
  if (!isServiceError(error, "GIT_FAILED")) return undefined;
  const count = /has only (\d+ lines?)/.exec(error.message)?.[1];
  if (count === undefined) return undefined;
  const message = `"lines" must be within the file, which has ${count}.`;
  return new ServiceError("INVALID_QUERY_PARAMS", message, { cause: error });
}
