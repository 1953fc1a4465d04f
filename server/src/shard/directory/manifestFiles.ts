import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isServiceError } from "#base/error";
import { translateOpenErrors } from "#platform/byteSource";
import { type Files, replaceFile } from "#platform/files";
import type { Checksum } from "#shard/format/checksum";
import { type Manifest, parseManifests, printManifest, printManifests } from "./manifest";
import { removeStrayFile } from "./stray";

/**
 * Manifests on disk. `<id>.manifest` contains one that changed by itself. `<n>.manifests`, a batch, contains several
 * that changed together, because making a thousand files durable one by one takes seconds.
 *
 * Several files may contain a manifest of the same repository; the one with the highest generation is current. A file
 * that contains no current manifest is removed.
 */
export class ManifestFiles {
  readonly #folder: string;
  readonly #files: Files;
  readonly #checksum: Checksum;
  readonly #currentFiles = new Map<number, string>();
  /** The highest generation seen, by repository, even if that manifest is no longer current. */
  readonly #generations = new Map<number, number>();
  /** The repositories in each batch, by its file name, whether or not the batch is current for them. */
  readonly #members = new Map<string, Set<number>>();
  #nextFile = 1;

  constructor(folder: string, files: Files, checksum: Checksum) {
    this.#folder = folder;
    this.#files = files;
    this.#checksum = checksum;
  }

  /**
   * Reads the manifest files among `names`. `damaged` contains the reason for each file that is damaged or lists a
   * missing shard. Manifests that a damaged file may have superseded are dropped too. Throws as `translateOpenErrors`
   * does for a file that cannot be read at the moment.
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
          translateOpenErrors(() => readFileSync(path)),
          this.#checksum,
        );
        if (isBatch(name)) this.#members.set(name, new Set(read.map((each) => each.repositoryId)));
        for (const manifest of read) {
          const { repositoryId, generation } = manifest;
          if (generation <= (this.#generations.get(repositoryId) ?? -1)) continue;
          this.#generations.set(repositoryId, generation);
          manifests.set(repositoryId, manifest);
          this.#currentFiles.set(repositoryId, name);
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
    existing: ReadonlySet<string>,
    damagedFiles: Map<string, string>,
  ): void {
    const lastDamaged = Math.max(0, ...[...damagedFiles.keys()].filter(isBatch).map(numberOf));
    for (const [id, { segments }] of manifests) {
      const currentFile = this.#currentFiles.get(id) ?? "";
      const missing = segments.find(({ file }) => !existing.has(file));
      if (missing !== undefined) damagedFiles.set(currentFile, `${missing.file} is missing`);
      // A damaged file may have contained a newer manifest of any repository in older batches.
      const isOld = isBatch(currentFile) && numberOf(currentFile) < lastDamaged;
      if (missing !== undefined || isOld || damagedFiles.has(`${id}.manifest`)) manifests.delete(id);
    }
    this.#removeUpTo(lastDamaged, [...existing]);
  }

  /** Removes batches in ascending order. The damaged one comes last, because it invalidates the others until then. */
  #removeUpTo(lastDamaged: number, names: readonly string[]): void {
    const superseded = names.filter((name) => isBatch(name) && numberOf(name) <= lastDamaged);
    try {
      for (const name of superseded.sort((a, b) => numberOf(a) - numberOf(b))) {
        this.#files.remove(join(this.#folder, name));
        this.#members.delete(name);
      }
    } catch {
      // Retried at the next start.
    }
  }

  /** Returns the generation of the repository's next manifest. The first one is 1. */
  nextGeneration(repositoryId: number): number {
    return (this.#generations.get(repositoryId) ?? 0) + 1;
  }

  /**
   * Writes all manifests, or none if it throws a file-system error. Returns false if a crash could bring the old ones
   * back.
   */
  write(manifests: readonly Manifest[]): boolean {
    const [first, ...others] = manifests;
    if (first === undefined) return true;
    const isForOne = others.length === 0;
    const file = isForOne ? `${first.repositoryId}.manifest` : `${this.#nextFile++}.manifests`;
    const bytes = isForOne ? printManifest(first, this.#checksum) : printManifests(manifests, this.#checksum);
    const isDurable = replaceFile(this.#files, join(this.#folder, file), bytes);
    const ids = manifests.map(({ repositoryId }) => repositoryId);
    if (!isForOne) this.#members.set(file, new Set(ids));
    const left = new Set(ids.map((id) => this.#currentFiles.get(id)));
    for (const { repositoryId, generation } of manifests) {
      this.#currentFiles.set(repositoryId, file);
      this.#generations.set(repositoryId, generation);
    }
    // As long as a crash could lose the new file, the old ones are needed.
    if (isDurable) for (const old of left) if (old !== undefined && old !== file) this.#removeIfUnused(old);
    return isDurable;
  }

  /**
   * Removes the manifests of the repositories `ids`. `manifests` must contain the current manifests of all others.
   * Throws file-system errors.
   */
  remove(ids: ReadonlySet<number>, manifests: ReadonlyMap<number, Manifest>): void {
    for (const [file, listed] of this.#members) {
      if (![...ids].some((id) => listed.has(id))) continue;
      const rest = [...listed].filter((id) => !ids.has(id) && this.#currentFiles.get(id) === file);
      const remaining = rest.map((id) => manifests.get(id)).filter((manifest) => manifest !== undefined);
      const path = join(this.#folder, file);
      if (remaining.length === 0) this.#files.remove(path);
      else replaceFile(this.#files, path, printManifests(remaining, this.#checksum));
      if (remaining.length === 0) this.#members.delete(file);
      else this.#members.set(file, new Set(rest));
    }
    for (const id of ids) {
      this.#files.remove(join(this.#folder, `${id}.manifest`));
      this.#currentFiles.delete(id);
    }
  }

  /** Removes a file unless it contains a current manifest. */
  #removeIfUnused(file: string): void {
    const listed = this.#members.get(file);
    if (listed !== undefined && [...listed].some((id) => this.#currentFiles.get(id) === file)) return;
    this.#members.delete(file);
    removeStrayFile(this.#files, join(this.#folder, file));
  }
}

export function isManifestFile(name: string): boolean {
  return /\.manifests?$/.test(name);
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10) || 0;
}

function isBatch(name: string): boolean {
  return name.endsWith(".manifests");
}
