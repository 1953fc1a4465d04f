/** The log: JSON lines on stderr. Never stdout, which belongs to LSP and to the command line's answers. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line says besides its message; an `error` is written with its stack and its causes. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Lines below `level` are dropped. `write` takes one line with its newline. */
export function createLog(
  level: LogLevel,
  write: (line: string) => void = writeToStderr,
  now: () => number = Date.now,
): Log {
  const lowest = logLevels.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(name) < lowest) return;
      write(
        `${JSON.stringify({ time: new Date(now()).toISOString(), level: name, message, ...plain(fields) })}\n`,
      );
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A closed stderr must not end the process: nobody is left to read the complaint. */
function writeToStderr(line: string): void {
  try {
    process.stderr.write(line);
  } catch {
    // Nothing can be said about a log that cannot be written.
  }
}

function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) {
    const code = "code" in value ? { code: value.code } : {};
    const cause = value.cause === undefined ? {} : { cause: plainValue(value.cause) };
    return { ...code, message: value.message, stack: value.stack, ...cause };
  }
  return typeof value === "bigint" ? value.toString() : value;
}
