import type { L10n } from "#client/l10n";

/** Messages as they stand in the source, as VS Code gives them to a person who reads English. */
export const english: L10n = {
  t: (message, ...values) => message.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
};
