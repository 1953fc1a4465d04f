/**
 * Objects for callers' questions, one by one: from the repository's own files where that is simple, else from a
 * `cat-file --batch` that stays for a while, because most who read one object of a repository read more.
 */
import { ByteCache } from "#base/byteCache";
import { cancelled, isServiceError, ServiceError, throwIfAborted } from "#base/error";
import { Limiter } from "#base/limiter";
import type { RunningProcess } from "#platform/process";
import { TimeLimit } from "#platform/timeLimit";
import { gitFailure, spawnGit } from "./git";
import { ObjectFiles, type StoredObject } from "./objectFiles";
import { BatchParser, type ReadObject } from "./objects";
import type { GitPlace } from "./place";
import { answerTooLarge, maxGitAnswerBytes, type Question, tookTooLong } from "./question";

/** Larger ones are left to git, in a process of its own: nothing else would be answered meanwhile. */
const maxBytesFromFiles = 1024 * 1024;
const maxBatches = 2;
const idleMs = 5000;
const maxTagsOfTags = 10;
const maxCommitBytes = 4 * 1024 * 1024;

/** The objects of one repository, for one question. */
export class ObjectReader {
  readonly #question: Question;
  readonly #batches: ObjectBatches;

  constructor(question: Question, batches: ObjectBatches) {
    this.#question = question;
    this.#batches = batches;
  }

  /**
   * By its full hash; `undefined` where the repository does not have it.
   *
   * Throws ANSWER_TOO_LARGE, TIMED_OUT, CANCELLED, REPOSITORY_NOT_TRUSTED, and GIT_FAILED where it cannot be read.
   */
  async read(hash: string): Promise<StoredObject | undefined> {
    throwIfAborted(this.#question.signal);
    const { place } = this.#question;
    const stored = ObjectFiles.use(place, (files) => files?.read(hash, maxBytesFromFiles));
    return stored ?? (await this.#batches.read(this.#question, hash));
  }

  /** The commit that a hash is, or that the tag leads to which it is. */
  async commitOf(hash: string): Promise<string | undefined> {
    const { gitDir } = this.#question.place;
    const known = this.#batches.commits.get(`${gitDir} ${hash}`);
    const commit = known ?? (await this.#followTags(hash));
    if (commit !== undefined) this.#batches.commits.set(`${gitDir} ${hash}`, commit, gitDir.length + 200);
    return commit;
  }

  async #followTags(hash: string): Promise<string | undefined> {
    let at = hash;
    for (let steps = 0; steps < maxTagsOfTags; steps++) {
      const found = await this.read(at);
      if (found?.type === "commit") return at;
      const next = found?.type === "tag" ? /^object ([0-9a-f]{40,64})\n/.exec(head(found)) : null;
      if (next?.[1] === undefined) return undefined;
      at = next[1];
    }
    return undefined;
  }

  /** The root tree of a commit. */
  async treeOf(commit: string): Promise<string | undefined> {
    const found = await this.read(commit);
    return found?.type === "commit" ? /^tree ([0-9a-f]{40,64})\n/.exec(head(found))?.[1] : undefined;
  }
}

function head({ bytes }: StoredObject): string {
  return bytes.toString("latin1", 0, 128);
}

/** The processes behind all readers, and what they need not be asked again. */
export class ObjectBatches {
  /** Git directory and hash to the commit that this is or leads to. */
  readonly commits = new ByteCache<string>(maxCommitBytes);
  /** By git directory; the first was not used longest. */
  readonly #batches = new Map<string, Batch>();

  read(question: Question, hash: string): Promise<StoredObject | undefined> {
    const { place } = question;
    const batch = this.#batches.get(place.gitDir) ?? new Batch(place);
    this.#batches.delete(place.gitDir);
    this.#batches.set(place.gitDir, batch);
    for (const [key, oldest] of this.#batches) {
      if (this.#batches.size <= maxBatches) break;
      oldest.end();
      this.#batches.delete(key);
    }
    return batch.read(question, hash);
  }

  close(): void {
    for (const batch of this.#batches.values()) batch.end();
    this.#batches.clear();
  }
}

/** One repository's process, started when it is needed; it answers one after the other. */
class Batch {
  readonly #place: GitPlace;
  readonly #turns = new Limiter(1);
  #git: RunningProcess | undefined;
  /** Whoever waits for the next answer. */
  #asked: { resolve(object: ReadObject): void; reject(error: unknown): void } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(place: GitPlace) {
    this.#place = place;
  }

  async read(question: Question, hash: string): Promise<StoredObject | undefined> {
    return await this.#turns.run(() => this.#ask(question, hash), question.signal, question.client);
  }

  /** Once nobody waits any more. */
  end(): void {
    this.#ending = true;
    if (this.#turns.running === 0) this.#kill();
  }

  async #ask({ signal, timeLimitMs }: Question, hash: string): Promise<StoredObject | undefined> {
    clearTimeout(this.#idle);
    const limit = new TimeLimit(signal, timeLimitMs);
    try {
      const object = await this.#answer(hash, limit.signal);
      if (object.kind === "tooLarge") throw answerTooLarge();
      if (object.kind === "missing") return undefined;
      if (object.kind === "content") return { type: object.type, bytes: object.bytes };
      throw new ServiceError("GIT_FAILED", `The object ${hash} cannot be read.`);
    } catch (error) {
      // Its next words would be the rest of this answer.
      this.#kill();
      if (!isServiceError(error, "CANCELLED") || signal.aborted) throw error;
      throw tookTooLong("cat-file", timeLimitMs);
    } finally {
      limit.end();
      if (this.#ending && this.#turns.running === 1) this.#kill();
      else this.#idle = setTimeout(() => this.#kill(), idleMs).unref();
    }
  }

  #answer(hash: string, signal: AbortSignal): Promise<ReadObject> {
    return new Promise((resolve, reject) => {
      const git = this.#git ?? this.#start();
      const giveUp = () => this.#asked?.reject(cancelled());
      const settled = () => {
        signal.removeEventListener("abort", giveUp);
        this.#asked = undefined;
      };
      this.#asked = {
        resolve(object) {
          settled();
          resolve(object);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      if (signal.aborted) giveUp();
      else git.stdin.write(`${hash}\n`);
    });
  }

  #start(): RunningProcess {
    const git = spawnGit(this.#place, ["cat-file", "--batch"]);
    const parser = new BatchParser(maxGitAnswerBytes, (object) => {
      const copy = object.kind === "content" ? { ...object, bytes: Buffer.from(object.bytes) } : object;
      this.#asked?.resolve(copy);
      return this.#git === git;
    });
    git.stdout.on("data", (chunk: Buffer) => {
      try {
        if (this.#git === git) parser.push(chunk);
      } catch {
        // What it says is no answer: it is ended, and whoever waits is told so.
        git.kill();
      }
    });
    const ended = (error: unknown) => {
      if (this.#git !== git) return;
      this.#git = undefined;
      const said = git.errorText();
      if (/promisor|could not fetch/i.test(said)) this.#asked?.resolve({ kind: "missing" });
      else this.#asked?.reject(error ?? gitFailure(this.#place, ["cat-file"], said || "it ended early"));
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
