/** The log: lines on stderr. Never stdout, which carries LSP messages and the output of commands. */
import { isServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";

/** The least severe first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Structured data besides the message. An error is written with its causes, and a defect with its stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A logged line. Errors among its fields have been converted to plain objects. */
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

/** JSON for programs, or text for people. */
export const logFormats = ["json", "text"] as const;
export type LogFormat = (typeof logFormats)[number];

let format: LogFormat = "json";

/** Sets the format of all logs of the process. */
export function setLogFormat(next: LogFormat): void {
  format = next;
}

/** Creates a log that drops lines below `level`. `write` receives each line with its newline. */
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
      const time = new Date(now()).toISOString();
      const more = serializable(fields);
      write(
        `${format === "json" ? JSON.stringify({ time, level: name, message, ...more }) : textOf(time, name, message, more)}\n`,
      );
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function textOf(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return sanitize([time, level.toUpperCase(), message, ...parts].join(" "));
}

/** Returns a log that adds `fields` to every line. */
export function withFields(log: Log, fields: LogFields): Log {
  const at =
    (level: LogLevel) =>
    (message: string, more: LogFields = {}) =>
      log[level](message, { ...fields, ...more });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Maximum number of lines that are buffered until a sink is attached. */
const maxBufferedLines = 200;

/** Creates a log that buffers its lines until a sink is attached, and drops the oldest ones if there are too many. */
export function bufferedLog(): { readonly log: Log; readonly attachSink: (sink: LogSink) => void } {
  let buffered: LogLine[] = [];
  let sink: LogSink = (line) => {
    buffered = [...buffered, line].slice(-maxBufferedLines);
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) =>
      sink({ level, message, fields: serializable(fields) });
  return {
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    attachSink(next) {
      for (const line of buffered.splice(0)) next(line);
      sink = next;
    },
  };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Ignores errors: a closed stderr must not end the process. */
function writeToStderr(line: string): void {
  try {
    process.stderr.write(line);
  } catch {
    // There is nowhere left to report it.
  }
}

function serializable(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, serializableValue(value)]));
}

function serializableValue(value: unknown): unknown {
  if (value instanceof Error) {
    const code = "code" in value ? { code: value.code } : {};
    const stack = isServiceError(value) || isSystemError(value) ? {} : { stack: value.stack };
    const cause = value.cause === undefined ? {} : { cause: serializableValue(value.cause) };
    return { ...code, message: value.message, ...stack, ...cause };
  }
  return typeof value === "bigint" ? value.toString() : value;
}

/** Whether the operating system refused something, such as a write to a full disk. */
function isSystemError(error: Error): boolean {
  return "syscall" in error;
}
