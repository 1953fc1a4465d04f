/**
 * The only file that starts processes.
 *
 * A command is a program and an array of arguments, never a line for a shell. Children get a small environment of
 * their own, and end with their signal, their time limit, and with us.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { cancelled, ServiceError, throwIfAborted } from "#base/error";
import { childEnvironment } from "./settings";

export interface ProcessOptions {
  readonly cwd?: string;
  /** Over what every child inherits (`childEnvironment`). */
  readonly env?: Readonly<Record<string, string>>;
  /** Given on standard input, which is closed behind it. */
  readonly input?: Uint8Array | string;
  readonly timeoutMs?: number;
  /** A child that writes more is ended. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessResult {
  readonly stdout: Buffer;
  /** At most its first 64 KiB. */
  readonly stderr: string;
  readonly exitCode: number;
}

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/**
 * Runs a program to its end; any exit code is a result.
 *
 * Throws CANCELLED, TIMED_OUT, ANSWER_TOO_LARGE, and UNEXPECTED_ERROR where the program cannot be started or is
 * killed by somebody else.
 */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    throwIfAborted(options.signal);
    const child = start(command, args, options);
    const chunks: Buffer[] = [];
    const errors = new ErrorText(child);
    let bytes = 0;
    let failure: ServiceError | undefined;
    const end = (error: ServiceError) => {
      failure ??= error;
      child.kill("SIGKILL");
    };
    const abort = () => end(cancelled());
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const timer = setTimeout(
      () => end(new ServiceError("TIMED_OUT", `${command} took longer than ${timeoutMs} ms.`)),
      timeoutMs,
    );
    options.signal?.addEventListener("abort", abort, { once: true });

    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > (options.maxOutputBytes ?? defaultMaxOutputBytes)) {
        chunks.length = 0;
        end(new ServiceError("ANSWER_TOO_LARGE", `${command} answered with more than was asked for.`));
      } else if (failure === undefined) chunks.push(chunk);
    });
    const settle = () => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      settle();
      reject(failure ?? notStarted(command, cause));
    });
    child.on("close", (exitCode, signal) => {
      settle();
      if (failure) reject(failure);
      else if (exitCode === null)
        reject(new ServiceError("UNEXPECTED_ERROR", `${command} was ended by ${signal}. ${errors.text}`));
      else resolve({ stdout: Buffer.concat(chunks, bytes), stderr: errors.text, exitCode });
    });
    child.stdin.end(options.input ?? "");
  });
}

/** A program that we talk to for a while. */
export interface RunningProcess {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  /** What it said on standard error so far, at most 64 KiB. */
  readonly errorText: () => string;
  /** Its exit code, or `undefined` where it was killed; rejects where it could not be started. */
  readonly ended: Promise<number | undefined>;
  kill(): void;
}

/** Without time limit; `options.input` is ignored. The caller reads `stdout` and ends the process. */
export function spawnProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): RunningProcess {
  throwIfAborted(options.signal);
  const child = start(command, args, options);
  const errors = new ErrorText(child);
  const kill = () => {
    child.kill("SIGKILL");
  };
  options.signal?.addEventListener("abort", kill, { once: true });
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.on("error", (cause) => reject(notStarted(command, cause)));
    child.on("close", (exitCode) => resolve(exitCode ?? undefined));
  }).finally(() => options.signal?.removeEventListener("abort", kill));
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, errorText: () => errors.text, ended, kill };
}

/** Children that live; they end with this process, or with this thread. */
const children = new Set<ChildProcess>();
let watchingExit = false;

function start(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): ChildProcessWithoutNullStreams {
  if (!watchingExit) {
    watchingExit = true;
    process.on("exit", () => {
      for (const child of children) child.kill("SIGKILL");
    });
  }
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...childEnvironment(), ...options.env },
    stdio: "pipe",
    shell: false,
    windowsHide: true,
  });
  children.add(child);
  child.on("close", () => children.delete(child));
  child.on("error", () => children.delete(child));
  // A child that ends before it has read everything breaks the pipe; its exit code tells why.
  child.stdin.on("error", () => undefined);
  return child;
}

function notStarted(command: string, cause: Error): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", `${command} cannot be started: ${cause.message}`, { cause });
}

/** The first bytes of standard error; the rest is read and dropped, so that the child never waits. */
class ErrorText {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    child.stderr.on("data", (chunk: Buffer) => {
      if (this.#bytes < maxErrorBytes) this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    });
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(0, maxErrorBytes).toString("utf8").trim();
  }
}
