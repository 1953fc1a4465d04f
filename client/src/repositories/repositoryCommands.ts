/** Commands that add, reindex, remove and show repositories. */

import * as vscode from "vscode";
import { addPaths } from "#client/model/addPaths";
import type { Instance } from "#client/model/instance";
import type { Repositories } from "#client/model/repositories";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { size } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { RepositoryItem } from "#contract/repositories";
import type { repositoryCommands as declared } from "./contributions";

export interface RepositoryCommandOptions {
  readonly service: ServiceClient;
  readonly repositories: Repositories;
  readonly instance: Instance;
  readonly showSkipped: (repository: string) => Promise<void>;
}

/** Whether it is in the index of this computer, not of the team's server. */
function isIndexedHere({ server }: RepositoryItem): boolean {
  return server === undefined;
}

export function repositoryCommands(options: RepositoryCommandOptions): Handlers<typeof declared> {
  const { service, repositories, instance, showSkipped } = options;

  /** Returns the repository of a row, or one that the user picks. */
  async function repositoryOf(
    row: Row | undefined,
    title: string,
    isOffered = (_item: RepositoryItem) => true,
  ): Promise<string | undefined> {
    if (row?.repository !== undefined) return row.repository;
    await repositories.load();
    const names = [...(repositories.items?.values() ?? [])].filter(isOffered).map(({ repoName }) => repoName);
    return vscode.window.showQuickPick(names, { title, placeHolder: vscode.l10n.t("Which repository?") });
  }

  async function pause(isPaused: boolean): Promise<void> {
    await service.call("pauseIndexing", { isPaused });
    await instance.refresh();
  }

  return {
    async "repos.addFolder"() {
      const folders = await vscode.window.showOpenDialog({
        title: vscode.l10n.t("Add Folder with Repositories"),
        openLabel: vscode.l10n.t("Add"),
        canSelectFiles: false,
        canSelectFolders: true,
        canSelectMany: true,
      });
      if (folders === undefined) return;
      const paths = folders.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
      if (paths.length > 0) await addPaths(service, repositories, paths);
    },

    async "repos.addSiblings"() {
      const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly path: string }>();
      picker.title = vscode.l10n.t("Index Sibling Repositories");
      picker.placeholder = vscode.l10n.t("Looking for clones...");
      picker.canSelectMany = true;
      picker.matchOnDescription = true;
      picker.busy = true;
      picker.show();
      const picked = new Promise<readonly string[]>((resolve) => {
        picker.onDidAccept(() => {
          if (picker.busy) return;
          if (picker.selectedItems.length > 0 || picker.items.length === 0) {
            resolve(picker.selectedItems.map(({ path }) => path));
            return;
          }
          // The placeholder is visible only while nothing is typed.
          picker.value = "";
          picker.placeholder = vscode.l10n.t("Nothing is selected. Select at least one, or press Escape.");
        });
        picker.onDidHide(() => resolve([]));
      });
      try {
        const found = await service.call("siblings", {});
        picker.items = found.repositories.map(({ name, path, sizeBytes }) => ({
          label: name,
          description: size(sizeBytes),
          detail: path,
          path,
        }));
        picker.selectedItems = picker.items;
        picker.placeholder =
          found.repositories.length === 0
            ? vscode.l10n.t("No sibling repositories found.")
            : vscode.l10n.t("Select the repositories to index");
        picker.busy = false;
        const paths = await picked;
        if (paths.length > 0) await addPaths(service, repositories, paths);
      } finally {
        picker.dispose();
      }
    },

    "repos.refresh": () => repositories.reload(),
    "repos.pause": () => pause(true),
    "repos.resume": () => pause(false),

    async "repos.reindex"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Reindex"), isIndexedHere);
      if (name === undefined) return;
      await service.call("reindex", { repositories: [name] });
      await repositories.reload();
    },

    async "repos.remove"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Remove from Index"), isIndexedHere);
      if (name === undefined) return;
      const remove = vscode.l10n.t("Remove from Index");
      const choice = await vscode.window.showWarningMessage(
        vscode.l10n.t("Remove {0} from the index?", name),
        {
          modal: true,
          detail: vscode.l10n.t("Your clone is not touched. Add its folder to index it again."),
        },
        remove,
      );
      if (choice !== remove) return;
      await service.call("removeRepositories", { repositories: [name] });
      await Promise.all([repositories.reload(), instance.refresh()]);
    },

    async "repos.showSkipped"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Show Skipped Files"));
      if (name !== undefined) await showSkipped(name);
    },

    async "repos.openFolder"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Open Folder in New Window"));
      const { repoId } = (name === undefined ? undefined : repositories.withName(name)) ?? {};
      const clone = repoId === undefined ? undefined : repositories.clones.get(repoId);
      if (clone === undefined) return;
      const folder = vscode.Uri.file(clone.folder);
      await vscode.commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
    },

    async "repos.clone"(row?: Row & { readonly repositoryId?: number }) {
      await repositories.load();
      const name = row?.repository;
      const repoId =
        row?.repositoryId ?? (name === undefined ? undefined : repositories.withName(name)?.repoId);
      const url = repoId === undefined ? undefined : repositories.clones.get(repoId)?.cloneUrl;
      if (url !== undefined) return await vscode.commands.executeCommand("git.clone", url);
      return vscode.window.setStatusBarMessage(
        vscode.l10n.t("This repository is not a mirror of a code host."),
        5000,
      );
    },

    async "repos.openOnHost"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Open on Code Host"));
      await repositories.load();
      const url = name === undefined ? undefined : repositories.withName(name)?.externalWebUrl;
      if (url !== undefined && /^https?:\/\//.test(url)) {
        await vscode.env.openExternal(vscode.Uri.parse(url, true));
      } else {
        vscode.window.setStatusBarMessage(vscode.l10n.t("This repository has no page on a code host."), 5000);
      }
    },

    async "repos.copyPath"(row?: { readonly path?: string }) {
      if (row?.path !== undefined) await vscode.env.clipboard.writeText(row.path);
    },

    async "repos.copyName"(row?: Row) {
      const name = await repositoryOf(row, vscode.l10n.t("Copy Name"));
      if (name !== undefined) await vscode.env.clipboard.writeText(name);
    },
  };
}
