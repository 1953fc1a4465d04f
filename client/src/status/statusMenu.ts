/** The quick pick that the status bar item opens. */
import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import { setting } from "#client/workbench/settings";
import type { StatusItem } from "./statusItem";

interface Entry extends vscode.QuickPickItem {
  readonly command?: string;
}

export async function showStatusMenu(instance: Instance, status: StatusItem): Promise<void> {
  await instance.refresh();
  const picked = await vscode.window.showQuickPick(entries(instance, status), {
    title: "Trawl",
    placeHolder: status.sentence,
  });
  if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command);
}

function entries({ server, state }: Instance, status: StatusItem): Entry[] {
  const entry = (icon: string, label: string, command: string, detail?: string): Entry => ({
    label: `$(${icon}) ${label}`,
    command,
    ...(detail === undefined ? {} : { detail }),
  });
  const separator = (label: string): Entry => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const restart = entry("debug-restart", vscode.l10n.t("Restart Server"), "trawl.server.restart");
  const troubleshooting = [
    entry("output", vscode.l10n.t("Show Logs"), "trawl.server.showLogs"),
    entry("clippy", vscode.l10n.t("Copy Diagnostics"), "trawl.server.copyDiagnostics"),
  ];
  if (server === "failed") return [restart, ...troubleshooting];
  return [
    entry("search", vscode.l10n.t("Search"), "trawl.search.focus"),
    ...(status.slowSearch === undefined
      ? []
      : [entry("watch", vscode.l10n.t("Explain Last Search"), "trawl.search.explain", status.slowSearch)]),
    separator(vscode.l10n.t("Repositories")),
    state?.isPaused === true
      ? entry("debug-start", vscode.l10n.t("Resume Indexing"), "trawl.repos.resume")
      : entry("debug-pause", vscode.l10n.t("Pause Indexing"), "trawl.repos.pause"),
    entry("repo", vscode.l10n.t("Show Repositories"), "trawl.repositories.focus"),
    separator(vscode.l10n.t("Team server")),
    entry("cloud", vscode.l10n.t("Connect to a Team Server..."), "trawl.server.connect"),
    ...(setting("server.url") === ""
      ? []
      : [
          entry(
            "debug-disconnect",
            vscode.l10n.t("Disconnect from the Team Server"),
            "trawl.server.disconnect",
            setting("server.url"),
          ),
        ]),
    separator(vscode.l10n.t("Local endpoint")),
    ...(state?.url === undefined
      ? [entry("radio-tower", vscode.l10n.t("Start Local Endpoint"), "trawl.api.start")]
      : [
          entry("clippy", vscode.l10n.t("Copy Endpoint Address"), "trawl.api.copyAddress", state.url),
          entry("debug-stop", vscode.l10n.t("Stop Local Endpoint"), "trawl.api.stop"),
        ]),
    separator(vscode.l10n.t("Server")),
    restart,
    ...troubleshooting,
    entry("trash", vscode.l10n.t("Delete All Data..."), "trawl.data.delete"),
  ];
}
