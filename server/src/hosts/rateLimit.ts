/** What responses say about rate limits and about when to try again. */
import type { Clock } from "#platform/clock";
import type { ResponseHeaders } from "#platform/send";

export interface Quota {
  readonly remaining: number;
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly resetAt: number;
}

/** Quotas last an hour at most on every known host. Longer times are mistakes, which must not block a host forever. */
const maxResetMs = 25 * 3_600_000;
/** The last part of a quota, which is used evenly until its reset, because people use the same token. */
const sparedShare = 0.2;

/** Returns when `Retry-After` allows the next request, in milliseconds since 1970: it is in seconds, or a date. */
export function retryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}(\.\d*)?$/.test(value)) return now + Number(value) * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(now, date);
}

/** Reads `X-RateLimit-*` or `RateLimit-*`, in which the reset is a time or a number of seconds from now. */
export function quotaOf(headers: ResponseHeaders, now: number): Quota | undefined {
  for (const prefix of ["x-ratelimit", "ratelimit"]) {
    const [remaining, limit, reset] = ["remaining", "limit", "reset"].map((name) =>
      numberOf(headers[`${prefix}-${name}`]),
    );
    if (remaining === undefined || reset === undefined) continue;
    // Nobody means a time in 1970 or 2001, nor a wait of 30 years.
    const resetAt = reset > 1_000_000_000 ? reset * 1000 : now + reset * 1000;
    if (resetAt > now + maxResetMs) continue;
    return { remaining, limit: limit ?? Math.max(remaining, 1), resetAt };
  }
  return undefined;
}

function numberOf(value: string | undefined): number | undefined {
  // `RateLimit-Limit` may continue with the policy: `100, 100;w=60`.
  const digits = /^\s*(\d{1,12})(?:\.\d+)?(?:\s*[,;].*)?$/.exec(value ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Whether a response refuses because of a rate limit. 403 may also mean missing rights, so there it takes a header or a
 * body that says so.
 */
export function isRateLimited(status: number, headers: ResponseHeaders, body: string, now: number): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers["retry-after"] !== undefined ||
    quotaOf(headers, now)?.remaining === 0 ||
    /rate limit|too many requests|abuse detection/i.test(body)
  );
}

/** Remembers until when a host refuses requests, and slows down before it does. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #quotas = new Map<string, Quota>();
  #blockedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a quota of a bucket; hosts count some kinds of requests separately. */
  observe(bucket: string, headers: ResponseHeaders): void {
    const quota = quotaOf(headers, this.#clock.now());
    if (quota !== undefined) this.#quotas.set(bucket, quota);
  }

  /** Allows no request before `time`, milliseconds since 1970. */
  block(time: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, Math.min(time, this.#clock.now() + maxResetMs));
  }

  /** Returns until when the host refuses requests of a bucket, milliseconds since 1970; in the past if it does not. */
  blockedUntil(bucket: string): number {
    const quota = this.#quotas.get(bucket);
    return quota?.remaining === 0 ? Math.max(this.#blockedUntil, quota.resetAt) : this.#blockedUntil;
  }

  /** Returns when to send the next request of a bucket, milliseconds since 1970; later than now to spare the quota. */
  nextAllowed(bucket: string): number {
    const now = this.#clock.now();
    const quota = this.#quotas.get(bucket);
    const blockedUntil = this.blockedUntil(bucket);
    if (quota === undefined || quota.resetAt <= now) return blockedUntil;
    const { remaining, limit, resetAt } = quota;
    const isSpared = remaining < limit * sparedShare;
    return isSpared ? Math.max(blockedUntil, now + (resetAt - now) / (remaining + 1)) : blockedUntil;
  }

  quota(bucket: string): Quota | undefined {
    return this.#quotas.get(bucket);
  }
}
