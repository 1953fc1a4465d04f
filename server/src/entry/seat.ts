/** What this process is to the data folder: its leader, or one that asks the leader. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError, throwIfAborted } from "#base/error";
import type { Configuration } from "#cli/configuration";
import type { Purpose } from "#cli/instance";
import type { Caller } from "#contract/service";
import { type Endpoint, readEndpoint, removeEndpoint, socketPath, writeEndpoint } from "#platform/endpoint";
import { diskFiles } from "#platform/files";
import { acquireLock, type OwnerLock } from "#platform/lock";
import type { Log } from "#platform/log";
import { connectRemote } from "#remote/remote";
import { buildLeader, type Leader } from "./leader";
import type { Ports } from "./ports";

export interface SeatOptions {
  /** As it stands when this process becomes the leader. */
  readonly configuration: () => Configuration;
  readonly dataDir: string;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly ports: Ports;
  /** Listens where the leader before did, if it can. Never rejects. */
  readonly listenAgain: (url: string) => Promise<void>;
}

export interface LeaderSeat {
  readonly role: "leader";
  readonly caller: Caller;
  readonly leader: Leader;
  /** Tells others where this process answers. */
  announce(): void;
  close(): Promise<void>;
}

export interface FollowerSeat {
  readonly role: "follower";
  readonly caller: Caller;
  /** Of the leader. */
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

export type Seat = LeaderSeat | FollowerSeat;

/** A process that opens or closes the folder, or only reads it, is done within this time. */
const patienceMs = 15_000;
const pauseMs = 50;

/**
 * `before` is what the leader before had announced last, where this process has followed one.
 *
 * Throws ENGINE_UNAVAILABLE where another process holds the folder and does not answer.
 */
export async function takeSeat(options: SeatOptions, before?: Endpoint): Promise<Seat> {
  const { dataDir } = options;
  for (const startedAt = Date.now(); ; await sleep(pauseMs)) {
    throwIfAborted(options.signal);
    const lock = await acquireLock(dataDir, {
      answers: async () => (await answering(dataDir, options.signal)) !== undefined,
      onLost: () => {
        options.log.error("Another process has taken the data folder; this one ends.", { dataDir });
        process.exit(1);
      },
    });
    if (lock.kind === "acquired") return await lead(options, lock, before);
    const endpoint = await answering(dataDir, options.signal);
    if (endpoint !== undefined) return follow(endpoint);
    if (Date.now() - startedAt > patienceMs) {
      const who = lock.holder === undefined ? "Another process" : `Process ${lock.holder.pid}`;
      throw new ServiceError("ENGINE_UNAVAILABLE", `${who} holds ${dataDir} and does not answer.`);
    }
  }
}

/** The process that announced itself, if it is there. */
export async function answering(dataDir: string, signal: AbortSignal): Promise<Endpoint | undefined> {
  const endpoint = readEndpoint(dataDir);
  if (endpoint === undefined) return undefined;
  const remote = connectRemote(endpoint.socket);
  try {
    await remote.call("health", {}, { credentials: { kind: "local" }, signal });
    return endpoint;
  } catch {
    // It is about to end, or has ended without a word.
    return undefined;
  } finally {
    await remote.close();
  }
}

function follow(endpoint: Endpoint): FollowerSeat {
  const remote = connectRemote(endpoint.socket);
  return { role: "follower", caller: remote.call, endpoint, close: () => remote.close() };
}

async function lead(
  options: SeatOptions,
  lock: OwnerLock,
  before: Endpoint | undefined,
): Promise<LeaderSeat> {
  const { configuration, dataDir, purpose, version, log, ports } = options;
  const open: (() => Promise<void> | void)[] = [];
  // However the process ends, unless it is killed, the next one need not find out that it has.
  const onExit = (step: () => void) => {
    process.on("exit", step);
    open.push(() => {
      process.off("exit", step);
      step();
    });
  };
  const close = async () => {
    for (const step of open.splice(0).reverse()) await step();
  };
  onExit(() => lock.release());
  try {
    const leader = await buildLeader({
      configuration: configuration(),
      purpose,
      version,
      log,
      ports,
      isPaused: before?.isPaused === true,
      onPaused: () => announce(),
    });
    open.push(() => leader.close());
    const socket = socketPath(dataDir);
    const isFound = purpose === "serve" || purpose === "index";
    const announce = () => {
      const { url } = ports;
      if (!isFound) return;
      writeEndpoint(diskFiles, dataDir, {
        ...(url === undefined ? {} : { url }),
        socket,
        pid: process.pid,
        version,
        ...(leader.isPaused ? { isPaused: true } : {}),
      });
    };
    if (isFound) {
      const { listen } = await import("#transport/http/listener");
      const local = await listen({ caller: leader.caller, log, socket });
      open.push(() => local.close());
      onExit(() => {
        removeEndpoint(diskFiles, dataDir);
        if (!socket.startsWith("\\\\")) rmSync(socket, { force: true });
      });
      // Whoever used the address of the leader before finds the same here.
      if (before?.url !== undefined && ports.url === undefined) await options.listenAgain(before.url);
      announce();
    }
    return { role: "leader", caller: leader.caller, leader, announce, close };
  } catch (error) {
    await close();
    throw error;
  }
}
