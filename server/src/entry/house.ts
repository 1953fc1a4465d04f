/** Who holds the data folder: this process, which then is the leader, or another, which this one then follows. */
import { setTimeout as sleep } from "node:timers/promises";
import { anonymousAllowed, identify } from "#access/identify";
import { ServiceError, throwIfAborted } from "#base/error";
import type { Configuration } from "#cli/configuration";
import type { Instance, Listening, Purpose } from "#cli/instance";
import { operation } from "#contract/operations";
import type { Caller } from "#contract/service";
import { type Endpoint, readEndpoint, removeEndpoint, socketPath, writeEndpoint } from "#platform/endpoint";
import { diskFiles } from "#platform/files";
import { acquireLock, type OwnerLock } from "#platform/lock";
import type { Log } from "#platform/log";
import { connectRemote } from "#remote/remote";
import type { Listener } from "#transport/http/listener";
import { buildLeader } from "./leader";

export interface OpenOptions {
  readonly configuration: Configuration;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A process that opens or closes the folder, or only reads it, is done within this time. */
const patienceMs = 15_000;
const pauseMs = 50;

/** Throws ENGINE_UNAVAILABLE where another process holds the folder and does not answer. */
export async function openInstance(options: OpenOptions): Promise<Instance> {
  const { dataDir } = options.configuration;
  for (const startedAt = Date.now(); ; await sleep(pauseMs)) {
    throwIfAborted(options.signal);
    const lock = await acquireLock(dataDir, {
      answers: async () => (await answering(dataDir, options.signal)) !== undefined,
      onLost: () => {
        options.log.error("Another process has taken the data folder; this one ends.", { dataDir });
        process.exit(1);
      },
    });
    if (lock.kind === "acquired") return await lead(options, lock);
    const endpoint = await answering(dataDir, options.signal);
    if (endpoint !== undefined) return follow(options, endpoint);
    if (Date.now() - startedAt > patienceMs) {
      const who = lock.holder === undefined ? "Another process" : `Process ${lock.holder.pid}`;
      throw new ServiceError("ENGINE_UNAVAILABLE", `${who} holds ${dataDir} and does not answer.`);
    }
  }
}

/** The process that announced itself, if it is there. */
async function answering(dataDir: string, signal: AbortSignal): Promise<Endpoint | undefined> {
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

function follow(options: OpenOptions, { socket, ...endpoint }: Endpoint): Instance {
  const remote = connectRemote(socket);
  const listeners: Listener[] = [];
  return {
    role: "follower",
    caller: remote.call,
    endpoint,
    url: () => listeners[0]?.url ?? endpoint.url,
    async listen() {
      const { listener, ...listening } = await listenOnPort(
        options,
        guarded(remote.call, options.configuration),
      );
      listeners.push(listener);
      return listening;
    },
    async close() {
      await Promise.all(listeners.splice(0).map((listener) => listener.close()));
      await remote.close();
    },
  };
}

/** To the leader every call of this process is the person's own; who comes in from outside is judged here. */
function guarded(caller: Caller, { host, anonymous }: Configuration): Caller {
  return async (name, request, call) => {
    identify(call.credentials, operation(name), anonymousAllowed(host, anonymous));
    return await caller(name, request, call);
  };
}

async function lead(options: OpenOptions, lock: OwnerLock): Promise<Instance> {
  const { configuration, purpose, version, log } = options;
  const { dataDir } = configuration;
  const open: (() => Promise<void> | void)[] = [];
  const release = () => {
    process.off("exit", release);
    lock.release();
  };
  // However the process ends, unless it is killed, the next one need not find out that it has.
  process.on("exit", release);
  const close = async () => {
    for (const step of open.splice(0).reverse()) await step();
    release();
  };
  try {
    const leader = await buildLeader(configuration, purpose, version, log);
    open.push(() => leader.close());
    const socket = socketPath(dataDir);
    const announce = (url?: string) =>
      writeEndpoint(diskFiles, dataDir, {
        ...(url === undefined ? {} : { url }),
        socket,
        pid: process.pid,
        version,
      });
    if (purpose === "serve" || purpose === "index") {
      const { listen } = await import("#transport/http/listener");
      const local = await listen({ caller: leader.caller, log, socket });
      const forget = () => removeEndpoint(diskFiles, dataDir);
      open.push(() => local.close());
      process.on("exit", forget);
      open.push(() => {
        process.off("exit", forget);
        forget();
      });
      announce();
    }
    let url: string | undefined;
    return {
      role: "leader",
      caller: leader.caller,
      url: () => url,
      async listen() {
        const { listener, ...listening } = await listenOnPort(options, leader.caller);
        open.push(() => listener.close());
        url = listening.url;
        announce(url);
        return listening;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listenOnPort(
  { configuration, log }: OpenOptions,
  caller: Caller,
): Promise<Listening & { readonly listener: Listener }> {
  const { host, port, publicUrl, allowedHosts, allowedOrigins } = configuration;
  const anonymous = anonymousAllowed(host, configuration.anonymous);
  const { listen } = await import("#transport/http/listener");
  const listener = await listen({
    caller,
    log,
    tcp: { host, ...(port === undefined ? {} : { port }) },
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedHosts,
    allowedOrigins,
  });
  const url = listener.url ?? "";
  return { listener, url, anonymous, anonymousByDefault: anonymous && configuration.anonymous === undefined };
}
