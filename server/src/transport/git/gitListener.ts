/**
 * The internal port of a git server (`gitServer/protocol.ts`): for frontends, and for git.
 *
 * Whoever presents the shared secret may read every repository. Nothing is said to others, not even what exists.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { canceled, isServiceError, ServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import { type HistoryOperation, historyOperations } from "#contract/historyOperations";
import type { Caller } from "#contract/service";
import type { GitRepository } from "#git/repository";
import { CallEnvelope, callPrefix, repositoriesPath } from "#gitServer/protocol";
import type { Repository } from "#model/repository";
import type { Log } from "#platform/log";
import { BodyTooLarge, parseJson, readText } from "#platform/originClient";
import { TimeLimit } from "#platform/timeLimit";
import { handleRequest } from "#platform/tracing";
import { encodeJson } from "#transport/http/encodeJson";
import {
  closeServer,
  createHttpServer,
  defaultLimits,
  listenOnPort,
  reachableHost,
} from "#transport/http/httpServer";
import { requestIdOf } from "#transport/http/requestId";
import { RunningCalls } from "#transport/http/runningCalls";
import { presentsSecret } from "./bearer";
import { RepositoryListEncoder } from "./repositoryList";
import { SmartHttp } from "./smartHttp";

export interface GitListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Returns the shared secret. Called for each request, so that a replaced file counts without a restart. */
  readonly readSecret: () => Promise<string>;
  readonly caller: Caller;
  readonly repositories: {
    all(): readonly Repository[];
    /** Returns a git repository by its exact name; `undefined` if there is none, or none on disk. */
    open(name: string): GitRepository | undefined;
  };
  readonly log: Log;
}

export interface GitListener {
  readonly url: string;
  /** Requests of git that run now, and those that have ended, by outcome. */
  readonly fetches: Pick<SmartHttp, "running" | "ended">;
  close(): Promise<void>;
}

const maxResponseBytes = 128 * 1024 * 1024;
const maxBodyBytes = 4 * 1024 * 1024;
const readyLimitMs = 2000;
const stallMs = 30_000;

const uploadPack = "git-upload-pack";

