/** Handlers of requests that passed the guard: call the operation and send its response. */
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { canceled, isServiceError, ServiceError } from "#base/error";
import type { RepositoryRules } from "#contract/access";
import { Envelope } from "#contract/envelope";
import { type ErrorObject, toErrorObject } from "#contract/error";
import { type HttpOperation, isCacheable, pathFields, usesQueryString } from "#contract/operation";
import { type OperationName, operationNames } from "#contract/operations";
import { pageFields } from "#contract/position";
import type { AnonymousRule, Call, Caller, Credentials, Page } from "#contract/service";
import type { Log } from "#platform/log";
import {
  failureNote,
  failurePage,
  type PageCall,
  type PageResponse,
  type PageStream,
  redirect,
  type Visitor,
} from "#transport/pages/context";
import { errorPage } from "#transport/pages/errorPage";
import { html } from "#transport/pages/html";
import { pagePolicy, withTheme } from "#transport/pages/pageLayout";
import { renderPage } from "#transport/pages/pages";
import { type BodySender, createBodySender, takeOver } from "./bodySender";
import type { BrowserRules } from "./browserRules";
import { credentialsOf } from "./credentials";
import { type FieldKinds, fieldKinds, readQuery } from "./decode";
import { frameAncestors } from "./embedding";
import { EventStream, type EventTimes } from "./eventStream";
import { failureOf } from "./failures";
import { endpointNotFound, requestPath } from "./guard";
import { pageHeaders } from "./paging";
import { PieceSender } from "./pieceSender";
import { requestIdHeader } from "./requestId";
import { acceptsGzip, failureHeaders, jsonType, type UnreadLimits, UnreadResponses } from "./responses";
import type { RunningCalls } from "./runningCalls";
import { type CookieRequest, expiredCookie, pageCredentialsOf, signInForm, viewSettingsOf } from "./sessions";

export interface HandlerOptions {
  readonly caller: Caller;
  readonly log: Log;
  readonly times: EventTimes & UnreadLimits;
  readonly isLocal: (request: IncomingMessage) => boolean;
  readonly anonymous: AnonymousRule;
  readonly rules: Pick<BrowserRules, "isFromOwnPage" | "allowedOrigins">;
  /** Whether users can log in with an OpenID issuer. */
  readonly hasLogin: boolean;
  readonly repositoryRules?: RepositoryRules;
  readonly baseUrlFor: (host: string | undefined) => string | undefined;
}

type RequestHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface Handlers extends BodySender {
  /** Returns the handler of one operation. */
  operationHandler(name: OperationName, row: HttpOperation): RequestHandler;
  /**
   * Handles a call of any operation, in the envelope that other processes of the user send (`contract/envelope.ts`).
   */
  handleEnvelope: RequestHandler;
  /** Responds with the search page to clients that accept pages. Throws NOT_FOUND for others. */
  handleHome: RequestHandler;
  /** Responds with a page, even for errors. */
  handlePage: RequestHandler;
  /** Sends the page that `render` returns; if it fails, the page that `renderFailure` returns. */
  sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (call: PageCall) => Promise<PageResponse>,
    renderFailure?: (failure: ErrorObject) => PageResponse,
  ): Promise<FastifyReply>;
  /** Creates the call that a request stands for. Default credentials: those in its headers, without cookies. */
  createCall(request: FastifyRequest, reply: FastifyReply, credentials?: Credentials): Call;
  /** Returns what determines the cookies of a request. */
  cookieRequest(request: FastifyRequest): CookieRequest;
  /** Sends an error object; if the caller has disconnected, destroys the connection instead. */
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Returns the base URL of links; `undefined` if there is no port. */
  baseUrl(request: FastifyRequest): string | undefined;
}

/** An event as it is sent. */
interface WireEvent {
  readonly event: string;
  readonly data: unknown;
}

const PageFields = z.object(pageFields);
/** Longer URLs would not fit into another one. */
const maxReturnCharacters = 1500;

