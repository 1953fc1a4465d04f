/**
 * Serves the operations of the contract over HTTP: on a port and, for the local user, on a local socket.
 *
 * Both use the same application. Every request becomes a call of the `Caller`; every failure, including those of HTTP
 * itself, becomes an error object.
 */
import { rmSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import type { RepositoryRules } from "#contract/access";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import {
  type ApplicationOptions,
  createApplication,
  createLazyApplication,
  mayContinue,
} from "./application";
import { createBrowserRules } from "./browserRules";
import type { EventTimes } from "./eventStream";
import {
  closeServer,
  createHttpServer,
  defaultLimits,
  listenOnPort,
  listenOnSocket,
  type RequestListener,
  reachableHost,
  type ServerLimits,
} from "./httpServer";
import type { UnreadLimits } from "./responses";

export interface ListenerOptions {
  readonly caller: Caller;
  readonly log: Log;
  /** Absent: no port. */
  readonly tcp?: {
    readonly host: string;
    /** Absent: the default port or the next free one; 0: any. */
    readonly port?: number;
  };
  /** Rule of the port for requests without credentials; off by default. */
  readonly anonymous?: AnonymousRule;
  /** Which repositories each caller may see through this listener. Absent: as the leader is configured. */
  readonly repositoryRules?: RepositoryRules;
  /** Path of the local socket, or name of the pipe (`socketPath`); absent: none. */
  readonly socket?: string;
  /** URL at which clients reach the port, if it differs from the listener's own, for example with a reverse proxy. */
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** URL of the OAuth issuer whose access tokens are accepted. */
  readonly oauthIssuer?: string;
  /** Whether users can log in with an OpenID issuer; false by default. */
  readonly hasLogin?: boolean;
  readonly limits?: Partial<ServerLimits & EventTimes & UnreadLimits>;
}

export interface Listener {
  /** The listener's own URL, not the public one; absent without a port. */
  readonly url?: string;
  /** Stops within about two seconds, even if calls are still running. */
  close(): Promise<void>;
}

const eventTimes: EventTimes = { heartbeatMs: 15_000, stallMs: 30_000 };
/** A response has at most 64 MiB. */
const unreadLimits: UnreadLimits = { maxUnreadBytes: 512 * 1024 * 1024, readingMs: 10_000 };

/** Opens the port and the socket. Throws USAGE if an address is not available, or if a host or origin is invalid. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { caller, log, tcp, socket, allowedHosts = [], allowedOrigins = [] } = options;
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const limits = { ...defaultLimits, ...eventTimes, ...unreadLimits, ...options.limits };
  const rules = createBrowserRules({
    host: tcp?.host ?? "localhost",
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedHosts,
    allowedOrigins,
  });
  const localRequests = new WeakSet<IncomingMessage>();
  let url: string | undefined;
  const isLocal = (request: IncomingMessage) => localRequests.has(request);
  const applicationOptions: ApplicationOptions = {
    caller,
    log,
    rules,
    times: limits,
    isLocal,
    anonymous: options.anonymous ?? "off",
    hasLogin: options.hasLogin ?? false,
    ...(options.repositoryRules === undefined ? {} : { repositoryRules: options.repositoryRules }),
    ...(options.oauthIssuer === undefined ? {} : { oauthIssuer: options.oauthIssuer }),
    baseUrlFor: (host) => publicUrl ?? (host === undefined ? url : `http://${host}`),
  };
  const application =
    tcp === undefined
      ? createLazyApplication(applicationOptions)
      : await createApplication(applicationOptions);
  const servers: Server[] = [];
  const serve = (handler: RequestListener) => {
    const server = createHttpServer(handler, limits, (request) => mayContinue(request, isLocal));
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
        localRequests.add(request);
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
