/** Lines that the server writes to its log, as VS Code's log shows them. Pure: knows no VS Code. */

export type LineLevel = "debug" | "info" | "warn" | "error";

export interface LogLine {
  readonly level: LineLevel;
  readonly text: string;
}

const levels: readonly unknown[] = ["debug", "info", "warn", "error"];

/** The server writes JSON with time, level and message, and lines of progress. Node writes what a crash was. */
export function readLogLine(line: string): LogLine {
  const entry = parsed(line);
  if (entry === undefined) return { level: isOfCrash(line) ? "error" : "info", text: line };
  const { time: _, level, message, ...fields } = entry;
  const details = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return { level: level as LineLevel, text: `${String(message)}${details}` };
}

function isOfCrash(line: string): boolean {
  return /^\s+at |^node:internal|^\w*Error\b|\bfatal\b|^trawl: /i.test(line);
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry: Record<string, unknown> = JSON.parse(line);
    return levels.includes(entry["level"]) ? entry : undefined;
  } catch {
    return undefined;
  }
}
