/** Definitions by their names, in the shards of one worker. */
import { isServiceError } from "#base/error";
import type { FoundSymbol } from "#engine/engine";
import type { FlushReason } from "#model/stats";
import { symbolKinds } from "#model/symbol";
import type { Checksum } from "#shard/checksum";
import { scoreDefinition } from "#shard/definitionScore";
import type { ShardView } from "#shard/matchTree";
import { bestWeight, weighDocument } from "#shard/score";
import type { SymbolReader } from "#shard/symbolReader";
import type { TextWindow } from "#shard/window";
import type { NameMatch } from "./closeness";
import { type DefinitionPlace, definitionPlaces } from "./definitionPlaces";
import { damagedFileOf, lacksSymbols } from "./lacks";
import { tiersOf } from "./nameTiers";
import { placeOf } from "./place";
import { type OpenShard, partOf, type ShardSnapshot } from "./shardSet";
import {
  compareOrder,
  type PlacedSymbol,
  type ShardOrder,
  type SymbolsAnswer,
  type SymbolsCall,
} from "./task";
import { shardsOf } from "./universe";

/** More than anything that counts of a definition, so that a closer name comes first. */
const closenessWeight = 10_000;

interface Tools {
  readonly checksum: Checksum;
  readonly window: TextWindow;
}

/** A definition that will be shown if no better ones are found. */
interface Candidate {
  readonly shard: OpenShard;
  readonly order: ShardOrder;
  readonly symbols: SymbolReader;
  readonly document: number;
  readonly definition: number;
  readonly name: string;
  readonly score: number;
}

export function findSymbols(
  snapshot: ShardSnapshot,
  call: SymbolsCall,
  { checksum, window }: Tools,
): SymbolsAnswer {
  const hasRevision = call.revisions.length > 0;
  const { views, damagedFiles } = shardsOf(snapshot, { ...call, hasRevision, names: [] }, checksum);
  const damaged = new Set([...snapshot.damagedFiles, ...damagedFiles]);
  const best = new Best(call.limit);
  const reasons = new Set<FlushReason>();
  const seen = new Map<OpenShard, Set<number>>();
  const unseen = (shard: OpenShard, matches: readonly NameMatch[]) => {
    const before = seen.get(shard);
    seen.set(shard, new Set([...(before ?? []), ...matches.map(({ number }) => number)]));
    return before === undefined ? matches : matches.filter(({ number }) => !before.has(number));
  };
  for (const tier of tiersOf(call.name, window)) {
    // What is in a later tier is worse than everything in the one before.
    if (best.count >= call.limit) break;
    for (const [shard, view] of views) {
      try {
        if (hasRevision) view.universe.intersect(view.ofRevisions(call.revisions));
        if (lacksSymbols(view)) reasons.add("INDEXING");
        if (view.symbols === undefined || view.universe.isEmpty()) continue;
        const { matches, isCut } = tier(view.symbols);
        if (isCut) reasons.add("MATCH_LIMIT");
        addCandidates(best, { shard, view, symbols: view.symbols, call }, unseen(shard, matches));
      } catch (error) {
        if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
        damaged.add(damagedFileOf(shard));
      }
    }
  }
  if (best.count > call.limit) reasons.add("MATCH_LIMIT");
  const asked = { hasRevision, revisions: call.revisions };
  const symbols: PlacedSymbol[] = [];
  const candidates = best.candidates();
  const places = new Map<Candidate, DefinitionPlace>();
  for (const group of byDocument(candidates)) {
    try {
      addPlaces(places, group, window);
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(group[0].shard));
    }
  }
  for (const candidate of candidates) {
    const place = places.get(candidate);
    if (place === undefined) continue;
    try {
      const { order, definition } = candidate;
      symbols.push({ symbol: present(candidate, place, asked), order, definition });
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(candidate.shard));
    }
  }
  window.forget();
  if (damaged.size > 0) reasons.add("SHARD_DAMAGED");
  if (snapshot.lacksFiles) reasons.add("ENGINE_PARTIAL");
  return { kind: "symbols", symbols, reasons: [...reasons], damagedFiles: [...damaged] };
}

interface Place {
  readonly shard: OpenShard;
  readonly view: ShardView;
  readonly symbols: SymbolReader;
  readonly call: SymbolsCall;
}

/** The best of all candidates that are added. */
class Best {
  readonly #limit: number;
  #kept: Candidate[] = [];
  #count = 0;
  #least = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Of those that were added: past the limit it tells that there are more, and not how many. */
  get count(): number {
    return this.#count;
  }

  /** What is worth less than this is none of the best, and need not be added. */
  get least(): number {
    return this.#least;
  }

