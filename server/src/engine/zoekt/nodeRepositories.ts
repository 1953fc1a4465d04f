import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { untilAborted } from "#base/untilAborted";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import type { IndexedBranch, IndexedRepository } from "./zoektMessages";
import { NodeFailure, type ZoektNode } from "./zoektNode";
import { parseListReply, type ZoektList } from "./zoektReplies";

/** What the catalog knows about a repository. */
export interface KnownRepository {
  readonly id: number;
  readonly defaultRevision?: string | undefined;
  readonly revisions: readonly { readonly name: string; readonly commit?: string }[];
}

export interface NodeRepositoriesOptions {
  readonly nodes: readonly ZoektNode[];
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Finds a repository of the catalog by Zoekt's name. */
  readonly find: (name: string) => KnownRepository | undefined;
  /** Returns the names of the nodes that should have a repository, the one to ask first in front. */
  readonly placesOf: (id: number) => readonly string[];
  /** While these are the same objects and values, `find` and `placesOf` return the same. */
  readonly basis: () => readonly unknown[];
  /** Returns what nodes will remove soon, by Zoekt's own ids. */
  readonly leaving: () => Promise<readonly { readonly repositoryId: number; readonly node: string }[]>;
  /** Searches use no older lists, unless nodes do not respond. */
  readonly maxAgeMs: number;
}

/** What a node has indexed of a repository. */
interface ListedRepository {
  readonly name: string;
  /** Zoekt's own id, 0 if it has none. */
  readonly zoektId: number;
  readonly branches: readonly { readonly Name: string; readonly Version: string }[];
  readonly documentCount: number;
  readonly contentBytes: number;
  readonly indexBytes: number;
}

/** The repositories of all nodes that the catalog knows. Replaced as a whole. */
export interface Assignments {
  readonly version: number;
  readonly repositories: readonly IndexedRepository[];
  readonly byId: ReadonlyMap<number, AssignedRepository>;
}

/** A repository on one node. */
export interface PlacedRepository extends IndexedRepository, Omit<ListedRepository, "branches"> {
  /** Whether the node will remove it soon. */
  readonly isLeaving: boolean;
}

export interface AssignedRepository extends PlacedRepository {
  /** The same on other nodes that have indexed the same commits. */
  readonly replicas: readonly PlacedRepository[];
}

/** Lists older than this are fetched again in the background when a search uses them. */
const refreshAgeMs = 2000;
/** How long to wait for what nodes will remove. */
const leavingTimeoutMs = 1000;
/** How long a node may list a repository that its indexer has removed. */
const removalMs = 10_000;
/**
 * How much older than `maxAgeMs` a list may be in `uncertainNodes`: listing takes a moment. Less than the margin with
 * which indexers remove something.
 */
const listToleranceMs = 500;
const listTimeoutMs = 10_000;
/** How long a search waits for the first list: it needs its time for repositories that are not on nodes. */
const maxWaitMs = 2000;
const maxListBytes = 256 * 1024 * 1024;

/** As the interface of a node numbers them. */
const listFields = { full: 0, branches: 2 } as const;
/** Names and counts are not part of the shorter lists. They usually change with a new index only. */
const maxFullAgeMs = 300_000;

/** What was fetched from a node. */
interface FetchedList {
  readonly repositories: readonly ListedRepository[];
  /** The hash of the shorter list, with the branches and the time of the index of each repository. */
  readonly branchesHash: string;
  /** Whether the shorter list has all of them. It has only one of those with the same id. */
  readonly isHashedFully: boolean;
  /** When the full list was fetched, by the clock's elapsed time. */
  readonly fetchedAt: number;
}

/**
 * Lists what each node has indexed, and chooses one node for each repository. A cluster has lists of many megabytes, so
 * that a node is asked for the shorter one first, and for the full one only if that has changed.
 */
