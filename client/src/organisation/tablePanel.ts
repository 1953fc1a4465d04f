/** One editor with a table, opened when somebody asks for it. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { FromTable, TableContent, ToTable } from "#webview/tableMessages";
import { tablePage } from "./tablePage";

export interface TablePanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly viewType: string;
  readonly title: () => string;
  /** What the page shows, as far as it is known. */
  readonly content: () => TableContent;
  /** What buttons of the page do, by their names. */
  readonly actions: Readonly<Record<string, (value: string | undefined) => unknown>>;
  /** What the person chose or wrote in a field. */
  readonly set: (name: string, value: string) => unknown;
  /** Told why something that was asked for on the page did not happen. */
  readonly failed: (message: string) => void;
  readonly closed: () => void;
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

  /** Tells the page what there is now. Nothing where it is not open. */
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
      // What was opened and how far was scrolled is still so after a look at another editor.
      retainContextWhenHidden: true,
    });
    panel.iconPath = vscode.Uri.joinPath(media, "icon.svg");
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#options.closed();
    });
    panel.webview.onDidReceiveMessage((message: FromTable) => this.#receive(message));
    this.#panel = panel;
    const address = (uri: vscode.Uri) => panel.webview.asWebviewUri(uri).toString();
    panel.webview.html = tablePage({
      language: vscode.env.language,
      title: title(),
      style: address(vscode.Uri.joinPath(media, "table.css")),
      styleSource: panel.webview.cspSource,
      script: address(vscode.Uri.joinPath(scripts, "table.js")),
      nonce: randomBytes(16).toString("hex"),
    });
  }

  async #receive(message: FromTable): Promise<void> {
    const { actions, set, failed } = this.#options;
    try {
      if (message.kind === "ready") this.draw();
      else if (message.kind === "set") await set(message.name, message.value);
      else if (Object.hasOwn(actions, message.name)) await actions[message.name]?.(message.value);
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) failed(callError(error).message);
    }
  }

  dispose(): void {
    this.#panel?.dispose();
  }
}