  add(candidate: Candidate): void {
    this.#count++;
    this.#kept.push(candidate);
    if (this.#kept.length < 2 * this.#limit + 100) return;
    this.#kept = this.candidates();
    this.#least = this.#kept.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  }

  /** The best first. */
  candidates(): Candidate[] {
    return this.#kept
      .toSorted((left, right) => right.score - left.score || comparePlaces(left, right))
      .slice(0, this.#limit);
  }
}

function addCandidates(
  best: Best,
  { shard, view, symbols, call }: Place,
  matches: readonly NameMatch[],
): void {
  const { reader, universe } = view;
  const kinds = call.kinds?.map((kind) => symbolKinds.indexOf(kind));
  const mayBePreferred = call.preferred.length > 0;
  const definitionsOf = namesakesOf(symbols, matches);
  for (const [at, { name, closeness }] of matches.entries()) {
    for (const definition of definitionsOf(at)) {
      const quality = scoreDefinition(symbols, definition, 0, symbols.lengths[definition] ?? 0);
      const base = closeness * closenessWeight;
      // Most are no better than those that are there, and need no look at their documents.
      if (base + bestWeight(quality, mayBePreferred) < best.least) continue;
      const document = symbols.documentOf(definition);
      if (!universe.has(document)) continue;
      if (!call.withLocals && symbols.isLocal(definition)) continue;
      if (kinds !== undefined && !kinds.includes(symbols.kindIndex(definition))) continue;
      if (call.languages !== undefined && !call.languages.includes(reader.language(document))) continue;
      const part = partOf(shard, document);
      const isPreferred = part !== undefined && call.preferred.includes(part.repository.shards.id);
      const score = base + weighDocument(quality, reader.categoryIndex(document), isPreferred);
      best.add({ shard, order: shard.order, symbols, document, definition, name, score });
    }
  }
}

/** Of each match; those of names that stand side by side are read in one go. */
function namesakesOf(symbols: SymbolReader, matches: readonly NameMatch[]): (at: number) => Uint32Array {
  const [first, last] = [matches[0]?.number ?? 0, matches.at(-1)?.number ?? -1];
  if (last - first + 1 !== matches.length)
    return (at) => symbols.namesakes(matches[at]?.number ?? 0, (matches[at]?.number ?? 0) + 1);
  const starts = symbols.namesakeStarts(first, last + 1);
  const definitions = symbols.namesakes(first, last + 1);
  const base = starts[0] ?? 0;
  return (at) => definitions.subarray((starts[at] ?? 0) - base, (starts[at + 1] ?? 0) - base);
}

/** Candidates of one document. */
type DocumentGroup = [first: Candidate, ...others: Candidate[]];

function byDocument(candidates: readonly Candidate[]): DocumentGroup[] {
  const groups = new Map<OpenShard, Map<number, DocumentGroup>>();
  for (const candidate of candidates) {
    const { shard, document } = candidate;
    const ofShard = groups.get(shard) ?? new Map<number, DocumentGroup>();
    groups.set(shard, ofShard);
    const group = ofShard.get(document);
    if (group === undefined) ofShard.set(document, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()].flatMap((ofShard) => [...ofShard.values()]);
}

/** Throws `SHARD_DAMAGED`. */
function addPlaces(places: Map<Candidate, DefinitionPlace>, group: DocumentGroup, window: TextWindow): void {
  const [{ shard, symbols, document }] = group;
  const definitions = group.map(({ definition }) => definition);
  const found = definitionPlaces(shard, symbols, document, definitions, window);
  for (const candidate of group) {
    const place = found.get(candidate.definition);
    if (place !== undefined) places.set(candidate, place);
  }
}

/** Throws `SHARD_DAMAGED`. */
function present(
  { shard, symbols, document, definition, name, score }: Candidate,
  { body, range, line }: DefinitionPlace,
  asked: { readonly hasRevision: boolean; readonly revisions: readonly string[] },
): FoundSymbol {
  const { start, end, parent, owner } = body;
  return {
    document: placeOf(shard, document, asked),
    name,
    kind: symbols.kind(definition),
    isLocal: symbols.isLocal(definition),
    parent:
      parent < 0 ? { name: owner, kind: "" } : { name: symbols.name(parent), kind: symbols.kind(parent) },
    range,
    start,
    end,
    line,
    score,
  };
}

/** The best of several workers' answers. */
export function chooseSymbols(
  answers: readonly SymbolsAnswer[],
  limit: number,
  workerCount: number,
): { readonly symbols: readonly FoundSymbol[]; readonly flushReason: FlushReason } {
  const all = answers.flatMap(({ symbols }) => symbols);
  all.sort((left, right) => right.symbol.score - left.symbol.score || comparePlaces(left, right));
  const reasons = new Set(answers.flatMap((answer) => answer.reasons));
  if (answers.length < workerCount) reasons.add("ENGINE_PARTIAL");
  if (all.length > limit) reasons.add("MATCH_LIMIT");
  const order: readonly FlushReason[] = [
    "SHARD_DAMAGED",
    "TIME_LIMIT",
    "INDEXING",
    "MATCH_LIMIT",
    "ENGINE_PARTIAL",
  ];
  const symbols = all.slice(0, limit).map(({ symbol }) => symbol);
  return { symbols, flushReason: order.find((each) => reasons.has(each)) ?? "NONE" };
}

type PlaceInShards = Pick<PlacedSymbol, "order" | "definition">;

/** Who has which shard must not show, so that all workers and the main thread order alike. */
function comparePlaces(left: PlaceInShards, right: PlaceInShards): number {
  return compareOrder(left.order, right.order) || left.definition - right.definition;
}