export class NodeRepositories {
  readonly #options: NodeRepositoriesOptions;
  /** By node. Absent until it has been listed for the first time; an old list remains while the node is down. */
  readonly #lists = new Map<string, FetchedList>();
  readonly #closing = new AbortController();
  /** When a node was last known to remove a repository soon, by `leavingKey`. */
  #leaving: ReadonlyMap<string, number> = new Map();
  /** Another object once `#leaving` has other keys. */
  #leavingKeys: object = {};
  #assignments: Assignments = { version: 0, repositories: [], byId: new Map() };
  /** The lists and the basis of the assignments. */
  #assignedFrom: readonly unknown[] = [];
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | undefined;
  /** When it was asked what nodes will remove, the last time that the database responded. */
  #leavingReadAt = Number.NEGATIVE_INFINITY;
  /** By node: when the last list that it returned was requested. */
  readonly #checkedAt = new Map<string, number>();
  /** By node: when this process last removed something from it. */
  readonly #removedAt = new Map<string, number>();
  /** By node: its list that is being fetched, or was last, and the one that is fetched next. */
  readonly #fetches = new Map<string, { last: Promise<void>; next: Promise<void> | undefined }>();

  constructor(options: NodeRepositoriesOptions) {
    this.#options = options;
  }

  /** Whether it is known what a node has indexed. */
  isListed(node: string): boolean {
    return this.#lists.has(node);
  }

  /** Whether a node fails and is not asked. */
  isSuspended(node: string): boolean {
    return this.#options.nodes.find(({ name }) => name === node)?.isSuspended === true;
  }

  /** The repositories as they were listed last. */
  get known(): Assignments["byId"] {
    return this.#assignments.byId;
  }

  /** Increases when `known` has other repositories, nodes or commits than before. */
  get version(): number {
    return this.#assignments.version;
  }

  /**
   * Returns what is known. While no node has been listed, or lists are too old, waits for the nodes, but not long;
   * otherwise fetches old lists in the background. Rejects with CANCELLED when the signal fires.
   */
  async current(signal: AbortSignal): Promise<Assignments> {
    const ageMs = this.#options.clock.elapsed() - this.#listedAt;
    if (this.#lists.size === 0 || ageMs > this.#options.maxAgeMs) await this.#waitForLists(signal);
    else if (ageMs > refreshAgeMs) void this.refresh();
    return this.#assignments;
  }

  async #waitForLists(signal: AbortSignal): Promise<void> {
    const limit = new TimeLimit(signal, maxWaitMs);
    try {
      await untilAborted(this.refresh(), limit.signal);
    } catch (error) {
      if (!limit.isExpired || signal.aborted) throw error;
    } finally {
      limit.dispose();
    }
  }

