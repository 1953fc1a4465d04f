import type { Task } from "#platform/workers";
import { loadChecksum } from "#shard/checksum";
import { threadWindow } from "#shard/window";
import { countDocuments } from "./count";
import { findSymbols } from "./findSymbols";
import { readDocuments } from "./readDocuments";
import { Search } from "./search";
import { ShardSet } from "./shardSet";
import type { WorkerAnswer, WorkerCall } from "./task";
import { scopeOf, shardsOf } from "./universe";

/** Who does not ask for the files of a search within this time has given it up. */
const forgetMs = 60_000;

/** Worker side of the embedded engine: one set of open shards, any number of searches that take turns. */
export function createSearchTask(): Task<WorkerCall, WorkerAnswer> {
  let set: ShardSet | undefined;
  let lastToken = 0;
  const window = threadWindow();
  /** Searches that have answered, until their files are asked for. */
  const answered = new Map<number, { readonly search: Search; readonly timer: NodeJS.Timeout }>();
  return async (call, context) => {
    const checksum = await loadChecksum();
    set ??= new ShardSet(checksum);
    if (call.kind === "update") {
      set.apply(call);
      return { kind: "updated", damagedFiles: set.damagedFiles, unreadable: set.unreadableReasons };
    }
    if (call.kind === "present") {
      const kept = answered.get(call.token);
      answered.delete(call.token);
      clearTimeout(kept?.timer);
      return (
        kept?.search.present(call.picks, context) ?? {
          kind: "presented",
          files: [],
          isLate: false,
          damagedFiles: [],
        }
      );
    }
    if (call.kind === "count") return { kind: "counted", counts: countDocuments(set.snapshot, call) };
    if (call.kind === "symbols") return findSymbols(set.snapshot, call, { checksum, window });
    if (call.kind === "read") return readDocuments(set.snapshot, call);
    const search = new Search(set, window, call, context);
    const answer = await search.run(shardsOf(set.snapshot, scopeOf(call), checksum));
    if (answer.kind !== "answer" || answer.hits.every((shard) => shard.documents.length === 0)) return answer;
    const token = ++lastToken;
    answered.set(token, { search, timer: setTimeout(() => answered.delete(token), forgetMs).unref() });
    return { ...answer, token };
  };
}
