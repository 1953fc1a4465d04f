import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { opening } from "#platform/byteSource";
import { diskFiles, type Files } from "#platform/files";
import { type Checksum, loadChecksum } from "./checksum";
import { isManifestFile, ManifestFiles } from "./manifestFiles";
import type { ShardPartCounts, ShardSummary } from "./shard";
import { removeStray } from "./stray";
import { isSymbolFile, type SymbolDraft, SymbolFiles } from "./symbolFiles";

/** A ref, the commit it named when it was indexed, and the slot that stands for it in sets. */
export interface IndexedRevision {
  readonly name: string;
  readonly commit: string;
  readonly slot: number;
}

/** One shard file of a repository. Of a compound file, which several repositories name, the counts are its share. */
export interface Segment extends ShardSummary {
  readonly file: string;
}

/** What counts of a repository: replaced as a whole, by renaming, so that a crash leaves the old one or the new. */
export interface Manifest {
  readonly repositoryId: number;
  /** Grows by one with each change. */
  readonly generation: number;
  /** Who this is, so that a lost catalogue can be made again. */
  readonly name: string;
  readonly path: string;
  readonly kind: "clone" | "bare" | "folder";
  readonly revisions: readonly IndexedRevision[];
  /** Name of the default one; absent where nothing is committed. */
  readonly defaultRevision?: string;
  /** Slots from here on were never given. */
  readonly nextSlot: number;
  /** Oldest first; later ones override earlier ones. */
  readonly segments: readonly Segment[];
}

export interface Draft {
  readonly path: string;
  readonly summary: ShardSummary;
  readonly parts: readonly ShardPartCounts[];
  /** Its companion, where one was made together with it. */
  readonly symbols?: SymbolDraft;
}

export type DirectoryChange =
  | { readonly kind: "published"; readonly manifests: readonly Manifest[] }
  | { readonly kind: "removed"; readonly repositoryIds: readonly number[] };

/** Told of a change after it is durable; files that nobody names any more are deleted once it has settled. */
export type DirectoryListener = (change: DirectoryChange) => Promise<void> | void;

/** How a new manifest comes out of the old one; the generation is the directory's. */
export type ManifestChange = Omit<Manifest, "generation" | "segments"> & {
  /** Keep the old segments and add the drafts behind them (a delta), or let the drafts take their place. */
  readonly keepSegments: boolean;
};

/**
 * The set of shards on disk: manifests (`manifestFiles.ts`), and the shard files that they name.
 *
 * The only place in this room that touches the disk, and only the leader has one. Shard files and manifests are
 * written to drafts and renamed; renaming the manifest is what counts. Whatever no manifest names is swept at `open`.
 */
export class ShardDirectory {
  readonly folder: string;
  readonly #files: Files;
  readonly #manifestFiles: ManifestFiles;
  readonly #manifests: Map<number, Manifest>;
  readonly #symbols: SymbolFiles;
  readonly #listeners = new Set<DirectoryListener>();
  /** Files of manifests that could not be believed: `[file, reason]`. Their repositories must be indexed again. */
  readonly damagedManifests: readonly (readonly [string, string])[];
  #nextFile = 1;

  private constructor(folder: string, files: Files, checksum: Checksum) {
    this.folder = folder;
    this.#files = files;
    this.#manifestFiles = new ManifestFiles(folder, files, checksum);
    this.#storing(() => files.mkdir(folder));
    const names = opening(() => readdirSync(folder));
    const { manifests, damaged } = this.#manifestFiles.load(names);
    this.#manifests = manifests;
    this.damagedManifests = [...damaged];
    const named = this.#namedFiles();
    for (const name of names) {
      this.#nextFile = Math.max(this.#nextFile, Number.parseInt(name, 10) + 1 || 0);
      if (!isManifestFile(name) && !isSymbolFile(name) && !named.has(name))
        removeStray(files, join(folder, name));
    }
    this.#symbols = new SymbolFiles(folder, files, names, named);
  }

  static async open(folder: string, files: Files = diskFiles): Promise<ShardDirectory> {
    return new ShardDirectory(folder, files, await loadChecksum());
  }

  #namedFiles(): Set<string> {
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

  /** Companions of its shards: which there are, and which are complete. Change them by methods of this class. */
  get symbols(): Pick<SymbolFiles, "of" | "isComplete"> {
    return this.#symbols;
  }

