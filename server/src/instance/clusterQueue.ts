import type { Log } from "#platform/log";
import type { IndexQueue } from "#store/indexQueue";

export interface ClusterQueueOptions {
  readonly open: () => Promise<IndexQueue>;
  /** Called when indexers may have reported something. */
  readonly onReported: () => void;
  /** Called when other nodes are drained than before. */
  readonly onDrained: () => void;
  readonly log: Log;
}

/** The leader's connection to the queue of index jobs, which is opened again if that failed. */
export class ClusterQueue {
  readonly #options: ClusterQueueOptions;
  #opening: Promise<IndexQueue> | undefined;
  #drained: ReadonlySet<string> = new Set();

  constructor(options: ClusterQueueOptions) {
    this.#options = options;
  }

  /** Returns the queue once it is known which nodes are drained. Rejects with ENGINE_UNAVAILABLE without the database. */
  queue(): Promise<IndexQueue> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  isDrained(node: string): boolean {
    return this.#drained.has(node);
  }

  async close(): Promise<void> {
    const queue = await this.#opening?.catch(() => undefined);
    await queue?.close();
  }

  async #open(): Promise<IndexQueue> {
    const { open, onReported, log } = this.#options;
    const queue = await open();
    queue.subscribe("reported", onReported);
    // Before the nodes are read, so that no change is missed.
    queue.subscribe("nodes", () => {
      this.#readNodes(queue).catch((error: unknown) => {
        log.warn("Cannot read which nodes are drained.", { error });
      });
    });
    try {
      await this.#readNodes(queue);
    } catch (error) {
      await queue.close();
      throw error;
    }
    return queue;
  }

  async #readNodes(queue: IndexQueue): Promise<void> {
    const drained = (await queue.nodes()).filter(({ isDrained }) => isDrained).map(({ name }) => name);
    const isSame = drained.length === this.#drained.size && drained.every((name) => this.#drained.has(name));
    if (isSame) return;
    this.#drained = new Set(drained);
    this.#options.onDrained();
  }
}
