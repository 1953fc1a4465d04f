import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { translateOpenErrors } from "#platform/byteSource";
import { diskFiles, type Files } from "#platform/files";
import { type Checksum, loadChecksum } from "#shard/format/checksum";
import type { ShardPartCounts, ShardSummary } from "#shard/format/shard";
import { FileSizes } from "./fileSizes";
import type { Manifest, Segment } from "./manifest";
import { isManifestFile, ManifestFiles } from "./manifestFiles";
import { removeStrayFile } from "./stray";
import { isSymbolFile, type SymbolDraft, SymbolFiles } from "./symbolFiles";

/** A shard that is written, but not published yet. */
export interface Draft {
  readonly path: string;
  readonly summary: ShardSummary;
  readonly parts: readonly ShardPartCounts[];
  /** Its symbol file, if one was written together with it. */
  readonly symbols?: SymbolDraft;
}

export type DirectoryChange =
  | { readonly kind: "published"; readonly manifests: readonly Manifest[] }
  | { readonly kind: "removed"; readonly repositoryIds: readonly number[] };

/** Called after a change is durable. Files that are no longer referenced are deleted once the promise has settled. */
export type DirectoryListener = (change: DirectoryChange) => Promise<void> | void;

/** The contents of a new manifest. The directory assigns its generation. */
export type ManifestChange = Omit<Manifest, "generation" | "segments"> & {
  /** Append the drafts to the old segments (a delta) instead of replacing them. */
  readonly keepSegments: boolean;
};

/**
 * The index on disk: manifests (`manifestFiles.ts`), the shard files that they list, and symbol files
 * (`symbolFiles.ts`). Only the leader opens one.
 *
 * The general process for a change is:
 *
 * - A worker writes shards to draft files (`newDraft`, `draft.ts`) and makes them durable.
 * - A `publish…` method renames each draft to its permanent name. Nothing references it yet.
 * - It then writes the new manifest to a temporary file and renames it over the old one. This is the commit: a crash
 *   before it leaves the old index, a crash after it the new one.
 * - Listeners switch searches to the new shards. When all have done so, the shard files that no manifest lists anymore
 *   are deleted.
 *
 * If a step fails, its drafts are removed and the old manifest stays. `open` deletes whatever no manifest lists,
 * because a crash may have left it.
 *
 * A symbol file has no entry in a manifest: its name says which shard it belongs to, and renaming it is its commit.
 */
export class ShardDirectory {
  readonly folder: string;
  readonly #files: Files;
  readonly #manifestFiles: ManifestFiles;
  readonly #manifests: Map<number, Manifest>;
  readonly #symbols: SymbolFiles;
  readonly #sizes: FileSizes;
  readonly #listeners = new Set<DirectoryListener>();
  /** Damaged manifest files: `[file, reason]`. Their repositories must be indexed again. */
  readonly damagedManifests: readonly (readonly [string, string])[];
  #nextFile = 1;

  private constructor(folder: string, files: Files, checksum: Checksum) {
    this.folder = folder;
    this.#files = files;
    this.#manifestFiles = new ManifestFiles(folder, files, checksum);
    this.#withStorageErrors(() => files.mkdir(folder));
    const names = translateOpenErrors(() => readdirSync(folder));
    const { manifests, damaged } = this.#manifestFiles.load(names);
    this.#manifests = manifests;
    this.damagedManifests = [...damaged];
    const listed = this.#listedFiles();
    for (const name of names) {
      this.#nextFile = Math.max(this.#nextFile, Number.parseInt(name, 10) + 1 || 0);
      if (!isManifestFile(name) && !isSymbolFile(name) && !listed.has(name))
        removeStrayFile(files, join(folder, name));
    }
    this.#symbols = new SymbolFiles(folder, files, names, listed);
    this.#sizes = new FileSizes(folder);
    for (const file of listed) this.#measure(file);
  }

  static async open(folder: string, files: Files = diskFiles): Promise<ShardDirectory> {
    return new ShardDirectory(folder, files, await loadChecksum());
  }

