/** One request: its guards, its row, its call, its answer. Everything that a socket brings passes through here. */
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyRequest } from "fastify";
import { callPathPattern } from "#contract/envelope";
import { openApiDocument } from "#contract/openapi";
import { isServedOverHttp } from "#contract/operation";
import { operation, operationNames } from "#contract/operations";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import { guardHeaders } from "./answers";
import type { BrowserRules } from "./browsers";
import { readJson } from "./decode";
import type { EventTimes } from "./eventStream";
import { guard, notServed, pathOf } from "./guard";
import { browsePrefix } from "./pageAddress";
import { createReplies } from "./replies";
import { RunningCalls } from "./runningCalls";
import type { RequestListener } from "./servers";
import { sessionPath } from "./sessions";

export interface ApplicationOptions {
  readonly caller: Caller;
  readonly log: Log;
  readonly rules: BrowserRules;
  readonly times: EventTimes;
  /** Whether a request came over the local socket: from the person at this computer, and from no browser. */
  readonly isLocal: (request: IncomingMessage) => boolean;
  /** Of the port. */
  readonly anonymous: AnonymousRule;
  /** Address for links, from the `Host` that the caller used; of a local caller, from none. */
  readonly address: (host: string | undefined) => string | undefined;
}

export interface Application {
  readonly handle: RequestListener;
  /** Whether a caller that asks before it sends its body shall go on. */
  readonly mayContinue: (request: IncomingMessage) => boolean;
  /** Cancels every running call, and every one to come. */
  stop(): void;
  close(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
/** Local calls carry whole unsaved documents. */
const maxLocalBodyBytes = 64 * 1024 * 1024;

const descriptionPath = "/api/openapi.json";

export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { isLocal, rules } = options;
  const calls = new RunningCalls();
  const replies = createReplies(options, calls);
  const bodyLimit = (request: IncomingMessage) => (isLocal(request) ? maxLocalBodyBytes : maxBodyBytes);

  const app = fastify({
    frameworkErrors: (error, request, reply) => replies.fail(error, request, reply.headers(guardHeaders)),
    // Query strings are read strictly, by the kinds of the row's fields.
    routerOptions: { querystringParser: () => ({}) },
    return503OnClosing: false,
  });
  const allowed = new Map([
    [descriptionPath, "GET, HEAD, OPTIONS"],
    [`${browsePrefix}*`, "GET, HEAD, OPTIONS"],
    [sessionPath, "POST, DELETE, OPTIONS"],
  ]);
  app.setErrorHandler((error, request, reply) => replies.fail(error, request, reply));
  app.setNotFoundHandler((request) => {
    throw notServed(pathOf(request));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.method !== "DELETE") return await readJson(payload, bodyLimit(request.raw));
    // What it is about stands in its address.
    payload.resume();
    return undefined;
  });
  app.addHook("onRequest", async (request, reply) =>
    guard(request, reply, { rules, allowed, isLocal: isLocal(request.raw) }),
  );
  for (const name of operationNames) {
    const row = operation(name);
    if (!isServedOverHttp(row)) continue;
    const { method, path } = row.http;
    allowed.set(path, method === "GET" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`);
    app.route({ method, url: path, handler: replies.toRow(name, row) });
  }
  app.get(descriptionPath, (request, reply) =>
    replies.send(request, reply, openApiDocument(replies.baseUrl(request) ?? "")),
  );
  app.get(`${browsePrefix}*`, replies.toPage);
  app.post(sessionPath, replies.toSignIn);
  app.delete(sessionPath, replies.toSignOut);
  // Not among the allowed paths: the guard hides it from the port.
  app.post(callPathPattern, replies.toEnvelope);
  await app.ready();

  return {
    handle: (request, response) => app.routing(request, response),
    mayContinue: (request) => Number(request.headers["content-length"] ?? 0) <= bodyLimit(request),
    stop: () => calls.stop(),
    close: () => app.close(),
  };
}