  /** Fetches all lists now. Never rejects. */
  refresh(): Promise<void> {
    this.#listing ??= this.#listAll().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Lists nodes, beginning after this call. */
  async check(names: readonly string[]): Promise<void> {
    await this.#listNodes(this.#options.nodes.filter(({ name }) => names.includes(name)));
  }

  /** Whether a list of a node was requested at `time`, by the clock's elapsed time, or later. */
  isCheckedSince(node: string, time: number): boolean {
    return (this.#checkedAt.get(node) ?? Number.NEGATIVE_INFINITY) >= time;
  }

  /** The names of the repositories that a node has listed. */
  namesOn(node: string): ReadonlySet<string> {
    return new Set(this.#lists.get(node)?.repositories.map(({ name }) => name));
  }

  /** Records that this process has removed a repository from a node. */
  recordRemoval(node: string): void {
    this.#removedAt.set(node, this.#options.clock.elapsed());
  }

  /** Whether this process has removed a repository from a node at `time`, by the clock's elapsed time, or later. */
  hasRemovedSince(node: string, time: number): boolean {
    return (this.#removedAt.get(node) ?? Number.NEGATIVE_INFINITY) >= time;
  }

  /**
   * Returns the nodes that may have removed something of `byId`, or may do so while a search runs, although it is not
   * known from the jobs of indexers, because the database or the node did not respond. Says nothing about nodes that
   * somebody else feeds.
   */
  uncertainNodes(byId: Assignments["byId"]): ReadonlySet<string> {
    const { nodes, clock, maxAgeMs } = this.#options;
    const since = clock.elapsed() - maxAgeMs - listToleranceMs;
    const areAll = byId !== this.#assignments.byId || this.#leavingReadAt < since;
    const names = nodes.map(({ name }) => name);
    return new Set(
      names.filter(
        (name) => areAll || !this.isCheckedSince(name, since) || this.hasRemovedSince(name, since),
      ),
    );
  }

  close(): void {
    this.#closing.abort();
  }

  async #listAll(): Promise<void> {
    // Before, so that what a node removes while it is listed is known.
    await this.#readLeaving();
    await this.#listNodes(this.#options.nodes);
    this.#listedAt = this.#options.clock.elapsed();
  }

  async #listNodes(nodes: readonly ZoektNode[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.#listNext(node)));
    this.#assign();
  }

  /** Lists a node after the list that is being fetched, so that an older one never replaces a newer one. */
  #listNext(node: ZoektNode): Promise<void> {
    const fetches = this.#fetches.get(node.name) ?? { last: Promise.resolve(), next: undefined };
    this.#fetches.set(node.name, fetches);
    fetches.next ??= fetches.last.then(() => {
      fetches.next = undefined;
      fetches.last = this.#list(node);
      return fetches.last;
    });
    return fetches.next;
  }

  /** Keeps what is known if the database does not respond. */
  async #readLeaving(): Promise<void> {
    const { leaving, clock } = this.#options;
    const limit = new TimeLimit(this.#closing.signal, leavingTimeoutMs);
    const startedAt = clock.elapsed();
    try {
      const found = await untilAborted(leaving(), limit.signal);
      this.#leavingReadAt = startedAt;
      const now = clock.elapsed();
      const times = new Map([...this.#leaving].filter(([, seenAt]) => now - seenAt < removalMs));
      for (const { repositoryId, node } of found) times.set(leavingKey(repositoryId, node), now);
      const isSame = isDeepStrictEqual(new Set(times.keys()), new Set(this.#leaving.keys()));
      if (!isSame) this.#leavingKeys = {};
      this.#leaving = times;
    } catch {
      // Others may still reach the database: see `uncertainNodes`.
    } finally {
      limit.dispose();
    }
  }

  /** Never rejects. */
  async #list(node: ZoektNode): Promise<void> {
    const { log, clock } = this.#options;
    const { signal } = this.#closing;
    const startedAt = clock.elapsed();
    try {
      const known = this.#lists.get(node.name);
      // Fetched before the full list, so that no change between the two is missed.
      const branchesHash = hash("sha1", await fetchBody(node, "branches", signal), "base64");
      const isFresh = known?.isHashedFully === true && clock.elapsed() - known.fetchedAt < maxFullAgeMs;
      if (isFresh && known.branchesHash === branchesHash) {
        this.#checkedAt.set(node.name, startedAt);
        return;
      }
      const list = await fetchList(node, signal);
      // While a node loads its shards, it lists only some of them.
      if (list.Crashes > 0 && known !== undefined) return;
      const found = listed(list);
      const isSame = known !== undefined && isDeepStrictEqual(found, known.repositories);
      const repositories = isSame ? known.repositories : found;
      this.#checkedAt.set(node.name, startedAt);
      this.#lists.set(node.name, {
        repositories,
        branchesHash,
        isHashedFully: haveDistinctIds(repositories),
        fetchedAt: clock.elapsed(),
      });
    } catch (error) {
      if (!signal.aborted && error instanceof NodeFailure && !node.isSuspended)
        log.warn(`Zoekt node ${node.name} ${error.message}.`);
    }
  }

  /** Returns the commits that a node has indexed of a repository; undefined if it has none of it. */
  commitsOf(node: string, name: string): ReadonlySet<string> | undefined {
    const found = this.#lists.get(node)?.repositories.find((repository) => repository.name === name);
    return found && new Set(found.branches.map(({ Version: commit }) => commit));
  }

  #assign(): void {
    const { nodes, find, placesOf, basis } = this.#options;
    const from = [
      ...nodes.map(({ name }) => this.#lists.get(name)?.repositories),
      this.#leavingKeys,
      ...basis(),
    ];
    const { length } = this.#assignedFrom;
    if (from.length === length && from.every((each, at) => each === this.#assignedFrom[at])) return;
    this.#assignedFrom = from;
    const onNodes = new Map<number, { known: KnownRepository; placed: PlacedRepository[] }>();
    for (const node of nodes) {
      for (const { branches, ...repository } of this.#lists.get(node.name)?.repositories ?? []) {
        const known = find(repository.name);
        const [first] = branches;
        if (known === undefined || first === undefined) continue;
        const mapped = branches.map((branch) => toBranch(branch, known));
        const isLeaving = this.#leaving.has(leavingKey(repository.zoektId, node.name));
        const placed = { ...repository, id: known.id, node: node.name, branches: mapped, isLeaving };
        const found = onNodes.get(known.id) ?? { known, placed: [] };
        found.placed.push({ ...placed, defaultRevision: mapped[0]?.revision ?? "" });
        onNodes.set(known.id, found);
      }
    }
    const byId = new Map<number, AssignedRepository>();
    for (const [id, { known, placed }] of onNodes) {
      const [first, ...others] = placed.length < 2 ? placed : inOrder(placed, known, placesOf(id));
      if (first === undefined) continue;
      const replicas = others.filter((other) => !other.isLeaving && isSameIndex(first, other));
      byId.set(id, { ...first, replicas });
    }
    const repositories = [...byId.values()].map(
      ({ id, name, node, branches, defaultRevision }): IndexedRepository => ({
        id,
        name,
        node,
        branches,
        defaultRevision,
      }),
    );
    const isSame = JSON.stringify(repositories) === JSON.stringify(this.#assignments.repositories);
    const version = this.#assignments.version + (isSame ? 0 : 1);
    this.#assignments = { version, repositories, byId };
  }
}

/** Lists the repositories of a node. Throws `NodeFailure` and CANCELLED. */
export async function fetchList(node: ZoektNode, signal: AbortSignal): Promise<ZoektList> {
  const list = parseListReply(await fetchBody(node, "full", signal));
  if (list === undefined) throw new NodeFailure("malformed", "returned no list of repositories");
  return list;
}

function fetchBody(
  node: ZoektNode,
  field: keyof typeof listFields,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return node.post({
    path: "/api/list",
    body: { Q: "", Opts: { Field: listFields[field] } },
    timeMs: listTimeoutMs,
    maxBytes: maxListBytes,
    signal,
  });
}

function leavingKey(zoektId: number, node: string): string {
  return `${zoektId} ${node}`;
}

/**
 * Sorts nodes: those that keep it, then those with the current commits, then those that should have it, else as in the
 * configuration.
 */
function inOrder(
  placed: readonly PlacedRepository[],
  { revisions }: KnownRepository,
  places: readonly string[],
): PlacedRepository[] {
  const commits = new Map(revisions.map(({ name, commit }) => [name, commit]));
  const staleCount = ({ branches }: PlacedRepository) =>
    branches.filter(({ revision, commit }) => (commits.get(revision) ?? commit) !== commit).length;
  const rank = ({ node }: PlacedRepository) => (places.includes(node) ? places.indexOf(node) : places.length);
  return placed.toSorted(
    (left, right) =>
      Number(left.isLeaving) - Number(right.isLeaving) ||
      staleCount(left) - staleCount(right) ||
      rank(left) - rank(right),
  );
}

function isSameIndex(left: PlacedRepository, right: PlacedRepository): boolean {
  return left.name === right.name && JSON.stringify(left.branches) === JSON.stringify(right.branches);
}

/** Whether no two repositories have the same id. Those without one are told apart by their names. */
function haveDistinctIds(repositories: readonly ListedRepository[]): boolean {
  const ids = repositories.map(({ zoektId }) => zoektId).filter((id) => id !== 0);
  return new Set(ids).size === ids.length;
}

function listed({ Repos: repositories }: ZoektList): ListedRepository[] {
  return (repositories ?? [])
    .map(({ Repository: { ID: zoektId = 0, Name: name, Branches: branches }, Stats: stats }) => ({
      name,
      zoektId,
      branches: branches ?? [],
      documentCount: stats.Documents ?? 0,
      contentBytes: stats.ContentBytes ?? 0,
      indexBytes: stats.IndexBytes ?? 0,
    }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Zoekt may have indexed a branch under its short name, and `HEAD` instead of the default branch. */
function toBranch(
  { Name: name, Version: commit }: ListedRepository["branches"][number],
  { defaultRevision, revisions }: KnownRepository,
): IndexedBranch {
  if (name === "HEAD") return { name, revision: defaultRevision ?? name, commit };
  if (name.startsWith("refs/")) return { name, revision: name, commit };
  const candidates = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}`];
  const known = candidates.find((each) => revisions.some((revision) => revision.name === each));
  return { name, revision: known ?? `refs/heads/${name}`, commit };
}
