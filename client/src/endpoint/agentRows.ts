/** Rows of agents in the API & Agents view. */
import * as vscode from "vscode";
import type { Row } from "#client/workbench/rows";
import { setting } from "#client/workbench/settings";
import { agents } from "./agentGuide";

export function agentsRow(): Row {
  return {
    id: "agents",
    item: () => ({
      label: vscode.l10n.t("Agents"),
      iconPath: new vscode.ThemeIcon("hubot"),
      contextValue: "agents",
      tooltip: vscode.l10n.t("Agents search through the local endpoint once they are set up."),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: () => [
      toolsRow(),
      ...agents.map(({ id, name }) => ({
        id: `agent ${id}`,
        item: () => ({
          label: name,
          description: vscode.l10n.t("set up..."),
          contextValue: "agent",
        }),
        run: () => vscode.commands.executeCommand("trawl.agents.setup", id),
      })),
    ],
  };
}

function toolsRow(): Row {
  return {
    id: "agent tools",
    item: () => ({
      label: vscode.l10n.t("VS Code agent mode"),
      description: setting("api.agentTools")
        ? vscode.l10n.t("ready")
        : vscode.l10n.t("turned off by trawl.api.agentTools"),
      contextValue: "agentTools",
      tooltip: vscode.l10n.t("Its tools search, read files and find symbols in all repositories."),
    }),
    run: () => showToolsSetting(),
  };
}

export function showToolsSetting(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", "trawl.api.agentTools");
}
