/**
 * The only file that starts processes.
 *
 * A command is a program and an array of arguments, never a line for a shell. A child gets a small environment of its
 * own, and is killed when its signal fires, when its time limit passes, and when this process exits.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { canceled, ServiceError, throwIfAborted } from "#base/error";
import { childEnvironment } from "./environment";

export interface ProcessOptions {
  readonly cwd?: string;
  /** Added to what every child inherits (`childEnvironment`). */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly input?: Uint8Array | string;
  /** Default: 120 s. */
  readonly timeoutMs?: number;
  /** A child that writes more to standard output is killed. Default: 1 GiB. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the standard error so far whenever the child writes to it. The child is killed if it returns true. */
  readonly isFatal?: (errorText: string) => boolean;
  /** Kills the processes that the child has started with it, except on Windows. Default: only the child. */
  readonly killsGroup?: boolean;
}

export interface ProcessResult {
  readonly stdout: Buffer;
  /** At most the first 64 KiB. */
  readonly stderr: string;
  readonly exitCode: number;
}

const defaultTimeoutMs = 120_000;
const defaultMaxOutputBytes = 1024 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/**
 * Runs a program until it exits; any exit code is a result. A child that was killed because of `isFatal` has the exit
 * code -1.
 *
 * Rejects with CANCELLED when the signal fires, TIMED_OUT after the time limit, ANSWER_TOO_LARGE beyond the output
 * limit, and UNEXPECTED_ERROR if the program cannot be started or another process kills it.
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
    const errors = new ErrorText(child, options.isFatal);
    let bytes = 0;
    let failure: ServiceError | undefined;
    const end = (error: ServiceError) => {
      failure ??= error;
      kill(child);
    };
    const abort = () => end(canceled());
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
        end(new ServiceError("ANSWER_TOO_LARGE", `${command} wrote more than its output limit.`));
      } else if (failure === undefined) chunks.push(chunk);
    });
    const settle = () => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      settle();
      reject(failure ?? startFailure(command, cause));
    });
    child.on("close", (exitCode, signal) => {
      settle();
      if (failure) reject(failure);
      else if (errors.wasFatal)
        resolve({ stdout: Buffer.concat(chunks, bytes), stderr: errors.text, exitCode: -1 });
      else if (exitCode === null)
        reject(new ServiceError("UNEXPECTED_ERROR", `${command} was killed by ${signal}. ${errors.text}`));
      else resolve({ stdout: Buffer.concat(chunks, bytes), stderr: errors.text, exitCode });
    });
    child.stdin.end(options.input ?? "");
  });
}

/** A child process that the caller exchanges data with. */
export interface RunningProcess {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  /** Its standard error so far, at most 64 KiB. */
  readonly errorText: () => string;
  /** The exit code, or `undefined` if it was killed. Rejects with UNEXPECTED_ERROR if it could not be started. */
  readonly ended: Promise<number | undefined>;
  kill(): void;
}

/**
 * Starts a program. Ignores `input`, `timeoutMs` and `maxOutputBytes`: the caller writes to `stdin`, reads `stdout` and
 * ends the process. Throws CANCELLED if the signal has already fired.
 */
export function spawnProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): RunningProcess {
  throwIfAborted(options.signal);
  const child = start(command, args, options);
  const errors = new ErrorText(child, options.isFatal);
  const killChild = () => kill(child);
  options.signal?.addEventListener("abort", killChild, { once: true });
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.on("error", (cause) => reject(startFailure(command, cause)));
    child.on("close", (exitCode) => resolve(exitCode ?? undefined));
  }).finally(() => options.signal?.removeEventListener("abort", killChild));
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, errorText: () => errors.text, ended, kill: killChild };
}

/** Running children. They are killed when this process or thread exits. */
const children = new Set<ChildProcess>();
/** Those of them that lead a process group. */
const groupLeaders = new WeakSet<ChildProcess>();
let isWatchingExit = false;

function start(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): ChildProcessWithoutNullStreams {
  if (!isWatchingExit) {
    isWatchingExit = true;
    process.on("exit", () => {
      for (const child of children) kill(child);
    });
  }
  const leadsGroup = options.killsGroup === true && process.platform !== "win32";
  const child = spawn(command, args, {
    cwd: options.cwd,
    detached: leadsGroup,
    env: { ...childEnvironment(), ...options.env },
    stdio: "pipe",
    shell: false,
    windowsHide: true,
  });
  children.add(child);
  if (leadsGroup) groupLeaders.add(child);
  child.on("close", () => children.delete(child));
  child.on("error", () => children.delete(child));
  // A child that exits before it has read all its input breaks the pipe. Its exit code says why.
  child.stdin.on("error", () => undefined);
  return child;
}

function kill(child: ChildProcess): void {
  // Until its exit is noticed, the number of the group cannot belong to another one.
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (child.pid === undefined || !isRunning || !groupLeaders.has(child)) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function startFailure(command: string, cause: Error): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", `Cannot start ${command}: ${cause.message}`, { cause });
}

/** Collects the first bytes of standard error. Reads and drops the rest, so that the child never blocks. */
class ErrorText {
  /** Whether the child was killed because of what it wrote. */
  wasFatal = false;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(child: ChildProcessWithoutNullStreams, isFatal: ProcessOptions["isFatal"]) {
    child.stderr.on("data", (chunk: Buffer) => {
      const hasRoom = this.#bytes < maxErrorBytes;
      if (hasRoom) this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (!hasRoom || this.wasFatal || !isFatal?.(this.text)) return;
      this.wasFatal = true;
      kill(child);
    });
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(0, maxErrorBytes).toString("utf8").trim();
  }
}
