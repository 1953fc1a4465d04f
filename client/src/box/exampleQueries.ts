/** Example queries that the service suggests. They improve as more repositories become searchable. */
import type { Repositories } from "#client/model/repositories";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Examples } from "#contract/editor";

/** The service limits its time for examples; a server that has just started may find none within it. */
const retryDelayMs = 5_000;
const maxRetries = 3;

export class ExampleQueries {
  #queries: Examples["queries"] = [];
  /** How many repositories were searchable at the last request. */
  #searchableCount = 0;
  #attempts = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  readonly #service: Pick<ServiceClient, "call">;
  readonly #repositories: Pick<Repositories, "items">;
  readonly #onFind: () => void;

  constructor(
    service: Pick<ServiceClient, "call">,
    repositories: Pick<Repositories, "items">,
    onFind: () => void,
  ) {
    this.#service = service;
    this.#repositories = repositories;
    this.#onFind = onFind;
  }

  get queries(): Examples["queries"] {
    return this.#queries;
  }

  /** Call whenever repositories change: requests examples if more repositories are searchable than the last time. */
  async find(): Promise<void> {
    const items = [...(this.#repositories.items?.values() ?? [])];
    const searchable = items.filter(({ documentCount }) => documentCount > 0).length;
    if (searchable <= this.#searchableCount) return;
    this.#searchableCount = searchable;
    try {
      const { queries } = await this.#service.call("examples", {});
      if (queries.length > 0) {
        this.#queries = queries;
        this.#onFind();
      } else if (this.#queries.length === 0) this.#retryLater();
    } catch {
      this.#searchableCount = 0;
    }
  }

  dispose(): void {
    clearTimeout(this.#retryTimer);
  }

  #retryLater(): void {
    if (this.#attempts++ >= maxRetries) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      this.#searchableCount = 0;
      void this.find();
    }, retryDelayMs);
  }
}
