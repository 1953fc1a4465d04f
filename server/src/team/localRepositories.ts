/** The repositories of this computer, by which those of the team's server that are also here are recognized. */
import type { RepositoryItem } from "#contract/repositories";
import type { Call, Caller } from "#contract/service";

const perPage = 100;
/** A long list takes longer to load, so that it is loaded less often. */
const maxAgeMs = { short: 3_000, long: 60_000 };
const longListLength = 1_000;

export type RepositoryAddress = Pick<RepositoryItem, "repoName" | "formerNames" | "externalWebUrl">;

/** Recognizes repositories by their present and former names, and by their pages on code hosts. */
export class RepositorySet {
  readonly #keys: ReadonlySet<string>;
  readonly isLong: boolean;

  constructor(items: readonly RepositoryAddress[]) {
    this.#keys = new Set(items.flatMap(keysOf));
    this.isLong = items.length > longListLength;
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
  #loaded: { readonly set: Promise<RepositorySet>; until: number } | undefined;

  constructor(local: Caller) {
    this.#local = local;
  }

  /** Returns the repositories, at most `maxAgeMs` old. */
  set(call: Call): Promise<RepositorySet> {
    if (this.#loaded !== undefined && performance.now() < this.#loaded.until) return this.#loaded.set;
    const startedAt = performance.now();
    const set = this.#load(call);
    const loaded = { set, until: Number.POSITIVE_INFINITY };
    this.#loaded = loaded;
    set.then(
      ({ isLong }) => {
        loaded.until = startedAt + (isLong ? maxAgeMs.long : maxAgeMs.short);
      },
      () => {
        if (this.#loaded === loaded) this.#loaded = undefined;
      },
    );
    return set;
  }

  /** Returns whether a repository or package here has the name. The set contains no packages, and may be older. */
  async hasName(name: string, { credentials, signal }: Call): Promise<boolean> {
    return (await this.#local<"repos">("repos", { name, perPage: 1 }, { credentials, signal })).total > 0;
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
