/** The output channel for traced messages, as `trawl.trace.server` configures it. */
import * as vscode from "vscode";
import { setting } from "#client/workbench/settings";
import { withoutCredentials } from "./diagnostics";

/**
 * Wraps a channel so that the setting alone decides what is traced. The language client checks the channel's log level
 * before it traces, so the level follows the setting; it writes at level trace, so messages are logged at level info,
 * which channels show by default.
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
    // New API keys appear in traced responses.
    trace: { value: (message: string) => channel.info(withoutCredentials(message)) },
  });
}
