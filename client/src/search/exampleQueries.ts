/** Queries to begin with, as the service proposes them: better ones with each repository that can be searched. */
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import type { Examples } from "#contract/editor";

/** The service takes little time to look for them, which a server that has just started may not have. */
const againAfterMs = 5_000;
const triesAtMost = 3;

export class ExampleQueries {
  #queries: Examples["queries"] = [];
  /** In how many repositories they were looked for. */
  #searched = 0;
  #tries = 0;
  #later: NodeJS.Timeout | undefined;
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

  /** To be called whenever repositories change: asks where more can be searched than the last time. */
  async find(): Promise<void> {
    const items = [...(this.#repositories.items?.values() ?? [])];
    const searchable = items.filter(({ documentCount }) => documentCount > 0).length;
    if (searchable <= this.#searched) return;
    this.#searched = searchable;
    try {
      const { queries } = await this.#service.call("examples", {});
      if (queries.length > 0) {
        this.#queries = queries;
        this.#onFind();
      } else if (this.#queries.length === 0) this.#findLater();
    } catch {
      this.#searched = 0;
    }
  }

  dispose(): void {
    clearTimeout(this.#later);
  }

  #findLater(): void {
    if (this.#tries++ >= triesAtMost) return;
    clearTimeout(this.#later);
    this.#later = setTimeout(() => {
      this.#searched = 0;
      void this.find();
    }, againAfterMs);
  }
}
