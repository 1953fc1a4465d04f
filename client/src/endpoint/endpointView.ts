/** The API & Agents view: the local endpoint, which is off until the user starts it, its API keys, and agents. */
import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/workbench/rows";
import { setting } from "#client/workbench/settings";
import { agentsRow } from "./agentRows";
import { apiKeysRow } from "./apiKeyRows";
import type { ApiKeys } from "./apiKeys";

export class EndpointView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #instance: Instance;
  readonly #keys: ApiKeys;
  readonly #subscriptions: vscode.Disposable;

  /** `onKeysLoaded` is called after keys were loaded, when the database is open anyway. */
  constructor(instance: Instance, keys: ApiKeys, onKeysLoaded: () => void) {
    this.#instance = instance;
    this.#keys = keys;
    const view = vscode.window.createTreeView("trawl.apiKeys", { treeDataProvider: this });
    this.#subscriptions = vscode.Disposable.from(
      view,
      runClickedRows("apiKeys", view),
      this.#changed,
      instance.onChange(() => this.#changed.fire()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("trawl.api")) this.#changed.fire();
      }),
      keys.onChange(() => {
        if (keys.known !== undefined) onKeysLoaded();
        this.#changed.fire();
      }),
      view.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        void instance.refresh();
        // Other windows may create or use keys. Keys that were never loaded are not loaded now.
        if (keys.known !== undefined) keys.load().catch(() => undefined);
      }),
    );
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItemOf(row, "apiKeys");
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return await childrenOf(row);
    return [endpointRow(this.#instance.state?.url), apiKeysRow(this.#keys), agentsRow()];
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** `url` is absent while the endpoint is stopped. */
function endpointRow(url: string | undefined): Row {
  const isRunning = url !== undefined;
  return {
    // One id per state, because VS Code remembers by id whether a row is expanded.
    id: isRunning ? "running" : "stopped",
    item: () => ({
      label: vscode.l10n.t("Local endpoint"),
      description: isRunning ? runningText(url) : vscode.l10n.t("stopped"),
      iconPath: new vscode.ThemeIcon("radio-tower"),
      contextValue: isRunning ? "endpointRunning" : "endpointStopped",
      tooltip: isRunning
        ? vscode.l10n.t(
            "Programs on this computer can search and read every indexed repository. Once an API key exists, only programs that have one can.",
          )
        : vscode.l10n.t("A REST API for programs on this computer. No port is open until you start it."),
      collapsibleState: isRunning
        ? vscode.TreeItemCollapsibleState.Expanded
        : vscode.TreeItemCollapsibleState.None,
    }),
    ...(isRunning ? { children: () => addressRows(url) } : {}),
  };
}

/** Mentions the configured port if the server uses another one, because that port is in use. */
function runningText(url: string): string {
  const configured = setting("api.port");
  const isConfigured = configured === 0 || new URL(url).port === `${configured}`;
  return isConfigured ? vscode.l10n.t("running") : vscode.l10n.t("running, not on port {0}", configured);
}

function addressRows(url: string): Row[] {
  return [
    {
      id: "address",
      item: () => ({
        label: `${url}/api`,
        description: vscode.l10n.t("click to copy"),
        iconPath: new vscode.ThemeIcon("link"),
      }),
      run: () => vscode.commands.executeCommand("trawl.api.copyAddress"),
    },
    {
      id: "description",
      item: () => ({
        label: vscode.l10n.t("API description"),
        description: "OpenAPI",
        iconPath: new vscode.ThemeIcon("book"),
      }),
      run: () => vscode.env.openExternal(vscode.Uri.parse(`${url}/api/openapi.json`)),
    },
  ];
}