export function createHandlers(options: HandlerOptions, calls: RunningCalls): Handlers {
  const { caller, log, times, isLocal, anonymous, rules, hasLogin, repositoryRules, baseUrlFor } = options;
  const unread = new UnreadResponses(times);
  const { send, sendBody } = createBodySender(times.stallMs, unread);
  return {
    operationHandler,
    handleEnvelope,
    handleHome,
    handlePage,
    sendPage,
    createCall,
    cookieRequest,
    send,
    sendBody,
    fail,
    baseUrl,
  };

  function operationHandler(name: OperationName, row: HttpOperation): RequestHandler {
    const isInPath = pathFields(row).length > 0;
    const usesQuery = usesQueryString(row);
    // Computed with the first request: doing so for all operations would delay the start.
    let kinds: FieldKinds | undefined;
    return async (request, reply) => {
      kinds ??= usesQuery ? fieldKinds(row.request) : undefined;
      const sent = kinds === undefined ? request.body : readQuery(request.url, kinds);
      const raw = isInPath ? request.params : sent;
      const call = { ...createCall(request, reply, operationCredentials(request)), acceptsJsonText: true };
      // An event of an operation already contains its name.
      if (row.event !== undefined) {
        return sendEvents(request, reply, (emit) => caller(name, raw, { ...call, emit }), asWireEvent);
      }
      const response = await caller(name, raw, call);
      if (!row.isPaged) return send(request, reply, response, isCacheable(row));
      const { items, total, incomplete } = asPage(response);
      const position = { ...PageFields.parse(raw), total };
      reply.headers(pageHeaders(`${baseUrl(request)}${request.url}`, position));
      if (incomplete !== undefined) reply.header("x-incomplete", incomplete.replaceAll(/[^\x20-\x7e]/g, "?"));
      return send(request, reply, items, isCacheable(row) && incomplete === undefined);
    };
  }

  async function handleEnvelope(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { name } = request.params as { readonly name: string };
    const operationName = operationNames.find((each) => each === name);
    if (operationName === undefined) throw new ServiceError("NOT_FOUND", `There is no operation ${name}.`);
    const envelope = Envelope.safeParse(request.body);
    if (!envelope.success) {
      throw new ServiceError("INVALID_REQUEST_BODY", "The body is not an envelope.", {
        cause: envelope.error,
      });
    }
    const { request: raw, events, waitedMs = 0, ...context } = envelope.data;
    const arrivedAt = performance.now() - waitedMs;
    const call = { ...createCall(request, reply), ...context, arrivedAt, acceptsJsonText: true };
    if (!events) return send(request, reply, await caller(operationName, raw, call));
    return sendEvents(
      request,
      reply,
      (emit) => caller(operationName, raw, { ...call, emit }),
      (data) => ({ event: "event", data }),
    );
  }

  async function handleHome(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header("vary", "accept, accept-encoding, origin");
    if (!acceptsPages(request.headers.accept)) throw endpointNotFound(requestPath(request));
    return handlePage(request, reply);
  }

  function handlePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(request, reply, async (call) =>
      renderPage(
        request.url,
        caller,
        call,
        await visitorOf(request, call),
        viewSettingsOf(cookieRequest(request)),
      ),
    );
  }

  async function visitorOf(request: FastifyRequest, call: PageCall): Promise<Visitor> {
    // Scripts use only a part of the page, which does not say who is logged in.
    if (isFromScript(request)) return {};
    if (call.credentials.kind !== "session") return unnamedVisitor(request, call.credentials);
    const { name, email } = await caller<"currentMember">("currentMember", {}, call);
    return { name: name ?? email };
  }

  /** Returns what the request says about the visitor, without a call. */
  function unnamedVisitor(request: FastifyRequest, { kind }: Credentials): Visitor {
    return kind !== "session" && hasLogin ? { loginUrl: loginUrlOf(request) } : {};
  }

  /** Returns the URL at which to log in, and then to return to the page. */
  function loginUrlOf(request: FastifyRequest): string {
    const returnPath = request.url.length > maxReturnCharacters ? "/" : request.url;
    return `${baseUrl(request) ?? ""}/login?return=${encodeURIComponent(returnPath)}`;
  }

  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (call: PageCall) => Promise<PageResponse>,
    renderFailure?: (failure: ErrorObject) => PageResponse,
  ): Promise<FastifyReply> {
    const credentials = pageCredentialsOf(cookieRequest(request));
    let page: PageResponse;
    try {
      page = await render(createCall(request, reply, credentials));
    } catch (error) {
      const failure = toFailure(error, request);
      if (failure === undefined) return fail(error, request, reply);
      page = renderFailure?.(failure) ?? failurePageOf(failure, request, credentials);
      if (page.status >= 400) reply.headers(failureHeaders(page.status));
      const hasSessionEnded = renderFailure === undefined && failure.errorCode === "NOT_AUTHENTICATED";
      if (hasSessionEnded && credentials.kind === "session")
        reply.header("set-cookie", expiredCookie(cookieRequest(request)));
    }
    const { status, location, body, policy = pagePolicy, headers } = page;
    const isPersonal = credentials.kind === "session" || status === 401;
    const ancestors = frameAncestors(isPersonal ? undefined : requestPath(request), rules.allowedOrigins);
    reply
      .code(status)
      .headers(location === undefined ? {} : { location })
      .type("text/html; charset=utf-8")
      .headers({ "content-security-policy": `${policy}; ${ancestors}`, ...headers });
    const settings = viewSettingsOf(cookieRequest(request));
    if (typeof body === "string")
      return await sendBody(request, reply, Buffer.from(withTheme(body, settings)));
    if (Buffer.isBuffer(body)) return await sendBody(request, reply, body);
    return await sendStream(request, reply, { ...body, start: withTheme(body.start, settings) });
  }

  function failurePageOf(
    failure: ErrorObject,
    request: FastifyRequest,
    credentials: Credentials,
  ): PageResponse {
    const { statusCode, errorCode, message } = failure;
    if (errorCode !== "NOT_AUTHENTICATED") {
      const base = baseUrl(request) ?? "";
      // The name would take another call, which could fail as well.
      const visitor = unnamedVisitor(request, credentials);
      return errorPage(failure, { base, visitor, call: { credentials } }, request.url);
    }
    const text = credentials.kind === "none" ? "Log in to see this page." : message;
    const hasOtherCredentials = credentialsOf(request.headers).kind !== "none";
    if (!hasLogin || hasOtherCredentials) return failurePage(statusCode, "Log in", text, signInForm());
    const url = loginUrlOf(request);
    const page = failurePage(statusCode, "Log in", text, html`<p><a href="${url}">Log in</a></p>`);
    if (!isNavigation(request)) return page;
    // The policy of pages forbids that a form leads to the issuer, also by redirects.
    const mayBeForm = request.headers["sec-fetch-site"] === "same-origin";
    return mayBeForm ? { ...page, headers: { ...page.headers, refresh: `0; url=${url}` } } : redirect(url);
  }

  /** Sends a page while it is rendered, or only its headers. An error after its start is shown in place. */
  async function sendStream(
    request: FastifyRequest,
    reply: FastifyReply,
    page: PageStream,
  ): Promise<FastifyReply> {
    if (reply.raw.destroyed) throw canceled();
    const isCompressed = acceptsGzip(request.headers["accept-encoding"]);
    // Tells nginx not to buffer the pieces.
    reply.headers({ "x-accel-buffering": "no", ...(isCompressed ? { "content-encoding": "gzip" } : {}) });
    takeOver(reply);
    if (request.method === "HEAD") {
      reply.raw.end();
      return reply;
    }
    const sender = new PieceSender(reply.raw, isCompressed, times.stallMs, unread);
    await sender.sendPage(page, (error) => {
      const failure = toFailure(error, request);
      return failure && failureNote(failure.message);
    });
    return reply;
  }

  function cookieRequest(request: FastifyRequest): CookieRequest {
    return { headers: request.headers, isSecure: baseUrl(request)?.startsWith("https:") === true };
  }

  /** Returns the credentials of a request for an operation. Cookies count only if a page of this server has sent it. */
  function operationCredentials(request: FastifyRequest): Credentials {
    const isOwn = !isLocal(request.raw) && rules.isFromOwnPage(request.raw);
    return isOwn ? pageCredentialsOf(cookieRequest(request)) : credentialsOf(request.headers);
  }

  function createCall(
    request: FastifyRequest,
    reply: FastifyReply,
    credentials = credentialsOf(request.headers),
  ): Call {
    const url = baseUrl(request);
    return {
      credentials: credentials.kind === "none" && isLocal(request.raw) ? { kind: "local" } : credentials,
      anonymous,
      ...(repositoryRules === undefined ? {} : { repositoryRules }),
      signal: calls.signalOf(reply.raw),
      arrivedAt: performance.now(),
      client: clientId(request, cookieRequest(request)),
      requestId: request.id,
      ...callerFields(request),
      ...(url === undefined ? {} : { baseUrl: url }),
    };
  }

  function baseUrl(request: FastifyRequest): string | undefined {
    return baseUrlFor(isLocal(request.raw) ? undefined : request.headers.host);
  }

  async function sendEvents(
    request: FastifyRequest,
    reply: FastifyReply,
    run: (emit: (event: unknown) => Promise<void>) => Promise<unknown>,
    toWireEvent: (event: unknown) => WireEvent,
  ): Promise<FastifyReply> {
    const events = new EventStream(reply.raw, times, () => {
      reply.type("text/event-stream; charset=utf-8");
      // Tells nginx not to buffer the events.
      reply.header("x-accel-buffering", "no");
      takeOver(reply);
    });
    try {
      const response = await run((event) => {
        const { event: name, data } = toWireEvent(event);
        return events.send(name, data);
      });
      await events.send("done", response);
    } catch (error) {
      if (!events.hasStarted) throw error;
      const failure = toFailure(error, request);
      if (failure !== undefined) await events.send("error", failure).catch(() => {});
    }
    await events.end();
    return reply;
  }

  async function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const failure = toFailure(error, request);
    if (failure !== undefined) {
      const { statusCode } = failure;
      return reply
        .code(statusCode)
        .headers({ ...failureHeaders(statusCode), ...challengeOf(reply), [requestIdHeader]: request.id })
        .type(jsonType)
        .send(JSON.stringify(failure));
    }
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }

  /** Returns the error object of `error`; `undefined` if the caller has disconnected. */
  function toFailure(error: unknown, request: FastifyRequest): ErrorObject | undefined {
    if (calls.isStopping && isServiceError(error, "CANCELLED")) {
      const stopping = toErrorObject(new ServiceError("ENGINE_UNAVAILABLE", "The service is stopping."));
      return { ...stopping, requestId: request.id };
    }
    const { id: requestId, method } = request;
    return failureOf(error, log, { requestId, method, path: requestPath(request) });
  }
}

