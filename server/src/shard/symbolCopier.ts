import { isServiceError } from "#base/error";
import { fileSource } from "#platform/byteSource";
import type { Files } from "#platform/files";
import type { Checksum } from "./checksum";
import { writeSymbolDraft } from "./draft";
import { ShardReader } from "./reader";
import type { SymbolDraft } from "./symbolFiles";
import { SymbolReader } from "./symbolReader";
import { pendingSymbols } from "./symbols";

interface Copied {
  readonly symbols: SymbolReader | undefined;
  readonly document: number;
}

/** Makes the companions of shards that are written again out of those of the shards that they are made from. */
export class SymbolCopier {
  readonly #checksum: Checksum;
  readonly #paths: Readonly<Record<string, string>>;
  readonly #readers = new Map<ShardReader, SymbolReader | undefined>();
  /** Of the shard that is being written. */
  #documents: Copied[] = [];

  /** `paths`: companions by the paths of their shards. */
  constructor(checksum: Checksum, paths: Readonly<Record<string, string>>) {
    this.#checksum = checksum;
    this.#paths = paths;
  }

  /** The next document of the new shard is this one of an old one. */
  add(reader: ShardReader, path: string, document: number): void {
    if (!this.#readers.has(reader)) this.#readers.set(reader, this.#open(reader, path));
    this.#documents.push({ symbols: this.#readers.get(reader), document });
  }

  /** The companion of the shard at `path`, which is complete now; undefined where there is nothing to be copied. */
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

  /** A damaged companion is as good as none. */
  #open(reader: ShardReader, path: string): SymbolReader | undefined {
    const symbolsPath = this.#paths[path];
    if (symbolsPath === undefined) return undefined;
    try {
      const symbols = new SymbolReader(fileSource(symbolsPath), this.#checksum, reader);
      symbols.verify();
      symbols.names.keepAll();
      return symbols;
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (isServiceError(error, "SHARD_DAMAGED") || isGone) return undefined;
      throw error;
    }
  }
}
