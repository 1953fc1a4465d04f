/** What a shard lacks of what an answer needs. */
import type { ShardView } from "#shard/matchTree";
import type { OpenShard } from "./shardSet";

/** Documents are still to be parsed. */
export function lacksSymbols({ symbols, universe }: ShardView): boolean {
  return (symbols === undefined || symbols.meta.pendingCount > 0) && !universe.isEmpty();
}

/** Which file of a shard is damaged: where it is not the companion, it is the shard itself. */
export function damagedFileOf({ file, symbols, symbolsFile }: OpenShard): string {
  try {
    symbols?.verify();
    return file;
  } catch {
    return symbolsFile;
  }
}
