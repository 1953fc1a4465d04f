/** Encodes responses, with the headers for browsers and caches. */
import { createHash } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import { TimeSlice } from "#platform/timeSlice";
import { requestIdHeader, requestIdOf } from "./requestId";

export const jsonType = "application/json; charset=utf-8";

/** Default headers: a response is not a page, must not be embedded, and must not be cached. */
export const guardHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  // Without any referrer, browsers do not say either that a form comes from a page of this service.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
  vary: "accept-encoding, origin",
};

const gzipAsync = promisify(gzip);

export interface UnreadLimits {
  /** How many bytes of responses that clients have not read yet may stay in memory. */
  readonly maxUnreadBytes: number;
  /** How long a client may read one response before that limit applies to it. */
  readonly readingMs: number;
}

/**
 * Limits the memory of responses that clients read slowly: beyond the limit, the connections that have been reading one
 * response for the longest are closed.
 */
export class UnreadResponses {
  readonly #limits: UnreadLimits;
  /** Oldest first. */
  readonly #responses = new Map<ServerResponse, { readonly bytes: number; readonly since: number }>();
  #bytes = 0;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** Call this when `bytes` more are about to be sent in `response`. */
  add(response: ServerResponse, bytes: number): void {
    // The client may have disconnected while the response was encoded.
    if (response.destroyed) return;
    const { bytes: sent = 0, since = performance.now() } = this.#responses.get(response) ?? {};
    if (!this.#responses.has(response)) response.once("close", () => this.#remove(response));
    this.#responses.set(response, { bytes: sent + bytes, since });
    this.#bytes += bytes;
    for (const [oldest, { since }] of this.#responses) {
      const isRecent = performance.now() - since < this.#limits.readingMs;
      if (this.#bytes <= this.#limits.maxUnreadBytes || isRecent) break;
      this.#remove(oldest);
      oldest.destroy();
    }
  }

  #remove(response: ServerResponse): void {
    this.#bytes -= this.#responses.get(response)?.bytes ?? 0;
    this.#responses.delete(response);
  }
}

/** Smaller responses fit into one packet uncompressed. */
const minGzipBytes = 1024;

interface EncodedBody {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a body with the matching headers, compressed if the caller accepts that. */
export async function encodeBody(body: Buffer, acceptEncoding: string | undefined): Promise<EncodedBody> {
  if (body.length < minGzipBytes || !acceptsGzip(acceptEncoding))
    return { body, headers: { "content-length": `${body.length}` } };
  return { body: await gzipAsync(body, { level: 1 }), headers: { "content-encoding": "gzip" } };
}

export function acceptsGzip(header = ""): boolean {
  const weights = new Map<string, number>();
  for (const choice of header.split(",")) {
    const [name = "", ...parameters] = choice.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Bytes hashed between checks of the time slice. */
const hashChunkBytes = 4 * 1024 * 1024;

/**
 * Returns a weak entity tag of `body` and `headers` (the relevant ones, as text). It is the same for every encoding.
 */
export async function entityTag(body: Iterable<Uint8Array>, headers = ""): Promise<string> {
  const hash = createHash("sha1");
  const slice = new TimeSlice();
  for (const chunk of body) {
    for (let at = 0; at < chunk.length; at += hashChunkBytes) {
      hash.update(chunk.subarray(at, at + hashChunkBytes));
      if (slice.isExpired) await slice.yieldToEventLoop();
    }
  }
  return `W/"${hash.update(headers).digest("base64url")}"`;
}

/** Whether an `If-None-Match` header contains the tag or `*`. */
export function hasTag(header: string | undefined, tag: string): boolean {
  const opaqueTag = (text: string) => text.trim().replace(/^W\//, "");
  const tags = header?.split(",") ?? [];
  return tags.some((each) => opaqueTag(each) === opaqueTag(tag) || opaqueTag(each) === "*");
}

/** Returns the additional headers of an error response. */
export function failureHeaders(statusCode: number): Record<string, string> {
  if (statusCode === 401) return { "www-authenticate": "Bearer" };
  if (statusCode === 503) return { "retry-after": "1" };
  return {};
}

/**
 * Returns the text of an HTTP response that reports `error`, with `connection: close`, for input that cannot be parsed.
 */
export function formatRawFailure(error: ServiceError): string {
  const { statusCode, headers, body } = plainFailure(error);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const status = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`;
  return `${[status, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** Responds with `error` to a request that cannot be routed. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  const requestId = requestIdOf(request.headers);
  const { statusCode, headers, body } = plainFailure(error, requestId);
  response.writeHead(statusCode, { ...headers, [requestIdHeader]: requestId }).end(body);
}

function plainFailure(error: ServiceError, requestId?: string) {
  const object = { ...toErrorObject(error), ...(requestId === undefined ? {} : { requestId }) };
  const body = JSON.stringify(object);
  const headers = {
    ...guardHeaders,
    "content-type": jsonType,
    "content-length": String(Buffer.byteLength(body)),
  };
  return { statusCode: object.statusCode, headers, body };
}
