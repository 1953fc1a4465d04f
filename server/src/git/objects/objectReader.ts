/**
 * Reads single objects for callers' requests: directly from the repository's files if possible, otherwise through a
 * `git cat-file --batch` process that stays alive for a while, because callers usually read several objects.
 */
import { ByteCache } from "#base/byteCache";
import { canceled, isServiceError, throwIfAborted } from "#base/error";
import { Limiter } from "#base/limiter";
import { errorTextOf, gitFailure, spawnGit } from "#git/git";
import { type GitRequest, gitTimedOut, maxGitOutputBytes, responseTooLarge } from "#git/gitRequest";
import { objectMissing, triedToFetch } from "#git/missingObjects";
import type { GitRepository } from "#git/repository";
import type { RunningProcess } from "#platform/process";
import { TimeLimit } from "#platform/timeLimit";
import { treeOfCommit } from "./commitHeader";
import { maxTagDepth, ObjectDatabase, type StoredObject, tagTarget } from "./objectDatabase";
import { BatchParser, type ObjectResult } from "./readObjects";

/** Larger objects are read by a git process, so that they do not block this thread. */
const maxBytesFromFiles = 1024 * 1024;
const maxProcesses = 2;
const idleMs = 5000;
const maxCommitBytes = 4 * 1024 * 1024;

/** Reads the objects of one repository, for one request. */
export class ObjectReader {
  readonly #gitRequest: GitRequest;
  readonly #processes: CatFilePool;

  constructor(request: GitRequest, processes: CatFilePool) {
    this.#gitRequest = request;
    this.#processes = processes;
  }

