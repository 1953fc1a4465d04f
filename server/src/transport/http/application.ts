/** Routes every request: checks it, calls its operation, and sends the response. */
import type { IncomingMessage } from "node:http";
import fastify, { type FastifyRequest } from "fastify";
import { callbackPath, logoutPath } from "#access/login";
import { isServiceError } from "#base/error";
import type { RepositoryRules } from "#contract/access";
import { callPathPattern } from "#contract/envelope";
import { openApiDocument } from "#contract/openapi";
import { isServedOverHttp, pathFields } from "#contract/operation";
import { operation, operationNames } from "#contract/operations";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import { handleRequest } from "#platform/tracing";
import { icon, iconPath } from "#transport/pages/icon";
import { pagePaths } from "#transport/pages/pages";
import { browsePrefix } from "#transport/pages/pageUrl";
import type { BrowserRules } from "./browserRules";
import { readJson } from "./decode";
import { allowEditorPath, connectEditorPath, createEditorLoginHandlers } from "./editorLoginRoutes";
import type { EventTimes } from "./eventStream";
import { checkRequest, endpointNotFound, requestPath } from "./guard";
import { createHandlers } from "./handlers";
import type { RequestListener } from "./httpServer";
import { createLoginHandlers, loginPath } from "./loginRoutes";
import { createMcpHandlers, mcpPath, resourceMetadataPath } from "./mcpRoutes";
import { createMonitoringHandlers, livePath, metricsPath, readyPath } from "./monitoringRoutes";
import { requestIdOf } from "./requestId";
import { normalizeTarget, serverTarget } from "./requestTarget";
import { guardHeaders, sendFailure, type UnreadLimits } from "./responses";
import { RunningCalls } from "./runningCalls";
import { sessionPath } from "./sessions";
import { createSessionsHandler, sessionsPath } from "./sessionsRoutes";
import { createSettingsHandler, settingsPath } from "./settingsRoutes";
import { createWebhookHandler, isWebhook, maxWebhookBytes, webhookPattern } from "./webhookRoutes";

export interface ApplicationOptions {
  readonly caller: Caller;
  readonly log: Log;
  readonly rules: BrowserRules;
  readonly times: EventTimes & UnreadLimits;
  /** Whether a request came over the local socket, that is, from the local user and not from a browser. */
  readonly isLocal: (request: IncomingMessage) => boolean;
  /** The port's rule for requests without credentials. */
  readonly anonymous: AnonymousRule;
  readonly repositoryRules?: RepositoryRules;
  /**
   * Returns the base URL of links; `undefined` if there is no port. `host` is the `Host` that the caller used, or
   * `undefined` for local callers.
   */
  readonly baseUrlFor: (host: string | undefined) => string | undefined;
  /** URL of the OAuth issuer whose access tokens are accepted. */
  readonly oauthIssuer?: string;
  /** Whether users can log in with an OpenID issuer. */
  readonly hasLogin: boolean;
}

