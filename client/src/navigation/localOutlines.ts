/**
 * Outlines of local files that nobody else has one of.
 *
 * The editor makes one outline of a text from what all providers say: who asked for the others' first would wait for
 * itself. So ours is silent the first time, looks at what has come of it, and where that is nothing has the editor ask
 * everybody again. Another language server may start later; so what became of an outline of ours is looked at, too.
 */
import * as vscode from "vscode";

export type Outline = vscode.DocumentSymbol[] | vscode.SymbolInformation[];

/** Ours, or nothing where there is none. */
export type AskOutline = (token: vscode.CancellationToken) => vscode.ProviderResult<Outline>;

/** Until somebody has stopped typing. */
const lookAgainMs = 1000;

const nothing: vscode.DocumentSymbolProvider = { provideDocumentSymbols: () => undefined };

export class LocalOutlines implements vscode.Disposable {
  /** Documents that nobody else has an outline of. */
  readonly #own = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #provider: vscode.Disposable | undefined;
  #isDisposed = false;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("trawl.navigation.localFiles")) this.#askAgain();
      }),
    ];
  }

  /** Ours, where it is known that nobody else has one. */
  async of(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    ask: AskOutline,
  ): Promise<Outline> {
    const key = document.uri.toString();
    const isOwn = this.#own.has(key);
    const { version } = document;
    const outline = isOwn ? ((await ask(token)) ?? []) : [];
    if (token.isCancellationRequested || document.isClosed) return outline;
    const look = isOwn
      ? () => this.#lookForOthers(document, version, outline)
      : () => this.#lookForAny(document, ask);
    const isFirst = !this.#timers.has(key);
    clearTimeout(this.#timers.get(key));
    // Whoever fails has no outline.
    const timer = setTimeout(() => look().catch(() => {}), isFirst ? 0 : lookAgainMs);
    this.#timers.set(key, timer);
    return outline;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const key of this.#timers.keys()) this.#forget(key);
    for (const each of this.#subscriptions) each.dispose();
    this.#provider?.dispose();
  }

  async #lookForAny(document: vscode.TextDocument, ask: AskOutline): Promise<void> {
    if ((await outlineOf(document)).length > 0) return;
    const source = new vscode.CancellationTokenSource();
    try {
      const outline = (await ask(source.token)) ?? [];
      if (outline.length === 0 || document.isClosed) return;
    } finally {
      source.dispose();
    }
    this.#own.add(document.uri.toString());
    this.#askAgain();
  }

  /** `outline` is what ours said of that version. */
  async #lookForOthers(document: vscode.TextDocument, version: number, outline: Outline): Promise<void> {
    const all = await outlineOf(document);
    if (document.version !== version || all.length <= outline.length) return;
    this.#own.delete(document.uri.toString());
    this.#askAgain();
  }

  #forget(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.#own.delete(key);
  }

  /** The editor does so whenever a provider comes. */
  #askAgain(): void {
    if (this.#isDisposed) return;
    this.#provider?.dispose();
    this.#provider = vscode.languages.registerDocumentSymbolProvider({ scheme: "file" }, nothing);
  }
}

/** What all providers together have said. */
async function outlineOf({ uri }: vscode.TextDocument): Promise<Outline> {
  return (await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", uri)) ?? [];
}
