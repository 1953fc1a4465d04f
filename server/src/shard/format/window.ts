import type { Kernels } from "#kernels/kernels";
import { threadKernels } from "#kernels/thread";
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
  #start = 0;
  #end = 0;
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
   * Loads `[start, end)` of the shard's text and returns its address. On a miss, also reads ahead, as far as `aheadEnd`
   * expects to be useful, and further with each consecutive miss.
   */
  load(reader: ShardReader, start: number, end: number, aheadEnd: (limit: number) => number): number {
    if (reader === this.#reader && start >= this.#start && end <= this.#end)
      return this.#base + start - this.#start;
    this.#ahead =
      reader === this.#reader && start >= this.#end
        ? Math.min(this.#ahead * 2, maxWindowBytes)
        : minAheadBytes;
    const stop = Math.max(end, aheadEnd(start + this.#ahead));
    const base = this.scratch(stop - start);
    reader.content.read(start, this.kernels.bytes, base, stop - start);
    this.bytesLoaded += stop - start;
    this.#reader = reader;
    this.#start = start;
    this.#end = stop;
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