/** Returns the challenge that a handler has set, which says more than the usual one. */
function challengeOf(reply: FastifyReply): Record<string, string> {
  const challenge = reply.getHeader("www-authenticate");
  return typeof challenge === "string" ? { "www-authenticate": challenge } : {};
}

/** Whether a client asks for pages, as browsers do. Programs that accept anything expect JSON. */
function acceptsPages(accept = ""): boolean {
  return accept.split(",").some((range) => /^\s*text\/html\s*(?:;|$)/i.test(range));
}

/** Whether a script of a page has sent the request, to use a part of the response. */
function isFromScript({ headers }: FastifyRequest): boolean {
  return headers["x-requested-with"] !== undefined;
}

/** Whether a browser is about to show the response. */
function isNavigation(request: FastifyRequest): boolean {
  const { accept, "sec-fetch-mode": mode = "navigate" } = request.headers;
  return !isFromScript(request) && mode === "navigate" && acceptsPages(accept);
}

/** Identifies a client for fair queueing: address, credentials and user agent. */
function clientId({ headers, raw }: FastifyRequest, cookies: CookieRequest): string {
  const credentials = pageCredentialsOf(cookies);
  const token = "token" in credentials ? credentials.token : "";
  return [raw.socket.remoteAddress, token, headers["user-agent"]].join("\n");
}

/** Returns the address of the client and, if the request names it, the calling program. */
function callerFields({ headers, raw }: FastifyRequest): Pick<Call, "address" | "source"> {
  const { remoteAddress: address } = raw.socket;
  const source = headers["x-service-client-source"];
  return {
    ...(address === undefined ? {} : { address }),
    ...(typeof source === "string" && source !== "" ? { source } : {}),
  };
}

/** Paged operations return pages. */
function asPage(response: unknown): Page<unknown> {
  return response as Page<unknown>;
}

function asWireEvent(event: unknown): WireEvent {
  return event as WireEvent;
}
