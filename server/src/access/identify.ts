/** Who calls, and whether the instance lets them. */
import { isIP } from "node:net";
import { ServiceError } from "#base/error";
import type { Operation } from "#contract/operations";
import type { Actor, Credentials } from "#contract/service";

/** Whether calls without credentials are answered: as configured, else exactly while only this computer can connect. */
export function anonymousAllowed(host: string, configured: boolean | undefined): boolean {
  return configured ?? isLoopback(host);
}

/** Names and addresses that stay on this computer. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (isIP(bare) === 4) return bare.startsWith("127.");
  return bare === "localhost" || bare === "::1" || /^::ffff:127\./.test(bare);
}

/**
 * The caller of one call to `row`.
 *
 * Throws NOT_AUTHENTICATED where no rule lets the caller in. No key can be right yet, so that every one is wrong, also
 * where anonymous access is on. Open rows do not look at credentials at all.
 */
export function identify(credentials: Credentials, row: Operation, anonymous: boolean): Actor {
  if (credentials.kind === "local") return { kind: "local" };
  if (row.access === "open") return { kind: "anonymous" };
  if (credentials.kind !== "none") {
    throw new ServiceError("NOT_AUTHENTICATED", "The credentials are not valid.");
  }
  if (row.access !== "anonymous" || !anonymous) {
    throw new ServiceError("NOT_AUTHENTICATED", "This call needs credentials.");
  }
  return { kind: "anonymous" };
}
