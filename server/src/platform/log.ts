/** The log: JSON lines on stderr. Never stdout, which belongs to LSP and to the command line's answers. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line says besides its message; an `error` is written with its stack and its causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A line as it was logged; its fields hold plain values. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export type LogSink = (line: LogLine) => void;

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

/** Lines that one shall read who is not there yet. */
const maxHeldLines = 200;

/** A log for somebody who comes later: until then lines are held, the oldest dropped where there are too many. */
export function heldLog(): { readonly log: Log; readonly sendTo: (sink: LogSink) => void } {
  let held: LogLine[] = [];
  let sink: LogSink = (line) => {
    held = [...held, line].slice(-maxHeldLines);
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) =>
      sink({ level, message, fields: plain(fields) });
  return {
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    sendTo(next) {
      for (const line of held.splice(0)) next(line);
      sink = next;
    },
  };
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
