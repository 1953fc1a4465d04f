/** Decides which documents a search covers, in which order, and which of them unsaved documents replace. */
import { Bitset } from "#base/bitset";
import { isServiceError } from "#base/error";
import { memorySource } from "#platform/byteSource";
import { namesRevision } from "#shard/evaluation/compile";
import type { ShardView } from "#shard/evaluation/matchTree";
import type { Checksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { pendingSymbols } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";
import { definingDocuments, type QueriedName, queriedNames } from "./definingDocuments";
import type { SearchCall, UnsavedText } from "./searchMessages";
import { compareOrder, layers } from "./searchOrder";
import { damagedFileOf } from "./shardGaps";
import {
  defaultUniverse,
  hidePath,
  type OpenShard,
  revisionUniverse,
  type ShardSnapshot,
  viewOf,
} from "./shardSet";

/** Documents of a shard that are searched together. */
export interface SearchedView {
  readonly shard: OpenShard;
  readonly view: ShardView;
  /** Whether the view contains the documents that define a searched name. */
  readonly isDefining: boolean;
  /**
   * Present only in a view where documents must contain the phrase to match: the documents of the shard's last view, from
   * which the search removes those that have matched.
   */
  readonly remaining?: Bitset;
}

/** The views of a search in search order. */
export interface SearchedShards {
  readonly views: readonly SearchedView[];
  /** Damaged files whose view could not be determined. */
  readonly damagedFiles: readonly string[];
}

/** What a search or a symbol lookup covers. */
export interface SearchScope {
  readonly hasRevision: boolean;
  readonly repositories: readonly number[] | "all";
  readonly unsaved: readonly UnsavedText[];
  /** Whether this worker searches the unsaved documents. */
  readonly searchesUnsaved: boolean;
  readonly preferred: readonly number[];
  /** Documents that define one of these names come first. */
  readonly names: readonly QueriedName[];
  /** Whether documents that contain the phrase of the query come first. */
  readonly hasPhrase: boolean;
}

export function scopeOf(call: SearchCall): SearchScope {
  const names = call.limits.maxDisplayedMatches === 0 ? [] : queriedNames(call.query);
  return { ...call, hasRevision: namesRevision(call.query), names, hasPhrase: call.phrase !== undefined };
}

/** Returns the views of all shards in search order. A shard with documents in several layers has several views. */
export function shardsOf(snapshot: ShardSnapshot, call: SearchScope, checksum: Checksum): SearchedShards {
  const { hasRevision, names, hasPhrase } = call;
  const unsaved = hasRevision ? [] : unsavedShards(snapshot, call, checksum);
  const stored = snapshot.shards.filter((shard) => !hasRevision || (shard.parts[0]?.segment ?? 0) >= 0);
  const shards = [...unsaved, ...stored.map((shard) => prioritize(shard, call.preferred))];
  const views: SearchedView[] = [];
  const damagedFiles: string[] = [];
  for (const shard of shards) {
    try {
      const universe = hasRevision ? revisionUniverse(shard) : defaultUniverse(shard).copy();
      if (!hasRevision && shard.order[0] !== layers.unsaved) hideUnsaved(universe, shard, call.unsaved);
      if (call.repositories !== "all") restrictToRepositories(universe, shard, new Set(call.repositories));
      const defining = definingDocuments(shard, names, universe);
      if (defining !== undefined) {
        const view = viewOf(shard, defining);
        views.push({ shard: inLayer(shard, "definitions"), view, isDefining: true });
        universe.subtract(defining);
      }
      // Without defining documents, which are evaluated even if the search stops before it reaches this view.
      if (hasPhrase) {
        const view = viewOf(shard, universe.copy());
        const phrases = inLayer(shard, "phrases");
        views.push({ shard: phrases, view, isDefining: false, remaining: universe });
      }
      views.push({ shard, view: viewOf(shard, universe), isDefining: false });
    } catch (error) {
      // Hiding documents reads paths, which may be damaged.
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damagedFiles.push(damagedFileOf(shard));
    }
  }
  views.sort((left, right) => compareOrder(left.shard.order, right.shard.order));
  return { views, damagedFiles };
}

/** Moves a shard up to the layer of phrases or definitions. Unsaved documents and overlays come first already. */
function inLayer(shard: OpenShard, name: "phrases" | "definitions"): OpenShard {
  const [layer, ...rest] = shard.order;
  if (layer < layers.preferred) return shard;
  const preferred = name === "phrases" ? layers.preferredPhrases : layers.preferredDefinitions;
  return { ...shard, order: [layer === layers.preferred ? preferred : layers[name], ...rest] };
}

/** Moves a shard that contains a preferred repository up to the layer of preferred repositories. */
function prioritize(shard: OpenShard, preferred: readonly number[]): OpenShard {
  const isPreferred =
    preferred.length > 0 && shard.parts.some((part) => preferred.includes(part.repository.shards.id));
  const [layer, ...rest] = shard.order;
  return isPreferred && layer > layers.preferred ? { ...shard, order: [layers.preferred, ...rest] } : shard;
}

/** Removes the documents of all other repositories. */
export function restrictToRepositories(universe: Bitset, shard: OpenShard, ids: ReadonlySet<number>): void {
  const included = new Bitset(universe.size);
  for (const part of shard.parts) {
    if (ids.has(part.repository.shards.id)) included.addRange(part.firstDocument, part.endDocument);
  }
  universe.intersect(included);
}

/** Removes the documents that unsaved ones hide. */
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

/** Builds a small shard per repository. It has no posting lists, because all of its few documents are searched. */
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
    const writer = new ShardWriter(sink, checksum, { hasTrigrams: false });
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
  const writer = new SymbolWriter(sink, checksum, { hasTrigrams: false });
  for (const { symbols = pendingSymbols } of texts) writer.add(symbols);
  writer.finish(reader.stamp);
  return new SymbolReader(memorySource(sink.bytes()), checksum, reader);
}
