/** Agents as rows of the view "API & Agents". */
import * as vscode from "vscode";
import type { Row } from "#client/rows";
import { agents } from "./agentGuide";

export function agentsRow(): Row {
  return {
    id: "agents",
    item: () => ({
      label: vscode.l10n.t("Agents"),
      iconPath: new vscode.ThemeIcon("hubot"),
      contextValue: "agents",
      tooltip: vscode.l10n.t("Agents search by the local endpoint, once they are told how."),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: () =>
      agents.map(({ id, name }) => ({
        id: `agent ${id}`,
        item: () => ({
          label: name,
          description: vscode.l10n.t("set up..."),
          contextValue: "agent",
        }),
        run: () => vscode.commands.executeCommand("trawl.agents.setup", id),
      })),
  };
}
