/** Rows of agents in the API & Agents view. */
import * as vscode from "vscode";
import type { Row } from "#client/workbench/rows";
import { agentTitles } from "#contract/agentTools";
import { toolsRoute } from "./agentTools";
import { mcpAgents } from "./mcpSetup";

/** Identifies the instructions for agents and scripts that use the REST API, among the agents. */
export const restSetup = "rest";

export function agentsRow(): Row {
  return {
    id: "agents",
    item: () => ({
      label: vscode.l10n.t("Agents"),
      iconPath: new vscode.ThemeIcon("hubot"),
      contextValue: "agents",
      tooltip: vscode.l10n.t(
        "Agents search all repositories once they are set up. They need no endpoint and no key.",
      ),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: () => [
      toolsRow(),
      ...mcpAgents.map((name) => agentRow(name, agentTitles[name])),
      agentRow(restSetup, vscode.l10n.t("REST instructions")),
    ],
  };
}

function agentRow(id: string, label: string): Row {
  return {
    id: `agent ${id}`,
    item: () => ({ label, description: vscode.l10n.t("set up..."), contextValue: "agent" }),
    run: () => vscode.commands.executeCommand("trawl.agents.setup", id),
  };
}

function toolsRow(): Row {
  return {
    id: "agent tools",
    item: () => ({
      label: vscode.l10n.t("VS Code agent mode"),
      description:
        toolsRoute() !== "off" ? vscode.l10n.t("ready") : vscode.l10n.t("turned off by trawl.api.agentTools"),
      contextValue: "agentTools",
      tooltip: vscode.l10n.t("Its tools search, read files and find symbols in all repositories."),
    }),
    run: () => showToolsSetting(),
  };
}

export function showToolsSetting(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", "trawl.api.agentTools");
}
