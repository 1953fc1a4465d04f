import { isServiceError } from "#base/error";
import type { ByteSource } from "#platform/byteSource";
import { fileSource } from "#platform/byteSource";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { SegmentFiles } from "./searchMessages";

/** Delay before an unused file is closed: longer than the longest search. */
export const closeDelayMs = 60_000;

/** The current symbol file of a shard. */
interface OpenSymbolFile {
  readonly file: string;
  /** `unreadable`: the file currently cannot be opened, for example because of its permissions. */
  readonly reader: SymbolReader | "damaged" | "unreadable";
}

/** The symbol files of the shards that one worker has open. */
export class OpenSymbolFiles {
  /** By shard file. */
  readonly #open = new Map<string, OpenSymbolFile>();

  get damagedFiles(): readonly string[] {
    return [...this.#open.values()].filter(({ reader }) => reader === "damaged").map(({ file }) => file);
  }

  /** Returns the symbol file of a shard, without a reader if the file is damaged or unreadable. */
  of(shardFile: string): { readonly file: string; readonly reader: SymbolReader | undefined } | undefined {
    const known = this.#open.get(shardFile);
    return known && { file: known.file, reader: readerOf(known) };
  }

  isUnreadable(shardFile: string): boolean {
    return this.#open.get(shardFile)?.reader === "unreadable";
  }

  /** Opens the symbol file of a shard, and replaces any other; `undefined` removes it. Tries unreadable files again. */
  set(shardFile: string, files: SegmentFiles["symbols"], open: (source: ByteSource) => SymbolReader): void {
    if (this.#open.get(shardFile)?.file === files?.file && !this.isUnreadable(shardFile)) return;
    this.delete(shardFile);
    if (files !== undefined)
      this.#open.set(shardFile, { file: files.file, reader: openSymbolFile(files.path, open) });
  }

  delete(shardFile: string): void {
    const reader = readerOf(this.#open.get(shardFile));
    this.#open.delete(shardFile);
    // Running searches may still read the file, but end before the delay does.
    if (reader !== undefined) setTimeout(() => reader.close(), closeDelayMs).unref();
  }

  close(): void {
    for (const symbolFile of this.#open.values()) readerOf(symbolFile)?.close();
    this.#open.clear();
  }
}

function readerOf(symbolFile: OpenSymbolFile | undefined): SymbolReader | undefined {
  return typeof symbolFile?.reader === "string" ? undefined : symbolFile?.reader;
}

function openSymbolFile(path: string, open: (source: ByteSource) => SymbolReader): OpenSymbolFile["reader"] {
  try {
    const source = fileSource(path);
    try {
      return open(source);
    } catch (error) {
      source.close();
      throw error;
    }
  } catch (error) {
    if (isServiceError(error, "STORAGE_FAILED")) return "unreadable";
    if (isServiceError(error, "SHARD_DAMAGED") || (error as NodeJS.ErrnoException).code !== undefined)
      return "damaged";
    throw error;
  }
}
