/** What is said of a licence. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import type { License } from "#contract/organisation";

/** `dateOf` says a moment as the person writes days. */
export function licenseText(
  { state, message, organization, expiresAt }: License,
  dateOf: (moment: string) => string,
  l10n: L10n,
): string {
  if (state === "missing") return l10n.t("There is no license yet.");
  if (state === "valid" && organization !== undefined && expiresAt !== undefined)
    return l10n.t("Licensed to {0} until {1}.", organization, dateOf(expiresAt));
  if (state === "expired" && expiresAt !== undefined)
    return l10n.t("The license expired on {0}.", dateOf(expiresAt));
  return message;
}
