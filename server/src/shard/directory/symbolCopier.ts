import { fileSource } from "#platform/byteSource";
import type { Files } from "#platform/files";
import { type Checksum, isMissingOrDamaged } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { pendingSymbols } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { writeSymbolDraft } from "./draft";
import type { SymbolDraft } from "./symbolFiles";

interface Copied {
  readonly symbols: SymbolReader | undefined;
  readonly document: number;
}

/** Writes the symbol files of rewritten shards by copying those of the shards that they are made from. */
export class SymbolCopier {
  readonly #checksum: Checksum;
  readonly #paths: Readonly<Record<string, string>>;
  readonly #readers = new Map<ShardReader, SymbolReader | undefined>();
  /** The documents of the shard that is being written. */
  #documents: Copied[] = [];

  /** `paths`: symbol files by the paths of their shards. */
  constructor(checksum: Checksum, paths: Readonly<Record<string, string>>) {
    this.#checksum = checksum;
    this.#paths = paths;
  }

  /** Adds a document of an old shard, which `reader` reads from `path`, as the next document of the new shard. */
  add(reader: ShardReader, path: string, document: number): void {
    if (!this.#readers.has(reader)) this.#readers.set(reader, this.#open(reader, path));
    this.#documents.push({ symbols: this.#readers.get(reader), document });
  }

  /** Writes the symbol file of the finished shard at `path`. Returns undefined if there is nothing to copy. */
  async write(path: string, files?: Files): Promise<SymbolDraft | undefined> {
    const documents = this.#documents;
    this.#documents = [];
    if (documents.every(({ symbols }) => symbols === undefined)) return undefined;
    const source = fileSource(path);
    try {
      const { stamp } = new ShardReader(source, this.#checksum);
      return await writeSymbolDraft(
        `${path}.symbols`,
        this.#checksum,
        (writer) => {
          for (const { symbols, document } of documents)
            writer.add(symbols?.symbolsOf(document) ?? pendingSymbols);
          return writer.finish(stamp);
        },
        files,
      );
    } finally {
      source.close();
    }
  }

  close(): void {
    for (const symbols of this.#readers.values()) symbols?.close();
  }

  /** Treats a damaged symbol file as missing. */
  #open(reader: ShardReader, path: string): SymbolReader | undefined {
    const symbolsPath = this.#paths[path];
    if (symbolsPath === undefined) return undefined;
    try {
      const symbols = new SymbolReader(fileSource(symbolsPath), this.#checksum, reader);
      symbols.verify();
      symbols.names.loadAll();
      return symbols;
    } catch (error) {
      if (!isMissingOrDamaged(error)) throw error;
      return undefined;
    }
  }
}
