/** Finds definitions by name in the shards of one worker. */
import { isServiceError } from "#base/error";
import type { FoundSymbol, SymbolsResult } from "#engine/engine";
import type { FlushReason } from "#model/stats";
import { isOwnerNearer, symbolKinds } from "#model/symbol";
import type { ShardView } from "#shard/evaluation/matchTree";
import type { Checksum } from "#shard/format/checksum";
import type { TextWindow } from "#shard/format/window";
import { scoreDefinition } from "#shard/matches/definitionScore";
import { bestWeight, weighDocument } from "#shard/matches/score";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import { type DefinitionLocation, definitionLocations } from "./definitionLocations";
import { describeDocument } from "./documentInfo";
import type { NameMatch } from "./nameMatch";
import { tiersOf } from "./nameTiers";
import { shardsOf } from "./searchedViews";
import type { RankedSymbol, SymbolsCall, SymbolsResponse } from "./searchMessages";
import { compareOrder, type ShardOrder } from "./searchOrder";
import { damagedFileOf, hasPendingSymbols } from "./shardGaps";
import { type OpenShard, partOf, type ShardSnapshot } from "./shardSet";

/** Greater than any score of a definition, so that definitions with a closer name come first. */
const closenessWeight = 10_000;

interface Tools {
  readonly checksum: Checksum;
  readonly window: TextWindow;
}

/** A definition that is returned unless better ones are found. */
interface Candidate {
  readonly shard: OpenShard;
  readonly order: ShardOrder;
  readonly symbols: SymbolReader;
  readonly document: number;
  readonly definition: number;
  readonly name: string;
  readonly score: number;
}

/** Returns the best definitions that match a call. Lists damaged files in the response instead of throwing. */
export function findSymbols(
  snapshot: ShardSnapshot,
  call: SymbolsCall,
  { checksum, window }: Tools,
): SymbolsResponse {
  const hasRevision = call.revisions.length > 0;
  const { views, damagedFiles } = shardsOf(
    snapshot,
    { ...call, hasRevision, names: [], hasPhrase: false },
    checksum,
  );
  const damaged = new Set([...snapshot.damagedFiles, ...damagedFiles]);
  const best = new BestCandidates(call.limit);
  const reasons = new Set<FlushReason>();
  const seen = new Map<OpenShard, Set<number>>();
  const unseen = (shard: OpenShard, matches: readonly NameMatch[]) => {
    const before = seen.get(shard);
    seen.set(shard, new Set([...(before ?? []), ...matches.map(({ number }) => number)]));
    return before === undefined ? matches : matches.filter(({ number }) => !before.has(number));
  };
  for (const tier of tiersOf(call.name, window)) {
    // Every new match of a later tier ranks below all matches of the earlier ones.
    if (best.count >= call.limit) break;
    for (const { shard, view } of views) {
      try {
        if (hasRevision) view.universe.intersect(view.ofRevisions(call.revisions));
        if (hasPendingSymbols(view)) reasons.add("INDEXING");
        if (view.symbols === undefined || view.universe.isEmpty()) continue;
        const { matches, isTruncated } = tier(view.symbols);
        if (isTruncated) reasons.add("MATCH_LIMIT");
        addCandidates(best, { shard, view, symbols: view.symbols, call }, unseen(shard, matches));
      } catch (error) {
        if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
        damaged.add(damagedFileOf(shard));
      }
    }
  }
  if (best.count > call.limit) reasons.add("MATCH_LIMIT");
  const requested = { hasRevision, revisions: call.revisions };
  const symbols: RankedSymbol[] = [];
  const candidates = best.candidates();
  const locations = new Map<Candidate, DefinitionLocation>();
  for (const group of byDocument(candidates)) {
    try {
      addLocations(locations, group, window);
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(group[0].shard));
    }
  }
  for (const candidate of candidates) {
    const location = locations.get(candidate);
    if (location === undefined) continue;
    try {
      const { order, definition } = candidate;
      symbols.push({ symbol: toFoundSymbol(candidate, location, requested), order, definition });
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(candidate.shard));
    }
  }
  window.invalidate();
  if (damaged.size > 0) reasons.add("SHARD_DAMAGED");
  const filesMissing = views.reduce((sum, { view }) => sum + countMissing(view, call), 0);
  if (snapshot.hasUnreadableFiles || filesMissing > 0) reasons.add("ENGINE_PARTIAL");
  return { kind: "symbols", symbols, reasons: [...reasons], filesMissing, damagedFiles: [...damaged] };
}

/**
 * Counts documents whose text is missing and whose language, according to the path, is one of `languages` (if given).
 */
function countMissing({ reader, universe }: ShardView, { languages }: SymbolsCall): number {
  const missing = reader.missingText?.copy().intersect(universe);
  let count = 0;
  for (let at = missing?.next(0) ?? -1; at >= 0; at = missing?.next(at + 1) ?? -1) {
    const language = reader.language(at);
    if (languages === undefined ? language !== "" : languages.includes(language)) count++;
  }
  return count;
}

