/** Parses responses from a raw connection, and finds problems in them. */
import { gunzipSync } from "node:zlib";
import { ErrorObject, errorStatus, isErrorCode } from "#contract/error";
import { isServedOverHttp } from "#contract/operation";
import { type OperationName, operation } from "#contract/operations";

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Parses the complete responses at the start of `bytes`; skips interim ones. */
export function parseResponses(bytes: Buffer, isHead: boolean): readonly RawResponse[] {
  const found: RawResponse[] = [];
  for (let offset = 0; ; ) {
    const end = bytes.indexOf("\r\n\r\n", offset);
    if (end < 0) return found;
    const [line = "", ...fields] = bytes.toString("latin1", offset, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? Number.NaN);
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
    const content = hasBody ? readContent(bytes, end + 4, headers) : { body: Buffer.alloc(0), next: end + 4 };
    if (content === undefined) return found;
    if (status >= 200) found.push({ status, headers, body: content.body });
    offset = content.next;
  }
}

function readContent(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
): { body: Buffer; next: number } | undefined {
  if (headers.get("transfer-encoding") !== "chunked") {
    const next = start + Number(headers.get("content-length") ?? 0);
    return next > bytes.length ? undefined : { body: bytes.subarray(start, next), next };
  }
  const parts: Buffer[] = [];
  for (let offset = start; ; ) {
    const line = bytes.indexOf("\r\n", offset);
    const size = line < 0 ? Number.NaN : Number.parseInt(bytes.toString("latin1", offset, line), 16);
    const next = line + 2 + size + 2;
    if (Number.isNaN(size) || next > bytes.length) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), next };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    offset = next;
  }
}

/**
 * Returns the problem with a response, or undefined. `statuses` are those documented for the operation; without an
 * operation, any rejection is correct.
 */
export function problemOf(
  response: RawResponse,
  name: OperationName | undefined,
  statuses: readonly number[] | undefined,
): string | undefined {
  const { status, headers, body } = response;
  if (Number.isNaN(status)) return "the status line is malformed";
  if (status >= 500 && status !== 503 && status !== 504) return `status ${status}: ${shown(body)}`;
  if (statuses !== undefined && !statuses.includes(status))
    return `status ${status} is not documented: ${shown(body)}`;
  if (body.length === 0) return undefined;
  const type = headers.get("content-type") ?? "";
  const text = (headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body).toString("utf8");
  if (type.startsWith("text/html")) {
    return text.startsWith("<!doctype html>") ? undefined : `it is not a page: ${text.slice(0, 200)}`;
  }
  if (type.startsWith("text/event-stream")) {
    const last = text.trimEnd().split("\n\n").at(-1) ?? "";
    return /^event: (done|error)\ndata: \{.*\}$/.test(last)
      ? undefined
      : `the stream ends with ${last.slice(0, 200)}`;
  }
  // The content of a file, which browsers must not run.
  const isSandboxed = headers.get("content-security-policy")?.includes("sandbox") === true;
  if (isSandboxed && /^(?:text\/plain|application\/octet-stream)/.test(type)) return undefined;
  if (!type.startsWith("application/json")) return `the content type is ${type}`;
  const json: unknown = JSON.parse(text);
  if (status >= 400) return problemOfFailure(status, json);
  const row = name === undefined ? undefined : operation(name);
  if (row === undefined || !isServedOverHttp(row)) return undefined;
  const checked = row.response.safeParse(json);
  return checked.success
    ? undefined
    : `the response violates its schema: ${checked.error.message.slice(0, 300)}`;
}

function problemOfFailure(status: number, json: unknown): string | undefined {
  const checked = ErrorObject.safeParse(json);
  if (!checked.success) return `no error object: ${JSON.stringify(json).slice(0, 200)}`;
  const { statusCode, errorCode, message } = checked.data;
  const isRight = statusCode === status && isErrorCode(errorCode) && errorStatus[errorCode] === status;
  if (!isRight) return `status ${status} with ${JSON.stringify(json).slice(0, 200)}`;
  return /\n\s+at |node:internal|\/dist\/server/.test(message)
    ? `the message has a stack: ${message}`
    : undefined;
}

function shown(body: Buffer): string {
  return body.toString("utf8", 0, 200);
}