/** Opens the port. Throws USAGE if the address is not available. */
export async function listenForFrontends(options: GitListenerOptions): Promise<GitListener> {
  const { host, port, readSecret, caller, repositories, log } = options;
  const calls = new RunningCalls();
  const list = new RepositoryListEncoder(repositories.all);
  const smartHttp = new SmartHttp(log);
  const server = createHttpServer(
    (request, response) => {
      response.on("error", () => undefined);
      const { headers, method = "" } = request;
      const requestId = requestIdOf(headers);
      handleRequest({ requestId, headers, method, route: routeOf(request.url) }, response, () => {
        route(request, requestId, response).catch((error: unknown) =>
          sendError(request, requestId, response, error),
        );
      });
    },
    defaultLimits,
    () => true,
  );
  const boundPort = await listenOnPort(server, host, port);
  server.on("error", (error) => log.error("A socket failed.", { error }));

  async function route(request: IncomingMessage, requestId: string, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    const [path = "", query = ""] = url.split("?", 2);
    const isGet = method === "GET" || method === "HEAD";
    if (isGet && path === "/livez") return sendText(response, 200, "ok\n");
    if (isGet && path === "/readyz") return await sendReadiness(response);
    if (!presentsSecret(request, await readSecret())) {
      response.writeHead(401, { "www-authenticate": "Bearer", "content-length": "0" }).end();
      request.resume();
      return;
    }
    if (isGet && path === "/metrics") {
      const call = { credentials: { kind: "local" }, signal: calls.signalOf(response) } as const;
      const { text } = await caller<"metrics">("metrics", {}, call);
      return sendText(response, 200, text, "text/plain; version=0.0.4; charset=utf-8");
    }
    if (isGet && path === repositoriesPath) return sendList(request, response);
    if (method === "POST" && path.startsWith(callPrefix))
      return await execute(path.slice(callPrefix.length), request, requestId, response);
    if (path.startsWith("/git/")) return await serveGit(path.slice("/git/".length), query, request, response);
    throw notFound();
  }

  async function sendReadiness(response: ServerResponse): Promise<void> {
    const limit = new TimeLimit(calls.signalOf(response), readyLimitMs);
    try {
      await caller<"health">("health", {}, { credentials: { kind: "none" }, signal: limit.signal });
      sendText(response, 200, "ok\n");
    } catch (error) {
      log.warn("The git server is not ready.", { error });
      sendText(response, 503, "The git server is not ready.\n");
    } finally {
      limit.dispose();
    }
  }

  function sendList(request: IncomingMessage, response: ServerResponse): void {
    const { json, tag } = list.current();
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304, { etag: tag }).end();
      return;
    }
    response.setTimeout(stallMs, () => response.destroy());
    response.writeHead(200, { "content-type": "application/json", "content-length": json.length, etag: tag });
    response.end(request.method === "HEAD" ? undefined : json);
  }

  async function execute(
    name: string,
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
  ): Promise<void> {
    if (!isHistoryOperation(name)) throw notFound();
    const envelope = CallEnvelope.safeParse(parseJson(await readBody(request)));
    if (!envelope.success) throw new ServiceError("INVALID_REQUEST_BODY", "The body is not an envelope.");
    const { request: raw, timeLimitMs, baseUrl, client } = envelope.data;
    const limit = new TimeLimit(calls.signalOf(response), timeLimitMs);
    try {
      const result = await caller(name, raw, {
        credentials: { kind: "local" },
        signal: limit.signal,
        arrivedAt: performance.now(),
        requestId,
        acceptsJsonText: true,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(client === undefined ? {} : { client }),
      });
      const json = await encodeJson(result, maxResponseBytes);
      try {
        if (response.destroyed) throw canceled();
        response.setTimeout(stallMs, () => response.destroy());
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": json.length,
        });
        for (const part of json.parts()) response.write(part);
      } finally {
        json.release();
      }
      response.end();
    } finally {
      limit.dispose();
    }
  }

  async function serveGit(
    path: string,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [, encodedName = "", action = ""] =
      /^(.+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(path) ?? [];
    const repository = repositories.open(decodeName(encodedName));
    if (repository === undefined) throw notFound();
    const service = action === "info/refs" ? new URLSearchParams(query).get("service") : action;
    if (service !== uploadPack) {
      request.resume();
      return sendText(response, 403, "This server only serves fetches over smart HTTP.\n");
    }
    const isAdvertisement = action === "info/refs";
    if (request.method !== (isAdvertisement ? "GET" : "POST"))
      throw new ServiceError("METHOD_NOT_ALLOWED", "The method is not allowed here.");
    const kind = isAdvertisement ? "advertisement" : "pack";
    await smartHttp.respond({ request, response, repository, kind, signal: calls.signalOf(response) });
  }

  function sendError(
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
    error: unknown,
  ): void {
    // The frontend has disconnected, or no longer waits.
    if (response.headersSent || isServiceError(error, "CANCELLED")) {
      response.destroy();
      return;
    }
    const failure = toErrorObject(error);
    if (failure.errorCode === "UNEXPECTED_ERROR")
      log.error("A call failed.", { requestId, path: request.url, error });
    request.resume();
    // The rest of a body that is too large is not waited for.
    if (!request.complete) response.shouldKeepAlive = false;
    sendText(response, failure.statusCode, JSON.stringify(failure), "application/json");
  }

  return {
    url: `http://${reachableHost(host)}:${boundPort}`,
    fetches: smartHttp,
    close: async () => {
      calls.stop();
      await closeServer(server);
    },
  };
}

function isHistoryOperation(name: string): name is HistoryOperation {
  return historyOperations.some((each) => each === name);
}

/** Returns the route of a URL without what callers can choose. */
function routeOf(url = ""): string {
  for (const prefix of [callPrefix, "/git/"]) if (url.startsWith(prefix)) return `${prefix}*`;
  const known = ["/livez", "/readyz", "/metrics", repositoriesPath];
  return known.find((path) => path === url) ?? "unknown";
}

/** Decodes the name of a repository. It is only ever compared with names of the catalog. */
function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw notFound();
  }
}

function notFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "Not found.");
}

function sendText(response: ServerResponse, status: number, text: string, type = "text/plain"): void {
  response.setTimeout(stallMs, () => response.destroy());
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  try {
    // Destroying the request would also end the connection before the response is sent.
    return await readText(request.iterator({ destroyOnReturn: false }), maxBodyBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new ServiceError("REQUEST_TOO_LARGE", "The request is too large.");
    throw error;
  }
}
