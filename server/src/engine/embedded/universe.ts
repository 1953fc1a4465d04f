import { Bitset } from "#base/bitset";
import { isServiceError } from "#base/error";
import { memorySource } from "#platform/byteSource";
import type { Query } from "#query/query";
import type { Checksum } from "#shard/checksum";
import type { ShardView } from "#shard/matchTree";
import { ShardReader } from "#shard/reader";
import { SymbolReader } from "#shard/symbolReader";
import { pendingSymbols } from "#shard/symbols";
import { SymbolWriter } from "#shard/symbolWriter";
import { MemorySink, ShardWriter } from "#shard/writer";
import { type AskedName, askedNames, definers } from "./definers";
import { damagedFileOf } from "./lacks";
import {
  defaultUniverse,
  hidePath,
  type OpenShard,
  revisionUniverse,
  type ShardSnapshot,
  viewOf,
} from "./shardSet";
import { compareOrder, layers, type SearchCall, type UnsavedText } from "./task";

/** The shards of a search in the order in which it goes through them, each with what it may see there. */
export interface SearchedShards {
  readonly views: readonly (readonly [OpenShard, ShardView])[];
  /** Files of which not even that could be read. */
  readonly damagedFiles: readonly string[];
}

/** What a search or a look-up covers. */
export interface SearchScope {
  readonly hasRevision: boolean;
  readonly repositories: readonly number[] | "all";
  readonly unsaved: readonly UnsavedText[];
  /** This worker searches the unsaved documents. */
  readonly searchesUnsaved: boolean;
  readonly preferred: readonly number[];
  /** What defines one of these is looked at first. */
  readonly names: readonly AskedName[];
}

export function scopeOf(call: SearchCall): SearchScope {
  const names = call.limits.maxDisplayedMatches === 0 ? [] : askedNames(call.query);
  return { ...call, hasRevision: mentionsRevision(call.query), names };
}

export function shardsOf(snapshot: ShardSnapshot, call: SearchScope, checksum: Checksum): SearchedShards {
  const { hasRevision, names } = call;
  const unsaved = hasRevision ? [] : unsavedShards(snapshot, call, checksum);
  const stored = snapshot.shards.filter((shard) => !hasRevision || (shard.parts[0]?.segment ?? 0) >= 0);
  const shards = [...unsaved, ...stored.map((shard) => inFront(shard, call.preferred))];
  const views: (readonly [OpenShard, ShardView])[] = [];
  const damagedFiles: string[] = [];
  for (const shard of shards) {
    try {
      const universe = hasRevision ? revisionUniverse(shard) : defaultUniverse(shard).copy();
      if (!hasRevision && shard.order[0] !== layers.unsaved) hideUnsaved(universe, shard, call.unsaved);
      if (call.repositories !== "all") keepRepositories(universe, shard, new Set(call.repositories));
      const first = definers(shard, names, universe);
      if (first !== undefined) {
        views.push([asDefiners(shard), viewOf(shard, first)]);
        universe.subtract(first);
      }
      views.push([shard, viewOf(shard, universe)]);
    } catch (error) {
      // Names are looked up to hide them.
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damagedFiles.push(damagedFileOf(shard));
    }
  }
  views.sort(([left], [right]) => compareOrder(left.order, right.order));
  return { views, damagedFiles };
}

/** The shard as it stands in front of the others with some of its documents. */
function asDefiners(shard: OpenShard): OpenShard {
  const [layer, ...rest] = shard.order;
  if (layer < layers.preferred) return shard;
  return {
    ...shard,
    order: [layer === layers.preferred ? layers.preferredDefiners : layers.definers, ...rest],
  };
}

function inFront(shard: OpenShard, preferred: readonly number[]): OpenShard {
  const isPreferred =
    preferred.length > 0 && shard.parts.some((part) => preferred.includes(part.repository.shards.id));
  const [layer, ...rest] = shard.order;
  return isPreferred && layer > layers.preferred ? { ...shard, order: [layers.preferred, ...rest] } : shard;
}

/** Keeps the documents of these repositories. */
export function keepRepositories(universe: Bitset, shard: OpenShard, ids: ReadonlySet<number>): void {
  const kept = new Bitset(universe.size);
  for (const part of shard.parts) {
    if (ids.has(part.repository.shards.id)) kept.addRange(part.firstDocument, part.endDocument);
  }
  universe.intersect(kept);
}

/** What an editor holds stands over what the disk and the commits hold at the same path. */
function hideUnsaved(universe: Bitset, shard: OpenShard, unsaved: readonly UnsavedText[]): void {
  for (const { repositoryId, path } of unsaved) {
    const bytes = Buffer.from(path);
    for (const part of shard.parts) {
      if (part.repository.shards.id !== repositoryId) continue;
      if (part.segment >= 0) hidePath(universe, part.repository.segments, part.segment, bytes);
      else for (const document of shard.reader.findPath(bytes, 0, universe.size)) universe.delete(document);
    }
  }
}

/** One small shard a repository, without postings: its few documents are all looked at. */
function unsavedShards(snapshot: ShardSnapshot, call: SearchScope, checksum: Checksum): OpenShard[] {
  if (!call.searchesUnsaved) return [];
  const byRepository = new Map<number, UnsavedText[]>();
  for (const text of call.unsaved) {
    byRepository.set(text.repositoryId, [...(byRepository.get(text.repositoryId) ?? []), text]);
  }
  return [...byRepository].flatMap(([id, texts]): OpenShard[] => {
    const repository = snapshot.repositories.get(id);
    if (repository === undefined) return [];
    const sink = new MemorySink();
    const writer = new ShardWriter(sink, checksum, { withTrigrams: false });
    writer.beginRepository(id);
    for (const { path, text, language } of texts) {
      const content = Buffer.from(text);
      writer.add({ path: Buffer.from(path), content, blob: "", language, category: "source", slots: [] });
    }
    writer.finish();
    const reader = new ShardReader(memorySource(sink.bytes()), checksum);
    const symbols = unsavedSymbols(texts, reader, checksum);
    const part = { repository, firstDocument: 0, endDocument: texts.length, segment: -1 };
    return [
      {
        file: "",
        reader,
        symbols,
        symbolsFile: "",
        parts: [part],
        order: [layers.unsaved, id, 0],
        defaultUniverse: undefined,
      },
    ];
  });
}

function unsavedSymbols(
  texts: readonly UnsavedText[],
  reader: ShardReader,
  checksum: Checksum,
): SymbolReader | undefined {
  if (texts.every(({ symbols }) => symbols === undefined)) return undefined;
  const sink = new MemorySink();
  const writer = new SymbolWriter(sink, checksum, { withTrigrams: false });
  for (const { symbols = pendingSymbols } of texts) writer.add(symbols);
  writer.finish(reader.stamp);
  return new SymbolReader(memorySource(sink.bytes()), checksum, reader);
}

function mentionsRevision(query: Query): boolean {
  switch (query.kind) {
    case "revision":
      return true;
    case "and":
    case "or":
      return query.children.some(mentionsRevision);
    case "not":
    case "type":
      return mentionsRevision(query.child);
    default:
      return false;
  }
}