  /**
   * Reads an object by its full hash; returns `undefined` if the repository does not have it.
   *
   * Throws ANSWER_TOO_LARGE, TIMED_OUT, CANCELLED, REPOSITORY_NOT_TRUSTED, NOT_FOUND for a damaged object, and
   * GIT_FAILED.
   */
  async read(hash: string): Promise<StoredObject | undefined> {
    throwIfAborted(this.#gitRequest.signal);
    const { gitRepository: repository } = this.#gitRequest;
    const stored = ObjectDatabase.use(repository, (files) => files?.read(hash, maxBytesFromFiles));
    return stored ?? (await this.#processes.read(this.#gitRequest, hash));
  }

  /** Like `read`, for a hash that the repository itself refers to. Throws NOT_FOUND if the object is missing. */
  async readExisting(hash: string): Promise<StoredObject> {
    const found = await this.read(hash);
    if (found === undefined) throw objectMissing(this.#gitRequest.gitRepository, hash);
    return found;
  }

  /** Peels a commit or tag hash to its commit. Returns `undefined` for other objects and unknown hashes. */
  async commitOf(hash: string): Promise<string | undefined> {
    const { gitDir } = this.#gitRequest.gitRepository;
    const known = this.#processes.commits.get(`${gitDir} ${hash}`);
    const commit = known ?? (await this.#followTags(hash));
    if (commit !== undefined) this.#processes.commits.set(`${gitDir} ${hash}`, commit, gitDir.length + 200);
    return commit;
  }

  async #followTags(hash: string): Promise<string | undefined> {
    let at = hash;
    for (let steps = 0; steps < maxTagDepth; steps++) {
      const found = steps === 0 ? await this.read(at) : await this.readExisting(at);
      if (found?.type === "commit") return at;
      const target = found && tagTarget(found);
      if (target === undefined) return undefined;
      at = target;
    }
    return undefined;
  }

  /** Returns the hash of a commit's root tree; `undefined` for any other object. Throws what `readExisting` throws. */
  async treeOf(commit: string): Promise<string | undefined> {
    return treeOfCommit(await this.readExisting(commit));
  }
}

/** The `cat-file` processes shared by all readers, and a cache of peeled commits. */
export class CatFilePool {
  /** Maps `<git directory> <hash>` to the peeled commit. */
  readonly commits = new ByteCache<string>(maxCommitBytes);
  /** By git directory, least recently used first. */
  readonly #processes = new Map<string, CatFileProcess>();

  read(request: GitRequest, hash: string): Promise<StoredObject | undefined> {
    const { gitRepository: repository } = request;
    const process = this.#processes.get(repository.gitDir) ?? new CatFileProcess(repository);
    this.#processes.delete(repository.gitDir);
    this.#processes.set(repository.gitDir, process);
    for (const [key, oldest] of this.#processes) {
      if (this.#processes.size <= maxProcesses) break;
      oldest.end();
      this.#processes.delete(key);
    }
    return process.read(request, hash);
  }

  close(): void {
    for (const process of this.#processes.values()) process.end();
    this.#processes.clear();
  }
}

/** The process of one repository. Started on demand; reads one object at a time. */
class CatFileProcess {
  readonly #repository: GitRepository;
  readonly #limiter = new Limiter(1);
  #git: RunningProcess | undefined;
  /** The request whose object the process prints next. */
  #pending: { resolve(object: ObjectResult): void; reject(error: unknown): void } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(repository: GitRepository) {
    this.#repository = repository;
  }

  async read(request: GitRequest, hash: string): Promise<StoredObject | undefined> {
    return await this.#limiter.run(() => this.#readWithLimits(request, hash), request.signal, request.client);
  }

  /** Ends the process once the waiting requests are done. */
  end(): void {
    this.#isClosing = true;
    if (this.#limiter.running === 0) this.#kill();
  }

  async #readWithLimits(
    { signal, timeLimitMs }: GitRequest,
    hash: string,
  ): Promise<StoredObject | undefined> {
    clearTimeout(this.#idle);
    const limit = new TimeLimit(signal, timeLimitMs);
    try {
      const object = await this.#request(hash, limit.signal);
      if (object.kind === "tooLarge") throw responseTooLarge();
      if (object.kind === "missing") return undefined;
      if (object.kind === "content") return { type: object.type, bytes: object.bytes };
      throw objectMissing(this.#repository, hash);
    } catch (error) {
      // The process would next print the rest of this object.
      this.#kill();
      if (!isServiceError(error, "CANCELLED") || signal.aborted) throw error;
      throw gitTimedOut("cat-file", timeLimitMs);
    } finally {
      limit.dispose();
      if (this.#isClosing && this.#limiter.running === 1) this.#kill();
      else this.#idle = setTimeout(() => this.#kill(), idleMs).unref();
    }
  }

  #request(hash: string, signal: AbortSignal): Promise<ObjectResult> {
    return new Promise((resolve, reject) => {
      const git = this.#git ?? this.#start();
      const cancel = () => this.#pending?.reject(canceled());
      const settled = () => {
        signal.removeEventListener("abort", cancel);
        this.#pending = undefined;
      };
      this.#pending = {
        resolve(object) {
          settled();
          resolve(object);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
      else git.stdin.write(`${hash}\n`);
    });
  }

  #start(): RunningProcess {
    const git = spawnGit(this.#repository, ["cat-file", "--batch"]);
    const parser = new BatchParser(maxGitOutputBytes, (object) => {
      const copy = object.kind === "content" ? { ...object, bytes: Buffer.from(object.bytes) } : object;
      this.#pending?.resolve(copy);
      return this.#git === git;
    });
    git.stdout.on("data", (chunk: Buffer) => {
      try {
        if (this.#git === git) parser.push(chunk);
      } catch {
        // Malformed output: when the process has ended, the pending request fails.
        git.kill();
      }
    });
    const ended = (error: unknown) => {
      if (this.#git !== git) return;
      this.#git = undefined;
      const stderr = errorTextOf(git);
      if (triedToFetch(stderr)) this.#pending?.resolve({ kind: "missing" });
      else this.#pending?.reject(error ?? gitFailure(this.#repository, ["cat-file"], stderr));
    };
    git.ended.then(() => ended(undefined), ended);
    this.#git = git;
    return git;
  }

  #kill(): void {
    clearTimeout(this.#idle);
    this.#git?.kill();
    this.#git = undefined;
  }
}
