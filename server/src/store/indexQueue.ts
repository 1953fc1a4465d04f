/**
 * The jobs of the indexers that run beside Zoekt nodes: one for each repository and node that should have it.
 *
 * The leader wants commits to be indexed; an indexer takes a job of its node with a lease, and reports. If the indexer
 * dies, the lease expires, and the job can be taken again. Only the holder of the current lease can report.
 *
 * Times are milliseconds since 1970, by the clocks of the processes, which must not differ by more than seconds.
 */

import type { Clock } from "#platform/clock";

export interface RevisionCommit {
  /** The full name of the ref. */
  readonly name: string;
  readonly commit: string;
}

export interface WantedIndex {
  readonly repositoryId: number;
  readonly node: string;
  /** The name of the repository. */
  readonly name: string;
  /** Where git fetches the commits: an absolute path, or a URL without credentials. */
  readonly source: string;
  /** Larger documents are found by name only. */
  readonly maxFileBytes: number;
  /** The default one first. None: the node must remove its index of the repository. */
  readonly revisions: readonly RevisionCommit[];
}

/** A job that this process holds. */
export interface IndexJob extends WantedIndex {
  /** How often the job was taken, including this time. */
  readonly attempts: number;
  readonly version: number;
  readonly lease: string;
}

/** `failed`: the job is tried again later. */
export const indexJobStates = ["waiting", "running", "failed", "indexed"] as const;
export type IndexJobState = (typeof indexJobStates)[number];

export interface IndexJobReport {
  readonly repositoryId: number;
  readonly node: string;
  readonly state: IndexJobState;
  readonly wanted: readonly RevisionCommit[];
  /** What the node has indexed; absent if nothing. */
  readonly indexed?: readonly RevisionCommit[];
  readonly attempts: number;
  readonly lastError?: string;
}

/** What the database knows about a node. */
export interface ClusterNode {
  readonly name: string;
  /** Whether its repositories move to other nodes. */
  readonly isDrained: boolean;
  /** When its indexer last said that it runs. */
  readonly seenAt?: number;
}

/** The jobs of one node. */
export interface NodeJobs {
  readonly node: string;
  readonly counts: Readonly<Record<IndexJobState, number>>;
  /** When the oldest job that is not done was wanted. */
  readonly oldestAt?: number;
}

/** What a node has still to do. */
export interface Backlog {
  /** Jobs that are waiting, or failed and tried again later. */
  readonly waitingCount: number;
  /** When the oldest job was wanted that is not done; absent if only removals are left. */
  readonly oldestAt?: number;
}

/** How long the oldest job has been wanted, in milliseconds. */
export function lagOf({ oldestAt }: Pick<Backlog, "oldestAt">, clock: Clock): number {
  return oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt);
}

/** A job of a repository of which no indexer could index what is wanted now. */
export interface FailedIndex {
  /** The name of the repository. */
  readonly name: string;
  readonly node: string;
  /** Cut off if it is long. */
  readonly lastError: string;
}

/** `wanted` for the jobs of a node, `reported` for the results of indexers, `nodes` for changes of nodes. */
export type QueueTopic = `wanted ${string}` | "reported" | "nodes";

/** Every call may throw ENGINE_UNAVAILABLE and STORAGE_FAILED, as those of `Store`. */
export interface IndexQueue {
  /**
   * Stores what nodes should index, in place of what they should have indexed of the same repositories before. Changes
   * nothing about jobs that want the same, unless `isForced`. Indexers do not take the jobs before `dueAt`.
   */
  want(
    wanted: readonly WantedIndex[],
    options?: { readonly isForced?: boolean; readonly dueAt?: number },
  ): Promise<void>;
  /** Wants all nodes but `exceptNodes` to remove a repository. */
  unwant(
    repositoryId: number,
    options?: { readonly exceptNodes?: readonly string[]; readonly dueAt?: number },
  ): Promise<void>;
  /** Takes the job of a node that is due for the longest time. Returns undefined if none is due. */
  take(node: string, leaseMs: number): Promise<IndexJob | undefined>;
  /** Extends the lease of a job. Returns whether this process still holds it. */
  renew(job: IndexJob, leaseMs: number): Promise<boolean>;
  /** Reports that a job is done. Returns false, and changes nothing, if another process has taken the job. */
  complete(job: IndexJob): Promise<boolean>;
  /** Reports a failure; the job is due again at `retryAt`. Returns false if another process has taken the job. */
  fail(job: IndexJob, reason: string, retryAt: number): Promise<boolean>;
  /** Returns a job that was not finished. It is due again at once. */
  release(job: IndexJob): Promise<void>;
  /** Returns when the next job of a node is due; undefined if none will be. */
  nextDueAt(node: string): Promise<number | undefined>;
  /** Returns the jobs of repositories, by repository and node. */
  reports(repositoryIds: readonly number[]): Promise<readonly IndexJobReport[]>;
  /** Returns what nodes should remove, and may already have removed. */
  leaving(nodes: readonly string[]): Promise<readonly Pick<WantedIndex, "repositoryId" | "node">[]>;
  /** Returns which node should have which repository. Reads all jobs. */
  placements(): Promise<readonly Pick<WantedIndex, "repositoryId" | "node">[]>;
  /** Has a node index the repositories again that it had indexed and that `present` lacks. Returns how many. */
  recover(node: string, present: ReadonlySet<number>): Promise<number>;
  /** Counts the jobs of one node that are not done, which it reads. */
  backlog(node: string): Promise<Backlog>;
  /** Returns which repositories none of the nodes that should have them could index, and why. */
  failures(nodes: readonly string[]): Promise<readonly FailedIndex[]>;
  /** Counts the jobs of each node. Reads all jobs. */
  counts(): Promise<readonly NodeJobs[]>;
  /** Counts the repositories that fewer than `replicas` nodes have indexed. Reads all jobs. */
  countUnderReplicated(replicas: number): Promise<number>;
  /** Returns the ids of repositories by their names. A new name gets the next id, which every process then uses. */
  idsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Makes this process the only one that wants things, as soon as no other process is. Calls `onChange` after the first
   * attempt, when it has become the one, and when it may no longer be. Ends with `close`.
   */
  becomeFeeder(onChange: (isFeeder: boolean) => void): void;
  nodes(): Promise<readonly ClusterNode[]>;
  setDrained(node: string, isDrained: boolean): Promise<void>;
  /** Records that the indexer of a node runs. */
  recordSeen(node: string): Promise<void>;
  /**
   * Calls `wake` after changes about a topic, and when changes may have been missed. Returns a function that stops it.
   */
  subscribe(topic: QueueTopic, wake: () => void): () => void;
  close(): Promise<void>;
}
