/** The view "API & Agents": the local endpoint, which is off until somebody starts it, the keys that open it, and who is to ask it. */
import * as vscode from "vscode";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/rows";
import { setting } from "#client/settings";
import type { Instance } from "#client/status/instance";
import { agentsRow } from "./agentRows";
import { apiKeysRow } from "./apiKeyRows";
import type { ApiKeys } from "./apiKeys";

export class EndpointView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #instance: Instance;
  readonly #keys: ApiKeys;
  readonly #subscriptions: vscode.Disposable;

  /** `looked`: told when keys were asked for, and with them whatever keeps them. */
  constructor(instance: Instance, keys: ApiKeys, looked: () => void) {
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
        if (keys.known !== undefined) looked();
        this.#changed.fire();
      }),
      view.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        void instance.refresh();
        // Keys are used and made elsewhere, too. Where nobody has looked at them, nobody asks.
        if (keys.known !== undefined) keys.load().catch(() => undefined);
      }),
    );
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItemOf(row, "apiKeys");
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return await childrenOf(row);
    return [endpointRow(this.#instance.facts?.url), apiKeysRow(this.#keys), agentsRow()];
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** `url` is where it listens; absent while it does not. */
function endpointRow(url: string | undefined): Row {
  const isRunning = url !== undefined;
  return {
    // Another id for each state: VS Code keeps by it whether the row is open.
    id: isRunning ? "running" : "stopped",
    item: () => ({
      label: vscode.l10n.t("Local endpoint"),
      description: isRunning ? runningInWords(url) : vscode.l10n.t("stopped"),
      iconPath: new vscode.ThemeIcon("radio-tower"),
      contextValue: isRunning ? "endpointRunning" : "endpointStopped",
      tooltip: isRunning
        ? vscode.l10n.t(
            "Programs on this computer can search and read every indexed repository. Once there is an API key, only those that show one can.",
          )
        : vscode.l10n.t("A REST interface for scripts on this computer. Nothing listens until you start it."),
      collapsibleState: isRunning
        ? vscode.TreeItemCollapsibleState.Expanded
        : vscode.TreeItemCollapsibleState.None,
    }),
    ...(isRunning ? { children: () => addressRows(url) } : {}),
  };
}

/** Where the usual port was taken the next free one is: whoever wrote down the usual one must know. */
function runningInWords(url: string): string {
  const usual = setting("api.port");
  const isUsual = usual === 0 || new URL(url).port === `${usual}`;
  return isUsual ? vscode.l10n.t("running") : vscode.l10n.t("running, not on port {0}", usual);
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
