/** Requests completions at the caret from the service. A new request cancels the previous one. */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import type { QueryCompletions } from "#contract/queries";
import type { FromBox } from "#webview/messages";

export class Completer implements vscode.Disposable {
  #running: vscode.CancellationTokenSource | undefined;
  readonly #service: Pick<ServiceClient, "call">;

  constructor(service: Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  /** Returns undefined if the request was canceled or failed: the user types on without completions. */
  async complete({
    query,
    offset,
    isExplicit,
  }: Extract<FromBox, { kind: "complete" }>): Promise<QueryCompletions | undefined> {
    this.#running?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    const complete = (text: string, position: number) =>
      this.#service.call("completeQuery", { query: text, offset: position }, { token: source.token });
    try {
      // Between words the service suggests nothing. An explicit request there gets the suggestions for an empty query.
      const isBetween = isExplicit && /^\s?$/.test(query.charAt(offset - 1));
      return isBetween ? { ...(await complete("", 0)), offset } : await complete(query, offset);
    } catch {
      return undefined;
    } finally {
      source.dispose();
      if (this.#running === source) this.#running = undefined;
    }
  }

  dispose(): void {
    this.#running?.dispose();
  }
}
