/**
 * Contents of objects: few of them from the repository's own files, many, and those that are out of the ordinary,
 * through one `cat-file --batch --buffer`, read object by object as it streams.
 *
 * An answer is `<hash> SP <type> SP <size> LF <bytes> LF`, or `<what was asked> SP missing LF`.
 */
import { cancelled, ServiceError, throwIfAborted } from "#base/error";
import { gitFailure, spawnGit } from "./git";
import { fewObjects, ObjectFiles, type StoredObject } from "./objectFiles";
import type { GitPlace } from "./place";

export type ReadObject =
  | {
      readonly kind: "content";
      readonly type: string;
      readonly hash: string;
      /** Ours again when the callback returns: whoever keeps them copies them. */
      readonly bytes: Buffer;
    }
  | { readonly kind: "tooLarge"; readonly type: string; readonly hash: string; readonly size: number }
  /** Not in the repository: a partial clone, a shallow one, or damage. */
  | { readonly kind: "missing" }
  /** In the repository, but git cannot read it. */
  | { readonly kind: "unreadable" };

/** A larger object that nobody wants is not read to its end: starting git anew is cheaper (about 2 ms). */
const restartBytes = 32 * 1024 * 1024;
/** Damaged objects end git, each of them once; with more than this the repository itself is broken. */
const maxFailures = 100;

/**
 * Asks for each name (a hash, or `hash^{commit}`), and calls `onObject` for each in that order.
 *
 * Objects over `maxBytes` are passed over. Memory stays at one object. Where `onObject` gives false nothing more is
 * read. Throws CANCELLED, REPOSITORY_NOT_TRUSTED, GIT_FAILED, and what `onObject` throws.
 */
export async function readObjects(
  place: GitPlace,
  names: readonly string[],
  maxBytes: number,
  onObject: (object: ReadObject, index: number) => boolean | undefined,
  signal?: AbortSignal,
): Promise<void> {
  throwIfAborted(signal);
  let { next, wanted } = readFew(place, names, maxBytes, onObject);
  let failures = 0;
  while (wanted && next < names.length) {
    const start = next;
    const said = await readBatch(place, names.slice(start), maxBytes, signal, (object, index) => {
      next = start + index + 1;
      wanted = onObject(object, start + index) !== false;
      return wanted;
    });
    if (!wanted || said === undefined) continue;
    // Git gave up over the object that comes next. Where it has not answered at all, it may be the repository.
    if (next === 0 && isRepositoryFailure(said)) throw gitFailure(place, ["cat-file"], said);
    if (++failures > maxFailures) throw gitFailure(place, ["cat-file"], said);
    const object = { kind: /promisor|could not fetch/i.test(said) ? "missing" : "unreadable" } as const;
    wanted = onObject(object, next++) !== false;
  }
}

/** Reads up to the first object that git must be asked for; gives its index, and whether it is wanted. */
function readFew(
  place: GitPlace,
  names: readonly string[],
  maxBytes: number,
  onObject: (object: ReadObject, index: number) => boolean | undefined,
): { next: number; wanted: boolean } {
  if (names.length === 0 || names.length > fewObjects) return { next: 0, wanted: true };
  return ObjectFiles.use(place, (files) => {
    for (const [index, name] of names.entries()) {
      const found = files && readNamed(files, name, maxBytes);
      if (found === undefined) return { next: index, wanted: true };
      if (onObject({ ...found, kind: "content" }, index) === false) return { next: index, wanted: false };
    }
    return { next: names.length, wanted: true };
  });
}

/** `<hash>`, or `<hash>^{commit}`, which is the commit that a tag leads to. */
function readNamed(
  files: ObjectFiles,
  name: string,
  maxBytes: number,
): (StoredObject & { readonly hash: string }) | undefined {
  const [, named = "", peel] = /^([0-9a-f]{40})(\^\{commit\})?$/.exec(name) ?? [];
  let hash = named;
  for (let steps = 0; hash !== "" && steps < maxTagsOfTags; steps++) {
    const found = files.read(hash, maxBytes);
    if (found === undefined || peel === undefined || found.type === "commit")
      return found && { ...found, hash };
    if (found.type !== "tag") return undefined;
    hash = /^object ([0-9a-f]{40})\n/.exec(found.bytes.toString("latin1", 0, 64))?.[1] ?? "";
  }
  return undefined;
}

