/** The role of a frontend: its repositories are those of its git servers, which also answer requests about history. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { RepositoryChange } from "#catalog/change";
import type { RepositoryFacts } from "#catalog/facts";
import type { Service } from "#contract/service";
import { GitServers } from "#gitServer/gitServers";
import type { ListedRepository } from "#gitServer/protocol";
import { readSecret } from "#hosts/secret";
import type { CommitHash, Repository, RepositoryId } from "#model/repository";
import { systemClock, wait } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Measurement } from "#service/metrics";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { FailedIndex } from "#store/indexQueue";
import type { GitServerAddress } from "./clusterRoles";
import type { FrontendQueue } from "./database";
import { checkSecret } from "./gitServerRole";
import { describeFailure } from "./nodeIndexers";
import type { ZoektCluster } from "./zoektCluster";

export interface FrontendOptions {
  readonly servers: readonly GitServerAddress[];
  readonly catalog: Catalog;
  readonly dataDir: string;
  /** The Zoekt nodes that search the repositories; absent: nothing does. */
  readonly cluster: Pick<ZoektCluster, "hasRepository" | "listsVersion" | "refresh"> | undefined;
  /**
   * Knows the ids of repositories that all frontends of a database share, and what indexers could not index. Absent: each
   * frontend has ids of its own.
   */
  readonly queue?: Pick<FrontendQueue, "idsOf" | "failures" | "close"> | undefined;
  readonly log: Log;
}

/** How long the start waits for the lists of the servers. */
const startWaitMs = 3000;
/** Delays between lists of the nodes: the longer it takes to get them, the longer, so that large ones cost little. */
const nodesPoll = { minMs: 5000, maxMs: 15_000, restFactor: 120 };
const failuresPollMs = 5000;
/** A git server that rebuilds its data directory lists its repositories only as it finds them again. */
const removalDelayMs = 10 * 60_000;

export class Frontend {
  readonly gitServers: GitServers;
  readonly #options: FrontendOptions;
  readonly #closing = new AbortController();
  /** What was last recorded about each repository, as JSON. */
  readonly #recorded = new Map<RepositoryId, string>();
  /** Since when no server lists a repository, in milliseconds of elapsed time. */
  readonly #absentSince = new Map<RepositoryId, number>();
  /** Ids of repositories that are common to all frontends, by name. */
  readonly #ids = new Map<string, RepositoryId>();
  /** What indexers could not index. */
  #failures: readonly FailedIndex[] = [];
  /** Whether it is in the log that they cannot be read. */
  #hasLoggedFailures = false;
  /** The lists from which everything has been recorded. */
  #recordedFrom: readonly unknown[] = [];
  #isLearning = false;
  /** Whether the failure to read ids is in the log. */
  #hasLoggedIds = false;
  /** Whether the servers list repositories whose ids are not known yet. */
  #lacksIds = false;
  /** Whether the repositories are known from an earlier start. */
  readonly #hadRepositories: boolean;

