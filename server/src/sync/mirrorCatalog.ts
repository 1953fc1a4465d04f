/**
 * Keeps the catalog's list of mirrors current: their names, what their hosts say about them, and which are hidden.
 *
 * A clone of the same repository on this computer takes the place of its mirror, which is then neither fetched nor
 * indexed. It is recognized by the address of its remote, or else by path and history (`sharedHistory.ts`).
 */
import type { Catalog, CatalogEvent } from "#catalog/catalog";
import type { RepositoryFacts } from "#catalog/facts";
import { remoteName } from "#git/remoteName";
import { type KnownConnections, wasRemoved } from "#mirrors/applyListing";
import { isOnHostOf } from "#mirrors/listConnection";
import { type MirrorRecord, mirrorName } from "#mirrors/mirrorRecord";
import type { MirrorState } from "#mirrors/state";
import type { Repository, RepositoryId } from "#model/repository";
import { type CloneComparison, type NamedClone, pathsOf, SharedHistory } from "./sharedHistory";

export interface MirrorCatalogOptions {
  readonly catalog: Catalog;
  readonly state: MirrorState;
  readonly known: () => KnownConnections;
  /** Deletes the indexes of repositories that were removed from the catalog. */
  readonly onRemoved: (repositories: readonly Repository[]) => Promise<void>;
}

export class MirrorCatalog {
  readonly #options: MirrorCatalogOptions;
  /** The visible mirrors. */
  readonly #ids = new Map<number, RepositoryId>();
  /** Names, and paths on other hosts, that clones of mirrored repositories would have. */
  #names: ReadonlySet<string> = new Set();
  #paths: ReadonlySet<string> = new Set();
  readonly #sharedHistory: SharedHistory;
  /** About the clones that the last update found, other than those that have the address of a mirror. */
  #comparison: CloneComparison = { mirrorsOf: new Map(), undecided: new Set() };
  #compared: ReadonlySet<RepositoryId> = new Set();

  constructor(options: MirrorCatalogOptions) {
    this.#options = options;
    this.#sharedHistory = new SharedHistory(options.state);
  }

  /** Returns the id of a visible mirror. */
  idOf(number: number): RepositoryId | undefined {
    return this.#ids.get(number);
  }

  /** Returns the numbers of the mirrors of which a clone with another address is. */
  mirrorsOfClone(id: RepositoryId): readonly number[] {
    return this.#comparison.mirrorsOf.get(id) ?? [];
  }

  /** Whether the last update decided of which mirrors a clone is, if any. */
  isCompared(id: RepositoryId): boolean {
    return this.#compared.has(id) && !this.#comparison.undecided.has(id);
  }

