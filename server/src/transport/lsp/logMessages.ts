/** What is logged, as the editor shows it: `window/logMessage`, a line each, with its level. */
import type { Connection } from "vscode-languageserver/node";
import type { LogSink } from "#platform/log";

export function logSink({ console }: Connection): LogSink {
  return ({ level, message, fields }) => {
    const details = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
    console[level](`${message}${details}`);
  };
}
