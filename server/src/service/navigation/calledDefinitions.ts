/** Looks up the definitions of called names, each name once per request. */
import { Limiter } from "#base/limiter";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { CallResolver } from "./callResolver";
import type { Gaps } from "./candidates";
import { ConfidenceEstimator, targetOf } from "./confidence";
import type { Packages } from "./packages";
import type { CodeCall } from "./parsedCode";
import { containersOf, Supertypes } from "./supertypes";
import type { SymbolQuery } from "./symbolQuery";

export interface CalledDefinitionsOptions {
  readonly engine: Engine;
  readonly packages: Packages;
  readonly repositories: RepositoryView;
}

/** More definitions of one name cannot be told apart in reasonable time. */
export const maxDefinitions = 200;
/** Types whose supertypes are looked up at once. */
const maxContainers = 500;
const maxLookups = 16;
/** Functions and fields whose definitions are looked up for the types of variables. */
const maxSources = 500;

export class CalledDefinitions {
  readonly #query: SymbolQuery;
  readonly #options: CalledDefinitionsOptions;
  readonly #gaps: Gaps;
  readonly #signal: AbortSignal;
  readonly #lookups = new Limiter(maxLookups);
  readonly #found = new Map<string, Promise<readonly FoundSymbol[]>>();
  /** Names with more definitions than were looked up. */
  readonly #cutNames = new Set<string>();

  constructor(query: SymbolQuery, options: CalledDefinitionsOptions, gaps: Gaps, signal: AbortSignal) {
    this.#query = query;
    this.#options = options;
    this.#gaps = gaps;
    this.#signal = signal;
  }

  /** Returns the definitions of each name. */
  async named(names: readonly string[]): Promise<Map<string, readonly FoundSymbol[]>> {
    const found = await Promise.all(
      names.map(async (name) => {
        const lookup = this.#found.get(name) ?? this.#lookups.run(() => this.#find(name), this.#signal);
        this.#found.set(name, lookup);
        return [name, await lookup] as const;
      }),
    );
    return new Map(found);
  }

  /** Returns what returns the definitions of the functions or fields from which the receiver of a call has its value. */
  async sourcesOf(calls: readonly CodeCall[]): Promise<(call: CodeCall) => readonly FoundSymbol[]> {
    const names = calls.flatMap(({ value }) =>
      value === undefined || value.kind === "type" ? [] : [value.name],
    );
    const found = await this.named([...new Set(names)].slice(0, maxSources));
    return ({ value }) => {
      if (value === undefined || this.isCut(value.name)) return [];
      return found.get(value.name) ?? [];
    };
  }

  /** Whether a name has more definitions than `named` returned. */
  isCut(name: string): boolean {
    return this.#cutNames.has(name);
  }

  /**
   * Returns what decides to which of these definitions a call refers. A call of one of `members` also refers to those of
   * subtypes and supertypes.
   */
  async resolver(
    definitions: readonly FoundSymbol[],
    members: readonly FoundSymbol[] = [],
  ): Promise<CallResolver> {
    const { packages, repositories } = this.#options;
    const targets = definitions.map(targetOf);
    const containers = containersOf(members);
    if (containers.length > maxContainers) this.#gaps.addReason("MATCH_LIMIT");
    const found = await this.named(containers.slice(0, maxContainers));
    return new CallResolver(
      await ConfidenceEstimator.load(targets, packages, repositories, this.#signal),
      new Supertypes(members, found),
    );
  }

  async #find(name: string): Promise<readonly FoundSymbol[]> {
    const { languages, scopes, unsaved, preferred } = this.#query;
    const found: FoundSymbol[] = [];
    for (const { repositories, revisions } of scopes) {
      const { symbols, flushReason, filesMissing } = await this.#options.engine.findSymbols(
        {
          name: { kind: "exact", text: name, caseSensitive: true },
          withLocals: false,
          ...(languages === undefined ? {} : { languages }),
          repositories,
          revisions,
          unsaved: revisions.length === 0 ? unsaved : [],
          preferred,
          limit: maxDefinitions,
        },
        this.#signal,
      );
      found.push(...symbols);
      if (flushReason === "MATCH_LIMIT") this.#cutNames.add(name);
      // With more definitions of a name, some callers are less certain, but none is hidden.
      this.#gaps.add({ reason: flushReason === "MATCH_LIMIT" ? "NONE" : flushReason, filesMissing });
    }
    return found;
  }
}
