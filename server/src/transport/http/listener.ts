/**
 * REST: the rows of the contract over HTTP, on a port and, for the person at this computer, on a local socket.
 *
 * Both sockets feed one application. Whatever comes in ends in the `Caller`; whatever fails leaves as the error
 * object, what HTTP itself refuses included.
 */
import { rmSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import { isIP } from "node:net";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import { createApplication } from "./application";
import { browserRules } from "./browsers";
import type { EventTimes } from "./eventStream";
import {
  createHttpServer,
  defaultLimits,
  listenOnPort,
  listenOnSocket,
  type RequestListener,
  type ServerLimits,
} from "./servers";

export interface ListenerOptions {
  readonly caller: Caller;
  readonly log: Log;
  /** Absent: no port is taken. */
  readonly tcp?: {
    readonly host: string;
    /** Absent: the default port or the next free one; 0: any. */
    readonly port?: number;
  };
  /** Whether calls without credentials are answered on the port; off by default. */
  readonly anonymous?: AnonymousRule;
  /** Path of the local socket, or name of the pipe (`socketPath`); absent: none. */
  readonly socket?: string;
  /** Address under which others reach the port, where that is another one. */
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<ServerLimits & EventTimes>;
}

export interface Listener {
  /** Its own address, whatever the public one is; absent without a port. */
  readonly url?: string;
  /** Stops within about two seconds, whatever still runs. */
  close(): Promise<void>;
}

const eventTimes: EventTimes = { heartbeatMs: 15_000, stallMs: 30_000 };

/** How long a call may take to notice that it was cancelled before its connection is cut. */
const closeGraceMs = 2000;

/** Throws USAGE where an address, a host or an origin cannot be had or meant. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { caller, log, tcp, socket, allowedHosts = [], allowedOrigins = [] } = options;
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const limits = { ...defaultLimits, ...eventTimes, ...options.limits };
  const rules = browserRules({
    host: tcp?.host ?? "localhost",
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedHosts,
    allowedOrigins,
  });
  const local = new WeakSet<IncomingMessage>();
  let url: string | undefined;
  const application = await createApplication({
    caller,
    log,
    rules,
    times: limits,
    isLocal: (request) => local.has(request),
    anonymous: options.anonymous ?? "off",
    address: (host) => publicUrl ?? (host === undefined ? url : `http://${host}`),
  });
  const servers: Server[] = [];
  const serve = (handler: RequestListener) => {
    const server = createHttpServer(handler, limits, application.mayContinue);
    servers.push(server);
    return server;
  };
  const close = async () => {
    const closed = servers.map((server) => closeServer(server));
    application.stop();
    await Promise.all(closed);
    await application.close();
    if (socket !== undefined && !socket.startsWith("\\\\")) rmSync(socket, { force: true });
  };

  try {
    if (tcp !== undefined) {
      const port = await listenOnPort(serve(application.handle), tcp.host, tcp.port);
      url = `http://${reachableHost(tcp.host)}:${port}`;
    }
    if (socket !== undefined) {
      const server = serve((request, response) => {
        local.add(request);
        application.handle(request, response);
      });
      await listenOnSocket(server, socket);
    }
  } catch (error) {
    await close();
    throw error;
  }
  for (const server of servers) server.on("error", (error) => log.error("A socket failed.", { error }));
  return { ...(url === undefined ? {} : { url }), close };
}

/** An address that stands for all of this computer's is none that one can ask for. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}

function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    // Connections become idle one by one as their last answer is read.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const cut = setTimeout(() => server.closeAllConnections(), closeGraceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}
