import type { Kernels } from "#kernels/kernels";
import { threadKernels } from "#kernels/thread";
import type { UpcomingBlocks } from "./frames";
import type { ShardReader } from "./reader";

/** The limit of reading ahead. */
const maxWindowBytes = 256 * 1024;
const minAheadBytes = 16 * 1024;

let instance: TextWindow | undefined;

/** The window of this thread. There must be only one, because all would load into the same memory. */
export function threadWindow(): TextWindow {
  instance ??= new TextWindow(threadKernels());
  return instance;
}

/**
 * The range of a shard's text that is loaded into the kernels' memory. All searches of a thread share it, so a search
 * that has yielded must load its text again.
 */
export class TextWindow {
  readonly kernels: Kernels;
  bytesLoaded = 0;
  #reader: ShardReader | undefined;
  /** The shard whose paths are loaded instead of text. */
  #namesReader: ShardReader | undefined;
  /** The blocks `[#from, #to)` are loaded. */
  #from = 0;
  #to = 0;
  #base = 0;
  #ahead = minAheadBytes;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(kernels: Kernels) {
    this.kernels = kernels;
  }

  /** The kernels' memory, for decoding to strings. */
  get buffer(): Buffer {
    const { bytes } = this.kernels;
    if (this.#buffer.buffer !== bytes.buffer) this.#buffer = Buffer.from(bytes.buffer);
    return this.#buffer;
  }

  /**
   * Loads the blocks `[from, to)` of a shard and returns the address of their text. On a miss, also loads upcoming blocks that
   * are adjacent, more with each consecutive miss.
   */
  load(reader: ShardReader, from: number, to: number, upcoming?: UpcomingBlocks): number {
    const { blockStarts, content } = reader;
    const start = blockStarts[from] ?? 0;
    if (reader === this.#reader && from >= this.#from && to <= this.#to)
      return this.#base + start - (blockStarts[this.#from] ?? 0);
    this.#ahead =
      reader === this.#reader && from >= this.#to ? Math.min(this.#ahead * 2, maxWindowBytes) : minAheadBytes;
    const stop = upcoming === undefined ? to : adjacentEnd(blockStarts, to, upcoming, start + this.#ahead);
    const length = (blockStarts[stop] ?? 0) - start;
    const base = this.scratch(length);
    content.read(start, this.kernels.bytes, base, length, upcoming);
    this.bytesLoaded += length;
    this.#reader = reader;
    this.#from = from;
    this.#to = stop;
    this.#base = base;
    return base;
  }

  /** Reserves memory for other data, and discards the loaded text. */
  scratch(byteCount: number): number {
    this.invalidate();
    return this.kernels.reserve(byteCount);
  }

  /** Loads all paths of a shard, and returns their address. Often several words are searched in them, one after another. */
  loadNames(reader: ShardReader): number {
    const { names } = reader;
    if (reader === this.#namesReader) return this.#base;
    this.#base = this.scratch(names.length);
    this.kernels.bytes.set(names, this.#base);
    this.#namesReader = reader;
    return this.#base;
  }

  invalidate(): void {
    this.#reader = undefined;
    this.#namesReader = undefined;
  }
}

/** Returns the end of the upcoming blocks that follow `to` without a gap and end at byte `limit` or before. */
function adjacentEnd(
  blockStarts: Uint32Array,
  to: number,
  { blocks, at }: UpcomingBlocks,
  limit: number,
): number {
  const fits = (block: number) => (blockStarts[block + 1] ?? Number.POSITIVE_INFINITY) <= limit;
  let end = to;
  if (blocks === undefined) {
    while (fits(end)) end++;
    return end;
  }
  for (let next = at; next < blocks.length; next++) {
    const block = blocks[next] ?? 0;
    if (block < end) continue;
    if (block > end || !fits(block)) break;
    end++;
  }
  return end;
}
