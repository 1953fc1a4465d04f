/** What the address of a listener, or of somebody who is asked, says about who is at the other end. */
import { isIP } from "node:net";
import type { AnonymousRule } from "#contract/service";

/**
 * As configured; else while only this computer can connect, and where the person's editor listens, for as long as there
 * are no API keys.
 */
export function anonymousRule(
  host: string,
  configured: boolean | undefined,
  isEditors: boolean,
): AnonymousRule {
  if (configured !== undefined) return configured ? "on" : "off";
  if (!isLoopback(host)) return "off";
  return isEditors ? "untilKeys" : "on";
}

/** Names and addresses that stay on this computer. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (isIP(bare) === 4) return bare.startsWith("127.");
  return bare === "localhost" || bare === "::1" || /^::ffff:127\./.test(bare);
}

/** Whether nobody on the way can change what comes from there. */
export function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}
