/** Converts the server's log lines for VS Code's log. Pure: does not use VS Code. */

export type LineLevel = "debug" | "info" | "warn" | "error";

export interface LogLine {
  readonly level: LineLevel;
  readonly text: string;
}

const levels: readonly unknown[] = ["debug", "info", "warn", "error"];

/** Parses a line. The server writes JSON with time, level and message, and progress lines. Node writes stack traces. */
export function readLogLine(line: string): LogLine {
  const entry = parsed(line);
  if (entry === undefined) return { level: isCrashOutput(line) ? "error" : "info", text: line };
  const { time: _, level, message, ...fields } = entry;
  const details = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return { level: level as LineLevel, text: `${String(message)}${details}` };
}

function isCrashOutput(line: string): boolean {
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
