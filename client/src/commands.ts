/** Commands: id to function, collected from the features and registered once. */
import * as vscode from "vscode";

/** Ids without `trawl.`. What VS Code hands to a command depends on where it was invoked. */
export type Commands = Readonly<Record<string, (...values: never[]) => unknown>>;

/** A command that fails gives `undefined`, and `failed` is told; one that was cancelled has not failed. */
export function registerCommands(
  commands: Commands,
  failed: (id: string, error: unknown) => void,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      vscode.commands.registerCommand(`trawl.${id}`, async (...values: never[]) => {
        try {
          return await run(...values);
        } catch (error) {
          if (!(error instanceof vscode.CancellationError)) failed(id, error);
          return undefined;
        }
      }),
    ),
  );
}

export function setContext(key: `trawl.${string}`, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}

/** Says in the status bar, for some seconds, why what the person has just asked for did not happen. */
export function tellFailure(message: string): void {
  // Icons come from `$(…)`, and a message may be of anywhere.
  vscode.window.setStatusBarMessage(`$(error) Trawl: ${message.replaceAll("$(", "$ (")}`, 8_000);
}
