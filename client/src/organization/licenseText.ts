/** Describes the state of a license. Pure: does not use VS Code. */
import type { L10n } from "#client/text/l10n";
import type { License } from "#contract/organization";

/** Returns one sentence. `formatDay` formats an ISO timestamp as a day. */
export function licenseText(
  { state, message, organization, expiresAt }: License,
  formatDay: (timestamp: string) => string,
  l10n: L10n,
): string {
  if (state === "missing") return l10n.t("No license is installed.");
  if (state === "valid" && organization !== undefined && expiresAt !== undefined)
    return l10n.t("Licensed to {0} until {1}.", organization, formatDay(expiresAt));
  if (state === "expired" && expiresAt !== undefined)
    return l10n.t("The license expired on {0}.", formatDay(expiresAt));
  return message;
}
