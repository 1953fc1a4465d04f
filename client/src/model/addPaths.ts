import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { fixingCommand } from "./grouping";
import type { Repositories } from "./repositories";

/** Adds folders that the user chose. Shows why a folder could not be added, with the git command that fixes it. */
export async function addPaths(
  service: ServiceClient,
  repositories: Repositories,
  paths: readonly string[],
): Promise<void> {
  try {
    const added = await service.call("addPaths", { paths: [...paths] });
    if (added.repositories.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t("There is no git repository in this folder."));
    }
  } catch (error) {
    const { message } = callError(error);
    const command = fixingCommand(message);
    const copy = vscode.l10n.t("Copy Git Command");
    // A notification, because the user has just requested this and nothing else would show the failure.
    const shown = vscode.window.showErrorMessage(message, ...(command === undefined ? [] : [copy]));
    void shown.then((choice) => {
      if (choice === copy && command !== undefined) void vscode.env.clipboard.writeText(command);
    });
  }
  await repositories.reload();
}
