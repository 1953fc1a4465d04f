/** The sockets under the listener: their limits, the ports they take, and what they say to what is no HTTP. */
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ListenOptions, Socket } from "node:net";
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { defaultPort } from "#platform/endpoint";
import { rawFailure } from "./answers";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerLimits {
  /** The time in which a request's headers, and all of it, must have arrived. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** An idle connection is kept this long. */
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

/** `mayContinue` tells whether a body that waits for "100 Continue" shall be sent. */
export function createHttpServer(
  listener: RequestListener,
  limits: ServerLimits,
  mayContinue: (request: IncomingMessage) => boolean,
): Server {
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  /** Requests of a connection whose answers are under way. */
  const pending = new WeakMap<Socket, Set<IncomingMessage>>();
  const broken = new WeakSet<Socket>();
  const onRequest: RequestListener = (request, response) => {
    const { socket } = request;
    const requests = pending.get(socket) ?? new Set();
    pending.set(socket, requests.add(request));
    response.once("close", () => {
      requests.delete(request);
      if (requests.size === 0 && broken.has(socket)) socket.destroySoon();
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
      // A missing host is refused with our error object instead.
      requireHostHeader: false,
    },
    onRequest,
  );
  server.maxConnections = limits.maxConnections;
  // Bounded by their bytes. A bound on their number would drop the rest without a word.
  server.maxHeadersCount = 0;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // What is wrong is the last thing that came: a body under way, or what follows a complete request. The answer
    // to that one is still given, and another in the midst of it would be taken for a part of it.
    const [first, second] = pending.get(socket) ?? [];
    const isAnswerable = first !== undefined && (first.complete || second !== undefined);
    if (isAnswerable && socket.writable) broken.add(socket);
    else refuse(socket, failureOf(error, requestTimeoutMs));
  });
  server.on("connect", (_request, socket: Socket) => {
    refuse(socket, new ServiceError("METHOD_NOT_ALLOWED", "This service is no proxy."));
  });
  server.on("checkContinue", (request, response) => {
    if (mayContinue(request)) response.writeContinue();
    onRequest(request, response);
  });
  server.on("checkExpectation", (request, _response) => {
    refuse(request.socket, new ServiceError("MALFORMED_REQUEST", "Only 100-continue can be expected."));
  });
  return server;
}

function failureOf(error: NodeJS.ErrnoException, requestTimeoutMs: number): ServiceError {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return new ServiceError("HEADERS_TOO_LARGE", "The headers of the request are too large.");
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ServiceError(
      "MALFORMED_REQUEST",
      `The request was not complete within ${requestTimeoutMs / 1000} s.`,
    );
  }
  return new ServiceError("MALFORMED_REQUEST", "The request is not HTTP.");
}

/** How long a refused caller may go on sending: cut at once, its system would drop our answer unread. */
const lingerMs = 500;

function refuse(socket: Socket, error: ServiceError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.removeAllListeners("data");
  socket.removeAllListeners("error");
  socket.on("error", () => socket.destroy());
  socket.resume();
  socket.end(rawFailure(error));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * Listens on `port`, or without one on the default port or the first free one after it. Gives the port.
 *
 * Throws USAGE where a given port or the host cannot be had.
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

function reasonOf(code: string | undefined): string {
  if (code === "EADDRINUSE") return "the port is in use";
  if (code === "EACCES") return "this user may not";
  if (code === "EADDRNOTAVAIL") return "this computer does not have the address";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "there is no such host";
  return code ?? "it failed";
}

/** Whoever holds the data directory calls this: a socket that lies there is a dead process's. */
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

/** Whoever can reach the socket is taken for its owner, so that its folder must be the owner's alone. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const mine = process.getuid === undefined || uid === process.getuid();
  if (mine && (mode & 0o022) === 0) {
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return;
  }
  throw new ServiceError("USAGE", `Others can write to ${folder}, where the local socket should lie.`);
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
