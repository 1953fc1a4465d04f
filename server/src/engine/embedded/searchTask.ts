import type { Task } from "#platform/serveTask";
import { loadChecksum } from "#shard/format/checksum";
import { threadWindow } from "#shard/format/window";
import { countDocuments } from "./count";
import { findSymbols } from "./findSymbols";
import { readDocuments } from "./readDocuments";
import { PieceColumns } from "./resultPiece";
import { Search } from "./search";
import { scopeOf, shardsOf } from "./searchedViews";
import type { WorkerCall, WorkerResponse } from "./searchMessages";
import { ShardSet } from "./shardSet";

/** Search results that are not fetched within this time are dropped. */
const dropAfterMs = 60_000;

/** The worker side of the embedded engine: one set of open shards, and any number of interleaved searches. */
export function createSearchTask(): Task<WorkerCall, WorkerResponse> {
  let set: ShardSet | undefined;
  let lastToken = 0;
  const window = threadWindow();
  /** Completed searches whose files have not been requested yet, by token. */
  const completed = new Map<number, { readonly search: Search; readonly timer: NodeJS.Timeout }>();
  return async (call, context) => {
    const checksum = await loadChecksum();
    set ??= new ShardSet(checksum);
    if (call.kind === "update") {
      set.apply(call);
      return { kind: "updated", damagedFiles: set.damagedFiles, unreadable: set.unreadableReasons };
    }
    if (call.kind === "files") {
      const pending = completed.get(call.token);
      completed.delete(call.token);
      clearTimeout(pending?.timer);
      return (
        pending?.search.loadFiles(call, context) ?? {
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
    const search = new Search(set, window, call, context);
    const response = await search.run(shardsOf(set.snapshot, scopeOf(call), checksum));
    // The files of a canceled search are never requested.
    if (response.kind !== "hits" || context.isCanceled()) return response;
    if (response.hits.every((shard) => shard.documents.length === 0)) return response;
    const token = ++lastToken;
    completed.set(token, { search, timer: setTimeout(() => completed.delete(token), dropAfterMs).unref() });
    return { ...response, token };
  };
}
