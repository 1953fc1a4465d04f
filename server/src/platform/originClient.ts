/** Sends requests to one origin that is not trusted, and to no other: it follows no redirects. */
import type { Agent, Dispatcher } from "undici";
import { canceled } from "#base/error";
import { followRequests, sendInSpan } from "./tracing";

export interface OriginRequest {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface OriginResponse {
  readonly status: number;
  /** By lowercase name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Fails beyond `maxBytes`. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A response exceeds its limit of size. */
export class BodyTooLarge extends Error {}

/** Returns a whole body as text. Rejects with BodyTooLarge. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns `undefined` for malformed JSON, which no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Separate, because undici does not observe the signal of a request until it is connected. */
const connectTimeoutMs = 3000;

export class OriginClient {
  readonly #origin: string;
  readonly #maxBytes: number;
  #agent: Promise<Agent> | undefined;

  constructor(origin: string, maxBytes: number) {
    followRequests();
    this.#origin = origin;
    this.#maxBytes = maxBytes;
  }

  /** Rejects with CANCELLED when the signal fires, and with the error of the network. So does reading the body. */
  async request({ method, path, headers, body, signal }: OriginRequest): Promise<OriginResponse> {
    this.#agent ??= import("undici").then(
      ({ Agent }) =>
        new Agent({ connect: { timeout: connectTimeoutMs }, pipelining: 1, maxHeaderSize: 64 * 1024 }),
    );
    try {
      const agent = await this.#agent;
      const response: Dispatcher.ResponseData = await sendInSpan(this.#origin, method, (ownHeaders) =>
        agent.request({
          origin: this.#origin,
          method,
          path,
          headers: { ...ownHeaders, ...headers },
          body: body ?? null,
          signal,
        }),
      );
      const { statusCode: status, headers: received } = response;
      return { status, headers: received, body: boundedBody(response.body, this.#maxBytes, signal) };
    } catch (error) {
      throw signal.aborted ? canceled() : error;
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }
}

async function* boundedBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw new BodyTooLarge();
      yield chunk;
    }
  } catch (error) {
    throw signal.aborted ? canceled() : error;
  }
}
