import { isServiceError } from "#base/error";
import { blobName } from "#git/blobName";
import { fileSource, memorySource } from "#platform/byteSource";
import type { Checksum } from "#shard/checksum";
import { ShardReader } from "#shard/reader";
import { SymbolReader } from "#shard/symbolReader";
import type { KnownSymbols } from "#shard/symbols";

/** A shard and its companion: their paths, or what they hold. */
export type ShardWithSymbols =
  | { readonly kind: "disk"; readonly shard: string; readonly symbols: string }
  | { readonly kind: "memory"; readonly shard: Uint8Array; readonly symbols: Uint8Array };

interface Place {
  readonly symbols: SymbolReader;
  readonly document: number;
}

/** Reading all names at once pays from this many documents on. */
const manyDocuments = 50;

/** What names the content of a document: the same text in another language has other symbols. */
export function contentKey(shard: ShardReader, document: number): string {
  const blob = shard.blob(document) || blobName(shard.readContent(document));
  return `${blob} ${shard.language(document)}`;
}

/** Contents that were parsed before, in whichever shard. */
export class KnownContents {
  readonly #places = new Map<string, Place>();
  readonly #opened: { close(): void }[] = [];

  /** Looks for `wanted` in one shard after the other, until all are found. What cannot be read has none of them. */
  constructor(shards: readonly ShardWithSymbols[], checksum: Checksum, wanted: ReadonlySet<string>) {
    for (const each of shards) {
      if (this.#places.size === wanted.size) return;
      try {
        this.#look(each, checksum, wanted);
      } catch (error) {
        // Whoever searches there is told, and it is made anew.
        const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
        if (!isGone && !isServiceError(error, "SHARD_DAMAGED")) throw error;
      }
    }
  }

  #look(files: ShardWithSymbols, checksum: Checksum, wanted: ReadonlySet<string>): void {
    const isDisk = files.kind === "disk";
    const opened: { close(): void }[] = [];
    let found = 0;
    try {
      const shard = new ShardReader(isDisk ? fileSource(files.shard) : memorySource(files.shard), checksum);
      opened.push(shard);
      const source = isDisk ? fileSource(files.symbols) : memorySource(files.symbols);
      opened.push(source);
      const symbols = new SymbolReader(source, checksum, shard);
      for (let document = 0; document < shard.meta.documentCount; document++) {
        // On disk what has no name from git would have to be read to be known.
        if (symbols.isPending(document) || (isDisk && shard.blob(document) === "")) continue;
        if (shard.skipReason(document) !== undefined) continue;
        const key = contentKey(shard, document);
        if (!wanted.has(key) || this.#places.has(key)) continue;
        this.#places.set(key, { symbols, document });
        found++;
      }
      if (found >= manyDocuments) symbols.names.keepAll();
    } finally {
      if (found > 0) this.#opened.push(...opened);
      else for (const each of opened) each.close();
    }
  }

  get(key: string): KnownSymbols | undefined {
    const place = this.#places.get(key);
    return place?.symbols.symbolsOf(place.document);
  }

  close(): void {
    for (const each of this.#opened) each.close();
  }
}
