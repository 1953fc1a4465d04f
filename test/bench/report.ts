/** Formats the numbers and tables of the benchmark. */

/** Prints a Markdown table; the first column is text, the others are numbers. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(" | ")} |`;
  console.log(line(head));
  console.log(line(widths.map((width, n) => (n === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))));
  for (const row of rows) console.log(line(row));
  console.log();
}

export function heading(text: string): void {
  console.log(`## ${text}\n`);
}

/** Formats milliseconds with only the significant digits. */
export function ms(value: number | undefined): string {
  if (value === undefined) return "";
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "" : (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

export function ratio(of: number | undefined, to: number | undefined): string {
  if (of === undefined || to === undefined || to === 0) return "";
  const value = of / to;
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} x`;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the smallest value that `part` of all values do not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
