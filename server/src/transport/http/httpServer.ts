/** HTTP servers of the listener: their limits, ports and sockets, and the responses to malformed HTTP. */
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP, type ListenOptions, type Socket } from "node:net";
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { defaultPort, isOwnFolder, isPrivateFolder } from "#platform/endpoint";
import { formatRawFailure, sendFailure } from "./responses";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerLimits {
  /** Time limit for receiving the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Time limit for receiving a whole request. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection is kept open. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
}

export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 30_000,
  maxConnections: 1024,
  maxHeaderBytes: 16 * 1024,
};

/** Creates a server, which does not listen yet. `mayContinue` decides whether to respond with "100 Continue". */
export function createHttpServer(
  listener: RequestListener,
  limits: ServerLimits,
  mayContinue: (request: IncomingMessage) => boolean,
): Server {
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  /** Requests of each connection whose responses are not finished. */
  const pending = new WeakMap<Socket, Set<IncomingMessage>>();
  /** Connections with malformed input, which are closed after their pending responses. */
  const malformed = new WeakSet<Socket>();
  /** Connections whose last response was sent, while their request is still arriving. */
  const closing = new WeakSet<Socket>();
  const track = ({ socket }: IncomingMessage) => {
    const known = pending.get(socket);
    if (known !== undefined) return known;
    const requests = new Set<IncomingMessage>();
    pending.set(socket, requests);
    // Node calls this after the last response. Closing the connection while the client still sends would reset it, and
    // the client would lose a response that it has not read yet.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const incomplete = [...requests].find(({ complete }) => !complete);
      if (incomplete === undefined) return destroySoon();
      closing.add(socket);
      socket.end();
      incomplete.resume().once("end", destroySoon);
      limitLinger(socket);
    };
    return requests;
  };
  const onRequest: RequestListener = (request, response) => {
    const { socket } = request;
    if (closing.has(socket)) return;
    const requests = track(request).add(request);
    response.once("close", () => {
      requests.delete(request);
      if (requests.size === 0 && malformed.has(socket)) closeGracefully(socket);
    });
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 5),
      maxHeaderSize: limits.maxHeaderBytes,
      // `browserRules.ts` refuses requests without a host, with an error object.
      requireHostHeader: false,
    },
    onRequest,
  );
  server.maxConnections = limits.maxConnections;
  // Headers are limited by their size. A limit on their number would silently drop the rest.
  server.maxHeadersCount = 0;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // The malformed input may follow a complete request whose response is pending. That response is still sent: an
    // error response in the middle of it would be read as part of it.
    const [first, second] = pending.get(socket) ?? [];
    const hasPendingResponse = first !== undefined && (first.complete || second !== undefined);
    if (hasPendingResponse && socket.writable) malformed.add(socket);
    else refuse(socket, toServiceError(error, requestTimeoutMs));
  });
  server.on("connect", (_request, socket: Socket) => {
    refuse(socket, new ServiceError("METHOD_NOT_ALLOWED", "This service is not a proxy."));
  });
  server.on("checkContinue", (request, response) => {
    if (mayContinue(request)) response.writeContinue();
    onRequest(request, response);
  });
  server.on("checkExpectation", (request, response) => {
    track(request).add(request);
    response.shouldKeepAlive = false;
    sendFailure(
      request,
      response,
      new ServiceError("MALFORMED_REQUEST", "The only supported expectation is 100-continue."),
    );
  });
  return server;
}

function toServiceError(error: NodeJS.ErrnoException, requestTimeoutMs: number): ServiceError {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return new ServiceError("HEADERS_TOO_LARGE", "The headers of the request are too large.");
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ServiceError(
      "MALFORMED_REQUEST",
      `The request was not complete within ${requestTimeoutMs / 1000} s.`,
    );
  }
  return new ServiceError("MALFORMED_REQUEST", "The request is not valid HTTP.");
}

function refuse(socket: Socket, error: ServiceError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  closeGracefully(socket, formatRawFailure(error));
}

/** How long a connection stays open after the last response: in total, and while the client sends nothing. */
const lingerMs = 30_000;
const idleLingerMs = 5000;

/** Sends the last bytes of a connection whose parser failed, then discards what the client still sends. */
function closeGracefully(socket: Socket, lastBytes = ""): void {
  socket.removeAllListeners("error").on("error", () => socket.destroy());
  // Adding a listener detaches the parser.
  socket.on("data", () => {}).removeAllListeners("data");
  socket.resume().end(lastBytes);
  limitLinger(socket);
}

function limitLinger(socket: Socket): void {
  const limit = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(limit));
  socket.removeAllListeners("timeout").setTimeout(idleLingerMs, () => socket.destroy());
}

/**
 * Listens on `port`; if absent, on the default port or the next free one. Returns the port.
 *
 * Throws USAGE if the port or the host is not available.
 */
export async function listenOnPort(server: Server, host: string, port: number | undefined): Promise<number> {
  for (let attempt = port ?? defaultPort; ; attempt++) {
    try {
      await listen(server, { host, port: attempt, exclusive: true });
      break;
    } catch (cause) {
      const code = codeOf(cause);
      if (code === "EADDRINUSE" && port === undefined && attempt < 65_535) continue;
      throw new ServiceError("USAGE", `Cannot listen on ${host}, port ${attempt}: ${reasonOf(code)}.`, {
        cause,
      });
    }
  }
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("The server has no port.");
  return address.port;
}

/** Returns the port on which a server would listen now. Throws what `listenOnPort` throws. */
export async function findPort(host: string, port: number | undefined): Promise<number> {
  const server = createServer();
  try {
    return await listenOnPort(server, host, port);
  } finally {
    server.close();
  }
}

/** Returns the host of URLs for an address: of a wildcard, to which clients cannot connect, the loopback address. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && isIP(host) === 6 ? `[${host}]` : host;
}

function reasonOf(code: string | undefined): string {
  if (code === "EADDRINUSE") return "the port is in use";
  if (code === "EACCES") return "permission denied";
  if (code === "EADDRNOTAVAIL") return "the address does not belong to this computer";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "unknown host";
  return code ?? "unknown error";
}

/**
 * Listens on a Unix socket or a named pipe. Call this only while holding the lock of the data directory: an existing
 * socket belongs to a dead process.
 *
 * Throws USAGE if the path is not available, or if other users can write to its folder.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  const isPipe = path.startsWith("\\\\");
  if (!isPipe) {
    prepareFolder(dirname(path));
    rmSync(path, { force: true });
  }
  try {
    await listen(server, { path });
  } catch (cause) {
    throw new ServiceError("USAGE", `Cannot listen on ${path}: ${reasonOf(codeOf(cause))}.`, { cause });
  }
  if (!isPipe) chmodSync(path, 0o600);
}

/** Clients of the socket act as its owner, so no other user may write to its folder. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwnFolder(folder)) {
    const text = `${folder}, the folder of the local socket, belongs to another user. Run Trawl as that user.`;
    throw new ServiceError("USAGE", text);
  }
  if (!isPrivateFolder(folder)) {
    throw new ServiceError(
      "USAGE",
      `Other users can write to ${folder}, the folder of the local socket. Remove their write permission.`,
    );
  }
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** How long canceled calls and clients have to finish before connections are closed. */
const closeGraceMs = 1000;

/** Stops listening, and resolves when all connections are closed. Cancel the calls that are still running before. */
export function closeServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    // Connections become idle one by one, when their last response is read.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const forceClose = setTimeout(() => server.closeAllConnections(), closeGraceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(forceClose);
      resolve();
    });
  });
}
