/** From a request that was let in to the answer of its row. */
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { isServiceError, ServiceError } from "#base/error";
import { Envelope } from "#contract/envelope";
import { type ErrorObject, toErrorObject } from "#contract/error";
import { type HttpOperation, isAskedByQuery, isKept } from "#contract/operation";
import { type OperationName, operationNames } from "#contract/operations";
import { pageFields } from "#contract/position";
import type { AnonymousRule, Call, Caller, Page } from "#contract/service";
import type { Log } from "#platform/log";
import { compress, entityTag, failureHeaders, hasTag, jsonType } from "./answers";
import { credentialsOf } from "./credentials";
import { fieldKinds, readQuery } from "./decode";
import { encodeJson } from "./encodeJson";
import { EventStream, type EventTimes } from "./eventStream";
import { failureOf } from "./failures";
import { pathOf } from "./guard";
import { readPageAddress } from "./pageAddress";
import { pagePolicy } from "./pageFrame";
import { answerPage, failurePage, type PageAnswer } from "./pages";
import { pageHeaders } from "./paging";
import type { RunningCalls } from "./runningCalls";
import { endedCookie, pageCredentialsOf, sessionCookie, signInForm } from "./sessions";

export interface RepliesOptions {
  readonly caller: Caller;
  readonly log: Log;
  readonly times: EventTimes;
  readonly isLocal: (request: IncomingMessage) => boolean;
  readonly anonymous: AnonymousRule;
  readonly address: (host: string | undefined) => string | undefined;
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface Replies {
  /** Answers calls of one row. */
  toRow(name: OperationName, row: HttpOperation): Answer;
  /** Answers calls of any row, in the envelope that the person's other processes use. */
  toEnvelope: Answer;
  /** Answers with a page, also where it fails. */
  toPage: Answer;
  /** Signs the browser in that shows a key. */
  toSignIn: Answer;
  toSignOut: Answer;
  send(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<FastifyReply>;
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Address for links. */
  baseUrl(request: FastifyRequest): string | undefined;
}

/** An event as it is named on the wire. */
interface WireEvent {
  readonly event: string;
  readonly data: unknown;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const PageFields = z.object(pageFields);

export function createReplies(options: RepliesOptions, calls: RunningCalls): Replies {
  const { caller, log, times, isLocal, anonymous, address } = options;
  return { toRow, toEnvelope, toPage, toSignIn, toSignOut, send, fail, baseUrl };

  function toRow(name: OperationName, row: HttpOperation): Answer {
    const kinds = isAskedByQuery(row) ? fieldKinds(row.request) : undefined;
    return async (request, reply) => {
      const raw = kinds === undefined ? request.body : readQuery(request.url, kinds);
      const call = callOf(request, reply);
      // A row with events names them itself.
      if (row.event !== undefined) {
        return sendEvents(request, reply, (emit) => caller(name, raw, { ...call, emit }), asWireEvent);
      }
      const answer = await caller(name, raw, call);
      if (!row.paged) return send(request, reply, answer, isKept(row));
      const { items, total } = asPage(answer);
      const place = { ...PageFields.parse(raw), total };
      reply.headers(pageHeaders(`${baseUrl(request)}${request.url}`, place));
      return send(request, reply, items, isKept(row));
    };
  }

  async function toEnvelope(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { name } = request.params as { readonly name: string };
    const known = operationNames.find((each) => each === name);
    if (known === undefined) throw new ServiceError("NOT_FOUND", `There is no operation ${name}.`);
    const envelope = Envelope.safeParse(request.body);
    if (!envelope.success) {
      throw new ServiceError("INVALID_REQUEST_BODY", "The body is no envelope.", { cause: envelope.error });
    }
    const { request: raw, events, ...told } = envelope.data;
    const call = { ...callOf(request, reply), ...told };
    if (!events) return send(request, reply, await caller(known, raw, call));
    return sendEvents(
      request,
      reply,
      (emit) => caller(known, raw, { ...call, emit }),
      (data) => ({ event: "event", data }),
    );
  }

  async function toPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const credentials = pageCredentialsOf(request.headers);
    let answer: PageAnswer;
    try {
      const call = callOf(request, reply, credentials);
      answer = await answerPage(readPageAddress(request.url), caller, call);
    } catch (error) {
      const failure = toFailure(error, request);
      if (failure === undefined) return fail(error, request, reply);
      const { statusCode, errorCode, message } = failure;
      reply.headers(failureHeaders(statusCode));
      const isUnknown = errorCode === "NOT_AUTHENTICATED";
      if (isUnknown && credentials.kind === "session")
        reply.header("set-cookie", endedCookie(request.headers));
      answer = isUnknown
        ? failurePage(statusCode, "Sign in", message, signInForm())
        : failurePage(statusCode, errorCode, message);
    }
    const { status, location, body } = answer;
    const packed = await compress(Buffer.from(body), request.headers["accept-encoding"]);
    reply.code(status).headers(location === undefined ? {} : { location });
    reply.raw.setTimeout(times.stallMs, () => reply.raw.destroy());
    return reply
      .headers({ ...packed.headers, "content-security-policy": pagePolicy })
      .type("text/html; charset=utf-8")
      .send(packed.body);
  }

  async function toSignIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { token, expiresAt } = await caller<"signIn">("signIn", {}, callOf(request, reply));
    const seconds = Math.floor((Date.parse(expiresAt) - Date.now()) / 1000);
    reply.header("set-cookie", sessionCookie(token, seconds, request.headers));
    return send(request, reply, { expiresAt });
  }

  async function toSignOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header("set-cookie", endedCookie(request.headers));
    const call = callOf(request, reply, pageCredentialsOf(request.headers));
    return send(request, reply, await caller<"signOut">("signOut", {}, call));
  }