  constructor(options: FrontendOptions) {
    this.#options = options;
    this.#hadRepositories = options.catalog.all().length > 0;
    const servers = options.servers.map(({ secret, ...server }) => ({
      ...server,
      readSecret: async () => (await readSecret(secret)).reveal(),
    }));
    const { log } = options;
    this.gitServers = new GitServers({ servers, clock: systemClock, log, onList: () => this.#update() });
  }

  /** Begins to poll the servers, and waits a moment for their lists. Throws USAGE if a secret is not available. */
  async start(): Promise<void> {
    for (const { name, secret } of this.#options.servers)
      checkSecret((await readSecret(secret)).reveal(), `"gitServers" (${name})`);
    await this.gitServers.start(startWaitMs, this.#closing.signal);
    void this.#repeat(() => this.#readNodes());
    const { queue } = this.#options;
    if (queue !== undefined) void this.#repeat(() => this.#readFailures(queue));
  }

  /** Returns why this process is not ready; `undefined` if it is. */
  get problem(): string | undefined {
    const isKnown = this.gitServers.isAnyListed || this.#options.catalog.all().length > 0;
    return isKnown ? undefined : "no git server has listed its repositories yet.";
  }

  /** Adapts a view to repositories that cannot be indexed here. */
  viewOf(view: RepositoryView): RepositoryView {
    return {
      ...view,
      isScanning: () =>
        this.#lacksIds ||
        !(this.#hadRepositories ? this.gitServers.isAnyListed : this.gitServers.areAllListed),
      isScanningPackages: () => false,
      isPolled: () => false,
      indexRevision: async () => "absent",
      restore: async () => {},
      skipped: async () => [],
      unparsed: async () => [],
    };
  }

  get measurements(): readonly Measurement[] {
    return [
      {
        kind: "counter",
        name: "trawl_git_server_requests_total",
        help: "Requests to git servers that have ended, by server and outcome.",
        label: ["server", "outcome"],
        read: () => this.gitServers.outcomes(),
      },
      {
        kind: "gauge",
        name: "trawl_git_server_up",
        help: "1 if the last list of repositories was received from the server.",
        label: "server",
        read: () => this.gitServers.responding(),
      },
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.gitServers.close();
    await this.#options.queue?.close();
  }

  /** Runs a step again and again until this is closed, each time after the milliseconds that it has returned. */
  async #repeat(step: () => Promise<number>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) await wait(systemClock, await step(), signal).catch(() => undefined);
  }

  /** Lists what the nodes have indexed, which determines the states of repositories. Retries what could not be stored. */
  async #readNodes(): Promise<number> {
    const { minMs, maxMs, restFactor } = nodesPoll;
    const startedAt = systemClock.elapsed();
    await this.#options.cluster?.refresh();
    if (!this.#closing.signal.aborted) this.#update();
    return Math.min(maxMs, Math.max(minMs, restFactor * (systemClock.elapsed() - startedAt)));
  }

  /** Reads what indexers could not index. While the database does not respond, what is known remains. */
  async #readFailures(queue: Pick<FrontendQueue, "failures">): Promise<number> {
    const { signal } = this.#closing;
    try {
      const failures = await queue.failures();
      this.#hasLoggedFailures = false;
      if (!signal.aborted && !isDeepStrictEqual(failures, this.#failures)) {
        this.#failures = failures;
        this.#update();
      }
    } catch (error) {
      if (!this.#hasLoggedFailures && !signal.aborted)
        this.#options.log.warn("Cannot read what indexers could not index.", { error });
      this.#hasLoggedFailures = true;
    }
    return failuresPollMs;
  }

  /** Takes over the lists of the servers. A failure to store them is logged; the next poll tries again. */
  #update(): void {
    const { catalog, cluster, log } = this.#options;
    const from = [...this.gitServers.lists(), cluster?.listsVersion, this.#failures];
    const isRecorded = from.every((each, at) => each === this.#recordedFrom[at]);
    if (isRecorded && this.#absentSince.size === 0 && !this.#lacksIds) return;
    try {
      const listed = this.gitServers.repositories();
      // Until all have, keeps what an earlier start knew of the others.
      if (this.gitServers.areAllListed) this.#removeAbsent(listed);
      const all = [...listed.values()].filter(({ name }) => this.#hasId(name));
      this.#lacksIds = all.length < listed.size;
      if (this.#lacksIds) void this.#learnIds([...listed.keys()].filter((name) => !this.#hasId(name)));
      const repositories = catalog.upsert(all.map((each) => this.#factsOf(each)));
      const failures = new Map<string, FailedIndex[]>();
      for (const failure of this.#failures) {
        const known = failures.get(failure.name);
        if (known === undefined) failures.set(failure.name, [failure]);
        else known.push(failure);
      }
      for (const [at, repository] of repositories.entries()) {
        const description = all[at];
        if (description !== undefined)
          this.#record(repository, description, failures.get(description.name) ?? []);
      }
      this.#recordedFrom = from;
    } catch (error) {
      log.error("Cannot record the repositories of the git servers.", { error });
    }
  }

  /** Whether it is known which id a repository has, or will get. */
  #hasId(name: string): boolean {
    const { catalog, queue } = this.#options;
    return queue === undefined || this.#ids.has(name) || catalog.byName(name) !== undefined;
  }

  /** Learns the ids of new repositories. A failure is logged; the next poll tries again. */
  async #learnIds(names: readonly string[]): Promise<void> {
    const { queue, log } = this.#options;
    if (this.#isLearning || queue === undefined || this.#closing.signal.aborted) return;
    this.#isLearning = true;
    try {
      for (const [name, id] of await queue.idsOf(names)) this.#ids.set(name, id as RepositoryId);
      this.#hasLoggedIds = false;
      if (!this.#closing.signal.aborted) this.#update();
    } catch (error) {
      if (!this.#hasLoggedIds && !this.#closing.signal.aborted)
        log.warn("Cannot read the ids of new repositories, which are not shown until then.", { error });
      this.#hasLoggedIds = true;
    } finally {
      this.#isLearning = false;
    }
  }

  /** Removes repositories that no server has listed for a while. */
  #removeAbsent(listed: ReadonlyMap<string, ListedRepository>): void {
    const { catalog } = this.#options;
    const now = systemClock.elapsed();
    const gone: RepositoryId[] = [];
    for (const { id, name } of catalog.all()) {
      const since = this.#absentSince.get(id) ?? now;
      if (listed.has(name)) this.#absentSince.delete(id);
      else if (now - since < removalDelayMs) this.#absentSince.set(id, since);
      else gone.push(id);
    }
    catalog.removeAll(gone);
    for (const id of gone) {
      this.#recorded.delete(id);
      this.#absentSince.delete(id);
    }
  }

  #factsOf({
    name,
    formerNames,
    codeHostType,
    hostUrl,
    isFork,
    isArchived,
    isPublic,
    stars,
    topics,
  }: ListedRepository): RepositoryFacts {
    // Never created: the catalog only needs a path to identify the repository.
    const path = join(
      this.#options.dataDir,
      "remote",
      createHash("sha256").update(name).digest("hex").slice(0, 32),
    );
    const id = this.#ids.get(name);
    return {
      ...(id === undefined ? {} : { id }),
      kind: "bare",
      path,
      remoteName: name,
      ...(formerNames === undefined ? {} : { formerNames }),
      codeHostType,
      ...(hostUrl === undefined ? {} : { hostUrl }),
      isFork,
      isArchived,
      isPublic,
      ...(stars === undefined ? {} : { stars }),
      ...(topics === undefined ? {} : { topics }),
    };
  }

  #record({ id }: Repository, listed: ListedRepository, failures: readonly FailedIndex[]): void {
    const change = { ...changeOf(listed), ...this.#searchState(id, listed, failures) };
    const text = JSON.stringify(change);
    if (this.#recorded.get(id) === text) return;
    this.#recorded.set(id, text);
    this.#options.catalog.update(id, change);
  }

  #searchState(
    id: RepositoryId,
    { name, state }: ListedRepository,
    failures: readonly FailedIndex[],
  ): RepositoryChange {
    const { cluster } = this.#options;
    if (cluster === undefined || state !== "ready") return {};
    if (failures.length > 0) return { state: "failed", lastError: describeFailure(failures) };
    if (cluster.hasRepository(id)) return {};
    return { state: "failed", lastError: `No Zoekt node has an index of ${name}.` };
  }
}

function changeOf({
  displayName,
  defaultRevision,
  revisions,
  state,
  lastError,
  pushedAt,
  indexedAt,
}: ListedRepository): RepositoryChange {
  return {
    ...(displayName === undefined ? {} : { displayName }),
    defaultRevision,
    revisions: revisions.map(({ name, commit }) => ({ name, commit: commit as CommitHash })),
    state,
    lastError,
    ...(pushedAt === undefined ? {} : { pushedAt }),
    indexedAt,
  };
}

type Refused = "addPaths" | "removePaths" | "removeRepositories" | "reindex" | "addCodeHost" | "siblings";

/** Handlers that refuse to change which repositories there are. */
export function refusedOnFrontend(): Pick<Service, Refused> {
  const refuse = async (): Promise<never> => {
    throw new ServiceError(
      "INVALID_REQUEST_BODY",
      "A frontend has no repositories of its own. Change them on its git servers.",
    );
  };
  return {
    addPaths: refuse,
    removePaths: refuse,
    removeRepositories: refuse,
    reindex: refuse,
    addCodeHost: refuse,
    siblings: async () => ({ repositories: [], isComplete: true }),
  };
}
