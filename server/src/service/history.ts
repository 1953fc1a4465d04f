/**
 * What every question about files and history begins with: the repository, the revision, the path; and what they share:
 * the processes that read objects, and answers that cannot change any more.
 */
import { existsSync, lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { ByteCache } from "#base/byteCache";
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { SingleFlight } from "#base/singleFlight";
import type { CallContext } from "#contract/service";
import { ObjectBatches, ObjectReader } from "#git/objectReader";
import { findPlace, type GitPlace } from "#git/place";
import { defaultGitTimeLimitMs, defaultMaxGitProcesses, type Question } from "#git/question";
import { lookUpHead, lookUpRef } from "#git/refs";
import { type ResolvedRef, resolveRef, unresolved } from "#git/resolve";
import type { Repository } from "#model/repository";
import type { RepositoryView } from "./repositoryView";

/** What questions may cost. */
export interface HistoryLimits {
  /** At once, for all callers together. */
  readonly maxGitProcesses?: number;
  /** For each git process. */
  readonly gitTimeLimitMs?: number;
}

export interface HistoryOptions extends HistoryLimits {
  readonly repositories: RepositoryView;
}

/** A repository that git answers for. */
export interface OpenRepository {
  readonly repository: Repository;
  readonly question: Question;
  readonly objects: ObjectReader;
}

/** A repository at a commit. */
export interface OpenRevision extends OpenRepository, ResolvedRef {}

type Caller = Pick<CallContext, "signal" | "client">;

const maxCachedBytes = 64 * 1024 * 1024;

export class History {
  readonly #view: RepositoryView;
  readonly #turns = new Limiter(defaultMaxGitProcesses);
  #timeLimitMs = defaultGitTimeLimitMs;
  readonly #batches = new ObjectBatches();
  readonly #answers = new ByteCache<unknown>(maxCachedBytes);
  readonly #flights = new SingleFlight();

  constructor({ repositories, ...limits }: HistoryOptions) {
    this.#view = repositories;
    this.configure(limits);
  }

  /** Counts for questions from now on. */
  configure(limits: HistoryLimits): void {
    this.#timeLimitMs = limits.gitTimeLimitMs ?? defaultGitTimeLimitMs;
    this.#turns.resize(limits.maxGitProcesses ?? defaultMaxGitProcesses);
  }

  /** By its exact name. Throws NOT_FOUND. */
  repository(name: string): Repository {
    const repository = this.#view.byName(name);
    if (repository === undefined) throw new ServiceError("NOT_FOUND", `Repository "${name}" not found.`);
    return repository;
  }

  /** Throws NOT_FOUND where it is not on the disk any more, INVALID_GIT_REF for a plain folder. */
  open(repository: Repository, { signal, client = "" }: Caller): OpenRepository {
    const { kind, name, path } = repository;
    if (kind === "folder") {
      throw new ServiceError("INVALID_GIT_REF", `"${name}" is a plain folder and has no history.`);
    }
    const place = findPlace(path);
    if (place === undefined) {
      throw new ServiceError("NOT_FOUND", `Repository "${name}" is not on the disk any more.`);
    }
    const question = { place, signal, client, timeLimitMs: this.#timeLimitMs, turns: this.#turns };
    return { repository, question, objects: new ObjectReader(question, this.#batches) };
  }

  /**
   * `ref` as a caller wrote it, `undefined` for the default one.
   *
   * Throws INVALID_GIT_REF where it does not resolve, also for a repository without commits.
   */
  async resolve(opened: OpenRepository, ref: string | undefined): Promise<OpenRevision> {
    const found = await this.find(opened, ref);
    if (found !== undefined) return found;
    throw ref === undefined
      ? new ServiceError("INVALID_GIT_REF", `Repository "${opened.repository.name}" has no commits.`)
      : unresolved(ref);
  }

  /** The same, with `undefined` where it does not resolve. */
  async find(opened: OpenRepository, ref: string | undefined): Promise<OpenRevision | undefined> {
    const { question, objects, repository } = opened;
    const found = await resolveRef(question, objects, ref ?? "HEAD");
    // HEAD may name a branch that nobody has committed to yet.
    const resolved =
      found !== undefined || ref !== undefined || repository.defaultRevision === undefined
        ? found
        : await resolveRef(question, objects, repository.defaultRevision);
    return resolved && { ...opened, ...resolved };
  }

  /**
   * An answer that the commit and `key` determine: the one that was given before, or a new one.
   *
   * Callers that want it at the same time share one, which `make` asks for them: it is given the revision with a signal
   * that fires when all of them have gone. `bytes` tells how much of memory the answer takes.
   */
  async remember<Answer>(
    revision: OpenRevision,
    key: string,
    make: (revision: OpenRevision) => Promise<Answer>,
    bytes: (answer: Answer) => number,
  ): Promise<Answer> {
    const { repository, question, commit } = revision;
    const full = `${repository.id} ${commit} ${surroundings(question.place)} ${key}`;
    const known = this.#answers.get(full);
    if (known !== undefined) return known as Answer;
    const ask = async (signal: AbortSignal) => {
      const shared = { ...question, signal };
      const objects = new ObjectReader(shared, this.#batches);
      const answer = await make({ ...revision, question: shared, objects });
      this.#answers.set(full, answer, bytes(answer) + full.length * 2);
      return answer;
    };
    // Who may wait longer does not share the end of one who may not.
    return this.#flights.run(`${question.timeLimitMs} ${full}`, ask, question.signal);
  }

  /** Ends the processes that wait for more questions. */
  close(): void {
    this.#batches.close();
  }
}

/** Files beside the commits that change what git says of them: names of people, where history ends, replacements. */
function surroundings(place: GitPlace): string {
  const { workTree, commonDir } = place;
  const files = ["shallow", "info/grafts", "refs/replace", "packed-refs"].map((name) =>
    join(commonDir, name),
  );
  if (workTree !== undefined) files.push(join(workTree, ".mailmap"));
  const head = workTree === undefined ? lookUpHead(place) : undefined;
  const commit = head?.kind === "branch" ? lookUpRef(place, head.name) : head?.kind;
  return [...files.map(mark), commit].join(" ");
}

function mark(path: string): string {
  try {
    const stat = existsSync(path) ? lstatSync(path) : undefined;
    return stat === undefined ? "-" : `${stat.mtimeMs}/${stat.size}`;
  } catch {
    return "-";
  }
}

/** What leads from folder to folder where a path is also looked for on this computer's disk. */
const separators = sep === "\\" ? /[\\/]/ : "/";
/** No file system takes a longer one. */
const maxPathLength = 4096;

/**
 * A path as a caller wrote it, without its leading `/`.
 *
 * Throws `code` where it leads upwards, begins at another root, holds a NUL, or is too long for any file.
 */
export function checkPath(path: string, code: "INVALID_QUERY_PARAMS" | "INVALID_REQUEST_BODY"): string {
  const relative = path.startsWith("/") ? path.slice(1) : path;
  if (/^\/|\0/.test(relative) || relative.split(separators).includes("..")) {
    throw new ServiceError(code, '"path" must stay inside the repository: no "..", no second "/", no NUL.');
  }
  if (relative.length > maxPathLength) {
    throw new ServiceError(code, `"path" may have ${maxPathLength} characters, but has ${relative.length}.`);
  }
  return relative;
}

/** Lines of a file, from 1. */
export interface LineStretch {
  readonly first: number;
  readonly last: number;
}

/** Lines as a caller wrote them. Throws INVALID_QUERY_PARAMS. */
export function checkLines(text: string): LineStretch {
  const [, first = "", last = first] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (first === "" || Number(first) > Number(last)) {
    throw new ServiceError(
      "INVALID_QUERY_PARAMS",
      '"lines" must be a line or two, the first one first, as in 10 or 10-20.',
    );
  }
  return { first: Number(first), last: Number(last) };
}
