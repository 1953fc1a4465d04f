/** The commits of one question, a page at a time. */
import * as vscode from "vscode";
import { type ApiCall, getCall } from "#client/search/apiCall";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { CommitItem } from "#contract/commits";
import type { SentOf } from "#contract/service";

export const commitsPerPage = 50;

export class CommitPages {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #request: Omit<SentOf<"commits">, "page" | "perPage">;
  readonly #found: CommitItem[] = [];
  /** So many commits are wanted. */
  #wanted = commitsPerPage;
  #total: number | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(service: Pick<ServiceClient, "call">, request: Omit<SentOf<"commits">, "page" | "perPage">) {
    this.#service = service;
    this.#request = request;
  }

  /** What asks for the first of them over the REST interface. */
  get call(): ApiCall {
    return getCall("/api/commits", this.#request);
  }

  /** Newest first; those that were loaded. */
  get found(): readonly CommitItem[] {
    return this.#found;
  }

  /** Of all pages; absent until the first is there. */
  get total(): number | undefined {
    return this.#total;
  }

  /** How many are known of and not loaded. */
  get left(): number {
    return (this.#total ?? 0) - this.#found.length;
  }

  /** From now on, another page is wanted. */
  wantMore(): void {
    this.#wanted = this.#found.length + commitsPerPage;
  }

  /** Brings what is wanted. Rejects with a `CallError` or a `vscode.CancellationError`; what came before stays. */
  load(token: vscode.CancellationToken): Promise<void> {
    // One after the other, so that no page comes twice.
    this.#turn = this.#turn.catch(() => undefined).then(() => this.#load(token));
    return this.#turn;
  }

  async #load(token: vscode.CancellationToken): Promise<void> {
    while (this.#found.length < Math.min(this.#wanted, this.#total ?? this.#wanted)) {
      const page = this.#found.length / commitsPerPage + 1;
      const followRenames = setting("history.followRenames");
      const request = { ...this.#request, followRenames, page, perPage: commitsPerPage };
      const { items, total } = await this.#service.call("commits", request, { token });
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      this.#found.push(...items);
      // Another page may be shorter than it should be; behind it there is nothing.
      this.#total = items.length < commitsPerPage ? this.#found.length : total;
    }
  }
}
