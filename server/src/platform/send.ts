/** Sends requests to hosts that are not trusted, within limits of time and size. */
import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { canceled, isServiceError, throwIfAborted } from "#base/error";

/** Header values by lowercase name. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export interface RawResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** At most `maxBodyBytes`, after decompression. */
  readonly body: Buffer;
}

/** A failure of the network or of a limit, as opposed to a response. `isFinal`: trying again cannot help. */
export class SendError extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

const maxBodyBytes = 64 * 1024 * 1024;
const gunzipBounded = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** Decompresses gzip. Rejects with `SendError` if the result is larger than `maxBodyBytes`, or damaged. */
export async function decompress(body: Buffer): Promise<Buffer> {
  try {
    return await gunzipBounded(body, { maxOutputLength: maxBodyBytes });
  } catch {
    throw new SendError("The compressed response is damaged or too large.", false);
  }
}

/** An HTTP proxy. */
export interface ProxyServer {
  readonly url: string;
  /** The header `Proxy-Authorization`. */
  readonly authorization?: string;
}

export class Sender {
  readonly #caFile: string | undefined;
  readonly #timeoutMs: number;
  readonly #readProxy: (() => Promise<ProxyServer>) | undefined;
  #agent: Promise<Dispatcher> | undefined;

  /** `readProxy` is called before the first request. Without it, there is no proxy. */
  constructor(caFile: string | undefined, timeoutMs: number, readProxy?: () => Promise<ProxyServer>) {
    this.#caFile = caFile;
    this.#timeoutMs = timeoutMs;
    this.#readProxy = readProxy;
  }

  /**
   * Does not follow redirects. Rejects with CANCELLED when the signal fires, and with `SendError`, whose message contains
   * neither the URL nor the headers of the request.
   */
  async send(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    method: "GET" | "POST" = "GET",
  ): Promise<RawResponse> {
    throwIfAborted(signal);
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      this.#agent ??= this.#createAgent().catch((error) => {
        // The next request reads the certificates again.
        this.#agent = undefined;
        throw error;
      });
      const { request } = await import("undici");
      const response = await request(url, {
        method,
        headers: { ...headers, "accept-encoding": "gzip" },
        dispatcher: await this.#agent,
        signal: AbortSignal.any([signal, timeout]),
      });
      const received = joinHeaders(response.headers);
      const body = await readBody(response.body as AsyncIterable<Uint8Array>);
      const isCompressed = /^(x-)?gzip$/i.test(received["content-encoding"] ?? "");
      return {
        status: response.statusCode,
        headers: received,
        body: isCompressed ? await decompress(body) : body,
      };
    } catch (error) {
      if (signal.aborted) throw canceled();
      if (timeout.aborted)
        throw new SendError(`The host did not respond within ${this.#timeoutMs / 1000} s.`, false);
      throw error instanceof SendError || isServiceError(error) ? error : describeFailure(error);
    }
  }

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.then(
      (each) => each.destroy(),
      () => {},
    );
  }

  async #createAgent(): Promise<Dispatcher> {
    const { Agent, ProxyAgent } = await import("undici");
    const ca =
      this.#caFile === undefined ? undefined : [...rootCertificates, await readCertificates(this.#caFile)];
    const connect = { timeout: this.#timeoutMs, ...(ca === undefined ? {} : { ca }) };
    const options = { pipelining: 1, headersTimeout: this.#timeoutMs, bodyTimeout: this.#timeoutMs };
    if (this.#readProxy === undefined) return new Agent({ connect, ...options });
    const { url, authorization } = await this.#readProxy();
    return new ProxyAgent({
      uri: url,
      ...(authorization === undefined ? {} : { token: authorization }),
      // Few proxies allow tunnels to other ports than that of HTTPS.
      proxyTunnel: false,
      requestTls: connect,
      proxyTls: connect,
      ...options,
    });
  }
}

async function readCertificates(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new SendError(`Cannot read the certificates in ${file}: ${reason}.`, true);
  }
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): ResponseHeaders {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBodyBytes)
      throw new SendError(`The response is larger than ${maxBodyBytes} bytes.`, true);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Names the failure by its code; messages of errors may contain more than people should see. */
function describeFailure(error: unknown): SendError {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const [, status] = /^Proxy response \((\d+)\)/.exec((error as Error).message) ?? [];
  if (status !== undefined) return new SendError(`The proxy responded with status ${status}.`, false);
  const name = String(cause?.code ?? code ?? "unknown error");
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(name);
  const advice = isCertificate ? ' If its authority is your own, set "caFile".' : "";
  return new SendError(`The host cannot be reached: ${name}.${advice}`, isCertificate);
}
