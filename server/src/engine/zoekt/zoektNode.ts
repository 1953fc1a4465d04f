import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { type Clock, monotonicNow } from "#platform/clock";
import { type HttpClient, type HttpResponse, serverClient } from "#platform/http";
import { TimeLimit } from "#platform/timeLimit";
import { CircuitBreaker } from "./circuitBreaker";

export interface ZoektNodeOptions {
  readonly name: string;
  /** Of `zoekt-webserver -rpc`, without a slash at the end. */
  readonly url: string;
  readonly clock: Clock;
}

/** Why a node did not respond. The message completes "Node x …". */
export class NodeFailure extends Error {
  override readonly name = "NodeFailure";
  readonly kind: "down" | "late" | "tooLarge" | "malformed" | "refused";

  constructor(kind: NodeFailure["kind"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

export interface NodeRequest {
  readonly path: "/api/search" | "/api/list";
  readonly body: unknown;
  readonly timeMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** How a request to a node ended. `suspended`: it was not sent, because the node failed repeatedly. */
type NodeOutcome = "ok" | "suspended" | "canceled" | NodeFailure["kind"];

const outcomes: readonly NodeOutcome[] = [
  "ok",
  "down",
  "late",
  "tooLarge",
  "refused",
  "suspended",
  "canceled",
];
const connectTimeoutMs = 2000;
const probeTimeoutMs = 2000;
/** Later than this, a node that has not responded counts as failing, whatever the time limit of its request. */
export const patienceMs = 2000;
const maxErrorBytes = 64 * 1024;
const maxConnections = 64;

/** One `zoekt-webserver -rpc`: sends requests over connections that stay open, and none while the node fails. */
export class ZoektNode {
  readonly name: string;
  readonly #client: HttpClient;
  readonly #breaker: CircuitBreaker;
  readonly #outcomes = new Map<NodeOutcome, number>(outcomes.map((outcome) => [outcome, 0]));

  constructor({ name, url, clock }: ZoektNodeOptions) {
    this.name = name;
    this.#client = serverClient(url, { connectTimeoutMs, maxConnections });
    this.#breaker = new CircuitBreaker({ clock, probe: () => this.isReady() });
  }

  /** Whether requests fail at once, because the node failed repeatedly and no probe has succeeded since. */
  get isSuspended(): boolean {
    return this.#breaker.isOpen;
  }

  /** How many requests have ended in which way. */
  get outcomes(): ReadonlyMap<NodeOutcome, number> {
    return this.#outcomes;
  }

  /** Counts a request that another node has answered instead, because this one did not. */
  reportSilence(): void {
    this.#breaker.fail();
  }

  /**
   * Posts JSON, and returns the body of the response. Rejects with CANCELLED when the signal fires, else with
   * `NodeFailure`.
   */
  async post(request: NodeRequest): Promise<Uint8Array> {
    throwIfAborted(request.signal);
    if (this.#breaker.isOpen) {
      this.#count("suspended");
      throw new NodeFailure("down", "is not available and is not asked until it is ready");
    }
    const limit = new TimeLimit(request.signal, Math.max(0, request.timeMs));
    const startedAt = monotonicNow();
    try {
      const body = await untilAborted(this.#post(request, limit.signal), limit.signal);
      this.#breaker.succeed();
      this.#count("ok");
      return body;
    } catch (error) {
      if (request.signal.aborted) this.#count("canceled");
      throwIfAborted(request.signal);
      const failure = limit.isExpired ? lateFailure(request.timeMs, error) : failureOf(error);
      if (failure.kind === "down" || (failure.kind === "late" && monotonicNow() - startedAt >= patienceMs))
        this.#breaker.fail();
      this.#count(failure.kind);
      throw failure;
    } finally {
      // Also ends a request that goes on, such as one whose response is too large.
      limit.abort();
      limit.dispose();
    }
  }

  #count(outcome: NodeOutcome): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  async #post({ path, body, maxBytes }: NodeRequest, signal: AbortSignal): Promise<Uint8Array> {
    const headers = { "content-type": "application/json" };
    const response = await this.#client.request({
      method: "POST",
      path,
      headers,
      body: JSON.stringify(body),
      signal,
    });
    const { status } = response;
    if (status === 200) return await readBody(response, maxBytes);
    const text = Buffer.from(await readBody(response, maxErrorBytes)).toString("utf8");
    throw new NodeFailure(status >= 500 ? "down" : "refused", `returned status ${status}${errorOf(text)}`);
  }

  /**
   * Returns whether the node has loaded its shards and responds. While it loads them, its status is another one. Versions
   * without `/readyz` have a page at `/`.
   */
  async isReady(): Promise<boolean> {
    const limit = new TimeLimit(new AbortController().signal, probeTimeoutMs);
    try {
      for (const path of ["/readyz", "/"]) {
        const request = this.#client.request({ method: "GET", path, signal: limit.signal });
        const { status } = await untilAborted(request, limit.signal);
        if (status !== 404) return status === 200;
      }
      return false;
    } catch {
      return false;
    } finally {
      limit.abort();
      limit.dispose();
    }
  }

  async close(): Promise<void> {
    this.#breaker.close();
    await this.#client.close();
  }
}

async function readBody({ body }: HttpResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  // Shared, so that it is passed to a thread without copying it.
  const whole = new Uint8Array(new SharedArrayBuffer(length));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function tooLarge(maxBytes: number): NodeFailure {
  return new NodeFailure("tooLarge", `returned more than ${maxBytes} bytes`);
}

function lateFailure(timeMs: number, cause: unknown): NodeFailure {
  return new NodeFailure("late", `did not respond within ${Math.round(timeMs)} ms`, { cause });
}

function failureOf(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  if (isServiceError(error)) return new NodeFailure("down", "closed the connection", { cause: error });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = /^[A-Z_0-9]+$/.test(code) ? ` (${code})` : "";
  return new NodeFailure("down", `cannot be reached${reason}`, { cause: error });
}

/** Returns the message of Zoekt's error object, shortened. */
function errorOf(text: string): string {
  try {
    const { Error: message } = JSON.parse(text) as { readonly Error?: unknown };
    return typeof message === "string" ? `: ${message.slice(0, 300)}` : "";
  } catch {
    return "";
  }
}
