import { ServiceError } from "#base/error";
import type { Task } from "#platform/serveTask";
import { loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { countDocuments } from "./count";
import { DescriptionSearch, scopeOfDescription } from "./descriptionSearch";
import { findSymbols } from "./findSymbols";
import { readDocuments } from "./readDocuments";
import { Search } from "./search";
import { scopeOf, shardsOf } from "./searchedViews";
import {
  attachesAllFiles,
  type SearchResponse,
  type WorkerCall,
  type WorkerResponse,
} from "./searchMessages";
import { ShardSet } from "./shardSet";
import { WaitingSearches } from "./waitingSearches";

type WaitingSearch = Search | DescriptionSearch;

/** The worker side of the embedded engine: one set of open shards, and any number of interleaved searches. */
export function createSearchTask(): Task<WorkerCall, WorkerResponse> {
  let set: ShardSet | undefined;
  const window = threadWindow();
  const waiting = new WaitingSearches<WaitingSearch>();
  const withToken = (response: SearchResponse, search: WaitingSearch): SearchResponse => {
    if (attachesAllFiles(response)) return { ...response, token: waiting.keepBriefly(search) };
    if (response.hits.some((shard) => shard.documents.length > 0))
      return { ...response, token: waiting.keep(search) };
    search.release();
    return response;
  };
  return async (call, context) => {
    const checksum = await loadChecksum();
    set ??= new ShardSet(checksum);
    if (call.kind === "update") {
      set.apply(call);
      return { kind: "updated", damagedFiles: set.damagedFiles, unreadable: set.unreadableReasons };
    }
    if (call.kind === "files") {
      const search = waiting.take(call.token);
      if (search === undefined) throw searchDropped();
      try {
        return await search.loadFiles(call, context);
      } finally {
        search.release();
      }
    }
    if (call.kind === "count") return { kind: "counted", counts: countDocuments(set.snapshot, call) };
    if (call.kind === "symbols") return findSymbols(set.snapshot, call, { checksum, window });
    if (call.kind === "read") return readDocuments(set.snapshot, call);
    if (call.kind === "describe") {
      const search = new DescriptionSearch(set, window, call);
      const response = await search.count(
        shardsOf(set.snapshot, scopeOfDescription(call), checksum),
        context,
      );
      return context.isCanceled() ? response : { ...response, token: waiting.keep(search) };
    }
    if (call.kind === "estimate" || call.kind === "rank") {
      const search = waiting.take(call.token);
      if (!(search instanceof DescriptionSearch)) throw searchDropped();
      if (call.kind === "estimate") {
        const estimates = await search.estimate(call, context);
        return context.isCanceled() ? estimates : { ...estimates, token: waiting.keep(search) };
      }
      const ranked = await search.rank(call, context);
      return context.isCanceled() ? ranked : withToken(ranked, search);
    }
    const search = new Search(set, window, call, context);
    const response = await search.run(shardsOf(set.snapshot, scopeOf(call), checksum));
    // The files of a canceled search are never requested.
    if (response.kind === "hits" && !context.isCanceled()) return withToken(response, search);
    search.release();
    return response;
  };
}

function searchDropped(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The search has been dropped.");
}
