/**
 * The role of this process on its data directory: the leader, or a follower that forwards calls to the leader.
 *
 * The process that acquires the lock leads. Any other reads `endpoint.json` and follows.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import { runAll } from "#base/runAll";
import type { Caller } from "#contract/service";
import { type Endpoint, readEndpoint, socketCandidates } from "#platform/endpoint";
import { acquireLock, type HeldLock, type OwnerLock, staleMs } from "#platform/lock";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import { connectRemote } from "#remote/remote";
import { Announcement } from "./announcement";
import type { Configuration } from "./configuration";
import { buildLeader, type Leader, type Purpose, updatesIndex } from "./leader";
import type { Ports } from "./ports";

export interface RoleOptions {
  /** Returns the configuration to lead with. Called when this process becomes the leader. */
  readonly configuration: () => Configuration;
  readonly dataDir: string;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly ports: Ports;
}

export interface LeaderRole {
  readonly kind: "leader";
  readonly caller: Caller;
  readonly leader: Leader;
  /** Announces the address of this process to others. */
  announce(): void;
  close(): Promise<void>;
}

export interface FollowerRole {
  readonly kind: "follower";
  readonly caller: Caller;
  /** The endpoint of the leader. */
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

export type ProcessRole = LeaderRole | FollowerRole;

/**
 * How long to wait for a process that opens, closes or only reads the folder. Must be longer than it takes the lock of
 * a process that crashed in another container to become stale.
 */
const waitLimitMs = staleMs + 10_000;
const retryIntervalMs = 50;
/** How long a leader that answers may take to restore its announcement. It checks the file about once a second. */
const announcementLimitMs = 3_000;
/** A leader that does not answer within this time is considered dead. */
const responseLimitMs = 5_000;

/**
 * Acquires the lock and leads, or follows the process that holds it. `before` is the last announcement of the leader
 * that this process followed, if any.
 *
 * Throws ENGINE_UNAVAILABLE if another process holds the lock and does not answer.
 */
export async function acquireRole(options: RoleOptions, before?: Endpoint): Promise<ProcessRole> {
  const { dataDir, signal, purpose } = options;
  const limitMs = updatesIndex(purpose) ? announcementLimitMs : 0;
  let unannouncedSince: number | undefined;
  for (const startedAt = performance.now(); ; await sleep(retryIntervalMs)) {
    throwIfAborted(signal);
    const lock = await lockDataDirectory(options);
    if (lock.kind === "acquired") return await lead(options, lock, before);
    const endpoint = await findLeader(dataDir, signal);
    const now = performance.now();
    if (endpoint === undefined) {
      if (now - startedAt > waitLimitMs) throw holderNotResponding(dataDir, lock);
      continue;
    }
    // Only the announcement contains the rules of the port. A leader writes it before it listens on the socket, so one
    // without an announcement is about to restore it, or is exiting.
    const announced = readEndpoint(dataDir);
    if (announced?.pid === endpoint.pid) return follow(announced);
    unannouncedSince ??= now;
    if (now - unannouncedSince >= limitMs) return follow(endpoint);
  }
}

/**
 * Tries to acquire the lock of the data directory. If the folder is not writable (disk full, read-only) but another
 * process answers there, reports the lock as held, because following needs no lock.
 */
async function lockDataDirectory({ dataDir, signal, log }: RoleOptions): Promise<OwnerLock | HeldLock> {
  const isAnswering = async () => (await findLeader(dataDir, signal)) !== undefined;
  try {
    return await acquireLock(dataDir, {
      isHolderResponding: isAnswering,
      onLost: () => {
        log.error("Another process has taken over the data directory; exiting.", { dataDir });
        process.exit(1);
      },
      onRestored: () => log.warn("The lock file was missing or damaged and was restored.", { dataDir }),
    });
  } catch (error) {
    if (isServiceError(error, "STORAGE_FAILED") && (await isAnswering())) return { kind: "held" };
    throw error;
  }
}

function holderNotResponding(dataDir: string, { holder }: HeldLock): ServiceError {
  const subject = holder === undefined ? "Another process" : `Process ${holder.pid}`;
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    `${subject} uses the data directory ${dataDir}, but does not respond. Stop it, then try again.`,
  );
}

/** Returns the leader's endpoint if it answers, even if its announcement is missing or damaged. */
export async function findLeader(dataDir: string, signal: AbortSignal): Promise<Endpoint | undefined> {
  const announced = readEndpoint(dataDir);
  for (const socket of socketCandidates(dataDir, announced)) {
    const remote = connectRemote(socket);
    const limit = new TimeLimit(signal, responseLimitMs);
    try {
      const call = { credentials: { kind: "local" }, signal: limit.signal } as const;
      const { pid, version, url, isPaused } = await remote.call<"instance">("instance", {}, call);
      if (announced?.pid === pid) return announced;
      return {
        ...(url === undefined ? {} : { url }),
        socket,
        pid,
        version,
        ...(isPaused ? { isPaused } : {}),
      };
    } catch {
      // It is shutting down, or has crashed.
    } finally {
      limit.dispose();
      await remote.close();
    }
  }
  return undefined;
}

function follow(endpoint: Endpoint): FollowerRole {
  const remote = connectRemote(endpoint.socket);
  return { kind: "follower", caller: remote.call, endpoint, close: () => remote.close() };
}

async function lead(
  options: RoleOptions,
  lock: OwnerLock,
  before: Endpoint | undefined,
): Promise<LeaderRole> {
  const { configuration, dataDir, purpose, version, log, ports } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const logFailure = (error: unknown) => log.error("Cannot release a part of the data directory.", { error });
  // Runs `step` at every exit except a kill, so that the next process need not detect that this one has exited.
  const onExit = (step: () => void) => {
    const safeStep = () => {
      try {
        step();
      } catch (error) {
        logFailure(error);
      }
    };
    process.on("exit", safeStep);
    closers.push(() => {
      process.off("exit", safeStep);
      safeStep();
    });
  };
  const close = () => runAll(closers.splice(0).reverse(), logFailure);
  let announcement: Announcement | undefined;
  onExit(() => lock.release());
  try {
    ports.recordLeadership();
    const leader = await buildLeader({
      configuration: configuration(),
      purpose,
      version,
      log,
      ports,
      isPaused: before?.isPaused === true,
      onPaused: () => announcement?.update(),
    });
    closers.push(() => leader.close());
    if (updatesIndex(purpose)) {
      const opened = new Announcement({
        dataDir,
        caller: leader.caller,
        log,
        describe: () => ({
          ...ports.announcedPort,
          pid: process.pid,
          version,
          ...(leader.isPaused ? { isPaused: true } : {}),
        }),
      });
      announcement = opened;
      onExit(opened.removeFiles);
      // Before the files are removed, so that a process that still gets an answer finds the rules of the port.
      closers.push(() => opened.close());
      // Clients of the previous leader keep reaching the service at its address.
      if (before !== undefined) await ports.takeOver(before);
      // Announced before listening, so that a process that reaches the socket finds the rules of the port.
      opened.update();
      await opened.listen();
      lock.onBeat(opened.restore);
    }
    return { kind: "leader", caller: leader.caller, leader, announce: () => announcement?.update(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
