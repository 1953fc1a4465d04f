/** Formats times, counts and sizes. */
import * as vscode from "vscode";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a time in milliseconds since 1970: "3 min ago", "2 hr ago", "5 days ago", then the date. */
export function ago(time: number, now: number = Date.now()): string {
  const elapsed = Math.max(0, now - time);
  if (elapsed < minuteMs) return vscode.l10n.t("just now");
  if (elapsed < hourMs) return vscode.l10n.t("{0} min ago", Math.floor(elapsed / minuteMs));
  if (elapsed < dayMs) return vscode.l10n.t("{0} hr ago", Math.floor(elapsed / hourMs));
  if (elapsed < 2 * dayMs) return vscode.l10n.t("1 day ago");
  if (elapsed < 30 * dayMs) return vscode.l10n.t("{0} days ago", Math.floor(elapsed / dayMs));
  return new Date(time).toLocaleDateString();
}

/** Formats an age in at most seven columns: "now", "3 min", "2 hr", "5 days", "7 mo", "3 yr". */
export function shortAge(time: number, now: number = Date.now()): string {
  const elapsed = Math.max(0, now - time);
  const days = Math.floor(elapsed / dayMs);
  if (elapsed < minuteMs) return vscode.l10n.t("now");
  if (elapsed < hourMs) return vscode.l10n.t("{0} min", Math.floor(elapsed / minuteMs));
  if (elapsed < dayMs) return vscode.l10n.t("{0} hr", Math.floor(elapsed / hourMs));
  if (days === 1) return vscode.l10n.t("1 day");
  if (days < 60) return vscode.l10n.t("{0} days", days);
  if (days < 730) return vscode.l10n.t("{0} mo", Math.round(days / 30.44));
  return vscode.l10n.t("{0} yr", Math.floor(days / 365.25));
}

/** Returns for how many more milliseconds the result of `ago` stays valid for a time. */
export function agoValidForMs(time: number, now: number = Date.now()): number {
  const elapsed = Math.max(0, now - time);
  if (elapsed >= 30 * dayMs) return Number.POSITIVE_INFINITY;
  const step = elapsed < hourMs ? minuteMs : elapsed < dayMs ? hourMs : dayMs;
  return step - (elapsed % step);
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"];

/** Formats a size: "812 B", "4.1 MB", "230 MB". */
export function size(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  const digits = power > 0 && value < 10 ? 1 : 0;
  return `${value.toLocaleString(vscode.env.language, { maximumFractionDigits: digits })} ${byteUnits[power]}`;
}

/** Formats a count with the separators of the user's language. */
export function count(value: number): string {
  return value.toLocaleString(vscode.env.language);
}

/** Formats a date in the user's language: "Nov 22, 2026". */
export function day(moment: string | number): string {
  return new Date(moment).toLocaleDateString(vscode.env.language, { dateStyle: "medium" });
}