  function callOf(
    request: FastifyRequest,
    reply: FastifyReply,
    shown = credentialsOf(request.headers),
  ): Call {
    const link = baseUrl(request);
    return {
      credentials: shown.kind === "none" && isLocal(request.raw) ? { kind: "local" } : shown,
      anonymous,
      signal: calls.signalOf(reply.raw),
      client: clientOf(request),
      ...originOf(request),
      ...(link === undefined ? {} : { baseUrl: link }),
    };
  }

  function baseUrl(request: FastifyRequest): string | undefined {
    return address(isLocal(request.raw) ? undefined : request.headers.host);
  }

  /** `mayKeep`: whoever has the answer already is told that it is still the same. */
  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: unknown,
    mayKeep = false,
  ): Promise<FastifyReply> {
    const bytes = await encodeJson(answer, maxAnswerBytes);
    if (mayKeep) {
      const tag = await entityTag(bytes, String(reply.getHeader("x-total-count")));
      reply.headers({ etag: tag, "cache-control": "private, no-cache" });
      if (hasTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
    }
    const { body, headers } = await compress(bytes, request.headers["accept-encoding"]);
    // A caller that does not take its answer would keep it in memory.
    reply.raw.setTimeout(times.stallMs, () => reply.raw.destroy());
    return reply.headers(headers).type(jsonType).send(body);
  }

  async function sendEvents(
    request: FastifyRequest,
    reply: FastifyReply,
    run: (emit: (event: unknown) => Promise<void>) => Promise<unknown>,
    wire: (event: unknown) => WireEvent,
  ): Promise<FastifyReply> {
    const events = new EventStream(reply.raw, times, () => {
      reply.type("text/event-stream; charset=utf-8");
      // Asks nginx, which would gather the events, to pass them on.
      reply.header("x-accel-buffering", "no");
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      reply.hijack();
    });
    try {
      const answer = await run((event) => {
        const { event: name, data } = wire(event);
        return events.send(name, data);
      });
      await events.send("done", answer);
    } catch (error) {
      if (!events.started) throw error;
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
        .headers(failureHeaders(statusCode))
        .type(jsonType)
        .send(JSON.stringify(failure));
    }
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }

  /** Undefined where nobody is left to be told. */
  function toFailure(error: unknown, request: FastifyRequest): ErrorObject | undefined {
    if (calls.stopping && isServiceError(error, "CANCELLED")) {
      return toErrorObject(new ServiceError("ENGINE_UNAVAILABLE", "The service is stopping."));
    }
    return failureOf(error, log, { method: request.method, path: pathOf(request) });
  }
}

/** Several programs of one computer are told apart by what they call themselves. */
function clientOf({ headers, raw }: FastifyRequest): string {
  const credentials = pageCredentialsOf(headers);
  const token = "token" in credentials ? credentials.token : "";
  return [raw.socket.remoteAddress, token, headers["user-agent"]].join("\n");
}

/** Where a request comes from, and from which program, if it says so. */
function originOf({ headers, raw }: FastifyRequest): Pick<Call, "address" | "source"> {
  const { remoteAddress: address } = raw.socket;
  const source = headers["x-service-client-source"];
  return {
    ...(address === undefined ? {} : { address }),
    ...(typeof source === "string" && source !== "" ? { source } : {}),
  };
}

/** The row says so. */
function asPage(answer: unknown): Page<unknown> {
  return answer as Page<unknown>;
}

function asWireEvent(event: unknown): WireEvent {
  return event as WireEvent;
}
