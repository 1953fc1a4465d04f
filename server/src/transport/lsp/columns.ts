/** Converts columns: clients count in the negotiated encoding, the service in code points. */
import type { PositionEncodingKind } from "vscode-languageserver/node";

export type ColumnUnit = "utf-8" | "utf-16" | "utf-32";

const units: readonly ColumnUnit[] = ["utf-16", "utf-8", "utf-32"];

/** Returns the column unit to use with a client. Prefers UTF-16, the default of LSP, over the client's order. */
export function negotiateColumnUnit(offered: readonly PositionEncodingKind[] | undefined): ColumnUnit {
  if (!Array.isArray(offered)) return "utf-16";
  return units.find((unit) => offered.includes(unit)) ?? "utf-16";
}

/** Counts the code points before `offset`, in units. An offset beyond the end of the line means its end. */
export function codePointsBefore(line: string, offset: number, unit: ColumnUnit): number {
  let before = 0;
  let count = 0;
  for (const codePoint of line) {
    before += unitCount(codePoint, unit);
    if (before > offset) break;
    count++;
  }
  return count;
}

/**
 * Returns a function that converts a number of code points at the start of `line` to units. Beyond the end of the line,
 * and if the line is unknown, a code point counts as one unit.
 */
export function unitsBefore(line: string | undefined, unit: ColumnUnit): (codePoints: number) => number {
  if (line === undefined || unit === "utf-32" || hasOneUnitPerCodePoint(line, unit))
    return (codePoints) => codePoints;
  const before: number[] = [];
  let total = 0;
  for (const codePoint of line) {
    before.push(total);
    total += unitCount(codePoint, unit);
  }
  return (codePoints) => before[codePoints] ?? total + codePoints - before.length;
}

function hasOneUnitPerCodePoint(line: string, unit: ColumnUnit): boolean {
  return !(unit === "utf-16" ? /[\ud800-\udbff]/ : /[^\0-\x7f]/).test(line);
}

function unitCount(codePoint: string, unit: ColumnUnit): number {
  if (unit === "utf-32") return 1;
  return unit === "utf-16" ? codePoint.length : Buffer.byteLength(codePoint);
}
