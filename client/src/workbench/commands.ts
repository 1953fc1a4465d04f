/** Registers commands, and sets context keys. */
import * as vscode from "vscode";
import type { Handler } from "./declarations";

/**
 * Registers handlers by command id, without `trawl.`. If a command fails, `onFailure` is called and the
 * command returns `undefined`. Cancellation is not a failure. `onRun` is called before a command runs.
 */
export function registerCommands(
  commands: Readonly<Record<string, Handler>>,
  onFailure: (id: string, error: unknown) => void,
  onRun: () => void = () => undefined,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      vscode.commands.registerCommand(`trawl.${id}`, async (...values: never[]) => {
        onRun();
        try {
          return await run(...values);
        } catch (error) {
          if (!(error instanceof vscode.CancellationError)) onFailure(id, error);
          return undefined;
        }
      }),
    ),
  );
}

export function setContext(key: `trawl.${string}`, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}

/** Shows in the status bar, for some seconds, why the user's last action failed. */
export function showFailure(message: string): void {
  // Escapes `$(…)`, which would show an icon: messages are untrusted.
  vscode.window.setStatusBarMessage(`$(error) Trawl: ${message.replaceAll("$(", "$ (")}`, 8_000);
}
