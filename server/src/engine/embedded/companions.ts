import { isServiceError } from "#base/error";
import type { ByteSource } from "#platform/byteSource";
import { fileSource } from "#platform/byteSource";
import type { SymbolReader } from "#shard/symbolReader";
import type { SegmentFiles } from "./task";

/** Longer than any search may take. */
export const closeDelayMs = 60_000;

/** A companion that a shard has now. */
interface OpenCompanion {
  readonly file: string;
  /** Why there is none: it does not hold what it should, or cannot be opened at the moment. */
  readonly reader: SymbolReader | "damaged" | "unreadable";
}

/** The companions of the shards that one worker has open. */
export class Companions {
  /** By the shard's file. */
  readonly #open = new Map<string, OpenCompanion>();

  get damagedFiles(): readonly string[] {
    return [...this.#open.values()].filter(({ reader }) => reader === "damaged").map(({ file }) => file);
  }

  /** A shard's companion, unless it cannot be read. */
  of(shardFile: string): { readonly file: string; readonly reader: SymbolReader | undefined } | undefined {
    const known = this.#open.get(shardFile);
    return known && { file: known.file, reader: readerOf(known) };
  }

  isUnreadable(shardFile: string): boolean {
    return this.#open.get(shardFile)?.reader === "unreadable";
  }

  /** `files` is what the shard has from now on. */
  set(shardFile: string, files: SegmentFiles["symbols"], open: (source: ByteSource) => SymbolReader): void {
    if (this.#open.get(shardFile)?.file === files?.file && !this.isUnreadable(shardFile)) return;
    this.delete(shardFile);
    if (files !== undefined)
      this.#open.set(shardFile, { file: files.file, reader: openCompanion(files.path, open) });
  }

  delete(shardFile: string): void {
    const reader = readerOf(this.#open.get(shardFile));
    this.#open.delete(shardFile);
    // Searches that began before still read it; they are over long before this.
    if (reader !== undefined) setTimeout(() => reader.close(), closeDelayMs).unref();
  }

  close(): void {
    for (const companion of this.#open.values()) readerOf(companion)?.close();
    this.#open.clear();
  }
}

function readerOf(companion: OpenCompanion | undefined): SymbolReader | undefined {
  return typeof companion?.reader === "string" ? undefined : companion?.reader;
}

function openCompanion(path: string, open: (source: ByteSource) => SymbolReader): OpenCompanion["reader"] {
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
