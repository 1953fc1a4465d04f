/** How long a session lasts that was started by a login. Times are milliseconds since 1970. */

/** A session that is not used for this long ends: a day. */
const idleMs = 24 * 60 * 60 * 1000;
/** A session that is used ends after this time: a week. */
const maxMs = 7 * 24 * 60 * 60 * 1000;

/** Returns when a session that begins at `time` expires, and when it ends even if it is used. */
export function newSessionTimes(time: number): { readonly expiresAt: number; readonly endsAt: number } {
  return { expiresAt: time + idleMs, endsAt: time + maxMs };
}

/** Returns when a session that is used at `time` expires. */
export function renewedExpiry(time: number, endsAt: number): number {
  return Math.min(time + idleMs, endsAt);
}
