/** Rules about access that follow from the address of a listener or server. */
import { isIPv4 } from "node:net";
import type { AnonymousRule } from "#contract/service";

/**
 * Returns the configured rule. By default, anonymous access is on if only this computer can connect; on the listener of
 * an editor, it ends when the first API key is created.
 */
export function anonymousRule(
  host: string,
  anonymousSetting: boolean | undefined,
  isEditorListener: boolean,
): AnonymousRule {
  if (anonymousSetting !== undefined) return anonymousSetting ? "on" : "off";
  if (!isLoopback(host)) return "off";
  return isEditorListener ? "untilKeys" : "on";
}

/** Whether a host name or address stays on this computer. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (isIPv4(bare)) return bare.startsWith("127.");
  return bare === "localhost" || bare === "::1" || /^::ffff:127\./.test(bare);
}

/** Whether the connection is protected from tampering: HTTPS, or HTTP to this computer. */
export function isSecureUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}