interface ShardContext {
  readonly shard: OpenShard;
  readonly view: ShardView;
  readonly symbols: SymbolReader;
  readonly call: SymbolsCall;
}

/** Keeps the best `limit` of the candidates that are added. */
class BestCandidates {
  readonly #limit: number;
  #candidates: Candidate[] = [];
  #count = 0;
  #least = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of added candidates. Above the limit it is only a lower bound. */
  get count(): number {
    return this.#count;
  }

  /** Candidates with a lower score are not among the best and need not be added. */
  get minScore(): number {
    return this.#least;
  }

  add(candidate: Candidate): void {
    this.#count++;
    this.#candidates.push(candidate);
    if (this.#candidates.length < 2 * this.#limit + 100) return;
    this.#candidates = this.candidates();
    this.#least = this.#candidates.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  }

  /** Best first. */
  candidates(): Candidate[] {
    return this.#candidates
      .toSorted((left, right) => right.score - left.score || compareShardPosition(left, right))
      .slice(0, this.#limit);
  }
}

function addCandidates(
  best: BestCandidates,
  { shard, view, symbols, call }: ShardContext,
  matches: readonly NameMatch[],
): void {
  const { reader, universe } = view;
  const kinds = call.kinds?.map((kind) => symbolKinds.indexOf(kind));
  const mayBePreferred = call.preferred.length > 0;
  const definitionsOf = namesakesOf(symbols, matches);
  for (const [at, { name, closeness }] of matches.entries()) {
    for (const definition of definitionsOf(at)) {
      const quality = scoreDefinition(symbols, definition, 0, symbols.nameLength(definition));
      const base = closeness * closenessWeight;
      // Rules out most definitions before looking up their documents.
      if (base + bestWeight(quality, mayBePreferred) < best.minScore) continue;
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

/** Returns the definitions of each match. Reads those of adjacent names together. */
function namesakesOf(symbols: SymbolReader, matches: readonly NameMatch[]): (index: number) => Uint32Array {
  const [first, last] = [matches[0]?.number ?? 0, matches.at(-1)?.number ?? -1];
  if (last - first + 1 !== matches.length)
    return (at) => symbols.namesakes(matches[at]?.number ?? 0, (matches[at]?.number ?? 0) + 1);
  const definitions = symbols.namesakesOfEach(first, last + 1);
  return (at) => definitions[at] ?? new Uint32Array(0);
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
function addLocations(
  locations: Map<Candidate, DefinitionLocation>,
  group: DocumentGroup,
  window: TextWindow,
): void {
  const [{ shard, symbols, document }] = group;
  const definitions = group.map(({ definition }) => definition);
  const found = definitionLocations(shard, symbols, document, definitions, window);
  for (const candidate of group) {
    const location = found.get(candidate.definition);
    if (location !== undefined) locations.set(candidate, location);
  }
}

/** Throws `SHARD_DAMAGED`. */
function toFoundSymbol(
  { shard, symbols, document, definition, name, score }: Candidate,
  { body, range, line }: DefinitionLocation,
  requested: { readonly hasRevision: boolean; readonly revisions: readonly string[] },
): FoundSymbol {
  const { start, end, parent, owner } = body;
  return {
    document: describeDocument(shard, document, requested),
    name,
    kind: symbols.kind(definition),
    isLocal: symbols.isLocal(definition),
    parent:
      parent < 0 || isOwnerNearer(owner, symbols.kind(parent))
        ? { name: owner, kind: "" }
        : { name: symbols.name(parent), kind: symbols.kind(parent) },
    range,
    start,
    end,
    line,
    score,
  };
}

/** Merges the responses of the workers and keeps the best symbols. */
export function chooseSymbols(
  responses: readonly SymbolsResponse[],
  limit: number,
  workerCount: number,
): SymbolsResult {
  const all = responses.flatMap(({ symbols }) => symbols);
  all.sort((left, right) => right.symbol.score - left.symbol.score || compareShardPosition(left, right));
  const reasons = new Set(responses.flatMap((response) => response.reasons));
  if (responses.length < workerCount) reasons.add("ENGINE_PARTIAL");
  if (all.length > limit) reasons.add("MATCH_LIMIT");
  const order: readonly FlushReason[] = [
    "SHARD_DAMAGED",
    "TIME_LIMIT",
    "INDEXING",
    "MATCH_LIMIT",
    "ENGINE_PARTIAL",
  ];
  const symbols = all.slice(0, limit).map(({ symbol }) => symbol);
  return {
    symbols,
    flushReason: order.find((each) => reasons.has(each)) ?? "NONE",
    filesMissing: responses.reduce((sum, response) => sum + response.filesMissing, 0),
  };
}

type ShardPosition = Pick<RankedSymbol, "order" | "definition">;

/**
 * Orders symbols with the same score, in the workers and on the main thread, so that the result does not depend on
 * which worker owns a shard.
 */
function compareShardPosition(left: ShardPosition, right: ShardPosition): number {
  return compareOrder(left.order, right.order) || left.definition - right.definition;
}
