/**
 * The first steps of every request about files and history: find the repository, resolve the revision, check the path.
 * Also owns what these requests share: git processes and a cache of immutable results.
 */
import { existsSync, lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { ByteCache, objectBytes } from "#base/byteCache";
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { SingleFlight } from "#base/singleFlight";
import type { CallContext } from "#contract/service";
import { defaultGitTimeLimitMs, defaultMaxGitProcesses, type GitRequest } from "#git/gitRequest";
import { CatFilePool, ObjectReader } from "#git/objects/objectReader";
import { readHeadFile, readRefFile } from "#git/refs/refs";
import { type ResolvedRef, resolveRef, unresolvedRef } from "#git/refs/resolveRef";
import { findGitRepository, type GitRepository, readText } from "#git/repository";
import { isPlainFolder, type Repository } from "#model/repository";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { LineRange } from "#service/repositories/webLinks";
import { CommitGraphs } from "./commitGraphs";
import type { RemoteHistory } from "./remoteHistory";

/** Limits on git processes. */
export interface HistoryLimits {
  /** Maximum number of processes that run at once, for all callers together. */
  readonly maxGitProcesses?: number;
  /** Time limit of each git process, and of a whole request about files and history. */
  readonly gitTimeLimitMs?: number;
}

export interface HistoryOptions extends HistoryLimits {
  readonly repositories: RepositoryView;
  /** Where to keep commit-graphs. Without it, none are written. */
  readonly graphFolder?: string;
  /** Where the clones are, if they are on other servers. */
  readonly remote?: RemoteHistory | undefined;
}

/** A repository, and what is needed to read it for one caller. */
export interface OpenRepository {
  readonly repository: Repository;
  readonly gitRequest: GitRequest;
  readonly objects: ObjectReader;
}

/** A repository at a commit. */
export interface OpenRevision extends OpenRepository, ResolvedRef {}

export type CallerInfo = Pick<CallContext, "signal" | "client">;

/** Factor by which `isPatient` extends the time limit of a request. */
export const patienceFactor = 6;

const maxCachedBytes = 64 * 1024 * 1024;

/** What the requests of all callers share. */
interface SharedHistory {
  readonly limiter: Limiter;
  readonly graphs: CommitGraphs;
  readonly catFilePool: CatFilePool;
  readonly cache: ByteCache<unknown>;
  readonly pendingResults: SingleFlight;
  readonly remote: RemoteHistory | undefined;
  timeLimitMs: number;
}

export class History {
  readonly #repositories: RepositoryView;
  readonly #shared: SharedHistory;

  constructor(options: HistoryOptions, shared = createShared(options)) {
    this.#repositories = options.repositories;
    this.#shared = shared;
  }

  /** Returns the history for callers who see only the repositories of a view. It shares processes and caches. */
  seenThrough(repositories: RepositoryView): History {
    return new History({ repositories }, this.#shared);
  }

  /** Where the clones are, if they are on other servers. */
  get remote(): RemoteHistory | undefined {
    return this.#shared.remote;
  }

  get limiter(): Limiter {
    return this.#shared.limiter;
  }

  get graphs(): CommitGraphs {
    return this.#shared.graphs;
  }

  /** Time limit of each git process, and of a whole request about files and history. */
  get timeLimitMs(): number {
    return this.#shared.timeLimitMs;
  }

  /** Changes the limits for later requests. */
  configure(limits: HistoryLimits): void {
    applyLimits(this.#shared, limits);
  }

  /** Returns the repository with this exact name. Throws NOT_FOUND. */
  repository(name: string): Repository {
    const repository = this.#repositories.byName(name);
    if (repository === undefined) throw unknownRepository(name);
    return repository;
  }

  /** Records that a file of a repository was opened. */
  noteUse({ id }: Repository): void {
    this.#repositories.noteUse({ ids: [id] });
  }

  /**
   * Prepares to read a repository for a caller.
   *
   * Throws NOT_FOUND if the caller does not see the repository or if it is no longer on disk, INVALID_GIT_REF for a plain
   * folder, ENGINE_UNAVAILABLE if the clone is on another server.
   */
  open(repository: Repository, { signal, client = "" }: CallerInfo): OpenRepository {
    const { id, kind, name, path } = repository;
    if (this.#repositories.isLimited && this.#repositories.get(id) === undefined)
      throw unknownRepository(name);
    if (this.remote !== undefined) {
      throw new ServiceError(
        "ENGINE_UNAVAILABLE",
        `This request needs the clone of "${name}", which is on a git server.`,
      );
    }
    if (isPlainFolder(kind)) {
      throw new ServiceError("INVALID_GIT_REF", `"${name}" is a plain folder and has no history.`);
    }
    const found = findGitRepository(path);
    if (found === undefined) {
      throw new ServiceError("NOT_FOUND", `Repository "${name}" is no longer on disk.`);
    }
    this.graphs.prepare(repository);
    const alternateObjects = this.graphs.objectsOf(repository);
    const gitRepository = {
      ...found,
      repositoryName: name,
      ...(alternateObjects === undefined ? {} : { alternateObjects }),
    };
    const gitRequest = {
      gitRepository,
      signal,
      client,
      timeLimitMs: this.timeLimitMs,
      limiter: this.limiter,
    };
    return { repository, gitRequest, objects: new ObjectReader(gitRequest, this.#shared.catFilePool) };
  }

  /**
   * Resolves `ref` as a caller wrote it; `undefined` is the default revision.
   *
   * Throws INVALID_GIT_REF if it does not resolve, or if the repository has no commits.
   */
  async resolve(opened: OpenRepository, ref: string | undefined): Promise<OpenRevision> {
    const found = await this.find(opened, ref);
    if (found !== undefined) return found;
    throw ref === undefined
      ? new ServiceError("INVALID_GIT_REF", `Repository "${opened.repository.name}" has no commits.`)
      : unresolvedRef(ref);
  }

  /** Like `resolve`, but returns `undefined` if the ref does not resolve. Throws INVALID_GIT_REF if it is malformed. */
  async find(opened: OpenRepository, ref: string | undefined): Promise<OpenRevision | undefined> {
    const { gitRequest, objects, repository } = opened;
    const found = await resolveRef(gitRequest, objects, ref ?? "HEAD");
    // HEAD may point to a branch without commits.
    const resolved =
      found !== undefined || ref !== undefined || repository.defaultRevision === undefined
        ? found
        : await resolveRef(gitRequest, objects, repository.defaultRevision);
    return resolved && { ...opened, ...resolved };
  }

  /**
   * Returns the cached result for a commit and `key`, or computes it. The two together must determine the result.
   *
   * Concurrent callers share one call of `compute`, whose signal fires when all of them have canceled. `bytes` estimates
   * how much memory the result takes.
   */
  async memoize<Result>(
    revision: OpenRevision,
    key: string,
    compute: (revision: OpenRevision) => Promise<Result>,
    bytes: (result: Result) => number,
  ): Promise<Result> {
    const { gitRequest, commit } = revision;
    const cacheKey = `${historyKey(revision)} ${commit} ${key}`;
    const cached = this.#shared.cache.get(cacheKey);
    if (cached !== undefined) return cached as Result;
    const run = async (signal: AbortSignal) => {
      const shared = { ...gitRequest, signal };
      const objects = new ObjectReader(shared, this.#shared.catFilePool);
      const result = await compute({ ...revision, gitRequest: shared, objects });
      this.#shared.cache.set(cacheKey, result, bytes(result) + objectBytes([cacheKey]));
      return result;
    };
    // Callers with different time limits do not share a call.
    return this.#shared.pendingResults.run(`${gitRequest.timeLimitMs} ${cacheKey}`, run, gitRequest.signal);
  }

  /** Ends idle git processes. */
  close(): void {
    this.#shared.catFilePool.close();
  }
}

function createShared({ repositories, graphFolder, remote, ...limits }: HistoryOptions): SharedHistory {
  const shared = {
    limiter: new Limiter(defaultMaxGitProcesses),
    graphs: new CommitGraphs(graphFolder, repositories.all()),
    catFilePool: new CatFilePool(),
    cache: new ByteCache<unknown>(maxCachedBytes),
    pendingResults: new SingleFlight(),
    remote,
    timeLimitMs: defaultGitTimeLimitMs,
  };
  applyLimits(shared, limits);
  return shared;
}

function applyLimits(shared: SharedHistory, limits: HistoryLimits): void {
  shared.timeLimitMs = limits.gitTimeLimitMs ?? defaultGitTimeLimitMs;
  shared.limiter.resize(limits.maxGitProcesses ?? defaultMaxGitProcesses);
}

function unknownRepository(name: string): ServiceError {
  return new ServiceError("NOT_FOUND", `Repository "${name}" not found.`);
}

/**
 * Returns why a revision has no history, if its repository is a shallow clone that ends at this commit. Git would say
 * that the commit added all files.
 */
export function missingHistory({ repository, gitRequest, commit }: OpenRevision): string | undefined {
  const boundaries = readText(join(gitRequest.gitRepository.commonDir, "shallow"))?.split("\n") ?? [];
  if (!boundaries.includes(commit)) return undefined;
  return `Repository "${repository.name}" has no history before ${commit.slice(0, 10)}, because it is a shallow clone.`;
}

/** Identifies a repository, and changes with whatever changes git's output about one of its commits. */
function historyKey({ repository, gitRequest }: OpenRepository): string {
  return `${repository.id} ${repositoryFingerprint(gitRequest.gitRepository)}`;
}

/** Identifies a repository, and changes with whatever changes the ancestors of its commits. */
export function ancestryKey({ repository, gitRequest }: OpenRepository): string {
  return `${repository.id} ${ancestryFingerprint(gitRequest.gitRepository)}`;
}

/** Fingerprints shallow boundaries, grafts and replacement refs. */
function ancestryFingerprint({ commonDir }: GitRepository): string {
  return ["shallow", "info/grafts", "refs/replace", "packed-refs"]
    .map((name) => fileFingerprint(join(commonDir, name)))
    .join(" ");
}

/**
 * Fingerprints what affects git's output besides the commit itself: its ancestors, and `.mailmap`, which a bare repository
 * reads from HEAD.
 */
function repositoryFingerprint(gitRepository: GitRepository): string {
  const { workTree } = gitRepository;
  const mailmap = workTree === undefined ? "" : fileFingerprint(join(workTree, ".mailmap"));
  const head = workTree === undefined ? readHeadFile(gitRepository) : undefined;
  const commit = head?.kind === "branch" ? readRefFile(gitRepository, head.name) : head?.kind;
  return [ancestryFingerprint(gitRepository), mailmap, commit].join(" ");
}

function fileFingerprint(path: string): string {
  try {
    const stat = existsSync(path) ? lstatSync(path) : undefined;
    return stat === undefined ? "-" : `${stat.mtimeMs}/${stat.size}`;
  } catch {
    return "-";
  }
}

/** Path separators of this operating system, because the file may be read from disk. */
const separators = sep === "\\" ? /[\\/]/ : "/";
/** As long as a path may be on Linux. */
const maxPathLength = 4096;

/**
 * Checks a path as a caller wrote it and drops its leading `/`.
 *
 * Throws `code` if the rest begins with `/`, has a `..` segment, contains a NUL, or is too long.
 */
export function checkPath(path: string, code: "INVALID_QUERY_PARAMS" | "INVALID_REQUEST_BODY"): string {
  const relative = path.startsWith("/") ? path.slice(1) : path;
  if (/^\/|\0/.test(relative) || relative.split(separators).includes("..")) {
    throw new ServiceError(
      code,
      '"path" must stay inside the repository, without "..", a second leading "/" or NUL.',
    );
  }
  if (relative.length > maxPathLength) {
    throw new ServiceError(
      code,
      `"path" must have at most ${maxPathLength} characters, but has ${relative.length}.`,
    );
  }
  return relative;
}

/** Parses a line or a range of lines, such as `10` or `10-20`. Throws INVALID_QUERY_PARAMS. */
export function parseLineRange(text: string): LineRange {
  const [, first = "", last = first] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (first === "" || Number(first) > Number(last)) {
    throw new ServiceError(
      "INVALID_QUERY_PARAMS",
      '"lines" must be a line or a range of lines, such as 10 or 10-20.',
    );
  }
  return { first: Number(first), last: Number(last) };
}
