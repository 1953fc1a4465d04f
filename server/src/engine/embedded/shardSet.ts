import { Bitset } from "#base/bitset";
import { isServiceError } from "#base/error";
import { fileSource, memorySource } from "#platform/byteSource";
import type { Checksum } from "#shard/checksum";
import type { ShardView } from "#shard/matchTree";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import { SymbolReader } from "#shard/symbolReader";
import { Companions, closeDelayMs } from "./companions";
import { selectSlots } from "./revisions";
import {
  layers,
  type RepositoryOverlay,
  type RepositoryShards,
  type ShardOrder,
  type ShardUpdate,
} from "./task";

/** One repository as this worker knows it; replaced as a whole when anything of it changes. */
export interface KnownRepository {
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

/** A stretch of a shard that belongs to one repository. */
export interface ShardPart {
  readonly repository: KnownRepository;
  readonly firstDocument: number;
  readonly endDocument: number;
  /** Index in the repository's segments; -1 for an overlay, whose documents have no slots. */
  readonly segment: number;
}

/** A shard with the repositories that name it now. */
export interface OpenShard {
  readonly file: string;
  readonly reader: ShardReader;
  /** Absent as long as none of its documents was parsed. */
  readonly symbols: SymbolReader | undefined;
  /** The companion's file; `""` in memory, and where there is none. */
  readonly symbolsFile: string;
  /** In the order of their documents, none of them empty. */
  readonly parts: readonly ShardPart[];
  readonly order: ShardOrder;
  /** The documents of the default view; made when first wanted. */
  defaultUniverse: Bitset | undefined;
}

/** What searches see: replaced by an update, so that a search keeps the one it began with. */
export interface ShardSnapshot {
  readonly shards: readonly OpenShard[];
  readonly repositories: ReadonlyMap<number, KnownRepository>;
  readonly damagedFiles: readonly string[];
  /** Something cannot be opened at the moment. */
  readonly lacksFiles: boolean;
}

/** Without a search in between, files that are no longer named are closed so much later. */
const publishDelayMs = 50;
/** What cannot be opened is tried again by a search, this much later. */
const reopenDelayMs = 1000;

/** All shards that one worker has open. */
export class ShardSet {
  readonly #checksum: Checksum;
  readonly #readers = new Map<string, ShardReader>();
  readonly #companions = new Companions();
  readonly #damaged = new Set<string>();
  /** Shard files that cannot be opened at the moment, or whose companions cannot; with the reason. */
  readonly #unreadable = new Map<string, string>();
  #reopenAt = 0;
  readonly #owned = new Set<string>();
  readonly #ownedRepositories = new Set<number>();
  /** Of all repositories, also of those that are yet to come. */
  readonly #overlays = new Map<number, OpenOverlay>();
  #repositories = new Map<number, KnownRepository>();
  #snapshot: ShardSnapshot = {
    shards: [],
    repositories: this.#repositories,
    damagedFiles: [],
    lacksFiles: false,
  };
  #isStale = false;

  constructor(checksum: Checksum) {
    this.#checksum = checksum;
  }

  /** What a search sees that begins now. */
  get snapshot(): ShardSnapshot {
    if (this.#unreadable.size > 0 && performance.now() >= this.#reopenAt) this.#reopen();
    if (this.#isStale) this.#publish();
    return this.#snapshot;
  }

  get damagedFiles(): readonly string[] {
    return [...this.#damaged, ...this.#companions.damagedFiles];
  }

  /** A sentence for each file that cannot be opened at the moment. */
  get unreadableReasons(): readonly string[] {
    return [...this.#unreadable.values()];
  }

  apply(update: ShardUpdate): void {
    if (!this.#isStale) {
      this.#beginChange();
      // Many updates in a row are published once.
      setTimeout(() => this.snapshot, publishDelayMs).unref();
    }
    for (const file of update.ownedFiles) this.#owned.add(file);
    for (const id of update.ownedRepositories) this.#ownedRepositories.add(id);
    for (const id of update.removed) {
      this.#repositories.delete(id);
      this.#overlays.delete(id);
    }
    for (const { repositoryId, overlay } of update.overlays) this.#setOverlay(repositoryId, overlay);
    for (const shards of update.repositories) this.#repositories.set(shards.id, this.#know(shards));
  }

  /** Searches go on with what was published. */
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
        this.#repositories.set(shards.id, this.#know(shards));
    }
  }

  #know(shards: RepositoryShards): KnownRepository {
    // A repository of which nothing is searched here needs no open files.
    const isOwned = shards.segments.some((segment) => this.#owned.has(segment.file));
    const readers = isOwned ? shards.segments.map((segment) => this.#open(segment.file, segment.path)) : [];
    for (const [at, { file, symbols }] of shards.segments.entries()) {
      const reader = readers[at];
      if (reader === undefined || !this.#owned.has(file)) continue;
      this.#companions.set(file, symbols, (source) => new SymbolReader(source, this.#checksum, reader));
      if (this.#companions.isUnreadable(file)) this.#lack(file, `A file cannot be opened: ${symbols?.path}`);
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
      if (isServiceError(error, "STORAGE_FAILED")) this.#lack(file, error.message);
      else if (isServiceError(error, "SHARD_DAMAGED") || (error as NodeJS.ErrnoException).code !== undefined)
        this.#damaged.add(file);
      else throw error;
      return undefined;
    }
  }

  #lack(file: string, reason: string): void {
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
    this.#closeUnnamed(named);
    const shards = [...parts].flatMap(([file, list]): OpenShard[] => {
      const reader = this.#readers.get(file);
      // Repositories come in the order in which they were first indexed.
      list.sort((left, right) => left.firstDocument - right.firstDocument);
      const order: ShardOrder = [
        layers.other,
        list[0]?.repository.shards.id ?? 0,
        Number.parseInt(file, 10) || 0,
      ];
      if (reader === undefined) return [];
      const { reader: symbols, file: symbolsFile = "" } = this.#companions.of(file) ?? {};
      return [{ file, reader, symbols, symbolsFile, parts: list, order, defaultUniverse: undefined }];
    });
    this.#isStale = false;
    this.#snapshot = {
      shards: [...overlays, ...shards],
      repositories: this.#repositories,
      damagedFiles: this.damagedFiles,
      lacksFiles: this.#unreadable.size > 0,
    };
  }

  #closeUnnamed(named: ReadonlySet<string>): void {
    for (const [file, reader] of this.#readers) {
      if (named.has(file)) continue;
      this.#readers.delete(file);
      this.#owned.delete(file);
      this.#companions.delete(file);
      // Searches that began before still read it; they are over long before this.
      setTimeout(() => reader.close(), closeDelayMs).unref();
    }
    for (const file of this.#damaged) if (!named.has(file)) this.#damaged.delete(file);
    for (const file of this.#unreadable.keys()) if (!named.has(file)) this.#unreadable.delete(file);
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    this.#companions.close();
  }
}

function overlayShard(repository: KnownRepository, { reader, symbols }: OpenOverlay): OpenShard {
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

/** Whose document it is. */
export function partOf({ parts }: OpenShard, document: number): ShardPart | undefined {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((parts[middle]?.firstDocument ?? 0) <= document) low = middle;
    else high = middle - 1;
  }
  return parts[low];
}

/** The documents of the default view: the default revision of each repository, the working tree over it. */
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

/** Documents on any indexed revision that still exists. */
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

/** One shard as a search sees it; `universe` is the search's own. */
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