  #listedFiles(): Set<string> {
    const named = new Set<string>();
    for (const manifest of this.#manifests.values()) {
      for (const segment of manifest.segments) named.add(segment.file);
    }
    return named;
  }

  manifests(): ReadonlyMap<number, Manifest> {
    return this.#manifests;
  }

  manifest(repositoryId: number): Manifest | undefined {
    return this.#manifests.get(repositoryId);
  }

  pathOf(segment: Segment): string {
    return join(this.folder, segment.file);
  }

  /** The symbol files of its shards. Change them only by methods of this class. */
  get symbols(): Pick<SymbolFiles, "of" | "isComplete"> {
    return this.#symbols;
  }

  /**
   * Adds or replaces the symbol file of a shard. Removes the draft and returns false if no manifest lists the shard
   * anymore. Throws `STORAGE_FAILED`.
   */
  async publishSymbols(shardFile: string, draft: SymbolDraft): Promise<boolean> {
    if (!this.#listedFiles().has(shardFile)) {
      this.discard([draft.path]);
      return false;
    }
    const old = this.#symbols.of(shardFile);
    this.#withStorageErrors(() => this.#symbols.adopt(shardFile, draft, this.#nextFile++));
    this.#measure(shardFile);
    await this.#announceShard(shardFile);
    if (old !== undefined) this.#removeSymbols(old);
    return true;
  }

  /** Removes a damaged symbol file. Returns false if the directory has no symbol file of that name. */
  async dropSymbols(file: string): Promise<boolean> {
    const shardFile = this.#symbols.drop(file);
    if (shardFile === undefined) return false;
    await this.#announceShard(shardFile);
    this.#removeSymbols(file);
    return true;
  }

  #removeSymbols(file: string): void {
    this.#sizes.remove(file);
    removeStrayFile(this.#files, join(this.folder, file));
  }

  /** Measures a shard and its symbol file. */
  #measure(shardFile: string): void {
    for (const file of [shardFile, this.#symbols.of(shardFile)])
      if (file !== undefined) this.#sizes.measure(file);
  }

  async #announceShard(shardFile: string): Promise<void> {
    const manifests = [...this.#manifests.values()].filter(({ segments }) =>
      segments.some(({ file }) => file === shardFile),
    );
    await this.#announce({ kind: "published", manifests });
  }

  /** Returns a new path for a worker to write a shard to. */
  newDraft(): string {
    return join(this.folder, `${this.#nextFile++}.draft`);
  }

  onChange(listener: DirectoryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Publishes the drafts as segments of a repository. If it throws `STORAGE_FAILED` (a full disk, for example), the
   * drafts are removed and nothing has changed.
   */
  async publish(change: ManifestChange, drafts: readonly Draft[]): Promise<Manifest> {
    const old = this.#manifests.get(change.repositoryId);
    const { keepSegments, ...rest } = change;
    const segments = this.#adopt(drafts);
    const manifest: Manifest = {
      ...rest,
      generation: this.#manifestFiles.nextGeneration(change.repositoryId),
      segments: [...(keepSegments ? (old?.segments ?? []) : []), ...segments],
    };
    await this.#commit([manifest], segments);
    return manifest;
  }

  /**
   * Publishes one shard as the first segment of several repositories that have no manifest yet. Throws `STORAGE_FAILED`
   * like `publish`.
   */
  async publishTogether(
    draft: Draft,
    changes: readonly Omit<ManifestChange, "keepSegments">[],
  ): Promise<readonly Manifest[]> {
    const segments = this.#adopt([draft]);
    const manifests = changes.map((change) => ({
      ...change,
      generation: this.#manifestFiles.nextGeneration(change.repositoryId),
      segments: segments.map((segment) => shareOf(segment, draft, change.repositoryId)),
    }));
    await this.#commit(manifests, segments);
    return manifests;
  }

  /**
   * Replaces all segments of several repositories with one compound shard. Skips repositories whose manifest is no
   * longer the one that the compound shard was made from. Throws `STORAGE_FAILED` like `publish`.
   */
  async publishCompound(draft: Draft, sources: readonly Manifest[]): Promise<void> {
    const current = sources.filter((manifest) => this.#manifests.get(manifest.repositoryId) === manifest);
    const segments = this.#adopt([draft]);
    const manifests = current.map((manifest) => ({
      ...manifest,
      generation: this.#manifestFiles.nextGeneration(manifest.repositoryId),
      segments: segments.map((segment) => shareOf(segment, draft, manifest.repositoryId)),
    }));
    await this.#commit(manifests, segments);
  }

  /**
   * Replaces a repository's segments from index `from` on with the drafts. Removes the drafts and returns false if the
   * manifest is no longer the one that they were made from. Throws `STORAGE_FAILED` like `publish`.
   */
  async publishMerged(source: Manifest, from: number, drafts: readonly Draft[]): Promise<boolean> {
    if (this.#manifests.get(source.repositoryId) !== source) {
      this.discard(pathsOf(drafts));
      return false;
    }
    const segments = this.#adopt(drafts);
    const older = source.segments.slice(0, from);
    const generation = this.#manifestFiles.nextGeneration(source.repositoryId);
    const manifest = { ...source, generation, segments: [...older, ...segments] };
    await this.#commit([manifest], segments);
    return true;
  }

  remove(repositoryId: number): Promise<void> {
    return this.removeAll([repositoryId]);
  }

  /** Removes the index of the repositories, ignoring unknown ids. Throws `STORAGE_FAILED`. */
  async removeAll(repositoryIds: readonly number[]): Promise<void> {
    const removed = repositoryIds.map((id) => this.#manifests.get(id));
    this.#withStorageErrors(() => this.#manifestFiles.remove(new Set(repositoryIds), this.#manifests));
    for (const id of repositoryIds) this.#manifests.delete(id);
    await this.#announce({ kind: "removed", repositoryIds });
    this.#sweep(removed.flatMap((manifest) => manifest?.segments ?? []).map(({ file }) => file));
  }

  /** Removes drafts of a run that failed or was canceled. */
  discard(drafts: readonly string[]): void {
    for (const draft of drafts) removeStrayFile(this.#files, draft);
  }

  /** Bytes of all shards and symbol files on disk. */
  get diskBytes(): number {
    return this.#sizes.total;
  }

  /** Returns the bytes of a shard and its symbol file. */
  bytesOf(shardFile: string): number {
    const symbols = this.#symbols.of(shardFile);
    return this.#sizes.of(shardFile) + (symbols === undefined ? 0 : this.#sizes.of(symbols));
  }

  #adopt(drafts: readonly Draft[]): Segment[] {
    const segments: Segment[] = [];
    try {
      for (const draft of drafts) {
        const file = `${this.#nextFile++}.shard`;
        this.#withStorageErrors(() => this.#files.rename(draft.path, join(this.folder, file)));
        segments.push({ file, ...draft.summary });
        const { symbols } = draft;
        if (symbols !== undefined)
          this.#withStorageErrors(() => this.#symbols.adopt(file, symbols, this.#nextFile++));
        this.#measure(file);
      }
    } catch (error) {
      this.discard([...pathsOf(drafts), ...segments.map((segment) => this.pathOf(segment))]);
      for (const { file } of segments) this.#forget(file);
      throw error;
    }
    return segments;
  }

  async #commit(manifests: readonly Manifest[], fresh: readonly Segment[]): Promise<void> {
    let isDurable: boolean;
    try {
      isDurable = this.#withStorageErrors(() => this.#manifestFiles.write(manifests));
    } catch (error) {
      this.#sweep(fresh.map(({ file }) => file));
      throw error;
    }
    const retired: string[] = [];
    for (const manifest of manifests) {
      const old = this.#manifests.get(manifest.repositoryId)?.segments ?? [];
      // If a crash could bring the old manifest back, its files stay until the directory is next opened.
      if (isDurable) retired.push(...old.map(({ file }) => file));
      this.#manifests.set(manifest.repositoryId, manifest);
    }
    if (manifests.length > 0) await this.#announce({ kind: "published", manifests });
    this.#sweep([...retired, ...fresh.map(({ file }) => file)]);
  }

  async #announce(change: DirectoryChange): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener(change)));
  }

  #sweep(candidates: readonly string[]): void {
    if (candidates.length === 0) return;
    const listed = this.#listedFiles();
    for (const file of new Set(candidates)) {
      if (listed.has(file)) continue;
      this.#forget(file);
      removeStrayFile(this.#files, join(this.folder, file));
    }
  }

  /** Removes the symbol file of a shard, and forgets the sizes of both. */
  #forget(shardFile: string): void {
    const symbols = this.#symbols.of(shardFile);
    if (symbols !== undefined) this.#sizes.remove(symbols);
    this.#sizes.remove(shardFile);
    this.#symbols.removeOf(shardFile);
  }

  #withStorageErrors<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError("STORAGE_FAILED", `Cannot write the index to ${this.folder}: ${reason}`, {
        cause,
      });
    }
  }
}

/** Returns the paths of the drafts, including their symbol files. */
export function pathsOf(drafts: readonly Draft[]): string[] {
  return drafts.flatMap(({ path, symbols }) => (symbols === undefined ? [path] : [path, symbols.path]));
}

/** Returns a compound segment with the counts of only one of its repositories. */
function shareOf(segment: Segment, { parts }: Draft, repositoryId: number): Segment {
  const part = parts.find(({ id }) => id === repositoryId);
  const { documentCount = 0, skippedCount = 0, contentBytes = 0 } = part ?? {};
  const share = segment.documentCount === 0 ? 0 : documentCount / segment.documentCount;
  const shardBytes = Math.round(segment.shardBytes * share);
  return { ...segment, documentCount, skippedCount, contentBytes, shardBytes };
}
