import * as vscode from "vscode";
import { type TablePage, tablePage } from "./tablePage";

export type TableContent = Omit<TablePage, "language" | "title" | "style" | "styleSource">;

export interface TablePanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly viewType: string;
  readonly title: () => string;
  /** Commands that links of the page run. */
  readonly commands: readonly string[];
  /** What the page shows, asked anew each time. */
  readonly content: () => Promise<TableContent>;
}

/** One editor with a table, opened when somebody asks for it. */
export class TablePanel implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  /** Of several renewals the last one counts. */
  #turn = 0;
  readonly #options: TablePanelOptions;

  constructor(options: TablePanelOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  async show(): Promise<void> {
    if (this.#panel === undefined) this.#open();
    else this.#panel.reveal();
    await this.renew();
  }

  /** Nothing where it is not open. */
  async renew(): Promise<void> {
    const panel = this.#panel;
    if (panel === undefined) return;
    const turn = ++this.#turn;
    const content = await this.#options.content();
    if (turn === this.#turn && panel === this.#panel) this.#draw(panel, content);
  }

  #open(): void {
    const { extensionUri, viewType, title, commands } = this.#options;
    const media = vscode.Uri.joinPath(extensionUri, "media");
    const panel = vscode.window.createWebviewPanel(viewType, title(), vscode.ViewColumn.Active, {
      enableScripts: false,
      enableCommandUris: commands.map((id) => `trawl.${id}`),
      localResourceRoots: [media],
    });
    panel.iconPath = vscode.Uri.joinPath(media, "icon.svg");
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    this.#panel = panel;
    this.#draw(panel, { actions: [], notes: [vscode.l10n.t("Loading...")], head: [], rows: [], foot: "" });
  }

  #draw(panel: vscode.WebviewPanel, content: TableContent): void {
    const { extensionUri, title } = this.#options;
    const style = vscode.Uri.joinPath(extensionUri, "media", "table.css");
    panel.webview.html = tablePage({
      ...content,
      language: vscode.env.language,
      title: title(),
      style: panel.webview.asWebviewUri(style).toString(),
      styleSource: panel.webview.cspSource,
    });
  }

  dispose(): void {
    this.#panel?.dispose();
  }
}
