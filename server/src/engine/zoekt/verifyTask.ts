import { canceled, ServiceError } from "#base/error";
import { maxDocuments } from "#engine/embedded/bestDocuments";
import { chooseHits } from "#engine/embedded/collect";
import { DescriptionSearch, scopeOfDescription } from "#engine/embedded/descriptionSearch";
import { findSymbols } from "#engine/embedded/findSymbols";
import { Search } from "#engine/embedded/search";
import { scopeOf, shardsOf } from "#engine/embedded/searchedViews";
import type { DescriptionCall, SearchCall, SearchResponse, TooSlow } from "#engine/embedded/searchMessages";
import type { ShardSet } from "#engine/embedded/shardSet";
import { WaitingSearches } from "#engine/embedded/waitingSearches";
import type { Task, TaskContext } from "#platform/serveTask";
import type { Description } from "#query/description";
import { type Checksum, loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { CachedTexts } from "./cachedTexts";
import { CandidateShards } from "./candidateShards";
import {
  type Candidates,
  collectCandidates,
  type KnownRepositories,
  textsToParse,
  type UnhashedDocument,
} from "./candidates";
import { maxLoadedMatches } from "./matchedLines";
import type {
  CandidateSource,
  EvaluatedResponse,
  LoadedFiles,
  MissingResponse,
  ZoektCall,
  ZoektResponse,
} from "./zoektMessages";

/** The texts of documents may take this share of the caches, and shards made of them the rest. */
const textShare = 2 / 3;
type EvaluatedSearch = Pick<DescriptionSearch, "loadFiles">;

/** A search whose documents have been evaluated. */
interface EvaluatedHits extends Pick<EvaluatedResponse, "nodes" | "cachedShare"> {
  readonly search: EvaluatedSearch;
  readonly response: SearchResponse;
  readonly call: SearchCall;
  /** The documents of the result whose hashes are not known. */
  readonly unhashed: Set<UnhashedDocument>;
}

/** Instead of the token of a search whose files are part of the response. */
const loadedToken = -1;

/**
 * The worker side of the engine: parses the responses of nodes, and evaluates queries on the documents in them as the
 * embedded engine does, so that positions, chunks and scores are the same. Its caches take at most `cacheBytes`.
 */
export function createVerifyTask(cacheBytes: number): Task<ZoektCall, ZoektResponse> {
  const window = threadWindow();
  const prepared = new WaitingSearches<Candidates>();
  const searches = new WaitingSearches<EvaluatedSearch>();
  const unhashedSearches = new WaitingSearches<EvaluatedHits>();
  const cache = new CachedTexts(cacheBytes * textShare);
  const shards = new CandidateShards(cacheBytes * (1 - textShare));
  let known: KnownRepositories = new Map();

  const collect = (source: CandidateSource, { isCanceled }: TaskContext): Candidates | MissingResponse => {
    // Responses may be large, so those of a canceled search are not parsed.
    if (isCanceled()) throw canceled();
    if (source.kind === "replies") return collectCandidates(source, known, cache);
    const candidates = prepared.take(source.token);
    if (candidates === undefined) throw dropped();
    return candidates;
  };
  const symbolsOf = (source: CandidateSource) => (source.kind === "replies" ? undefined : source.symbols);
  const present = async (evaluated: EvaluatedHits, context: TaskContext): Promise<ZoektResponse> => {
    const { nodes, cachedShare, search, call, unhashed } = evaluated;
    // Attached files are in the order of the documents. If they lack hashes, files are loaded in the order of the result.
    const isComplete = unhashed.size === 0;
    const response = isComplete
      ? evaluated.response
      : { ...evaluated.response, attached: undefined, loadedCount: 0 };
    unhashed.clear();
    const files = await loadFew(search, response, call, context);
    if (unhashed.size > 0) {
      if (context.isCanceled()) throw canceled();
      const token = unhashedSearches.keep({ ...evaluated, response });
      const documents = Array.from(unhashed, ({ source }) => source);
      return { kind: "unhashed", token, documents, files };
    }
    const shown = files === undefined ? withToken(response, search) : { ...response, token: loadedToken };
    return { kind: "evaluated", nodes, cachedShare, response: shown, files };
  };
  const withToken = (response: SearchResponse, search: EvaluatedSearch): SearchResponse => {
    const isEmpty = response.hits.every(({ documents }) => documents.length === 0);
    // One thread has all hits, so no limit cuts attached files, and they are not requested.
    return isEmpty || response.attached ? response : { ...response, token: searches.keep(search) };
  };

  return async (call, context) => {
    switch (call.kind) {
      case "repositories":
        known = new Map(call.repositories.map((repository) => [repository.name, repository]));
        return { kind: "ready" };
      case "prepare": {
        const candidates = collect({ kind: "replies", ...call.replies }, context);
        if ("kind" in candidates) return candidates;
        const texts = textsToParse(candidates);
        if (context.isCanceled()) throw canceled();
        return { kind: "prepared", token: prepared.keep(candidates), texts };
      }
      case "evaluate": {
        const checksum = await loadChecksum();
        const candidates = collect(call.source, context);
        if ("kind" in candidates) return candidates;
        const { nodes, cachedShare } = candidates;
        const unhashed = new Set<UnhashedDocument>();
        const hashOf = (document: UnhashedDocument) => {
          const facts = cache.factsOf(document.file);
          if (facts === undefined) unhashed.add(document);
          // Only now is it known that a document is skipped that was found by its path.
          return facts === undefined || facts.skip !== undefined ? "" : facts.blob;
        };
        const { preferred } = call.search;
        const snapshot = shards.open(candidates, symbolsOf(call.source), { preferred, hashOf });
        const [search, response] =
          call.description === undefined
            ? await runSearch({ snapshot }, call.search, context, checksum)
            : await runDescription({ snapshot }, call.search, call.description, context, checksum);
        if (response.kind === "tooSlow" || context.isCanceled())
          return { kind: "evaluated", nodes, cachedShare, response };
        return present({ nodes, cachedShare, search, response, call: call.search, unhashed }, context);
      }
      case "hash": {
        const waiting = unhashedSearches.take(call.token);
        if (call.texts === undefined) return { kind: "ready" };
        if (waiting === undefined) throw dropped();
        if (context.isCanceled()) throw canceled();
        cache.learnAll(call.texts);
        return present(waiting, context);
      }
      case "find": {
        const checksum = await loadChecksum();
        const candidates = collect(call.source, context);
        if ("kind" in candidates) return candidates;
        const snapshot = shards.open(candidates, symbolsOf(call.source));
        const response = findSymbols(snapshot, call.request, { checksum, window });
        return { kind: "found", nodes: candidates.nodes, response };
      }
      case "files": {
        const search = searches.take(call.token);
        if (search === undefined) throw dropped();
        return search.loadFiles(call, context);
      }
    }
  };
}

async function runSearch(
  set: Pick<ShardSet, "snapshot">,
  call: SearchCall,
  context: TaskContext,
  checksum: Checksum,
): Promise<[EvaluatedSearch, SearchResponse | TooSlow]> {
  const search = new Search(set, threadWindow(), call, context);
  return [search, await search.run(shardsOf(set.snapshot, scopeOf(call), checksum))];
}

/** Weighs words by how often they occur in the candidates, because it is not known how often they do on the nodes. */
async function runDescription(
  set: Pick<ShardSet, "snapshot">,
  search: SearchCall,
  description: Description,
  context: TaskContext,
  checksum: Checksum,
): Promise<[EvaluatedSearch, SearchResponse]> {
  const until = search.limits.deadline;
  const call: DescriptionCall = { kind: "describe", description, search, until };
  const described = new DescriptionSearch(set, threadWindow(), call);
  const shards = shardsOf(set.snapshot, scopeOfDescription(call), checksum);
  const frequencies = await described.count(shards, context);
  await described.estimate({ ...frequencies, kind: "estimate", until }, context);
  const response = await described.rank({ kind: "rank", token: 0, documentCount: maxDocuments }, context);
  return [described, response];
}

/** Loads the files that the main thread will choose, if these are few: it has the same hits to choose from. */
async function loadFew(
  search: EvaluatedSearch,
  response: SearchResponse,
  { limits }: SearchCall,
  { isCanceled }: TaskContext,
): Promise<LoadedFiles | undefined> {
  if (response.attached !== undefined || limits.maxDisplayedMatches > maxLoadedMatches) return undefined;
  const [picks] = (await chooseHits([response], limits)).hits;
  if (picks === undefined || picks.shards.length === 0) return undefined;
  const pieces: unknown[] = [];
  const emit = async (piece: unknown) => void pieces.push(piece);
  const loaded = await search.loadFiles({ picks, until: limits.deadline }, { isCanceled, emit });
  return { pieces, response: loaded };
}

function dropped(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The search has been dropped.");
}
