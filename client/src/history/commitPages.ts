/** The commits of one request, loaded in pages. */
import * as vscode from "vscode";
import { type ApiCall, getCall } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import type { CommitItem } from "#contract/commits";
import type { RequestInput } from "#contract/service";

export const commitsPerPage = 50;

export class CommitPages {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #request: Omit<RequestInput<"commits">, "page" | "perPage">;
  readonly #loaded: CommitItem[] = [];
  /** How many commits to load. */
  #target = commitsPerPage;
  #total: number | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(
    service: Pick<ServiceClient, "call">,
    request: Omit<RequestInput<"commits">, "page" | "perPage">,
  ) {
    this.#service = service;
    this.#request = request;
  }

  /** The REST request for the first page. */
  get call(): ApiCall {
    return getCall("/api/commits", this.#request);
  }

  /** Loaded commits, newest first. */
  get loaded(): readonly CommitItem[] {
    return this.#loaded;
  }

  /** The number of commits on all pages; absent until the first page is loaded. */
  get total(): number | undefined {
    return this.#total;
  }

  /** How many commits are not loaded yet. */
  get remaining(): number {
    return (this.#total ?? 0) - this.#loaded.length;
  }

  /** Lets the next `load` fetch one more page. */
  requestMore(): void {
    this.#target = this.#loaded.length + commitsPerPage;
  }

  /**
   * Loads the requested pages. Rejects with a `CallError` or a `vscode.CancellationError`, and keeps the pages loaded
   * before.
   */
  load(token: vscode.CancellationToken): Promise<void> {
    // Serialized, so that no page is loaded twice.
    this.#queue = this.#queue.catch(() => undefined).then(() => this.#load(token));
    return this.#queue;
  }

  async #load(token: vscode.CancellationToken): Promise<void> {
    while (this.#loaded.length < Math.min(this.#target, this.#total ?? this.#target)) {
      const page = this.#loaded.length / commitsPerPage + 1;
      const followRenames = setting("history.followRenames");
      const request = { ...this.#request, followRenames, page, perPage: commitsPerPage };
      const { items, total } = await this.#service.call("commits", request, { token });
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      this.#loaded.push(...items);
      // A short page is the last one, whatever the total.
      this.#total = items.length < commitsPerPage ? this.#loaded.length : total;
    }
  }
}
