import { canceled, ServiceError } from "#base/error";
import { Search } from "#engine/embedded/search";
import { scopeOf, shardsOf } from "#engine/embedded/searchedViews";
import type { ShardSnapshot } from "#engine/embedded/shardSet";
import { WaitingSearches } from "#engine/embedded/waitingSearches";
import type { Task } from "#platform/serveTask";
import { loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { buildCandidates, type KnownRepositories } from "./candidates";
import type { ZoektCall, ZoektResponse } from "./zoektMessages";

/**
 * The worker side of the engine: parses the responses of nodes, and evaluates queries on the documents in them as the
 * embedded engine does, so that positions, chunks and scores are the same.
 */
export function createVerifyTask(): Task<ZoektCall, ZoektResponse> {
  const window = threadWindow();
  const candidates = new WaitingSearches<ShardSnapshot>();
  const searches = new WaitingSearches<Search>();
  let known: KnownRepositories = new Map();
  return async (call, context) => {
    switch (call.kind) {
      case "repositories":
        known = new Map(call.repositories.map((repository) => [repository.name, repository]));
        return { kind: "ready" };
      case "candidates": {
        const checksum = await loadChecksum();
        // Responses may be large, so those of a canceled search are neither parsed nor kept.
        if (context.isCanceled()) throw canceled();
        const { snapshot, nodes } = buildCandidates(call, known, checksum);
        if (context.isCanceled()) throw canceled();
        return { kind: "candidates", token: candidates.keep(snapshot), nodes };
      }
      case "verify": {
        const snapshot = candidates.take(call.token);
        if (snapshot === undefined) throw dropped();
        const search = new Search({ snapshot }, window, call.search, context);
        const response = await search.run(shardsOf(snapshot, scopeOf(call.search), await loadChecksum()));
        if (response.kind !== "hits" || context.isCanceled()) return response;
        const isEmpty = response.hits.every(({ documents }) => documents.length === 0);
        // One thread has all hits, so no limit cuts attached files, and they are not requested.
        return isEmpty || response.attached ? response : { ...response, token: searches.keep(search) };
      }
      case "files": {
        const search = searches.take(call.token);
        if (search === undefined) throw dropped();
        return search.loadFiles(call, context);
      }
    }
  };
}

function dropped(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The search has been dropped.");
}
