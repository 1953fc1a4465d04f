/**
 * What a caller's question may cost in git: few processes at once for all callers together, by turns; a time limit; a
 * size limit; and nothing any more when the caller has gone.
 */
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import type { Limiter } from "#base/limiter";
import { TimeLimit } from "#platform/timeLimit";
import { commandOf, gitFailure, runGitNow, spawnGit } from "./git";
import type { GitPlace } from "./place";

/** What one caller wants to know of one repository. */
export interface Question {
  readonly place: GitPlace;
  readonly signal: AbortSignal;
  /** The same for all questions of one caller. */
  readonly client: string;
  /** For each process that is started. */
  readonly timeLimitMs: number;
  /** Lets in the processes that run for callers; those that read objects (`objectReader.ts`) are counted there. */
  readonly turns: Limiter;
}

export interface QuestionOptions {
  readonly input?: Uint8Array | string;
  /** Besides 0. */
  readonly acceptedExitCode?: number;
  /** Leaves out what the person and the system configure. */
  readonly isImpersonal?: boolean;
}

export const defaultGitTimeLimitMs = 10_000;
export const defaultMaxGitProcesses = 4;

/** What git may print for one question, and what an object may have that is shown. */
export const maxGitAnswerBytes = 64 * 1024 * 1024;

/**
 * What git prints.
 *
 * Throws CANCELLED, TIMED_OUT, ANSWER_TOO_LARGE, REPOSITORY_NOT_TRUSTED, and GIT_FAILED with git's own words.
 */
export async function askGit(
  { place, signal, client, timeLimitMs, turns }: Question,
  args: readonly string[],
  options: QuestionOptions = {},
): Promise<Buffer> {
  const limits = { signal, timeoutMs: timeLimitMs, maxOutputBytes: maxGitAnswerBytes };
  try {
    return await turns.run(() => runGitNow(place, args, { ...options, ...limits }), signal, client);
  } catch (error) {
    if (isServiceError(error, "TIMED_OUT")) throw tookTooLong(commandOf(args), timeLimitMs);
    if (isServiceError(error, "ANSWER_TOO_LARGE")) throw answerTooLarge();
    throw error;
  }
}

export interface StreamOptions {
  readonly input?: Uint8Array | string | undefined;
  /** Nobody waits for the first piece, see `spawnGit`. */
  readonly inLargePieces?: boolean;
}

/**
 * Hands over what git prints, piece by piece, until `take` says that it is enough.
 *
 * Throws what `take` throws, CANCELLED, TIMED_OUT, REPOSITORY_NOT_TRUSTED, and GIT_FAILED with git's own words.
 */
export async function streamGit(
  { place, signal, client, timeLimitMs, turns }: Question,
  args: readonly string[],
  take: (piece: Buffer) => boolean,
  { input = "", inLargePieces = false }: StreamOptions = {},
): Promise<void> {
  const run = async () => {
    const limit = new TimeLimit(signal, timeLimitMs);
    const git = spawnGit(place, args, { signal: limit.signal, inLargePieces });
    git.stdin.end(input);
    let isEnough = false;
    try {
      for await (const piece of git.stdout) {
        isEnough = take(Buffer.from(piece));
        if (isEnough) break;
      }
    } catch (error) {
      git.kill();
      limit.end();
      throw error;
    }
    if (isEnough) git.kill();
    const exitCode = await git.ended.finally(() => limit.end());
    throwIfAborted(signal);
    if (isEnough || exitCode === 0) return;
    if (limit.isOver) throw tookTooLong(commandOf(args), timeLimitMs);
    throw gitFailure(place, args, git.errorText() || `exit code ${exitCode}`);
  };
  await turns.run(run, signal, client);
}

export function tookTooLong(command: string, timeLimitMs: number): ServiceError {
  return new ServiceError(
    "TIMED_OUT",
    `git ${command} took longer than ${timeLimitMs / 1000} s and was ended.`,
  );
}

export function answerTooLarge(): ServiceError {
  return new ServiceError(
    "ANSWER_TOO_LARGE",
    `The answer would have more than ${maxGitAnswerBytes} bytes. Ask for less, for example for one file.`,
  );
}

/** Git's words about lines that the file does not have, told as the caller's mistake; `undefined` for other words. */
export function noSuchLines(error: unknown): ServiceError | undefined {
  if (!isServiceError(error, "GIT_FAILED")) return undefined;
  const count = /has only (\d+) lines?/.exec(error.message)?.[1];
  if (count === undefined) return undefined;
  const message = `"lines" must lie within the file, which has ${count} lines.`;
  return new ServiceError("INVALID_QUERY_PARAMS", message, { cause: error });
}