export interface Application {
  readonly handle: RequestListener;
  /** Cancels all running and future calls. */
  stop(): void;
  close(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
/** Local calls include unsaved documents. */
const maxLocalBodyBytes = 64 * 1024 * 1024;

const openApiPath = "/api/openapi.json";

function noCompiler(): never {
  throw new Error("A route has a schema.");
}

type IsLocal = ApplicationOptions["isLocal"];

function bodyLimit(request: IncomingMessage, isLocal: IsLocal): number {
  if (isWebhook(request)) return maxWebhookBytes;
  return isLocal(request) ? maxLocalBodyBytes : maxBodyBytes;
}

/** Whether a caller that sent `Expect: 100-continue` should send its body. */
export function mayContinue(request: IncomingMessage, isLocal: IsLocal): boolean {
  return Number(request.headers["content-length"] ?? 0) <= bodyLimit(request, isLocal);
}

/**
 * Creates an application with the first request: a local socket may never get one, and registering all routes takes a
 * tenth of the time until a server listens.
 */
export function createLazyApplication(options: ApplicationOptions): Application {
  let created: Promise<Application> | undefined;
  let isStopped = false;
  return {
    handle(request, response) {
      created ??= createApplication(options);
      created.then(
        (application) => {
          if (isStopped) application.stop();
          return application.handle(request, response);
        },
        (error: unknown) => {
          options.log.error("Cannot answer requests.", { error });
          response.destroy();
        },
      );
    },
    stop() {
      isStopped = true;
      created?.then((application) => application.stop()).catch(() => undefined);
    },
    async close() {
      // Requests have reported the error of a creation that failed.
      await created?.then(
        (application) => application.close(),
        () => undefined,
      );
    },
  };
}

export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { isLocal, rules } = options;
  const calls = new RunningCalls();
  const handlers = createHandlers(options, calls);
  const login = createLoginHandlers(options, handlers);
  const handleSettings = createSettingsHandler(options, handlers);
  const editorLogin = createEditorLoginHandlers(options, handlers);
  const mcp = createMcpHandlers(options, handlers);
  const monitoring = createMonitoringHandlers(options, handlers);
  const handleWebhook = createWebhookHandler(options, handlers);
  const app = fastify({
    genReqId: ({ headers }) => requestIdOf(headers),
    frameworkErrors: (error, request, reply) => handlers.fail(error, request, reply.headers(guardHeaders)),
    // The handlers parse query strings, strictly and by the types of the operation's fields.
    routerOptions: { querystringParser: () => ({}) },
    return503OnClosing: false,
    // No route has a schema. Otherwise, fastify would load its validator and serializer of JSON Schema.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  const allowedMethods = new Map([
    [serverTarget, "GET, HEAD, POST, DELETE, OPTIONS"],
    [openApiPath, "GET, HEAD, OPTIONS"],
    ...[...pagePaths, iconPath, metricsPath, livePath, readyPath].map(
      (path) => [path, "GET, HEAD, OPTIONS"] as const,
    ),
    [`${browsePrefix}*`, "GET, HEAD, OPTIONS"],
    [settingsPath, "GET, HEAD, POST, OPTIONS"],
    [sessionsPath, "GET, HEAD, POST, OPTIONS"],
    [sessionPath, "POST, OPTIONS"],
    [loginPath, "GET, HEAD, OPTIONS"],
    [callbackPath, "GET, HEAD, OPTIONS"],
    [logoutPath, "GET, HEAD, POST, OPTIONS"],
    [allowEditorPath, "GET, HEAD, POST, OPTIONS"],
    [connectEditorPath, "POST, OPTIONS"],
    [mcpPath, "POST, OPTIONS"],
    [resourceMetadataPath, "GET, HEAD, OPTIONS"],
    [webhookPattern, "POST, OPTIONS"],
  ]);
  /** Routes of POST requests whose fields are all in their URL. */
  const bodyless = new Set([allowEditorPath, settingsPath, sessionsPath]);
  /** These, and the one whose handler reads the body. */
  const anyMediaType = new Set([...bodyless, webhookPattern]);
  app.setErrorHandler((error, request, reply) => handlers.fail(error, request, reply));
  app.setNotFoundHandler((request) => {
    throw endpointNotFound(requestPath(request));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
    // Its handler reads the body.
    if (request.routeOptions.url === webhookPattern) return undefined;
    const isInUrl = request.method === "DELETE" || bodyless.has(request.routeOptions.url ?? "");
    if (!isInUrl) return await readJson(payload, bodyLimit(request.raw, isLocal));
    // Ignores the body: all fields are in the URL.
    payload.resume();
    return undefined;
  });
  app.addHook("onRequest", ({ id: requestId, headers, method, routeOptions }, reply, done) =>
    handleRequest({ requestId, headers, method, route: routeOptions.url ?? "unknown" }, reply.raw, done),
  );
  app.addHook("onRequest", async (request, reply) =>
    checkRequest(request, reply, {
      rules,
      allowedMethods,
      anyMediaType,
      isLocal: isLocal(request.raw),
    }),
  );
  for (const name of operationNames) {
    const httpOperation = operation(name);
    if (!isServedOverHttp(httpOperation)) continue;
    const { method } = httpOperation.http;
    const path = httpOperation.http.path.replaceAll(/\{(\w+)\}/g, ":$1");
    if (method === "POST" && pathFields(httpOperation).length > 0) {
      bodyless.add(path);
      anyMediaType.add(path);
    }
    allowedMethods.set(path, method === "GET" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`);
    app.route({ method, url: path, handler: handlers.operationHandler(name, httpOperation) });
  }
  app.get(openApiPath, (request, reply) =>
    handlers.send(request, reply, openApiDocument(handlers.baseUrl(request) ?? "")),
  );
  for (const path of pagePaths) app.get(path, path === "/" ? handlers.handleHome : handlers.handlePage);
  app.get(iconPath, (_request, reply) =>
    reply.type("image/svg+xml").header("cache-control", "public, max-age=86400").send(icon),
  );
  app.get(metricsPath, monitoring.handleMetrics);
  app.get(livePath, monitoring.handleLive);
  app.get(readyPath, monitoring.handleReady);
  app.get(`${browsePrefix}*`, handlers.handlePage);
  app.post(mcpPath, mcp.handleMcp);
  app.post(webhookPattern, handleWebhook);
  app.get(resourceMetadataPath, mcp.sendResourceMetadata);
  app.post(settingsPath, handleSettings);
  app.post(sessionsPath, createSessionsHandler(options, handlers));
  app.post(sessionPath, login.handleSignIn);
  app.get(loginPath, login.handleLogin);
  app.get(callbackPath, login.handleCallback);
  app.get(logoutPath, login.handleLoggedOut);
  app.post(logoutPath, login.handleLogout);
  app.get(allowEditorPath, editorLogin.handleAsk);
  app.post(allowEditorPath, editorLogin.handleAllow);
  app.post(connectEditorPath, editorLogin.handleConnect);
  // Not in `allowed`, so the guard hides it from the port.
  app.post(callPathPattern, handlers.handleEnvelope);
  await app.ready();

  return {
    handle: (request, response) => {
      try {
        normalizeTarget(request);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        return sendFailure(request, response, error);
      }
      app.routing(request, response);
    },
    stop: () => calls.stop(),
    async close() {
      await mcp.close();
      await app.close();
    },
  };
}
