import type { Manifest } from "#shard/directory/manifest";

/**
 * Assigns shard files and overlays to workers: each shard file to the worker with the least text at that time, and each
 * overlay by its repository id.
 */
export class ShardOwnership {
  readonly #workerCount: number;
  /** Worker by shard file. */
  readonly #fileOwners = new Map<string, number>();
  /** Worker of the overlay, by repository. */
  readonly #repositoryOwners = new Map<number, number>();
  /** Workers of its shard files, by repository. */
  readonly #fileOwnersOf = new Map<number, ReadonlySet<number>>();
  /** By worker: bytes of text, plus one for each segment. */
  readonly #loads: number[];

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
    this.#loads = new Array<number>(workerCount).fill(0);
  }

  /** Assigns the files of a manifest that have no owner yet. */
  assign(manifest: Manifest): void {
    for (const segment of manifest.segments) {
      if (this.#fileOwners.has(segment.file)) continue;
      const least = this.#loads.indexOf(Math.min(...this.#loads));
      this.#fileOwners.set(segment.file, least);
      this.#loads[least] = (this.#loads[least] ?? 0) + segment.contentBytes + 1;
    }
    if (!this.#repositoryOwners.has(manifest.repositoryId)) {
      this.#repositoryOwners.set(manifest.repositoryId, manifest.repositoryId % this.#workerCount);
    }
    const owners = manifest.segments.map((segment) => this.#fileOwners.get(segment.file) ?? 0);
    this.#fileOwnersOf.set(manifest.repositoryId, new Set(owners));
  }

  /** Forgets the repositories, but not their files. */
  remove(repositoryIds: readonly number[]): void {
    for (const id of repositoryIds) this.#fileOwnersOf.delete(id);
  }

  /** Returns the workers that own files of the repositories, or overlays among `withOverlay`. */
  workersOf(repositories: Iterable<number> | "all", withOverlay: ReadonlyMap<number, unknown>): Set<number> {
    const workers = new Set<number>();
    for (const id of repositories === "all" ? this.#fileOwnersOf.keys() : repositories) {
      for (const worker of this.#fileOwnersOf.get(id) ?? []) workers.add(worker);
      const ofOverlay = withOverlay.has(id) ? this.#repositoryOwners.get(id) : undefined;
      if (ofOverlay !== undefined) workers.add(ofOverlay);
      if (workers.size === this.#workerCount) break;
    }
    return workers;
  }

  /** Returns the files and repositories of some manifests that a worker owns; all of them for `"all"`. */
  of(manifests: readonly Manifest[], worker: number | "all") {
    const files = manifests.flatMap((manifest) => manifest.segments.map((segment) => segment.file));
    const ids = manifests.map((manifest) => manifest.repositoryId);
    return {
      ownedFiles: files.filter((file) => worker === "all" || this.#fileOwners.get(file) === worker),
      ownedRepositories: ids.filter((id) => worker === "all" || this.#repositoryOwners.get(id) === worker),
    };
  }

  /** Removes files that no manifest names, and returns their names. */
  prune(manifests: Iterable<Manifest>): string[] {
    const bytes = new Map<string, number>();
    for (const { segments } of manifests) {
      for (const { file, contentBytes } of segments)
        bytes.set(file, (bytes.get(file) ?? 0) + contentBytes + 1);
    }
    this.#loads.fill(0);
    const removed: string[] = [];
    for (const [file, owner] of this.#fileOwners) {
      const load = bytes.get(file);
      if (load === undefined) {
        this.#fileOwners.delete(file);
        removed.push(file);
      } else {
        this.#loads[owner] = (this.#loads[owner] ?? 0) + load;
      }
    }
    return removed;
  }
}
