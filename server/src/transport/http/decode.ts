/** Decodes query strings and bodies strictly, before validation. */
import type { IncomingMessage } from "node:http";
import * as z from "zod";
import { canceled, ServiceError } from "#base/error";

type FieldKind = "integer" | "boolean" | "string";

/** The type of each field of a query string. */
export type FieldKinds = ReadonlyMap<string, FieldKind>;

export function fieldKinds(schema: z.ZodObject): FieldKinds {
  const kinds = Object.entries(schema.shape).map(([name, field]): [string, FieldKind] => {
    const { type } = z.toJSONSchema(field, { io: "input" });
    return [name, type === "integer" || type === "boolean" ? type : "string"];
  });
  return new Map(kinds);
}

/**
 * Parses a query string. Values that do not match their type stay strings, which validation refuses.
 *
 * Throws INVALID_QUERY_PARAMS for a repeated key, MALFORMED_REQUEST for escapes that are not UTF-8.
 */
export function readQuery(url: string, kinds: FieldKinds): Record<string, unknown> {
  const at = url.indexOf("?");
  const fields = new Map<string, unknown>();
  for (const pair of at < 0 ? [] : url.slice(at + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = unescapeField(equals < 0 ? pair : pair.slice(0, equals));
    const text = equals < 0 ? "" : unescapeField(pair.slice(equals + 1));
    if (fields.has(name))
      throw new ServiceError("INVALID_QUERY_PARAMS", `"${name}" is given more than once.`);
    fields.set(name, convertValue(text, kinds.get(name)));
  }
  return Object.fromEntries(fields);
}

function unescapeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new ServiceError("MALFORMED_REQUEST", `"${text}" is not percent-encoded UTF-8.`, { cause });
  }
}

function convertValue(text: string, kind: FieldKind | undefined): unknown {
  if (kind === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Throws UNSUPPORTED_MEDIA_TYPE unless the body is declared as uncompressed JSON, which HTML forms of other sites
 * cannot send.
 */
export function checkMediaType(request: IncomingMessage): void {
  const type = request.headers["content-type"];
  if (type === undefined || !/^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(type)) {
    throw new ServiceError(
      "UNSUPPORTED_MEDIA_TYPE",
      "The request body must have Content-Type: application/json.",
    );
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new ServiceError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Content-Encoding: ${encoding} is not supported for request bodies.`,
    );
  }
}

/**
 * Reads the body as JSON.
 *
 * Throws REQUEST_TOO_LARGE (before reading, if `Content-Length` exceeds `maxBytes`), INVALID_REQUEST_BODY if the body
 * is not JSON, and CANCELLED if the connection closes first.
 */
export async function readJson(body: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(body, maxBytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message.slice(0, 200) : "it is not UTF-8";
    throw new ServiceError("INVALID_REQUEST_BODY", `The body is not JSON: ${reason}.`, { cause });
  }
}

/**
 * Reads the body. Calls `admit` with the number of bytes so far; it throws to refuse more.
 *
 * Throws REQUEST_TOO_LARGE (before reading, if `Content-Length` exceeds `maxBytes`), CANCELLED if the connection closes
 * first, and what `admit` throws.
 */
export function readBody(
  body: IncomingMessage,
  maxBytes: number,
  admit: (length: number) => void = () => {},
): Promise<Uint8Array> {
  const tooLarge = () =>
    new ServiceError("REQUEST_TOO_LARGE", `The request body must have at most ${maxBytes} bytes.`);
  if (Number(body.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    let isRefused = false;
    body.on("data", (part: Uint8Array) => {
      // Discards the rest instead of closing, because a connection reset would lose the response.
      if (isRefused) return;
      length += part.length;
      try {
        if (length > maxBytes) throw tooLarge();
        admit(length);
        parts.push(part);
      } catch (error) {
        isRefused = true;
        parts.length = 0;
        reject(error);
      }
    });
    body.once("end", () => resolve(Buffer.concat(parts)));
    body.once("error", () => reject(canceled()));
    body.once("close", () => {
      if (!body.readableEnded) reject(canceled());
    });
  });
}
