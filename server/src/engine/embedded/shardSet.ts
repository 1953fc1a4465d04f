import { partitionPoint } from "#base/binarySearch";
import { Bitset } from "#base/bitset";
import { isServiceError } from "#base/error";
import type { SearchPlan } from "#engine/engine";
import { fileSource, memorySource } from "#platform/byteSource";
import type { ShardView } from "#shard/evaluation/matchTree";
import type { Checksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { closeDelayMs, OpenSymbolFiles } from "./openSymbolFiles";
import type { RepositoryOverlay, RepositoryShards, ShardUpdate } from "./searchMessages";
import { layers, type ShardOrder } from "./searchOrder";
import { selectSlots } from "./selectSlots";

/** One repository with its open shards. Every change replaces the whole object. */
export interface OpenRepository {
  readonly shards: RepositoryShards;
  readonly segments: RepositorySegments;
  readonly defaultSlot: number | undefined;
  readonly overlay: OpenOverlay | undefined;
}

interface OpenOverlay {
  readonly reader: ShardReader;
  readonly symbols: SymbolReader | undefined;
  readonly source: RepositoryOverlay;
}

/** The documents of one repository in a shard. */
export interface ShardPart {
  readonly repository: OpenRepository;
  readonly firstDocument: number;
  readonly endDocument: number;
  /** Index in the repository's segments; -1 for an overlay, whose documents have no slots. */
  readonly segment: number;
}

/** An open shard and the repositories that it currently belongs to. */
export interface OpenShard {
  readonly file: string;
  readonly reader: ShardReader;
  /** Absent until a document has been parsed. */
  readonly symbols: SymbolReader | undefined;
  /** The symbol file; `""` if it is in memory or missing. */
  readonly symbolsFile: string;
  /** In the order of their documents; none is empty. */
  readonly parts: readonly ShardPart[];
  readonly order: ShardOrder;
  /** The documents of the default view, computed on first use. */
  defaultUniverse: Bitset | undefined;
}

/** The state that a search uses from start to end. Updates replace it with a new one. */
export interface ShardSnapshot {
  readonly shards: readonly OpenShard[];
  readonly repositories: ReadonlyMap<number, OpenRepository>;
  readonly damagedFiles: readonly string[];
  /** Some files currently cannot be opened. */
  readonly hasUnreadableFiles: boolean;
}

/** Updates are published by the next search, or after this time, so that files that are no longer listed are closed. */
const publishDelayMs = 50;
/** The first search after this time tries again to open files that could not be opened. */
const reopenDelayMs = 1000;

/** All shards that one worker has open. */
export class ShardSet {
  readonly #checksum: Checksum;
  readonly #readers = new Map<string, ShardReader>();
  readonly #symbolFiles = new OpenSymbolFiles();
  readonly #damaged = new Set<string>();
  /** By shard file: why it, or its symbol file, currently cannot be opened. */
  readonly #unreadable = new Map<string, string>();
  #reopenAt = 0;
  readonly #owned = new Set<string>();
  readonly #ownedRepositories = new Set<number>();
  /** Overlays by repository, including repositories that are not known yet. */
  readonly #overlays = new Map<number, OpenOverlay>();
  #repositories = new Map<number, OpenRepository>();
  #snapshot: ShardSnapshot = {
    shards: [],
    repositories: this.#repositories,
    damagedFiles: [],
    hasUnreadableFiles: false,
  };
  #isStale = false;

  constructor(checksum: Checksum) {
    this.#checksum = checksum;
  }

  /** The snapshot for a search that starts now. Publishes pending updates. */
  get snapshot(): ShardSnapshot {
    if (this.#unreadable.size > 0 && performance.now() >= this.#reopenAt) this.#reopen();
    if (this.#isStale) this.#publish();
    return this.#snapshot;
  }

  get damagedFiles(): readonly string[] {
    return [...this.#damaged, ...this.#symbolFiles.damagedFiles];
  }

  /** A message for each file that currently cannot be opened. */
  get unreadableReasons(): readonly string[] {
    return [...this.#unreadable.values()];
  }

  apply(update: ShardUpdate): void {
    if (!this.#isStale) {
      this.#beginChange();
      // Consecutive updates are published together.
      setTimeout(() => this.snapshot, publishDelayMs).unref();
    }
    for (const file of update.ownedFiles) this.#owned.add(file);
    for (const id of update.ownedRepositories) this.#ownedRepositories.add(id);
    for (const id of update.removed) {
      this.#repositories.delete(id);
      this.#overlays.delete(id);
    }
    for (const { repositoryId, overlay } of update.overlays) this.#setOverlay(repositoryId, overlay);
    for (const shards of update.repositories) this.#repositories.set(shards.id, this.#openRepository(shards));
  }

  /** Copies the state, because running searches use the published one. */
  #beginChange(): void {
    this.#repositories = new Map(this.#repositories);
    this.#isStale = true;
  }

  #reopen(): void {
    if (!this.#isStale) this.#beginChange();
    const files = new Set(this.#unreadable.keys());
    this.#unreadable.clear();
    for (const { shards } of [...this.#repositories.values()]) {
      if (shards.segments.some(({ file }) => files.has(file)))
        this.#repositories.set(shards.id, this.#openRepository(shards));
    }
  }

  #openRepository(shards: RepositoryShards): OpenRepository {
    // If this worker owns no file of the repository, it does not need to open any.
    const isOwned = shards.segments.some((segment) => this.#owned.has(segment.file));
    const readers = isOwned ? shards.segments.map((segment) => this.#open(segment.file, segment.path)) : [];
    for (const [at, { file, symbols }] of shards.segments.entries()) {
      const reader = readers[at];
      if (reader === undefined || !this.#owned.has(file)) continue;
      this.#symbolFiles.set(file, symbols, (source) => new SymbolReader(source, this.#checksum, reader));
      if (this.#symbolFiles.isUnreadable(file)) this.#markUnreadable(file, `Cannot open ${symbols?.path}`);
    }
    const defaultRevision = shards.revisions.find((revision) => revision.name === shards.defaultRevision);
    return {
      shards,
      segments: new RepositorySegments(shards.id, readers),
      defaultSlot: defaultRevision?.slot ?? (shards.isFolder ? 0 : undefined),
      overlay: this.#overlays.get(shards.id),
    };
  }

  #open(file: string, path: string): ShardReader | undefined {
    const known = this.#readers.get(file);
    if (known !== undefined) return known;
    try {
      const source = fileSource(path);
      try {
        const reader = new ShardReader(source, this.#checksum);
        reader.readSets();
        this.#readers.set(file, reader);
        return reader;
      } catch (error) {
        source.close();
        throw error;
      }
    } catch (error) {
      if (isServiceError(error, "STORAGE_FAILED")) this.#markUnreadable(file, error.message);
      else if (isServiceError(error, "SHARD_DAMAGED") || (error as NodeJS.ErrnoException).code !== undefined)
        this.#damaged.add(file);
      else throw error;
      return undefined;
    }
  }

  #markUnreadable(file: string, reason: string): void {
    this.#unreadable.set(file, reason);
    this.#reopenAt = performance.now() + reopenDelayMs;
  }

  #setOverlay(repositoryId: number, overlay: RepositoryOverlay | undefined): void {
    if (overlay === undefined) this.#overlays.delete(repositoryId);
    else {
      const reader = new ShardReader(memorySource(overlay.bytes), this.#checksum);
      const symbols =
        overlay.symbols && new SymbolReader(memorySource(overlay.symbols), this.#checksum, reader);
      this.#overlays.set(repositoryId, { reader, symbols, source: overlay });
    }
    const known = this.#repositories.get(repositoryId);
    if (known === undefined) return;
    this.#repositories.set(repositoryId, { ...known, overlay: this.#overlays.get(repositoryId) });
  }

  #publish(): void {
    const parts = new Map<string, ShardPart[]>();
    const named = new Set<string>();
    const overlays: OpenShard[] = [];
    for (const repository of this.#repositories.values()) {
      for (const [segment, { file }] of repository.shards.segments.entries()) {
        named.add(file);
        const part = this.#readers.get(file)?.repository(repository.shards.id);
        if (part === undefined || part.firstDocument === part.endDocument) continue;
        if (!this.#owned.has(file)) continue;
        const list = parts.get(file) ?? [];
        list.push({ repository, ...part, segment });
        parts.set(file, list);
      }
      if (repository.overlay !== undefined && this.#ownedRepositories.has(repository.shards.id)) {
        overlays.push(overlayShard(repository, repository.overlay));
      }
    }
    this.#closeUnlisted(named);
    const shards = [...parts].flatMap(([file, list]): OpenShard[] => {
      const reader = this.#readers.get(file);
      // The first repository determines the order of the shard.
      list.sort((left, right) => left.firstDocument - right.firstDocument);
      const order: ShardOrder = [
        layers.other,
        list[0]?.repository.shards.id ?? 0,
        Number.parseInt(file, 10) || 0,
      ];
      if (reader === undefined) return [];
      const { reader: symbols, file: symbolsFile = "" } = this.#symbolFiles.of(file) ?? {};
      return [{ file, reader, symbols, symbolsFile, parts: list, order, defaultUniverse: undefined }];
    });
    this.#isStale = false;
    this.#snapshot = {
      shards: [...overlays, ...shards],
      repositories: this.#repositories,
      damagedFiles: this.damagedFiles,
      hasUnreadableFiles: this.#unreadable.size > 0,
    };
  }

  #closeUnlisted(named: ReadonlySet<string>): void {
    for (const [file, reader] of this.#readers) {
      if (named.has(file)) continue;
      this.#readers.delete(file);
      this.#owned.delete(file);
      this.#symbolFiles.delete(file);
      // Running searches may still read the file, but end before the delay does.
      setTimeout(() => reader.close(), closeDelayMs).unref();
    }
    for (const file of this.#damaged) if (!named.has(file)) this.#damaged.delete(file);
    for (const file of this.#unreadable.keys()) if (!named.has(file)) this.#unreadable.delete(file);
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    this.#symbolFiles.close();
  }
}

function overlayShard(repository: OpenRepository, { reader, symbols }: OpenOverlay): OpenShard {
  const { id } = repository.shards;
  const endDocument = reader.meta.documentCount;
  return {
    file: "",
    reader,
    symbols,
    symbolsFile: "",
    parts: [{ repository, firstDocument: 0, endDocument, segment: -1 }],
    order: [layers.overlay, id, 0],
    defaultUniverse: undefined,
  };
}

/** Returns the part that contains a document. */
export function partOf({ parts }: OpenShard, document: number): ShardPart | undefined {
  return parts[partitionPoint(1, parts.length, (at) => (parts[at]?.firstDocument ?? 0) <= document) - 1];
}

/** Whether a document is in one of the preferred repositories. */
export function isPreferred(preferred: readonly number[], shard: OpenShard, document: number): boolean {
  if (preferred.length === 0) return false;
  const part = partOf(shard, document);
  return part !== undefined && preferred.includes(part.repository.shards.id);
}

/** Returns the star level of a document's repository. */
export function starLevelOf(
  starLevels: SearchPlan["starLevels"],
  shard: OpenShard,
  document: number,
): number {
  const part = starLevels && partOf(shard, document);
  return part === undefined ? 0 : (starLevels?.[part.repository.shards.id] ?? 0);
}

/**
 * Returns the documents of the default view: those of default revisions that no overlay hides, and those of overlays.
 */
export function defaultUniverse(shard: OpenShard): Bitset {
  if (shard.defaultUniverse === undefined) {
    const universe = new Bitset(shard.reader.meta.documentCount);
    for (const part of shard.parts) {
      const { defaultSlot, overlay, segments } = part.repository;
      if (part.segment < 0) {
        universe.addRange(part.firstDocument, part.endDocument);
        continue;
      }
      if (defaultSlot !== undefined) addDocuments(universe, part, (slots) => slots.includes(defaultSlot));
      for (const path of overlay?.source.hiddenPaths ?? []) hidePath(universe, segments, part.segment, path);
    }
    shard.defaultUniverse = universe;
  }
  return shard.defaultUniverse;
}

/** Returns the documents of all indexed revisions that still exist. */
export function revisionUniverse(shard: OpenShard): Bitset {
  const universe = new Bitset(shard.reader.meta.documentCount);
  for (const part of shard.parts) {
    if (part.segment < 0) continue;
    const live = new Set(part.repository.shards.revisions.map((revision) => revision.slot));
    if (part.repository.shards.isFolder) live.add(0);
    addDocuments(universe, part, (slots) => slots.some((slot) => live.has(slot)));
  }
  return universe;
}

/** Removes the documents of a segment at `path`. Throws `SHARD_DAMAGED`. */
export function hidePath(
  universe: Bitset,
  segments: RepositorySegments,
  segment: number,
  path: Uint8Array,
): void {
  const effective = segments.segments[segment];
  if (effective === undefined) return;
  for (const document of effective.reader.findPath(path, effective.firstDocument, effective.endDocument)) {
    universe.delete(document);
  }
}

function addDocuments(set: Bitset, part: ShardPart, passes: (slots: readonly number[]) => boolean): void {
  const effective = part.repository.segments.segments[part.segment];
  if (effective === undefined) return;
  const passing = effective.sets.map(passes);
  const { documentSets } = effective;
  for (let at = 0; at < documentSets.length; at++) {
    if (passing[documentSets[at] ?? 0]) set.add(part.firstDocument + at);
  }
}

/** Returns a view of a shard that is restricted to the documents in `universe`. */
export function viewOf(shard: OpenShard, universe: Bitset): ShardView {
  const { documentCount } = shard.reader.meta;
  return {
    reader: shard.reader,
    symbols: shard.symbols,
    universe,
    ofRepositories(ids) {
      const set = new Bitset(documentCount);
      for (const part of shard.parts) {
        if (ids.has(part.repository.shards.id)) set.addRange(part.firstDocument, part.endDocument);
      }
      return set;
    },
    ofRevisions(names) {
      const set = new Bitset(documentCount);
      for (const part of shard.parts) {
        const wanted = selectSlots(part.repository, names);
        if (wanted.size > 0) addDocuments(set, part, (slots) => slots.some((slot) => wanted.has(slot)));
      }
      return set;
    },
  };
}
