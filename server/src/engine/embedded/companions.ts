import { isServiceError } from "#base/error";
import type { ByteSource } from "#platform/byteSource";
import { fileSource } from "#platform/byteSource";
import type { SymbolReader } from "#shard/symbolReader";
import type { SegmentFiles } from "./task";

/** Longer than any search may take. */
export const closeDelayMs = 60_000;

/** A companion that a shard has now; without a reader it is damaged. */
interface OpenCompanion {
  readonly file: string;
  readonly reader: SymbolReader | undefined;
}

/** The companions of the shards that one worker has open. */
export class Companions {
  /** By the shard's file. */
  readonly #open = new Map<string, OpenCompanion>();

  get damagedFiles(): readonly string[] {
    return [...this.#open.values()].filter(({ reader }) => reader === undefined).map(({ file }) => file);
  }

  of(shardFile: string): OpenCompanion | undefined {
    return this.#open.get(shardFile);
  }

  /** `files` is what the shard has from now on. */
  set(shardFile: string, files: SegmentFiles["symbols"], open: (source: ByteSource) => SymbolReader): void {
    if (this.#open.get(shardFile)?.file === files?.file) return;
    this.delete(shardFile);
    if (files !== undefined)
      this.#open.set(shardFile, { file: files.file, reader: openCompanion(files.path, open) });
  }

  delete(shardFile: string): void {
    const reader = this.#open.get(shardFile)?.reader;
    this.#open.delete(shardFile);
    // Searches that began before still read it; they are over long before this.
    if (reader !== undefined) setTimeout(() => reader.close(), closeDelayMs).unref();
  }

  close(): void {
    for (const { reader } of this.#open.values()) reader?.close();
    this.#open.clear();
  }
}

function openCompanion(path: string, open: (source: ByteSource) => SymbolReader): SymbolReader | undefined {
  try {
    const source = fileSource(path);
    try {
      return open(source);
    } catch (error) {
      source.close();
      throw error;
    }
  } catch (error) {
    if (isServiceError(error, "SHARD_DAMAGED") || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}
