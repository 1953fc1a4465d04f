/** Definitions by their names, in the shards of one worker. */
import { isServiceError } from "#base/error";
import type { FoundSymbol, SymbolName } from "#engine/engine";
import type { FlushReason } from "#model/stats";
import { symbolKinds } from "#model/symbol";
import type { Checksum } from "#shard/checksum";
import { cutChunks } from "#shard/chunks";
import { scoreDefinition } from "#shard/definitionScore";
import type { ShardView } from "#shard/matchTree";
import { RangeBuffer } from "#shard/ranges";
import { weighDocument } from "#shard/score";
import type { SymbolReader } from "#shard/symbolReader";
import type { TextWindow } from "#shard/window";
import { fuzzyNames } from "./fuzzyNames";
import { damagedFileOf, lacksSymbols } from "./lacks";
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

/** Names of one shard that are looked at: whoever gets more of them goes on typing. */
const maxNames = 4096;
/** A line that is longer is shown in part. */
const maxLineLength = 1000;
/** Each letter that a name has besides what was asked for counts against it, up to so many. */
const maxRestLength = 100;
/** What a name in other capitals is worth less. */
const otherCapitals = 150;

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

/** A name that matches, and how well: what is added to the score of its definitions. */
export interface NamedMatch {
  readonly number: number;
  readonly name: string;
  /** Bytes of the name that match, for `scoreDefinition`. */
  readonly start: number;
  readonly end: number;
  readonly extra: number;
}

export function findSymbols(
  snapshot: ShardSnapshot,
  call: SymbolsCall,
  { checksum, window }: Tools,
): SymbolsAnswer {
  const hasRevision = call.revisions.length > 0;
  const { views, damagedFiles } = shardsOf(snapshot, { ...call, hasRevision, names: [] }, checksum);
  const damaged = new Set([...snapshot.damagedFiles, ...damagedFiles]);
  const candidates: Candidate[] = [];
  let reason: FlushReason = "NONE";
  for (const [shard, view] of views) {
    try {
      if (hasRevision) view.universe.intersect(view.ofRevisions(call.revisions));
      if (lacksSymbols(view)) reason = "INDEXING";
      if (view.symbols === undefined || view.universe.isEmpty()) continue;
      const { matches, isCut } = matchNames(view.symbols, call.name);
      if (isCut) reason = "MATCH_LIMIT";
      addCandidates(candidates, { shard, view, symbols: view.symbols, call }, matches);
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(shard));
    }
  }
  candidates.sort((left, right) => right.score - left.score || comparePlaces(left, right));
  if (candidates.length > call.limit) reason = "MATCH_LIMIT";
  const asked = { hasRevision, revisions: call.revisions };
  const symbols: PlacedSymbol[] = [];
  for (const candidate of candidates.slice(0, call.limit)) {
    try {
      const { order, definition } = candidate;
      symbols.push({ symbol: present(candidate, asked, window), order, definition });
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      damaged.add(damagedFileOf(candidate.shard));
    }
  }
  window.forget();
  const flushReason = damaged.size > 0 ? "SHARD_DAMAGED" : reason;
  return { kind: "symbols", symbols, flushReason, damagedFiles: [...damaged] };
}

function matchNames(symbols: SymbolReader, asked: SymbolName): { matches: NamedMatch[]; isCut: boolean } {
  if (asked.kind === "fuzzy") return fuzzyNames(symbols.names, asked.text);
  const { text, caseSensitive } = asked;
  const { from, to } = symbols.names.find(text, asked.kind === "exact");
  const end = Math.min(to, from + maxNames);
  const names = symbols.names.texts(Uint32Array.from({ length: end - from }, (_, at) => from + at));
  const byteLength = Buffer.byteLength(text);
  const matches: NamedMatch[] = [];
  for (const [at, name] of names.entries()) {
    const isSame = name.startsWith(text);
    if (caseSensitive && !isSame) continue;
    const rest = Math.min(maxRestLength, name.length - text.length);
    const extra = -rest - (isSame ? 0 : otherCapitals);
    matches.push({ number: from + at, name, start: 0, end: byteLength, extra });
  }
  return { matches, isCut: to > end };
}

interface Place {
  readonly shard: OpenShard;
  readonly view: ShardView;
  readonly symbols: SymbolReader;
  readonly call: SymbolsCall;
}

function addCandidates(
  candidates: Candidate[],
  { shard, view, symbols, call }: Place,
  matches: readonly NamedMatch[],
): void {
  const { reader, universe } = view;
  const kinds = call.kinds?.map((kind) => symbolKinds.indexOf(kind));
  for (const { number, name, start, end, extra } of matches) {
    for (const definition of symbols.namesakes(number, number + 1)) {
      const document = symbols.documentOf(definition);
      if (!universe.has(document)) continue;
      if (!call.withLocals && symbols.isLocal(definition)) continue;
      if (kinds !== undefined && !kinds.includes(symbols.kindIndex(definition))) continue;
      if (call.languages !== undefined && !call.languages.includes(reader.language(document))) continue;
      const part = partOf(shard, document);
      const isPreferred = part !== undefined && call.preferred.includes(part.repository.shards.id);
      const quality = scoreDefinition(symbols, definition, start, end) + extra;
      const score = weighDocument(quality, reader.categoryIndex(document), isPreferred);
      candidates.push({ shard, order: shard.order, symbols, document, definition, name, score });
    }
  }
}

/** Throws `SHARD_DAMAGED`. */
function present(
  { shard, symbols, document, definition, name, score }: Candidate,
  asked: { readonly hasRevision: boolean; readonly revisions: readonly string[] },
  window: TextWindow,
): FoundSymbol {
  const ranges = new RangeBuffer();
  const place = symbols.places[definition] ?? 0;
  ranges.push(place, place + (symbols.lengths[definition] ?? 0), 0, 0);
  const [chunk] = cutChunks({ reader: shard.reader, window, document }, ranges, 0, 1, 0);
  const first = symbols.definitionStarts[document] ?? 0;
  const body = symbols.bodies(document)[definition - first];
  const { start = place, end = place, parent = -1, owner = "" } = body ?? {};
  const nowhere = { byteOffset: place, lineNumber: 1, column: 1 };
  return {
    document: placeOf(shard, document, asked),
    name,
    kind: symbols.kind(definition),
    isLocal: symbols.isLocal(definition),
    parent:
      parent < 0 ? { name: owner, kind: "" } : { name: symbols.name(parent), kind: symbols.kind(parent) },
    range: chunk?.matchRanges[0] ?? { start: nowhere, end: nowhere },
    start,
    end,
    line: (chunk?.content.split("\n", 1)[0] ?? "").replace(/\r$/, "").slice(0, maxLineLength),
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
  const reasons = new Set(answers.map(({ flushReason }) => flushReason));
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
