/** Answers as bytes, and what every one of them says to browsers and caches. */
import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import { Pace } from "#platform/pace";

export const jsonType = "application/json; charset=utf-8";

/** Unless something else is said, nothing that we send is a page, may be embedded, or may be kept. */
export const guardHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  vary: "accept-encoding, origin",
};

const gzipped = promisify(gzip);

/** Below this an answer fits into one packet as it is. */
const minGzipBytes = 1024;

/** `body` in the encoding that the caller asked for, and the headers that say so. */
export async function compress(
  body: Buffer,
  acceptEncoding: string | undefined,
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  if (body.length < minGzipBytes || !acceptsGzip(acceptEncoding)) return { body, headers: {} };
  return { body: await gzipped(body, { level: 1 }), headers: { "content-encoding": "gzip" } };
}

function acceptsGzip(header = ""): boolean {
  const weights = new Map<string, number>();
  for (const choice of header.split(",")) {
    const [name = "", ...parameters] = choice.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Bytes that are hashed at once. */
const hashedBytes = 4 * 1024 * 1024;

/** Names an answer by its bytes, and by what its headers say besides; the same whatever it is packed in. */
export async function entityTag(body: Uint8Array, besides = ""): Promise<string> {
  const hash = createHash("sha1");
  const pace = new Pace();
  for (let at = 0; at < body.length; at += hashedBytes) {
    hash.update(body.subarray(at, at + hashedBytes));
    if (pace.isOver) await pace.rest();
  }
  return `W/"${hash.update(besides).digest("base64url")}"`;
}

/** Whether `If-None-Match` names the tag. */
export function hasTag(header: string | undefined, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  const tags = header?.split(",") ?? [];
  return tags.some((each) => opaque(each) === opaque(tag) || opaque(each) === "*");
}

/** Headers that belong to a failure. */
export function failureHeaders(statusCode: number): Record<string, string> {
  if (statusCode === 401) return { "www-authenticate": "Bearer" };
  if (statusCode === 503) return { "retry-after": "1" };
  return {};
}

/** A whole answer for a connection whose request could not be read; it ends the connection. */
export function rawFailure(error: ServiceError): string {
  const object = toErrorObject(error);
  const body = JSON.stringify(object);
  const headers = {
    ...guardHeaders,
    "content-type": jsonType,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${object.statusCode} ${STATUS_CODES[object.statusCode] ?? ""}`;
  return `${[status, ...lines].join("\r\n")}\r\n\r\n${body}`;
}
