/** A thin wrapper around undici for outgoing HTTP. undici is loaded with the first request. */
import type { Agent } from "undici";
import { canceled } from "#base/error";
import { followRequests, sendInSpan } from "./tracing";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower case, without parameters; empty if the header is missing. */
  readonly mediaType: string;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpClient {
  /**
   * Rejects with CANCELLED when the signal fires, and with undici's error on failure. Reading the body does the same.
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Creates a client for a Unix socket or named pipe. Responses never time out, because the server is on this computer.
 */
export function socketClient(socketPath: string): HttpClient {
  return clientOf("http://localhost", "", { connect: { socketPath } });
}

export interface ServerClientOptions {
  readonly connectTimeoutMs: number;
  /** How many requests may be under way at once; others wait. */
  readonly maxConnections: number;
}

/**
 * Creates a client for the server at `url`, which may have a path. Its connections stay open. Does not follow redirects.
 * The signal of a request is its only time limit.
 */
export function serverClient(
  url: string,
  { connectTimeoutMs, maxConnections }: ServerClientOptions,
): HttpClient {
  followRequests();
  const { origin, pathname } = new URL(url);
  const options = { connections: maxConnections, connect: { timeout: connectTimeoutMs } };
  return clientOf(origin, pathname.replace(/\/+$/, ""), options);
}

function clientOf(origin: string, prefix: string, options: Agent.Options): HttpClient {
  let agent: Promise<Agent> | undefined;
  return {
    async request({ method, path, headers = {}, body, signal }) {
      agent ??= import("undici").then(
        (undici) => new undici.Agent({ ...options, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 }),
      );
      try {
        const dispatcher = await agent;
        const response = await sendInSpan(origin, method, (ownHeaders) =>
          dispatcher.request({
            origin,
            method,
            path: prefix + path,
            headers: { ...ownHeaders, ...headers },
            body: body ?? null,
            signal,
          }),
        );
        const type = response.headers["content-type"];
        const [mediaType = ""] = (typeof type === "string" ? type : "").toLowerCase().split(";");
        return { status: response.statusCode, mediaType, body: bodyUntilAborted(response.body, signal) };
      } catch (error) {
        throw signal.aborted ? canceled() : error;
      }
    },
    async close() {
      await (await agent)?.destroy();
    },
  };
}

/** Far more than a discovery document or a key set needs. */
const maxJsonBytes = 1024 * 1024;
const jsonTimeoutMs = 5000;
/** Separate, because undici does not observe the signal of a request until it is connected. */
const connectTimeoutMs = 3000;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fetches a JSON object. Does not follow redirects.
 *
 * Rejects with undici's error, or with an error that says that the server did not respond in time or what is wrong with
 * the response.
 */
export async function getJson(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const { status, body } = await requestJson(url, { method: "GET", headers });
  if (status !== 200) throw new Error(`${url} returned status ${status}.`);
  return body;
}

/** Posts a form, and returns the status with the JSON object. Otherwise like `getJson`. */
export async function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonResponse> {
  return await requestJson(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

interface JsonResponse {
  readonly status: number;
  readonly body: JsonObject;
}

type JsonRequest = Required<Pick<HttpRequest, "method" | "headers">> & Pick<HttpRequest, "body">;

async function requestJson(url: string, options: JsonRequest): Promise<JsonResponse> {
  const { Agent, errors } = await import("undici");
  const agent = new Agent({ connect: { timeout: connectTimeoutMs } });
  const signal = AbortSignal.timeout(jsonTimeoutMs);
  try {
    return await readJson(agent, url, options, signal);
  } catch (cause) {
    if (cause instanceof errors.ConnectTimeoutError) {
      throw new Error(`${url} cannot be reached within ${connectTimeoutMs / 1000} s.`, { cause });
    }
    if (!signal.aborted) throw cause;
    throw new Error(`${url} did not respond within ${jsonTimeoutMs / 1000} s.`, { cause });
  } finally {
    await agent.destroy();
  }
}

async function readJson(
  agent: Agent,
  url: string,
  { method, headers, body = "" }: JsonRequest,
  signal: AbortSignal,
): Promise<JsonResponse> {
  const { request } = await import("undici");
  const response = await request(url, {
    method,
    headers: { accept: "application/json", ...headers },
    body: method === "GET" ? null : body,
    dispatcher: agent,
    signal,
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxJsonBytes) throw new Error(`${url} returned more than ${maxJsonBytes} bytes.`);
    chunks.push(chunk);
  }
  const { statusCode: status } = response;
  const value = parseJson(Buffer.concat(chunks).toString("utf8"));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { status, body: value as JsonObject };
  }
  throw new Error(`${url} returned status ${status}, and no JSON object.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* bodyUntilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? canceled() : error;
  }
}
