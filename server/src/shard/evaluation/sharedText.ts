import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import type { BlockRange, ContentFinder } from "./contentFinder";

/** If the blocks that a document's finders search are spread further, each finder reads its own. */
const maxSpanBytes = 64 * 1024;
const allBlocks = { blocks: undefined, at: 0 };

/**
 * Reads the text of a document once for all finders of a query. The window contains one range of text, so that finders that
 * read their own blocks would replace what the others have read, and have read ahead.
 */
export class SharedText {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #finders: readonly ContentFinder[];
  readonly #isScan: boolean;
  /** The finder with the fewest blocks, which tell best what will be read next. */
  readonly #rarest: ContentFinder | undefined;

  /** With `isScan`, all documents of the shard are searched, because posting lists exclude none. */
  constructor(reader: ShardReader, window: TextWindow, finders: readonly ContentFinder[], isScan: boolean) {
    this.#reader = reader;
    this.#window = window;
    this.#finders = finders;
    this.#isScan = isScan;
    const fewest = Math.min(...finders.map(({ blockCount }) => blockCount));
    this.#rarest = finders.find(({ blockCount }) => blockCount === fewest);
  }

  /** Loads what will be searched of a document. */
  load(document: number): void {
    const { blockStarts } = this.#reader;
    const { from, to } = this.#span(document);
    if (from >= to) return;
    const start = blockStarts[from] ?? 0;
    const end = blockStarts[to] ?? 0;
    if (end - start > maxSpanBytes) return;
    const upcoming = this.#isScan ? allBlocks : this.#rarest?.upcoming();
    this.#window.load(this.#reader, from, to, upcoming);
  }

  /** Returns the blocks from the first to the last one that a finder will search. */
  #span(document: number): BlockRange {
    let from = Number.POSITIVE_INFINITY;
    let to = 0;
    for (const finder of this.#finders) {
      const blocks = finder.blocksOf(document);
      if (blocks.from >= blocks.to) continue;
      from = Math.min(from, blocks.from);
      to = Math.max(to, blocks.to);
    }
    return { from, to };
  }
}
