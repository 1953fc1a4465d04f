import { ServiceError } from "#base/error";
import { Search } from "#engine/embedded/search";
import { scopeOf, shardsOf } from "#engine/embedded/searchedViews";
import type { ShardSnapshot } from "#engine/embedded/shardSet";
import type { Task } from "#platform/serveTask";
import { loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { buildCandidates, type KnownRepositories } from "./candidates";
import type { ZoektCall, ZoektResponse } from "./zoektMessages";

/** Candidates and searches whose next call does not arrive within this time are dropped. */
const dropAfterMs = 60_000;

/**
 * The worker side of the engine: parses the responses of nodes, and evaluates queries on the documents in them as the
 * embedded engine does, so that positions, chunks and scores are the same.
 */
export function createVerifyTask(): Task<ZoektCall, ZoektResponse> {
  const window = threadWindow();
  const candidates = new Waiting<ShardSnapshot>();
  const searches = new Waiting<Search>();
  let known: KnownRepositories = new Map();
  return async (call, context) => {
    switch (call.kind) {
      case "repositories":
        known = new Map(call.repositories.map((repository) => [repository.name, repository]));
        return { kind: "ready" };
      case "candidates": {
        const { snapshot, nodes } = buildCandidates(call, known, await loadChecksum());
        return { kind: "candidates", token: candidates.add(snapshot), nodes };
      }
      case "verify": {
        const snapshot = candidates.take(call.token);
        if (snapshot === undefined) throw dropped();
        const search = new Search({ snapshot }, window, call.search, context);
        const response = await search.run(shardsOf(snapshot, scopeOf(call.search), await loadChecksum()));
        if (response.kind !== "hits" || context.isCanceled()) return response;
        const isEmpty = response.hits.every(({ documents }) => documents.length === 0);
        return isEmpty ? response : { ...response, token: searches.add(search) };
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

/** Values that wait for the next call of a search, by token. */
class Waiting<Value> {
  readonly #values = new Map<number, { readonly value: Value; readonly timer: NodeJS.Timeout }>();
  #lastToken = 0;

  add(value: Value): number {
    const token = ++this.#lastToken;
    this.#values.set(token, {
      value,
      timer: setTimeout(() => this.#values.delete(token), dropAfterMs).unref(),
    });
    return token;
  }

  take(token: number): Value | undefined {
    const kept = this.#values.get(token);
    this.#values.delete(token);
    clearTimeout(kept?.timer);
    return kept?.value;
  }
}
