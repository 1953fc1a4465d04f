/** Times, counts and sizes in words, as the views of this extension say them. */
import * as vscode from "vscode";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago a time was, in milliseconds since 1970: "3 m ago", "2 h ago", "5 d ago", then the date. */
export function ago(time: number, now: number = Date.now()): string {
  const passed = Math.max(0, now - time);
  if (passed < minuteMs) return vscode.l10n.t("just now");
  if (passed < hourMs) return vscode.l10n.t("{0} m ago", Math.floor(passed / minuteMs));
  if (passed < dayMs) return vscode.l10n.t("{0} h ago", Math.floor(passed / hourMs));
  if (passed < 30 * dayMs) return vscode.l10n.t("{0} d ago", Math.floor(passed / dayMs));
  return new Date(time).toLocaleDateString();
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"];

/** A size as people read it: "812 B", "4.1 MB", "230 MB". */
export function size(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  const digits = power > 0 && value < 10 ? 1 : 0;
  return `${value.toLocaleString(vscode.env.language, { maximumFractionDigits: digits })} ${byteUnits[power]}`;
}

/** A count with the separators of the person's language. */
export function count(value: number): string {
  return value.toLocaleString(vscode.env.language);
}

/** The day of a moment, as the person writes days: "Nov 22, 2026". */
export function day(moment: string | number): string {
  return new Date(moment).toLocaleDateString(vscode.env.language, { dateStyle: "medium" });
}
