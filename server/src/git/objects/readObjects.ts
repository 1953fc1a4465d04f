/**
 * Reads a list of objects. A short list is read directly from the repository's files (`objectDatabase.ts`), up to the
 * first object that only git can read. The rest, or a long list, is read through one `git cat-file --batch --buffer`,
 * whose output is parsed as it streams.
 *
 * Each object is printed as `<hash> SP <type> SP <size> LF <bytes> LF`, or `<requested name> SP missing LF`.
 */
import { canceled, ServiceError, throwIfAborted } from "#base/error";
import { errorTextOf, gitFailure, spawnGit } from "#git/git";
import { isPartialClone, triedToFetch } from "#git/missingObjects";
import type { GitRepository } from "#git/repository";
import { maxDirectReads, maxTagDepth, ObjectDatabase, type StoredObject, tagTarget } from "./objectDatabase";

export type ObjectResult =
  | {
      readonly kind: "content";
      readonly type: string;
      readonly hash: string;
      /** Valid only during the callback, because the buffer is reused. */
      readonly bytes: Buffer;
    }
  | { readonly kind: "tooLarge"; readonly type: string; readonly hash: string; readonly size: number }
  /** Not in the repository: a partial or shallow clone, or damage. */
  | { readonly kind: "missing" }
  /** In the repository, but git cannot read it. */
  | { readonly kind: "unreadable" };

/** A skipped object larger than this is not read to its end, because restarting git (about 2 ms) is cheaper. */
const restartBytes = 32 * 1024 * 1024;
/** Git exits at each damaged object. With more failures than this, the repository itself is broken. */
const maxFailures = 100;

/**
 * Calls `onObject` for each of `names` (`<hash>` or `<hash>^{commit}`), in order, until it returns false.
 *
 * The content of objects over `maxBytes` is skipped. Keeps one object in memory at a time. Throws CANCELLED,
 * REPOSITORY_NOT_TRUSTED, GIT_FAILED, and what `onObject` throws.
 */
export async function readObjects(
  repository: GitRepository,
  names: readonly string[],
  maxBytes: number,
  onObject: (object: ObjectResult, index: number) => boolean | undefined,
  signal?: AbortSignal,
): Promise<void> {
  throwIfAborted(signal);
  let { next, shouldContinue } = readDirectly(repository, names, maxBytes, onObject);
  let failures = 0;
  let killedAt = -1;
  while (shouldContinue && next < names.length) {
    const start = next;
    const early = await readBatch(repository, names.slice(start), maxBytes, signal, (object, index) => {
      next = start + index + 1;
      shouldContinue = onObject(object, start + index) !== false;
      return shouldContinue;
    });
    if (!shouldContinue || early === undefined) continue;
    const { stderr, wasKilled } = early;
    // Probably by another process, which says nothing about the object. If not, git is killed there again.
    if (wasKilled && killedAt !== next) {
      killedAt = next;
      continue;
    }
    // Git exited at the next object. If no object has been read yet, the repository itself may be the cause.
    if (next === 0 && isRepositoryFailure(stderr)) throw gitFailure(repository, ["cat-file"], stderr);
    if (++failures > maxFailures) throw gitFailure(repository, ["cat-file"], stderr);
    const object = { kind: triedToFetch(stderr) ? "missing" : "unreadable" } as const;
    shouldContinue = onObject(object, next++) !== false;
  }
}

/** Reads up to the first object that needs git; returns its index, and whether reading should continue. */
function readDirectly(
  repository: GitRepository,
  names: readonly string[],
  maxBytes: number,
  onObject: (object: ObjectResult, index: number) => boolean | undefined,
): { next: number; shouldContinue: boolean } {
  if (names.length === 0 || names.length > maxDirectReads) return { next: 0, shouldContinue: true };
  return ObjectDatabase.use(repository, (files) => {
    for (const [index, name] of names.entries()) {
      const found = files && readAndPeel(files, name, maxBytes);
      if (found === undefined) return { next: index, shouldContinue: true };
      if (onObject({ ...found, kind: "content" }, index) === false)
        return { next: index, shouldContinue: false };
    }
    return { next: names.length, shouldContinue: true };
  });
}

/** Reads `<hash>`, or for `<hash>^{commit}` the commit that the tag peels to. */
function readAndPeel(
  files: ObjectDatabase,
  name: string,
  maxBytes: number,
): (StoredObject & { readonly hash: string }) | undefined {
  const [, firstHash = "", peel] = /^([0-9a-f]{40})(\^\{commit\})?$/.exec(name) ?? [];
  let hash = firstHash;
  for (let steps = 0; hash !== "" && steps < maxTagDepth; steps++) {
    const found = files.read(hash, maxBytes);
    if (found === undefined || peel === undefined || found.type === "commit")
      return found && { ...found, hash };
    hash = tagTarget(found) ?? "";
  }
  return undefined;
}

function isRepositoryFailure(stderr: string): boolean {
  return /not a git repository|dubious ownership|unsafe repository|cannot use bare|unknown repository/i.test(
    stderr,
  );
}

