/** The repositories of this computer, by which those of the team's server that are also here are recognized. */
import type { RepositoryItem } from "#contract/repositories";
import type { Call, Caller } from "#contract/service";

const perPage = 100;
const maxAgeMs = 3_000;

export type RepositoryAddress = Pick<RepositoryItem, "repoName" | "formerNames" | "externalWebUrl">;

/** Recognizes repositories by their present and former names, and by their pages on code hosts. */
export class RepositorySet {
  readonly #keys: ReadonlySet<string>;

  constructor(items: readonly RepositoryAddress[]) {
    this.#keys = new Set(items.flatMap(keysOf));
  }

  has(item: RepositoryAddress): boolean {
    return keysOf(item).some((key) => this.#keys.has(key));
  }

  hasName(name: string): boolean {
    return this.#keys.has(name.toLowerCase());
  }
}

function keysOf({ repoName, formerNames = [], externalWebUrl = "" }: RepositoryAddress): string[] {
  return [repoName, ...formerNames, externalWebUrl.replace(/\/+$/, "")]
    .filter((key) => key !== "")
    .map((key) => key.toLowerCase());
}

export class LocalRepositories {
  readonly #local: Caller;
  #loaded: { readonly set: Promise<RepositorySet>; readonly at: number } | undefined;

  constructor(local: Caller) {
    this.#local = local;
  }

  /** Returns the repositories, at most `maxAgeMs` old. */
  set(call: Call): Promise<RepositorySet> {
    if (this.#loaded !== undefined && performance.now() - this.#loaded.at < maxAgeMs) return this.#loaded.set;
    const set = this.#load(call);
    const loaded = { set, at: performance.now() };
    this.#loaded = loaded;
    set.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined;
    });
    return set;
  }

  async #load({ credentials }: Call): Promise<RepositorySet> {
    const found: RepositoryAddress[] = [];
    // Shared by several calls, so that none of them may cancel it.
    const { signal } = new AbortController();
    for (let page = 1; ; page++) {
      const { items, total } = await this.#local<"repos">(
        "repos",
        { page, perPage },
        { credentials, signal },
      );
      found.push(...items);
      if (items.length < perPage || page * perPage >= total) return new RepositorySet(found);
    }
  }
}