const maxTagsOfTags = 10;

function isRepositoryFailure(said: string): boolean {
  return /not a git repository|dubious ownership|unsafe repository|cannot use bare|unknown repository/i.test(
    said,
  );
}

/**
 * Reads until all names are answered, or nothing more is wanted, or an object is so large that it pays to start anew.
 * Gives what git said where it ended by itself before its work was done.
 */
function readBatch(
  place: GitPlace,
  names: readonly string[],
  maxBytes: number,
  signal: AbortSignal | undefined,
  onObject: (object: ReadObject, index: number) => boolean,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const git = spawnGit(place, ["cat-file", "--batch", "--buffer"], { signal });
    let failed: unknown;
    let restart = false;
    let answered = 0;
    const parser = new BatchParser(maxBytes, (object) => {
      const wanted = onObject(object, answered++);
      if (wanted && (object.kind !== "tooLarge" || object.size <= restartBytes)) return true;
      restart = true;
      git.kill();
      return false;
    });
    git.stdout.on("data", (chunk: Buffer) => {
      if (failed !== undefined || restart) return;
      try {
        parser.push(chunk);
      } catch (error) {
        failed = error ?? new ServiceError("GIT_FAILED", "Reading objects failed.");
        git.kill();
      }
    });
    git.ended.then(() => {
      if (failed !== undefined) reject(failed);
      else if (signal?.aborted) reject(cancelled());
      else if (restart || answered >= names.length) resolve(undefined);
      else resolve(git.errorText() || "it ended early");
    }, reject);
    git.stdin.write(names.map((name) => `${name}\n`).join(""));
    git.stdin.end();
  });
}

/**
 * The answers of `cat-file --batch`, whatever the borders of the pieces in which they come.
 *
 * `onObject` gives false to stop: nothing is parsed any more.
 */
export class BatchParser {
  readonly #maxBytes: number;
  readonly #onObject: (object: ReadObject) => boolean;
  #header = "";
  #hash = "";
  #type = "";
  /** Bytes of content that are still to come, and its final newline; -1 between objects. */
  #left = -1;
  #size = 0;
  /** An object that came in more than one piece is put together here; grows, and is used again. */
  #buffer: Buffer = Buffer.alloc(0);
  #filled = 0;
  #stopped = false;

  constructor(maxBytes: number, onObject: (object: ReadObject) => boolean) {
    this.#maxBytes = maxBytes;
    this.#onObject = onObject;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#stopped) {
      at = this.#left < 0 ? this.#readHeader(chunk, at) : this.#readContent(chunk, at);
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
          `git cat-file answered ${JSON.stringify(header.slice(0, 200))}.`,
        );
      }
      this.#give({ kind: "missing" });
      return end + 1;
    }
    this.#hash = match[1] ?? "";
    this.#type = match[2] ?? "";
    this.#size = Number(match[3]);
    this.#left = this.#size + 1;
    this.#filled = 0;
    if (this.#size > this.#maxBytes) {
      this.#give({ kind: "tooLarge", type: this.#type, hash: this.#hash, size: this.#size });
    }
    return end + 1;
  }

  #readContent(chunk: Buffer, start: number): number {
    const end = Math.min(start + this.#left, chunk.length);
    const complete = end - start === this.#left;
    if (this.#size <= this.#maxBytes) {
      if (complete && this.#filled === 0) this.#giveContent(chunk.subarray(start, end - 1));
      else {
        this.#keep(chunk, start, end);
        if (complete) this.#giveContent(this.#buffer.subarray(0, this.#size));
      }
    }
    this.#left = complete ? -1 : this.#left - (end - start);
    return end;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    if (this.#buffer.length < this.#size + 1) {
      const larger = Buffer.allocUnsafe(Math.max(this.#size + 1, this.#buffer.length * 2, 64 * 1024));
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    this.#filled += chunk.copy(this.#buffer, this.#filled, start, end);
  }

  #giveContent(bytes: Buffer): void {
    this.#give({ kind: "content", type: this.#type, hash: this.#hash, bytes });
  }

  #give(object: ReadObject): void {
    if (!this.#onObject(object)) this.#stopped = true;
  }
}