interface EarlyEnd {
  readonly stderr: string;
  /** By a signal that was not sent from here. */
  readonly wasKilled: boolean;
}

/**
 * Reads until all objects are read, `onObject` returns false, or an object is so large that restarting git is cheaper.
 * Returns how git ended if it did so early.
 */
function readBatch(
  repository: GitRepository,
  names: readonly string[],
  maxBytes: number,
  signal: AbortSignal | undefined,
  onObject: (object: ObjectResult, index: number) => boolean,
): Promise<EarlyEnd | undefined> {
  return new Promise((resolve, reject) => {
    // In a partial clone git is killed once it tries to fetch an object, so it must have flushed all objects before.
    const buffer = isPartialClone(repository) ? [] : ["--buffer"];
    const git = spawnGit(repository, ["cat-file", "--batch", ...buffer], { signal });
    let failure: unknown;
    let mustRestart = false;
    let received = 0;
    const parser = new BatchParser(maxBytes, (object) => {
      const shouldContinue = onObject(object, received++);
      if (shouldContinue && (object.kind !== "tooLarge" || object.size <= restartBytes)) return true;
      mustRestart = true;
      git.kill();
      return false;
    });
    git.stdout.on("data", (chunk: Buffer) => {
      if (failure !== undefined || mustRestart) return;
      try {
        parser.push(chunk);
      } catch (error) {
        failure = error ?? new ServiceError("GIT_FAILED", "Cannot read git objects.");
        git.kill();
      }
    });
    git.ended.then((exitCode) => {
      if (failure !== undefined) reject(failure);
      else if (signal?.aborted) reject(canceled());
      else if (mustRestart || received >= names.length) resolve(undefined);
      else {
        const stderr = errorTextOf(git);
        resolve({ stderr, wasKilled: exitCode === undefined && !triedToFetch(stderr) });
      }
    }, reject);
    git.stdin.write(names.map((name) => `${name}\n`).join(""));
    git.stdin.end();
  });
}

/** Parses the output of `cat-file --batch`, however it is split into chunks, until `onObject` returns false. */
export class BatchParser {
  readonly #maxBytes: number;
  readonly #onObject: (object: ObjectResult) => boolean;
  #header = "";
  #hash = "";
  #type = "";
  /** Remaining bytes of content and final newline; -1 between objects. */
  #remaining = -1;
  #size = 0;
  /** Collects an object that arrives in several chunks. Grows as needed, and is reused. */
  #buffer: Buffer = Buffer.alloc(0);
  #filled = 0;
  #isStopped = false;

  constructor(maxBytes: number, onObject: (object: ObjectResult) => boolean) {
    this.#maxBytes = maxBytes;
    this.#onObject = onObject;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isStopped) {
      at = this.#remaining < 0 ? this.#readHeader(chunk, at) : this.#readContent(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, start: number): number {
    const end = chunk.indexOf(0x0a, start);
    if (end < 0) {
      this.#header += chunk.toString("latin1", start);
      return chunk.length;
    }
    const header = this.#header + chunk.toString("latin1", start, end);
    this.#header = "";
    const match = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(header);
    if (!match) {
      if (!/ (?:missing|ambiguous)$/.test(header)) {
        throw new ServiceError(
          "GIT_FAILED",
          `git cat-file printed unexpected output: ${JSON.stringify(header.slice(0, 200))}.`,
        );
      }
      this.#emit({ kind: "missing" });
      return end + 1;
    }
    this.#hash = match[1] ?? "";
    this.#type = match[2] ?? "";
    this.#size = Number(match[3]);
    this.#remaining = this.#size + 1;
    this.#filled = 0;
    if (this.#size > this.#maxBytes) {
      this.#emit({ kind: "tooLarge", type: this.#type, hash: this.#hash, size: this.#size });
    }
    return end + 1;
  }

  #readContent(chunk: Buffer, start: number): number {
    const end = Math.min(start + this.#remaining, chunk.length);
    const isComplete = end - start === this.#remaining;
    if (this.#size <= this.#maxBytes) {
      if (isComplete && this.#filled === 0) this.#emitContent(chunk.subarray(start, end - 1));
      else {
        this.#append(chunk, start, end);
        if (isComplete) this.#emitContent(this.#buffer.subarray(0, this.#size));
      }
    }
    this.#remaining = isComplete ? -1 : this.#remaining - (end - start);
    return end;
  }

  #append(chunk: Buffer, start: number, end: number): void {
    if (this.#buffer.length < this.#size + 1) {
      const larger = Buffer.allocUnsafe(Math.max(this.#size + 1, this.#buffer.length * 2, 64 * 1024));
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    this.#filled += chunk.copy(this.#buffer, this.#filled, start, end);
  }

  #emitContent(bytes: Buffer): void {
    this.#emit({ kind: "content", type: this.#type, hash: this.#hash, bytes });
  }

  #emit(object: ObjectResult): void {
    if (!this.#onObject(object)) this.#isStopped = true;
  }
}
