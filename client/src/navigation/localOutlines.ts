/**
 * Outlines of local files for which no other extension provides one.
 *
 * VS Code merges the outlines of all providers, so a provider that requested the merged outline would wait for itself.
 * Therefore ours returns nothing the first time, and then checks the merged outline. If that is empty, it makes VS Code
 * query all providers again. Another language server may start later, so our outlines are checked again, too.
 */
import * as vscode from "vscode";
import type { Outline, RequestOutline } from "#client/server/providerPolicy";

/** Long enough for the user to stop typing. */
const recheckDelayMs = 1000;

const emptyProvider: vscode.DocumentSymbolProvider = { provideDocumentSymbols: () => undefined };

export class LocalOutlines implements vscode.Disposable {
  /** Documents for which no other extension provides an outline. */
  readonly #own = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #provider: vscode.Disposable | undefined;
  #isDisposed = false;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("trawl.navigation.localFiles")) this.#refresh();
      }),
    ];
  }

  /** Returns our outline if no other extension is known to provide one; otherwise nothing. */
  async of(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    request: RequestOutline,
  ): Promise<Outline> {
    const key = document.uri.toString();
    const isOwn = this.#own.has(key);
    const { version } = document;
    const outline = isOwn ? ((await request(token)) ?? []) : [];
    if (token.isCancellationRequested || document.isClosed) return outline;
    const check = isOwn
      ? () => this.#checkForOthers(document, version, outline)
      : () => this.#checkForAny(document, request);
    const isFirst = !this.#timers.has(key);
    clearTimeout(this.#timers.get(key));
    // A provider that fails has no outline.
    const timer = setTimeout(() => check().catch(() => {}), isFirst ? 0 : recheckDelayMs);
    this.#timers.set(key, timer);
    return outline;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const key of this.#timers.keys()) this.#forget(key);
    for (const each of this.#subscriptions) each.dispose();
    this.#provider?.dispose();
  }

  async #checkForAny(document: vscode.TextDocument, request: RequestOutline): Promise<void> {
    if ((await outlineOf(document)).length > 0) return;
    const source = new vscode.CancellationTokenSource();
    try {
      const outline = (await request(source.token)) ?? [];
      if (outline.length === 0 || document.isClosed) return;
    } finally {
      source.dispose();
    }
    this.#own.add(document.uri.toString());
    this.#refresh();
  }

  /** Withdraws our outline if another extension provides one; `outline` is what ours returned for that version. */
  async #checkForOthers(document: vscode.TextDocument, version: number, outline: Outline): Promise<void> {
    const all = await outlineOf(document);
    if (document.version !== version || all.length <= outline.length) return;
    this.#own.delete(document.uri.toString());
    this.#refresh();
  }

  #forget(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.#own.delete(key);
  }

  /** Registers a provider, which makes VS Code query all providers again. */
  #refresh(): void {
    if (this.#isDisposed) return;
    this.#provider?.dispose();
    this.#provider = vscode.languages.registerDocumentSymbolProvider({ scheme: "file" }, emptyProvider);
  }
}

/** Returns the merged outline of all providers. */
async function outlineOf({ uri }: vscode.TextDocument): Promise<Outline> {
  return (await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", uri)) ?? [];
}
