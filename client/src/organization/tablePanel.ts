/** A webview editor with one table. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { FromTable, TableContent, ToTable } from "#webview/tableMessages";
import { tablePage } from "./tablePage";

export interface TablePanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly viewType: string;
  readonly title: () => string;
  /** Returns the current content of the page. */
  readonly content: () => TableContent;
  /** Handlers of the page's buttons, by name. */
  readonly actions: Readonly<Record<string, (value: string | undefined) => unknown>>;
  /** Called when the user changes a field. */
  readonly onFieldChange: (name: string, value: string) => unknown;
  /** Called with the message of a failed action. */
  readonly onError: (message: string) => void;
  readonly onClose: () => void;
}

export class TablePanel implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  readonly #options: TablePanelOptions;

  constructor(options: TablePanelOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  get isVisible(): boolean {
    return this.#panel?.visible === true;
  }

  show(): void {
    if (this.#panel === undefined) this.#open();
    else this.#panel.reveal();
  }

  /** Sends the current content to the page, if it is open. */
  draw(): void {
    const message: ToTable = { kind: "show", content: this.#options.content() };
    void this.#panel?.webview.postMessage(message);
  }

  #open(): void {
    const { extensionUri, viewType, title } = this.#options;
    const media = vscode.Uri.joinPath(extensionUri, "media");
    const scripts = vscode.Uri.joinPath(extensionUri, "dist", "webview");
    const panel = vscode.window.createWebviewPanel(viewType, title(), vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [media, scripts],
      // Keeps the scroll position and expanded details while another editor is shown.
      retainContextWhenHidden: true,
    });
    panel.iconPath = vscode.Uri.joinPath(media, "icon.svg");
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#options.onClose();
    });
    panel.webview.onDidReceiveMessage((message: FromTable) => this.#receive(message));
    this.#panel = panel;
    const urlOf = (uri: vscode.Uri) => panel.webview.asWebviewUri(uri).toString();
    panel.webview.html = tablePage({
      language: vscode.env.language,
      title: title(),
      style: urlOf(vscode.Uri.joinPath(media, "table.css")),
      styleSource: panel.webview.cspSource,
      script: urlOf(vscode.Uri.joinPath(scripts, "table.js")),
      nonce: randomBytes(16).toString("hex"),
    });
  }

  async #receive(message: FromTable): Promise<void> {
    const { actions, onFieldChange, onError } = this.#options;
    try {
      if (message.kind === "ready") this.draw();
      else if (message.kind === "set") await onFieldChange(message.name, message.value);
      else if (Object.hasOwn(actions, message.name)) await actions[message.name]?.(message.value);
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) onError(callError(error).message);
    }
  }

  dispose(): void {
    this.#panel?.dispose();
  }
}
