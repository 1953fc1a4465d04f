/** Outgoing HTTP: undici, behind the little that the house needs of it. Loaded with the first request. */
import type { Agent } from "undici";
import { cancelled } from "#base/error";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** Without its parameters, in small letters; empty where there is none. */
  readonly mediaType: string;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpClient {
  /** Rejects with CANCELLED when the signal fires, else with what undici says. So does reading the body. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends what is still open. */
  close(): Promise<void>;
}

/** Speaks to whoever listens on a Unix socket or named pipe. Nothing times out: the other end is this very computer. */
export function socketClient(socketPath: string): HttpClient {
  let agent: Promise<Agent> | undefined;
  return {
    async request({ method, path, headers = {}, body, signal }) {
      agent ??= import("undici").then(
        (undici) =>
          new undici.Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 }),
      );
      try {
        const answer = await (await agent).request({
          origin: "http://localhost",
          method,
          path,
          headers,
          body: body ?? null,
          signal,
        });
        const type = answer.headers["content-type"];
        const [mediaType = ""] = (typeof type === "string" ? type : "").toLowerCase().split(";");
        return { status: answer.statusCode, mediaType, body: untilAborted(answer.body, signal) };
      } catch (error) {
        throw signal.aborted ? cancelled() : error;
      }
    },
    async close() {
      await (await agent)?.destroy();
    },
  };
}

/** More than a description or a set of keys has. */
const maxJsonBytes = 1024 * 1024;
const jsonTimeoutMs = 5000;

/**
 * An object that somebody publishes as JSON. Redirections are not followed.
 *
 * Rejects with an error that says what was wrong.
 */
export async function getJson(url: string): Promise<Readonly<Record<string, unknown>>> {
  const { request } = await import("undici");
  const answer = await request(url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(jsonTimeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxJsonBytes) throw new Error(`${url} answers with more than ${maxJsonBytes} bytes.`);
    chunks.push(chunk);
  }
  if (answer.statusCode !== 200) throw new Error(`${url} answers with status ${answer.statusCode}.`);
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new Error(`${url} does not answer with an object.`);
}

async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? cancelled() : error;
  }
}
