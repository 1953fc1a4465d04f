/** Detects missing or damaged shard data. */
import type { ShardView } from "#shard/evaluation/matchTree";
import type { OpenShard } from "./shardSet";

/** Whether some documents of the view have not been parsed yet. */
export function hasPendingSymbols({ symbols, universe }: ShardView): boolean {
  return (symbols === undefined || symbols.meta.pendingCount > 0) && !universe.isEmpty();
}

/** Returns the name of the damaged file of a shard: the symbol file if it fails verification, else the shard itself. */
export function damagedFileOf({ file, symbols, symbolsFile }: OpenShard): string {
  try {
    symbols?.verify();
    return file;
  } catch {
    return symbolsFile;
  }
}