  /**
   * Gives a shard a companion, or another one. Gives false, and removes the draft, where the shard is no longer named.
   * Throws `STORAGE_FAILED`.
   */
  async publishSymbols(shardFile: string, draft: SymbolDraft): Promise<boolean> {
    if (!this.#namedFiles().has(shardFile)) {
      this.discard([draft.path]);
      return false;
    }
    const old = this.#symbols.of(shardFile);
    this.#storing(() => this.#symbols.adopt(shardFile, draft, this.#nextFile++));
    await this.#announceShard(shardFile);
    if (old !== undefined) removeStray(this.#files, join(this.folder, old));
    return true;
  }

  /** Takes a companion away that does not hold what it should. Gives whether there is one of that name. */
  async dropSymbols(file: string): Promise<boolean> {
    const shardFile = this.#symbols.drop(file);
    if (shardFile === undefined) return false;
    await this.#announceShard(shardFile);
    removeStray(this.#files, join(this.folder, file));
    return true;
  }

  async #announceShard(shardFile: string): Promise<void> {
    const manifests = [...this.#manifests.values()].filter(({ segments }) =>
      segments.some(({ file }) => file === shardFile),
    );
    await this.#announce({ kind: "published", manifests });
  }

  /** A fresh path for a worker to write a shard to. */
  newDraft(): string {
    return join(this.folder, `${this.#nextFile++}.draft`);
  }

  onChange(listener: DirectoryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Gives drafts their places and makes them count. Nothing has changed where it throws `STORAGE_FAILED`
   * (a full disk, say); the drafts are removed.
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

  /** Gives several repositories that have no manifest their first one, all in one shard. */
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
   * Lets one compound shard take the place of all segments of several repositories. Each is skipped whose manifest is
   * no longer the one that the compound was made from.
   */
  async publishCompound(draft: Draft, madeFrom: readonly Manifest[]): Promise<void> {
    const current = madeFrom.filter((manifest) => this.#manifests.get(manifest.repositoryId) === manifest);
    const segments = this.#adopt([draft]);
    const manifests = current.map((manifest) => ({
      ...manifest,
      generation: this.#manifestFiles.nextGeneration(manifest.repositoryId),
      segments: segments.map((segment) => shareOf(segment, draft, manifest.repositoryId)),
    }));
    await this.#commit(manifests, segments);
  }

  /**
   * Lets drafts take the place of a repository's segments from `from` on. Gives false, and removes the drafts, where
   * the manifest is no longer the one that they were made from.
   */
  async publishMerged(madeFrom: Manifest, from: number, drafts: readonly Draft[]): Promise<boolean> {
    if (this.#manifests.get(madeFrom.repositoryId) !== madeFrom) {
      this.discard(pathsOf(drafts));
      return false;
    }
    const segments = this.#adopt(drafts);
    const kept = madeFrom.segments.slice(0, from);
    const generation = this.#manifestFiles.nextGeneration(madeFrom.repositoryId);
    const manifest = { ...madeFrom, generation, segments: [...kept, ...segments] };
    await this.#commit([manifest], segments);
    return true;
  }

  remove(repositoryId: number): Promise<void> {
    return this.removeAll([repositoryId]);
  }

  /** Those that are not known are no error. */
  async removeAll(repositoryIds: readonly number[]): Promise<void> {
    const removed = repositoryIds.map((id) => this.#manifests.get(id));
    this.#storing(() => this.#manifestFiles.remove(new Set(repositoryIds), this.#manifests));
    for (const id of repositoryIds) this.#manifests.delete(id);
    await this.#announce({ kind: "removed", repositoryIds });
    this.#sweep(removed.flatMap((manifest) => manifest?.segments ?? []).map(({ file }) => file));
  }

  /** Removes drafts of a run that failed or was given up. */
  discard(drafts: readonly string[]): void {
    for (const draft of drafts) removeStray(this.#files, draft);
  }

  /** Bytes on disk, shard files named by several repositories counted once, companions with them. */
  diskBytes(): number {
    let total = 0;
    for (const shard of this.#namedFiles()) {
      for (const file of [shard, this.#symbols.of(shard)])
        if (file !== undefined)
          total += statSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0;
    }
    return total;
  }

  #adopt(drafts: readonly Draft[]): Segment[] {
    const segments: Segment[] = [];
    try {
      for (const draft of drafts) {
        const file = `${this.#nextFile++}.shard`;
        this.#storing(() => this.#files.rename(draft.path, join(this.folder, file)));
        segments.push({ file, ...draft.summary });
        const { symbols } = draft;
        if (symbols !== undefined) this.#storing(() => this.#symbols.adopt(file, symbols, this.#nextFile++));
      }
    } catch (error) {
      this.discard([...pathsOf(drafts), ...segments.map((segment) => this.pathOf(segment))]);
      for (const { file } of segments) this.#symbols.removeOf(file);
      throw error;
    }
    return segments;
  }

  async #commit(manifests: readonly Manifest[], fresh: readonly Segment[]): Promise<void> {
    let isDurable: boolean;
    try {
      isDurable = this.#storing(() => this.#manifestFiles.write(manifests));
    } catch (error) {
      this.#sweep(fresh.map(({ file }) => file));
      throw error;
    }
    const retired: string[] = [];
    for (const manifest of manifests) {
      const old = this.#manifests.get(manifest.repositoryId)?.segments ?? [];
      // The files of an old manifest that may come back stay until the directory is opened the next time.
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
    const named = this.#namedFiles();
    for (const file of new Set(candidates)) {
      if (named.has(file)) continue;
      this.#symbols.removeOf(file);
      removeStray(this.#files, join(this.folder, file));
    }
  }

  #storing<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError("STORAGE_FAILED", `The index cannot be written to ${this.folder}: ${reason}`, {
        cause,
      });
    }
  }
}

/** All files of drafts. */
export function pathsOf(drafts: readonly Draft[]): string[] {
  return drafts.flatMap(({ path, symbols }) => (symbols === undefined ? [path] : [path, symbols.path]));
}

/** A compound segment as one of its repositories counts it. */
function shareOf(segment: Segment, { parts }: Draft, repositoryId: number): Segment {
  const part = parts.find(({ id }) => id === repositoryId);
  const { documentCount = 0, skippedCount = 0, contentBytes = 0 } = part ?? {};
  const share = segment.documentCount === 0 ? 0 : documentCount / segment.documentCount;
  const shardBytes = Math.round(segment.shardBytes * share);
  return { ...segment, documentCount, skippedCount, contentBytes, shardBytes };
}
