/** The output in which the traffic with the server is written, as `trawl.trace.server` says. */
import * as vscode from "vscode";
import { setting } from "./settings";
import { withoutCredentials } from "./status/diagnostics";

/**
 * The language client asks the channel's log level whether to trace at all, and writes at the lowest level. Here one
 * setting decides: the level follows it, and what is written is seen at the level that channels have.
 */
export function traceLogOf(
  channel: vscode.LogOutputChannel,
  onSettings: vscode.Event<void>,
): vscode.LogOutputChannel {
  const level = () => (setting("trace.server") === "off" ? vscode.LogLevel.Off : vscode.LogLevel.Trace);
  const onDidChangeLogLevel: vscode.Event<vscode.LogLevel> = (listener, self, disposables) =>
    onSettings(() => listener.call(self, level()), undefined, disposables);
  return Object.create(channel, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: onDidChangeLogLevel },
    // A key is told once, to the person alone.
    trace: { value: (message: string) => channel.info(withoutCredentials(message)) },
  });
}
