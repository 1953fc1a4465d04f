import { blobHash } from "#git/objects/blobHash";
import { fileSource, memorySource } from "#platform/byteSource";
import { type Checksum, isMissingOrDamaged } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import type { KnownSymbols } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";

/** A shard and its symbol file: their paths, or their contents. */
export type ShardWithSymbols =
  | { readonly kind: "disk"; readonly shard: string; readonly symbols: string }
  | { readonly kind: "memory"; readonly shard: Uint8Array; readonly symbols: Uint8Array };

interface KnownDocument {
  readonly symbols: SymbolReader;
  readonly document: number;
}

/** If at least this many documents of a shard are found, reading all its names at once is faster. */
const manyDocuments = 50;

/** Returns a key for the symbols of a document: its blob hash and its language, because symbols depend on both. */
export function contentKey(shard: ShardReader, document: number): string {
  const blob = shard.blob(document) || blobHash(shard.readContent(document));
  return `${blob} ${shard.language(document)}`;
}

/** Finds symbols of contents that were already parsed, in any shard. */
export class KnownContents {
  readonly #documents = new Map<string, KnownDocument>();
  readonly #opened: { close(): void }[] = [];

  /** Searches the shards for the content keys in `wanted` until all are found. Ignores missing and damaged shards. */
  constructor(shards: readonly ShardWithSymbols[], checksum: Checksum, wanted: ReadonlySet<string>) {
    for (const each of shards) {
      if (this.#documents.size === wanted.size) return;
      try {
        this.#addShard(each, checksum, wanted);
      } catch (error) {
        // Searches report the damage, and the shard is rebuilt.
        if (!isMissingOrDamaged(error)) throw error;
      }
    }
  }

  #addShard(files: ShardWithSymbols, checksum: Checksum, wanted: ReadonlySet<string>): void {
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
        // Without a blob hash, the content would have to be read from disk.
        if (symbols.isPending(document) || (isDisk && shard.blob(document) === "")) continue;
        if (shard.skipReason(document) !== undefined) continue;
        const key = contentKey(shard, document);
        if (!wanted.has(key) || this.#documents.has(key)) continue;
        this.#documents.set(key, { symbols, document });
        found++;
      }
      if (found >= manyDocuments) symbols.names.loadAll();
    } finally {
      if (found > 0) this.#opened.push(...opened);
      else for (const each of opened) each.close();
    }
  }

  get(key: string): KnownSymbols | undefined {
    const known = this.#documents.get(key);
    return known?.symbols.symbolsOf(known.document);
  }

  close(): void {
    for (const each of this.#opened) each.close();
  }
}
