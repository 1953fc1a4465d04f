import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isServiceError } from "#base/error";
import { opening } from "#platform/byteSource";
import { type Files, replaceFile } from "#platform/files";
import type { Checksum } from "./checksum";
import type { Manifest } from "./directory";
import { parseManifests, printManifest, printManifests } from "./manifest";
import { removeStray } from "./stray";

/**
 * Manifests on disk: `<id>.manifest` for one that changed by itself, `<n>.manifests` for several that changed together,
 * because making a thousand files durable one by one takes seconds.
 *
 * A repository may stand in several files; the one with the highest generation counts, and its file is the
 * repository's home. A file that is no home of anybody is removed.
 */
export class ManifestFiles {
  readonly #folder: string;
  readonly #files: Files;
  readonly #checksum: Checksum;
  readonly #homes = new Map<number, string>();
  /** The highest that was ever seen, also where it counts no more. */
  readonly #generations = new Map<number, number>();
  /** What stands in each file for several, counting or not. */
  readonly #listed = new Map<string, Set<number>>();
  #nextFile = 1;

  constructor(folder: string, files: Files, checksum: Checksum) {
    this.#folder = folder;
    this.#files = files;
    this.#checksum = checksum;
  }

  /**
   * Reads those of `names` that are manifests. `damaged` has the reason for each file that cannot be read or names a
   * shard that is not there; what is older than such a one does not count either. Throws as
   * `opening` does for one that may be as good as ever.
   */
  load(names: readonly string[]): {
    readonly manifests: Map<number, Manifest>;
    readonly damaged: Map<string, string>;
  } {
    const manifests = new Map<number, Manifest>();
    const damagedFiles = new Map<string, string>();
    for (const name of names.filter(isManifestFile)) {
      this.#nextFile = Math.max(this.#nextFile, numberOf(name) + 1);
      const path = join(this.#folder, name);
      try {
        const read = parseManifests(
          opening(() => readFileSync(path)),
          this.#checksum,
        );
        if (isForSeveral(name)) this.#listed.set(name, new Set(read.map((each) => each.repositoryId)));
        for (const manifest of read) {
          const { repositoryId, generation } = manifest;
          if (generation <= (this.#generations.get(repositoryId) ?? -1)) continue;
          this.#generations.set(repositoryId, generation);
          manifests.set(repositoryId, manifest);
          this.#homes.set(repositoryId, name);
        }
      } catch (error) {
        if (isServiceError(error, "STORAGE_FAILED")) throw error;
        damagedFiles.set(name, error instanceof Error ? error.message : String(error));
      }
    }
    this.#dropLost(manifests, new Set(names), damagedFiles);
    return { manifests, damaged: damagedFiles };
  }

  #dropLost(
    manifests: Map<number, Manifest>,
    present: ReadonlySet<string>,
    damagedFiles: Map<string, string>,
  ): void {
    const lastDamaged = Math.max(0, ...[...damagedFiles.keys()].filter(isForSeveral).map(numberOf));
    for (const [id, { segments }] of manifests) {
      const home = this.#homes.get(id) ?? "";
      const missing = segments.find(({ file }) => !present.has(file));
      if (missing !== undefined) damagedFiles.set(home, `${missing.file} is missing`);
      // A damaged file may have had something newer to say of whatever stands in older ones for several.
      const isOld = isForSeveral(home) && numberOf(home) < lastDamaged;
      if (missing !== undefined || isOld || damagedFiles.has(`${id}.manifest`)) manifests.delete(id);
    }
    this.#removeUpTo(lastDamaged, [...present]);
  }

  /** The damaged file goes last: until then it is what keeps the others from counting. */
  #removeUpTo(lastDamaged: number, names: readonly string[]): void {
    const doubtful = names.filter((name) => isForSeveral(name) && numberOf(name) <= lastDamaged);
    try {
      for (const name of doubtful.sort((a, b) => numberOf(a) - numberOf(b))) {
        this.#files.remove(join(this.#folder, name));
        this.#listed.delete(name);
      }
    } catch {
      // The next start tries again.
    }
  }

  /** The first one is 1. */
  nextGeneration(repositoryId: number): number {
    return (this.#generations.get(repositoryId) ?? 0) + 1;
  }

  /** All of them or, where it throws what the disk throws, none. Gives false where old ones may come back. */
  write(manifests: readonly Manifest[]): boolean {
    const [first, ...others] = manifests;
    if (first === undefined) return true;
    const isForOne = others.length === 0;
    const file = isForOne ? `${first.repositoryId}.manifest` : `${this.#nextFile++}.manifests`;
    const bytes = isForOne ? printManifest(first, this.#checksum) : printManifests(manifests, this.#checksum);
    const isDurable = replaceFile(this.#files, join(this.#folder, file), bytes);
    const ids = manifests.map(({ repositoryId }) => repositoryId);
    if (!isForOne) this.#listed.set(file, new Set(ids));
    const left = new Set(ids.map((id) => this.#homes.get(id)));
    for (const { repositoryId, generation } of manifests) {
      this.#homes.set(repositoryId, file);
      this.#generations.set(repositoryId, generation);
    }
    // Where the new file may be gone after a crash the old ones are needed.
    if (isDurable) for (const old of left) if (old !== undefined && old !== file) this.#leave(old);
    return isDurable;
  }

  /** `manifests` is what counts of all others. Throws what the disk throws. */
  remove(ids: ReadonlySet<number>, manifests: ReadonlyMap<number, Manifest>): void {
    for (const [file, listed] of this.#listed) {
      if (![...ids].some((id) => listed.has(id))) continue;
      const rest = [...listed].filter((id) => !ids.has(id) && this.#homes.get(id) === file);
      const kept = rest.map((id) => manifests.get(id)).filter((manifest) => manifest !== undefined);
      const path = join(this.#folder, file);
      if (kept.length === 0) this.#files.remove(path);
      else replaceFile(this.#files, path, printManifests(kept, this.#checksum));
      if (kept.length === 0) this.#listed.delete(file);
      else this.#listed.set(file, new Set(rest));
    }
    for (const id of ids) {
      this.#files.remove(join(this.#folder, `${id}.manifest`));
      this.#homes.delete(id);
    }
  }

  /** Removes a file that has become nobody's home. */
  #leave(file: string): void {
    const listed = this.#listed.get(file);
    if (listed !== undefined && [...listed].some((id) => this.#homes.get(id) === file)) return;
    this.#listed.delete(file);
    removeStray(this.#files, join(this.#folder, file));
  }
}

export function isManifestFile(name: string): boolean {
  return /\.manifests?$/.test(name);
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10) || 0;
}

function isForSeveral(name: string): boolean {
  return name.endsWith(".manifests");
}
