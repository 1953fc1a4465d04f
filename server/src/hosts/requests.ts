/**
 * The HTTP client of all adapters: one request at a time per host, retries, rate limits, conditional requests, and
 * redirects and credentials that stay on the API.
 */
import { ByteCache } from "#base/byteCache";
import { Limiter } from "#base/limiter";
import { type Clock, wait } from "#platform/clock";
import { type RawResponse, type ResponseHeaders, SendError, Sender } from "#platform/send";
import type { HostIdentity } from "./codeHost";
import { describeStatus, HostFailure, quoteHost } from "./failure";
import { type HostProxy, proxyServer } from "./proxy";
import { isRateLimited, quotaOf, RateLimits, retryAfter } from "./rateLimit";
import { Redactor } from "./redact";
import { type BodyFormat, isWebPage, parseBody } from "./responseBody";
import type { Secret } from "./secret";
import { isBelow } from "./urls";

/** What all requests to a host have in common. */
export interface Api {
  /** URL without a trailing slash. Requests, redirects and next pages must be below it. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the headers with the credentials. */
  authorize(token: string): Readonly<Record<string, string>>;
  /** What each JSON response must begin with. */
  readonly jsonPrefix?: string;
  /** Returns the format of the response to a URL, if they differ; instead of `format` and `jsonPrefix`. */
  bodyOf?(url: string): { readonly format: BodyFormat; readonly prefix?: string };
  /** Statuses of a single repository that does not exist or is not visible, besides 404, 410 and 451. */
  readonly absenceStatuses?: readonly number[];
  /** By default `json`. */
  readonly format?: BodyFormat;
  /** Names the rate limit that a URL counts against, if the host has several. */
  bucketOf?(url: string): string;
}

export interface HostResponse {
  /** After redirects. */
  readonly url: string;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
}

export interface RequestOptions {
  readonly clock: Clock;
  readonly caFile: string | undefined;
  readonly requestTimeoutMs: number;
  /** Reads the token before each request; absent for anonymous access. */
  readToken?(signal: AbortSignal): Promise<Secret>;
  /** Forgets a token that the host refused, so that `readToken` returns another one for the same account. */
  forgetToken?(token: string): void;
  /** Reads the proxy before the first request; absent without one. */
  readProxy?(): Promise<HostProxy>;
}

const maxAttempts = 5;
const postAttempts = 2;
const maxRedirects = 5;
const firstBackoffMs = 1000;
/** The first wait after a rate limit that does not say how long. */
const unknownLimitMs = 60_000;
/** A longer wait is reported as a problem instead. */
const maxWaitMs = 15 * 60_000;
const cacheBytes = 64 * 1024 * 1024;

/** Queues by origin, so that several connections to a host together send one request at a time. */
const queues = new Map<string, Limiter>();

interface CachedResult {
  readonly value: unknown;
  /** The header `Link`. */
  readonly link: string | undefined;
  readonly validators: Readonly<Record<string, string>>;
}

export class Requests {
  readonly #api: Api;
  readonly #options: RequestOptions;
  readonly #sender: Sender;
  readonly #limits: RateLimits;
  readonly #redactor = new Redactor();
  readonly #queue: Limiter;
  #cache = new ByteCache<CachedResult>(cacheBytes);
  #token: string | undefined;
  #requestCount = 0;

