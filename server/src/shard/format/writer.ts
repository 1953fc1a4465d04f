import { intern } from "#base/intern";
import { documentCategories, skipReasons } from "#model/document";
import { type ByteSource, piecesSource } from "#platform/byteSource";
import type { Checksum } from "./checksum";
import { type ContentWriter, contentWriter } from "./frames";
import { hashPath } from "./pathHash";
import { type ByteSink, bytesOf, SectionWriter } from "./sections";
import {
  minBlockBytes,
  type Override,
  type ShardDocument,
  type ShardMeta,
  type ShardPartCounts,
  type ShardRepository,
  type ShardSummary,
  type SlotCopy,
  type WrittenFormatVersion,
} from "./shard";
import { blockFlagsOf, TrigramCollector } from "./trigram";
import { TrigramTableWriter } from "./trigramTable";
import { threadWindow } from "./window";

const newline = 0x0a;

export interface ShardOptions {
  /** Default: true. */
  readonly hasTrigrams?: boolean;
  /** Default: 3, because compression does not pay off in memory. */
  readonly formatVersion?: WrittenFormatVersion;
}

/** A collector takes at least 64 MiB, so the next writer of the thread reuses that of a finished one. */
let idleCollector: TrigramCollector | undefined;

/**
 * Writes one shard. Call `beginRepository`, then `add` for its documents, best first; the same for the next repository;
 * finally `finish`.
 *
 * Writes text to the sink at once; compressed text only after the first 4 MiB, which train the dictionary. Collects the
 * trigrams of each block and about sixty bytes per document in memory. See `shard.ts` for the layout.
 */
export class ShardWriter {
  readonly #sections: SectionWriter;
  readonly #formatVersion: WrittenFormatVersion;
  readonly #content: ContentWriter;
  /** Absent if the shard has no trigrams. */
  readonly #trigrams: TrigramCollector | undefined;
  readonly #repositories: ShardRepository[] = [];
  readonly #slotCopies: SlotCopy[] = [];
  readonly #languages = new Map<string, number>();
  readonly #sets = new Map<string, number>();
  readonly #setStarts: number[] = [0];
  readonly #setSlots: number[] = [];
  readonly #contentStarts: number[] = [];
  readonly #firstBlocks: number[] = [];
  readonly #blockStarts: number[] = [];
  readonly #blockLines: number[] = [];
  readonly #blockFlags: number[] = [];
  readonly #names: Uint8Array[] = [];
  readonly #nameStarts: number[] = [];
  readonly #hashes: number[] = [];
  readonly #traits: number[] = [];
  readonly #documentLanguages: number[] = [];
  readonly #documentSets: number[] = [];
  readonly #blobs: string[] = [];
  readonly #sizes: number[] = [];
  readonly #overrides: number[] = [];
  /** The part of each repository, after `finish`. */
  readonly parts: ShardPartCounts[] = [];
  #counted = { documentCount: 0, skippedCount: 0, contentBytes: 0 };
  #nameBytes = 0;
  #hashBytes = 20;
  #isDelta = false;

  constructor(
    sink: ByteSink,
    checksum: Checksum,
    { hasTrigrams = true, formatVersion = 3 }: ShardOptions = {},
  ) {
    this.#sections = new SectionWriter(sink, checksum, formatVersion);
    this.#formatVersion = formatVersion;
    this.#content = contentWriter(this.#sections, formatVersion);
    if (hasTrigrams) {
      this.#trigrams = idleCollector ?? new TrigramCollector();
      this.#trigrams.reset();
      idleCollector = undefined;
    }
  }

  /** Bytes of text so far. */
  get contentBytes(): number {
    return this.#content.length;
  }

  beginRepository(id: number): void {
    this.#endRepository();
    this.#repositories.push({ id, firstDocument: this.#names.length, endDocument: this.#names.length });
  }

