/** Sends responses as JSON or other bodies, with entity tags and compression. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { canceled } from "#base/error";
import type { JsonText } from "#platform/jsonText";
import { encodeJson } from "./encodeJson";
import { PieceSender } from "./pieceSender";
import { acceptsGzip, encodeBody, entityTag, hasTag, jsonType, type UnreadResponses } from "./responses";

const maxResponseBytes = 64 * 1024 * 1024;
/** Longer responses are not read as a whole before they are sent. */
const minStreamedBytes = 512 * 1024;

export interface BodySender {
  /**
   * Sends a response as JSON. If `isCacheable`, sends an entity tag, and 304 to callers that already have the response.
   * Throws ANSWER_TOO_LARGE.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    response: unknown,
    isCacheable?: boolean,
  ): Promise<FastifyReply>;
  /** Sends a body, compressed if the client accepts that, and disconnects the client if it does not read it. */
  sendBody(request: FastifyRequest, reply: FastifyReply, content: Buffer): Promise<FastifyReply>;
}

/** A client that reads nothing for `stallMs` is disconnected. */
export function createBodySender(stallMs: number, unread: UnreadResponses): BodySender {
  return { send, sendBody };

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    response: unknown,
    isCacheable = false,
  ): Promise<FastifyReply> {
    const json = await encodeJson(response, maxResponseBytes);
    try {
      if (isCacheable) {
        const tag = await entityTag(json.parts(), String(reply.getHeader("x-total-count")));
        reply.headers({ etag: tag, "cache-control": "private, no-cache" });
        if (hasTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
      }
      reply.type(jsonType);
      if (json.length >= minStreamedBytes) return await sendParts(request, reply, json);
      return await sendBody(request, reply, json.bytes());
    } finally {
      json.release();
    }
  }

  async function sendBody(
    request: FastifyRequest,
    reply: FastifyReply,
    content: Buffer,
  ): Promise<FastifyReply> {
    if (reply.raw.destroyed) throw canceled();
    const { body, headers } = await encodeBody(content, request.headers["accept-encoding"]);
    if (reply.raw.destroyed) throw canceled();
    disconnectSlowReader(reply, body.length);
    return reply.headers(headers).send(body);
  }

  async function sendParts(
    request: FastifyRequest,
    reply: FastifyReply,
    text: JsonText,
  ): Promise<FastifyReply> {
    if (reply.raw.destroyed) throw canceled();
    const isCompressed = acceptsGzip(request.headers["accept-encoding"]);
    reply.headers(isCompressed ? { "content-encoding": "gzip" } : { "content-length": `${text.length}` });
    takeOver(reply);
    try {
      if (request.method === "HEAD") reply.raw.end();
      else await new PieceSender(reply.raw, isCompressed, stallMs, unread).sendText(text);
    } catch (error) {
      // The headers are sent, so that the client can only be disconnected.
      reply.raw.destroy();
      throw error;
    }
    return reply;
  }

  /** Disconnects a client that does not read the response, or reads it too slowly, because it stays in memory. */
  function disconnectSlowReader(reply: FastifyReply, bytes: number): void {
    reply.raw.setTimeout(stallMs, () => reply.raw.destroy());
    unread.add(reply.raw, bytes);
  }
}

/** Leaves the response to the caller, who writes it without the framework. Its status and headers are kept. */
export function takeOver(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.statusCode = reply.statusCode;
  reply.hijack();
}
