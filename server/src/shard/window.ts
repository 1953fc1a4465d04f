import type { Kernels } from "#kernels/kernels";
import { threadKernels } from "#kernels/thread";
import type { ShardReader } from "./reader";

/** Read ahead no further than this: at 256 KiB a read from the page cache runs at its full 5 GB/s. */
const maxWindowBytes = 256 * 1024;
const minAheadBytes = 16 * 1024;

let instance: TextWindow | undefined;

/** The window of this thread: a second one on the same memory would not see what the first one loads. */
export function threadWindow(): TextWindow {
  instance ??= new TextWindow(threadKernels());
  return instance;
}

/**
 * The stretch of text that lies in the kernels' memory. One a thread, shared by all searches there: who comes back
 * after giving way asks again and may find another's text gone.
 */
export class TextWindow {
  readonly kernels: Kernels;
  bytesLoaded = 0;
  #reader: ShardReader | undefined;
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
   * Has `[start, end)` of the shard's text in memory and gives where. On a miss it also reads on, as far as
   * `aheadEnd` tells will be wanted, more with each miss in a row.
   */
  load(reader: ShardReader, start: number, end: number, aheadEnd: (limit: number) => number): number {
    if (reader === this.#reader && start >= this.#start && end <= this.#end)
      return this.#base + start - this.#start;
    this.#ahead =
      reader === this.#reader && start >= this.#end
        ? Math.min(this.#ahead * 2, maxWindowBytes)
        : minAheadBytes;
    const stop = Math.max(end, aheadEnd(start + this.#ahead));
    this.#reader = undefined;
    const base = this.kernels.reserve(stop - start);
    reader.content.read(start, this.kernels.bytes, base, stop - start);
    this.bytesLoaded += stop - start;
    this.#reader = reader;
    this.#start = start;
    this.#end = stop;
    this.#base = base;
    return base;
  }

  /** Room for something else than text; what was loaded is gone. */
  scratch(byteCount: number): number {
    this.#reader = undefined;
    return this.kernels.reserve(byteCount);
  }

  forget(): void {
    this.#reader = undefined;
  }
}
