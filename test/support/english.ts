import type { L10n } from "#client/text/l10n";

/** Returns messages untranslated, as VS Code does when its display language is English. */
export const english: L10n = {
  t: (message, ...values) => message.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
};