  #endRepository(): void {
    const last = this.#repositories.pop();
    if (last === undefined) return;
    this.#repositories.push({ ...last, endDocument: this.#names.length });
    const before = this.#counted;
    this.#counted = {
      documentCount: this.#names.length,
      skippedCount: this.#sizes.length,
      contentBytes: this.#content.length,
    };
    this.parts.push({
      id: last.id,
      documentCount: this.#counted.documentCount - before.documentCount,
      skippedCount: this.#counted.skippedCount - before.skippedCount,
      contentBytes: this.#counted.contentBytes - before.contentBytes,
    });
  }

  add(document: ShardDocument): void {
    this.#contentStarts.push(this.#content.length);
    this.#firstBlocks.push(this.#blockStarts.length);
    this.#nameStarts.push(this.#nameBytes);
    this.#names.push(document.path);
    this.#nameBytes += document.path.length + 1;
    this.#hashes.push(hashPath(document.path));
    this.#documentLanguages.push(intern(this.#languages, document.language));
    this.#documentSets.push(this.#internSet(document.slots));
    this.#blobs.push(document.blob);
    if (document.blob.length === 64) this.#hashBytes = 32;
    const skip = document.skip === undefined ? 0 : skipReasons.indexOf(document.skip) + 1;
    this.#traits.push(documentCategories.indexOf(document.category) + 8 * skip);
    if (skip !== 0) this.#sizes.push(document.size ?? 0);
    else if (document.content !== undefined) this.#addContent(document.content);
  }

  /** In a delta shard, changes a document of an older segment. */
  override(override: Override): void {
    this.#overrides.push(override.segment, override.document, this.#internSet(override.slots));
  }

  /** Marks a shard that follows other segments, even if it only adds documents. */
  markDelta(): void {
    this.#isDelta = true;
  }

  copySlot(copy: SlotCopy): void {
    this.#slotCopies.push(copy);
  }

  #addContent(content: Uint8Array): void {
    const base = this.#content.length;
    let line = 1;
    for (let start = 0; start < content.length; ) {
      let end = content.length;
      if (end - start > minBlockBytes) {
        const at = content.indexOf(newline, start + minBlockBytes - 1);
        if (at >= 0) end = at + 1;
      }
      this.#blockStarts.push(base + start);
      this.#blockLines.push(line);
      this.#blockFlags.push(
        this.#trigrams?.addBlock(content, start, end) ?? blockFlagsOf(content, start, end),
      );
      this.#content.writeBlock(content, start, end);
      if (end < content.length) line += countNewlines(content, start, end);
      start = end;
    }
  }

  #internSet(slots: readonly number[]): number {
    const key = slots.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = this.#sets.size;
    this.#sets.set(key, set);
    for (const slot of slots) this.#setSlots.push(slot);
    this.#setStarts.push(this.#setSlots.length);
    return set;
  }

  /** Writes the index. `more` may write additional sections after the others. */
  finish(more?: (sections: SectionWriter) => void): ShardSummary {
    this.#endRepository();
    const contentBytes = this.#content.length;
    this.#content.finish();
    this.#writeLists();
    this.#writeDocuments(contentBytes);
    this.#writeNames();
    const meta = this.#meta(contentBytes);
    this.#sections.write("meta", new TextEncoder().encode(JSON.stringify(meta)));
    more?.(this.#sections);
    const shardBytes = this.#sections.finish();
    const { documentCount, skippedCount, isDelta } = meta;
    return {
      documentCount,
      skippedCount,
      contentBytes,
      shardBytes,
      isDelta,
      formatVersion: this.#formatVersion,
    };
  }

  #writeLists(): void {
    const lists = this.#sections.stream("postings", "postingChecks");
    const table = new TrigramTableWriter();
    this.#trigrams?.finish((trigram, list) => {
      lists.write(list);
      table.add(trigram, list.length);
    });
    idleCollector ??= this.#trigrams;
    lists.finish();
    table.write(this.#sections);
  }

  #meta(contentBytes: number): ShardMeta {
    return {
      repositories: this.#repositories,
      documentCount: this.#names.length,
      blockCount: this.#blockStarts.length,
      skippedCount: this.#sizes.length,
      contentBytes,
      hashBytes: this.#hashBytes,
      languages: [...this.#languages.keys()],
      hasTrigrams: this.#trigrams !== undefined,
      likenesses: this.#slotCopies,
      isDelta: this.#isDelta || this.#overrides.length > 0 || this.#slotCopies.length > 0,
    };
  }

  #writeDocuments(contentBytes: number): void {
    this.#numbers("contentStarts", [...this.#contentStarts, contentBytes]);
    this.#numbers("firstBlocks", [...this.#firstBlocks, this.#blockStarts.length]);
    this.#numbers("blockStarts", [...this.#blockStarts, contentBytes]);
    this.#numbers("blockLines", this.#blockLines);
    this.#sections.write("blockFlags", Uint8Array.from(this.#blockFlags));
    this.#sections.write("documentTraits", Uint8Array.from(this.#traits));
    this.#sections.write("documentLanguages", bytesOf(Uint16Array.from(this.#documentLanguages)));
    this.#numbers("documentSets", this.#documentSets);
    this.#numbers("setStarts", this.#setStarts);
    this.#numbers("setSlots", this.#setSlots);
    this.#numbers("overrides", this.#overrides);
    this.#sections.write("sizes", bytesOf(Float64Array.from(this.#sizes)));
    const blobs = new Uint8Array(this.#names.length * this.#hashBytes);
    this.#blobs.forEach((blob, document) => {
      blobs.set(Buffer.from(blob, "hex"), document * this.#hashBytes);
    });
    this.#sections.write("blobs", blobs);
  }

  #writeNames(): void {
    const names = new Uint8Array(this.#nameBytes);
    this.#names.forEach((name, document) => {
      const start = this.#nameStarts[document] ?? 0;
      names.set(name, start);
      names[start + name.length] = newline;
    });
    this.#sections.write("names", names);
    this.#numbers("nameStarts", [...this.#nameStarts, this.#nameBytes]);
    const hashes = Uint32Array.from(this.#hashes);
    const order = Uint32Array.from(hashes.keys());
    order.sort((left, right) => (hashes[left] ?? 0) - (hashes[right] ?? 0) || left - right);
    this.#sections.write("nameHashes", bytesOf(hashes));
    this.#sections.write("nameOrder", bytesOf(order));
  }

  #numbers(name: string, numbers: readonly number[]): void {
    this.#sections.write(name, bytesOf(Uint32Array.from(numbers)));
  }
}

/** Collects a shard in memory, for overlays and tests. */
export class MemorySink implements ByteSink {
  readonly keepsBytes = true;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  write(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** Returns a source of the bytes for this thread, without copying them. */
  source(): ByteSource {
    return piecesSource(this.#pieces);
  }

  /** Returns the bytes in shared memory, which can be passed to another thread without copying. */
  bytes(): Uint8Array {
    const whole = new Uint8Array(new SharedArrayBuffer(this.#length));
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}

export function countNewlines(bytes: Uint8Array, start: number, end: number): number {
  // The window must not take these bytes for the text that it has loaded.
  const window = threadWindow();
  const { kernels } = window;
  const at = window.scratch(end - start);
  kernels.bytes.set(bytes.subarray(start, end), at);
  return kernels.countNewlines(at, end - start);
}
