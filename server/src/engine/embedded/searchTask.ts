import { ServiceError } from "#base/error";
import type { Task } from "#platform/serveTask";
import { loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { countDocuments } from "./count";
import { DescriptionSearch, scopeOfDescription } from "./descriptionSearch";
import { findSymbols } from "./findSymbols";
import { readDocuments } from "./readDocuments";
import { PieceColumns } from "./resultPiece";
import { Search } from "./search";
import { scopeOf, shardsOf } from "./searchedViews";
import type { SearchResponse, WorkerCall, WorkerResponse } from "./searchMessages";
import { ShardSet } from "./shardSet";

type WaitingSearch = Search | DescriptionSearch;

/** Searches whose next call does not arrive within this time are dropped. */
const dropAfterMs = 60_000;

/** The worker side of the embedded engine: one set of open shards, and any number of interleaved searches. */
export function createSearchTask(): Task<WorkerCall, WorkerResponse> {
  let set: ShardSet | undefined;
  let lastToken = 0;
  const window = threadWindow();
  /** Searches whose next call has not arrived yet, by token. */
  const waiting = new Map<number, { readonly search: WaitingSearch; readonly timer: NodeJS.Timeout }>();
  const keep = (search: WaitingSearch): number => {
    const token = ++lastToken;
    waiting.set(token, { search, timer: setTimeout(() => waiting.delete(token), dropAfterMs).unref() });
    return token;
  };
  const take = (token: number): WaitingSearch | undefined => {
    const kept = waiting.get(token);
    waiting.delete(token);
    clearTimeout(kept?.timer);
    return kept?.search;
  };
  const withToken = (response: SearchResponse, search: WaitingSearch): SearchResponse => {
    const isEmpty = response.hits.every((shard) => shard.documents.length === 0);
    return isEmpty ? response : { ...response, token: keep(search) };
  };
  return async (call, context) => {
    const checksum = await loadChecksum();
    set ??= new ShardSet(checksum);
    if (call.kind === "update") {
      set.apply(call);
      return { kind: "updated", damagedFiles: set.damagedFiles, unreadable: set.unreadableReasons };
    }
    if (call.kind === "files") {
      return (
        take(call.token)?.loadFiles(call, context) ?? {
          kind: "files",
          last: new PieceColumns().withChunks(new Uint8Array(0)),
          isLate: false,
          damagedFiles: [],
        }
      );
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
      return context.isCanceled() ? response : { ...response, token: keep(search) };
    }
    if (call.kind === "estimate" || call.kind === "rank") {
      const search = take(call.token);
      if (!(search instanceof DescriptionSearch))
        throw new ServiceError("ENGINE_UNAVAILABLE", "The search has been dropped.");
      if (call.kind === "estimate") {
        const estimates = await search.estimate(call, context);
        return context.isCanceled() ? estimates : { ...estimates, token: keep(search) };
      }
      const ranked = await search.rank(call, context);
      return context.isCanceled() ? ranked : withToken(ranked, search);
    }
    const search = new Search(set, window, call, context);
    const response = await search.run(shardsOf(set.snapshot, scopeOf(call), checksum));
    // The files of a canceled search are never requested.
    if (response.kind !== "hits" || context.isCanceled()) return response;
    return withToken(response, search);
  };
}