  /** Whether a change of the catalog may change which mirrors are visible. */
  isAffectedBy({ kind, repository }: CatalogEvent): boolean {
    if (this.#isMirror(repository))
      return kind === "removed" || this.#sharedHistory.isAwaited(repository.path);
    const remote = foldName(this.#options.catalog.remoteNameOf(repository.id) || repository.name);
    return this.#names.has(remote) || this.#paths.has(remote.slice(remote.indexOf("/") + 1));
  }

  /** Adds, renames and hides mirrors. */
  async update(): Promise<void> {
    const { catalog, state, onRemoved } = this.#options;
    const clones = this.#clones();
    const byName = new Map(clones.map(({ name, repository: { id } }) => [name, id]));
    const covering = new Set<RepositoryId>();
    const all = state.mirrors;
    this.#names = new Set(all.flatMap(namesOf));
    this.#paths = new Set(all.flatMap(pathsOf));
    const held: MirrorRecord[] = [];
    const unnamed: MirrorRecord[] = [];
    for (const mirror of all) {
      if (!this.#isHeld(mirror) || catalog.isRemoved(state.pathOf(mirror))) continue;
      held.push(mirror);
      const clone = namesOf(mirror)
        .map((name) => byName.get(name))
        .find(Boolean);
      if (clone === undefined) unnamed.push(mirror);
      else covering.add(clone);
    }
    const others = clones.filter(({ repository: { id } }) => !covering.has(id));
    this.#comparison = await this.#sharedHistory.compare(held, others);
    this.#compared = new Set(clones.map(({ repository: { id } }) => id));
    // A clone of mirrors on several hosts takes the place of none.
    const replaced = new Set(
      [...this.#comparison.mirrorsOf.values()].flatMap((each) => (each.length === 1 ? each : [])),
    );
    const visible = unnamed.filter(({ number }) => !replaced.has(number));
    const paths = new Set(visible.map((mirror) => state.pathOf(mirror)));
    const hidden = catalog.all().filter((each) => this.#isMirror(each) && !paths.has(each.path));
    catalog.removeAll(hidden.map(({ id }) => id));
    for (const id of covering) catalog.reclaimName(id);
    this.#upsert(visible);
    await onRemoved(hidden);
  }

  #upsert(visible: readonly MirrorRecord[]): void {
    const { catalog } = this.#options;
    // If a new repository took the path of one that has disappeared, the new one gets the name.
    const ordered = [...visible].sort((left, right) => Number(isUnlisted(left)) - Number(isUnlisted(right)));
    const taken = new Set<string>();
    const facts = ordered.map((mirror): RepositoryFacts => {
      const name = mirrorName(mirror);
      const unique = taken.has(name) ? `${name} (${mirror.number})` : name;
      taken.add(unique);
      return this.#factsOf(mirror, unique);
    });
    // Repositories may have exchanged their names.
    const moving = facts.filter(({ path, remoteName: name = "" }) => {
      const owner = catalog.byName(name);
      return owner !== undefined && owner.path !== path && this.#isMirror(owner);
    });
    if (moving.length > 0) {
      const current = new Map(catalog.all().map((each) => [each.path, each.name]));
      const renamed = facts.filter(({ path, remoteName: name }) => (current.get(path) ?? name) !== name);
      catalog.upsert(renamed.map((fact) => ({ ...fact, remoteName: `${fact.remoteName} (${fact.path})` })));
    }
    const repositories = catalog.upsert(facts);
    this.#ids.clear();
    for (const [at, { id, indexedAt }] of repositories.entries()) {
      const mirror = ordered[at];
      if (mirror === undefined) continue;
      this.#ids.set(mirror.number, id);
      const { pushedAt } = mirror.repository;
      // Later, the date of the newest indexed commit is more exact.
      if (pushedAt !== undefined && indexedAt === undefined) catalog.update(id, { pushedAt });
      this.showProblem(mirror);
    }
  }

  /**
   * Shows why a mirror may be outdated or about to be removed. It remains searchable. That it could not be cloned or
   * indexed remains shown.
   */
  showProblem(mirror: MirrorRecord): void {
    const { catalog } = this.#options;
    const id = this.#ids.get(mirror.number);
    const repository = id === undefined ? undefined : catalog.get(id);
    if (id === undefined || repository === undefined || repository.state === "failed") return;
    catalog.update(id, { lastError: problemOf(mirror) });
  }

  #factsOf(mirror: MirrorRecord, name: string): RepositoryFacts {
    const { type, repository, formerPaths = [] } = mirror;
    const path = this.#options.state.pathOf(mirror);
    return {
      kind: "bare",
      path,
      gitDir: path,
      remoteName: name,
      ...(formerPaths.length === 0
        ? {}
        : { formerNames: formerPaths.map((each) => mirrorName(mirror, each)) }),
      codeHostType: type,
      ...(repository.webUrl === undefined ? {} : { hostUrl: repository.webUrl }),
      isFork: repository.isFork,
      isArchived: repository.isArchived,
      isPublic: repository.visibility === "public",
      ...(repository.stars === undefined ? {} : { stars: repository.stars }),
      ...(repository.topics === undefined || repository.topics.length === 0
        ? {}
        : { topics: repository.topics }),
    };
  }

  #isHeld(mirror: MirrorRecord): boolean {
    const { state } = this.#options;
    const known = this.#options.known();
    const entries = Object.entries(mirror.holdings);
    // If the state was lost, it may belong to any connection to its host.
    if (entries.length === 0)
      return (
        known.removals !== "all" || Object.values(known.connections).some((each) => isOnHostOf(each)(mirror))
      );
    return entries.some(([name, { released }]) => released === undefined && !wasRemoved(name, known, state));
  }

  #isMirror({ kind, path }: Repository): boolean {
    return kind === "bare" && this.#options.state.owns(path);
  }

  #clones(): readonly NamedClone[] {
    const { catalog } = this.#options;
    const clones = catalog.all().filter((each) => !this.#isMirror(each));
    return clones.map((repository) => ({
      repository,
      name: foldName(catalog.remoteNameOf(repository.id) || repository.name),
    }));
  }
}

/** Returns the names that a clone of the repository may have. */
export function namesOf(mirror: MirrorRecord): readonly string[] {
  const cloned = remoteName(mirror.repository.cloneUrl)?.name;
  return [mirrorName(mirror), ...(cloned === undefined ? [] : [cloned])].map(foldName);
}

/** Most hosts ignore the case of names; two repositories of one host never differ only by it. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

function isUnlisted({ holdings }: MirrorRecord): boolean {
  return Object.values(holdings).every(({ unlistedSince }) => unlistedSince !== undefined);
}

export function problemOf(mirror: MirrorRecord): string | undefined {
  return mirror.fetches.lastError ?? absenceOf(mirror);
}

function absenceOf({ holdings }: MirrorRecord): string | undefined {
  const confirmed = Object.values(holdings).find(({ confirmations = [] }) => confirmations.length > 0);
  const [first] = confirmed?.confirmations ?? [];
  if (first === undefined) return undefined;
  return `Its host says since ${new Date(first).toISOString()} that it does not exist.`;
}