  constructor(api: Api, options: RequestOptions) {
    this.#api = api;
    this.#options = options;
    const { caFile, requestTimeoutMs, readProxy } = options;
    const openProxy = async (read: NonNullable<typeof readProxy>) => {
      const proxy = await read();
      if (proxy.login !== undefined) this.#redactor.add(proxy.login.password.reveal());
      return proxyServer(proxy);
    };
    this.#sender = new Sender(caFile, requestTimeoutMs, readProxy && (() => openProxy(readProxy)));
    this.#limits = new RateLimits(options.clock);
    const { origin } = new URL(api.base);
    this.#queue = queues.get(origin) ?? new Limiter(1);
    queues.set(origin, this.#queue);
  }

  /** The URL of the API, below which all requests are. */
  get base(): string {
    return this.#api.base;
  }

  get requestCount(): number {
    return this.#requestCount;
  }

  rateLimit(bucket = ""): HostIdentity["rateLimit"] {
    return this.#limits.quota(bucket);
  }

  /**
   * Fetches a URL below the API, and converts the response with `read`.
   *
   * Rejects with CANCELLED, with `HostFailure`, with USAGE if the token cannot be read, or with what `read` throws.
   */
  async get<Result>(
    url: string,
    read: (response: HostResponse) => Result,
    signal: AbortSignal,
  ): Promise<Result> {
    const { response, url: finalUrl } = await this.#sendAuthorized(url, {}, signal);
    return read(await this.#parse(response, finalUrl));
  }

  /** Like `get`, but sends a request without a body that creates something, with a token of its own. */
  async post<Result>(
    url: string,
    token: Secret,
    read: (response: HostResponse) => Result,
    signal: AbortSignal,
  ): Promise<Result> {
    const headers = this.#headersWith(token.reveal());
    try {
      const sent = await this.#sendUntilReceived(url, headers, signal, postAttempts, "POST");
      return read(await this.#parse(sent.response, sent.url));
    } catch (error) {
      // A failure to create something says nothing about the repository that the caller asks for.
      throw error instanceof HostFailure ? new HostFailure(error.problem) : error;
    }
  }

  /**
   * Like `get`, but returns the previous result for the same URL if the host responds that nothing has changed. So
   * `read` must be the same for it. Only results that `isCacheable` accepts are kept.
   *
   * `attempts`: how often it is tried if the host fails.
   */
  async getPage<Result>(
    url: string,
    read: (response: HostResponse) => Result,
    isCacheable: (result: Result) => boolean,
    signal: AbortSignal,
    attempts = maxAttempts,
  ): Promise<Result> {
    await this.#authorize(signal);
    const cache = this.#cache;
    const cached = cache.get(url);
    const { response, url: finalUrl } = await this.#sendAuthorized(
      url,
      cached?.validators ?? {},
      signal,
      attempts,
    );
    if (response.status === 304 && cached !== undefined) {
      const { link = cached.link } = response.headers;
      if (link === cached.link) return cached.value as Result;
      // The body has not changed, but there is a next page now.
      cache.delete(url);
      return await this.getPage(url, read, isCacheable, signal, attempts);
    }
    const value = read(await this.#parse(response, finalUrl));
    const validators = validatorsOf(response.headers);
    if (validators === undefined || !isCacheable(value)) cache.delete(url);
    else cache.set(url, { value, validators, link: response.headers["link"] }, retainedBytes(value));
    return value;
  }

  /** Makes the next `getPage` of a URL unconditional. */
  forgetPage(url: string): void {
    this.#cache.delete(url);
  }

  /** Whether there is a token, and `matches` accepts it. Rejects with USAGE if it cannot be read. */
  async hasToken(matches: (token: string) => boolean, signal: AbortSignal): Promise<boolean> {
    const token = await this.#options.readToken?.(signal);
    return token !== undefined && matches(token.reveal());
  }

  async close(): Promise<void> {
    await this.#sender.close();
  }

  async #authorize(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const token = (await this.#options.readToken?.(signal))?.reveal();
    if (token !== this.#token) {
      // Another account may see other repositories.
      if (this.#options.forgetToken === undefined) this.#cache = new ByteCache(cacheBytes);
      this.#token = token;
    }
    return token === undefined ? this.#api.headers : this.#headersWith(token);
  }

  #headersWith(token: string): Readonly<Record<string, string>> {
    this.#redactor.add(token);
    return { ...this.#api.headers, ...this.#api.authorize(token) };
  }

  /** Sends a request with the token, and once more if the host refused that and there is another one. */
  async #sendAuthorized(
    url: string,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
    attempts = maxAttempts,
  ): Promise<{ response: RawResponse; url: string }> {
    const headers = { ...(await this.#authorize(signal)), ...more };
    const token = this.#token;
    try {
      return await this.#sendUntilReceived(url, headers, signal, attempts);
    } catch (error) {
      const isRefused = error instanceof HostFailure && error.problem.status === 401;
      if (!isRefused || token === undefined || this.#options.forgetToken === undefined) throw error;
      this.#options.forgetToken(token);
      const renewed = { ...(await this.#authorize(signal)), ...more };
      return await this.#sendUntilReceived(url, renewed, signal, attempts);
    }
  }

  /** Sends a request until it succeeds with 200 or 304, following redirects and retrying; fails with `HostFailure`. */
  async #sendUntilReceived(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    attempts = maxAttempts,
    method: "GET" | "POST" = "GET",
  ): Promise<{ response: RawResponse; url: string }> {
    let target = url;
    let redirectCount = 0;
    for (let attempt = 1; ; ) {
      await this.#waitUntil(this.#limits.nextAllowed(this.#bucket(target)), signal);
      const response = await this.#queue.run(() => this.#send(target, headers, signal, method), signal);
      if (response === "blocked") continue;
      const isLast = attempt === attempts;
      if (response instanceof SendError) {
        if (isLast || response.isFinal) throw this.#failure(target, response.message);
        await this.#waitUntil(this.#options.clock.now() + backoff(firstBackoffMs, attempt++), signal);
        continue;
      }
      if (response.status === 200 || response.status === 304) return { response, url: target };
      if (method === "POST" && response.status === 201) return { response, url: target };
      if (
        method === "GET" &&
        response.status >= 301 &&
        response.status <= 308 &&
        response.headers["location"] !== undefined
      ) {
        if (redirectCount++ === maxRedirects)
          throw this.#failure(target, "The host redirects in circles", response);
        target = this.#redirected(target, response);
        continue;
      }
      const retry = this.#retryOf(response, attempt++);
      if (retry === undefined || isLast) {
        const retryAt = retry?.isRequested === true ? retry.at : undefined;
        throw this.#failure(target, describeStatus(response.status), response, retryAt);
      }
      await this.#waitUntil(retry.at, signal, response.status);
    }
  }

  async #send(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    method: "GET" | "POST",
  ): Promise<RawResponse | SendError | "blocked"> {
    const bucket = this.#bucket(url);
    // Another request may have reached the limit while this one was queued.
    if (this.#limits.blockedUntil(bucket) > this.#options.clock.now()) return "blocked";
    this.#requestCount++;
    try {
      const response = await this.#sender.send(url, headers, signal, method);
      this.#limits.observe(bucket, response.headers);
      const retryAt = retryAfter(response.headers, this.#options.clock.now());
      if (retryAt !== undefined) this.#limits.block(retryAt);
      return response;
    } catch (error) {
      if (error instanceof SendError) return error;
      throw error;
    }
  }

  /**
   * Returns when to try again after a response, milliseconds since 1970, and whether the host asked to wait; `undefined`
   * if another attempt cannot help.
   */
  #retryOf(response: RawResponse, attempt: number): { at: number; isRequested: boolean } | undefined {
    const now = this.#options.clock.now();
    const stated = retryAfter(response.headers, now);
    const { status, headers, body } = response;
    if (isRateLimited(status, headers, body.subarray(0, 4096).toString("utf8"), now)) {
      const quota = quotaOf(headers, now);
      const reset = quota?.remaining === 0 ? quota.resetAt : undefined;
      const at =
        stated ?? reset ?? now + Math.min(maxWaitMs, unknownLimitMs + backoff(unknownLimitMs, attempt));
      this.#limits.block(at);
      return { at, isRequested: true };
    }
    if (![500, 502, 503, 504].includes(status)) return undefined;
    return { at: stated ?? now + backoff(firstBackoffMs, attempt), isRequested: stated !== undefined };
  }

  #redirected(from: string, response: RawResponse): string {
    const location = response.headers["location"] ?? "";
    const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
    if (url === undefined) throw this.#failure(from, "The host redirects to an invalid URL", response);
    if (isBelow(url.href, this.#api.base)) return url.href;
    const advice =
      url.origin === new URL(this.#api.base).origin
        ? "outside of its API. The credentials may have expired"
        : `to ${url.origin}, which gets no credentials. Change "url" if the host has moved, or renew the credentials`;
    throw this.#failure(from, `The host redirects ${advice}`, response);
  }

  async #parse(response: RawResponse, url: string): Promise<HostResponse> {
    try {
      const { format = "json", jsonPrefix } = this.#api;
      const expected = this.#api.bodyOf?.(url) ?? { format, prefix: jsonPrefix };
      const body = await parseBody(response, expected.format, expected.prefix);
      return { url, headers: response.headers, body };
    } catch (error) {
      throw error instanceof SendError ? this.#failure(url, error.message, response) : error;
    }
  }

  #bucket(url: string): string {
    return this.#api.bucketOf?.(url) ?? "";
  }

  #failure(url: string, message: string, response?: RawResponse, retryAt?: number): HostFailure {
    const path = url === "" ? "" : ` (${new URL(url).pathname})`;
    const redact = (text: string) => this.#redactor.redact(text);
    const quote = response === undefined || response.status < 400 ? "" : quoteHost(response.body, redact);
    // A reverse proxy may also respond with 404, but with a web page.
    const absenceStatuses = [404, 410, 451, ...(this.#api.absenceStatuses ?? [])];
    const isAbsence = absenceStatuses.includes(response?.status ?? 0) && !isWebPage(response?.headers);
    return new HostFailure(
      {
        message: `${redact(`${message.replace(/\.$/, "")}${path}`)}${quote}.`,
        ...(response === undefined ? {} : { status: response.status }),
        ...(retryAt === undefined ? {} : { retryAt }),
      },
      isAbsence,
    );
  }

  /** Waits until a time, milliseconds since 1970. Rejects at once with a problem if that takes too long. */
  async #waitUntil(time: number, signal: AbortSignal, status?: number): Promise<void> {
    const { clock } = this.#options;
    const waitMs = time - clock.now();
    if (waitMs <= 0) return;
    if (waitMs > maxWaitMs) {
      throw new HostFailure({
        message: `The host allows no more requests before ${new Date(time).toISOString()}.`,
        ...(status === undefined ? {} : { status }),
        retryAt: time,
      });
    }
    await wait(clock, waitMs, signal);
  }
}

/** Estimates the memory of a page, which has only some of the fields of a response. Objects take more than their JSON. */
function retainedBytes(value: unknown): number {
  return 2 * JSON.stringify(value).length;
}

function validatorsOf(headers: ResponseHeaders): CachedResult["validators"] | undefined {
  const { etag, "last-modified": lastModified } = headers;
  if (etag !== undefined) return { "if-none-match": etag };
  return lastModified === undefined ? undefined : { "if-modified-since": lastModified };
}

/** Returns a random wait up to `firstMs`, doubled with each attempt from 1. */
function backoff(firstMs: number, attempt: number): number {
  return Math.ceil(Math.random() * Math.min(maxWaitMs, firstMs * 2 ** (attempt - 1)));
}
