/** Sends log messages to the editor as `window/logMessage`. */
import type { Connection } from "vscode-languageserver/node";
import type { LogSink } from "#platform/log";

export function createLogSink({ console }: Connection): LogSink {
  return ({ level, message, fields }) => {
    const details = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
    console[level](`${message}${details}`);
  };
}
