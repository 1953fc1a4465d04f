import { ServiceError, usageError } from "#base/error";
import { systemClock, wait } from "#platform/clock";
import type { Log } from "#platform/log";
import type { IndexQueue } from "#store/indexQueue";

export interface ClusterQueueOptions {
  readonly open: () => Promise<IndexQueue>;
  /** Called when indexers may have reported something. */
  readonly onReported: () => void;
  /** Called when other nodes are drained than before. */
  readonly onDrained: () => void;
  /** Called when this process has become the one that feeds the indexers, and when it may no longer be. */
  readonly onFeeder: (isFeeder: boolean) => void;
  readonly log: Log;
}

const otherFeeder = "Another Trawl process has repositories indexed through this database.";
/** How long another process may still hold the lock that is ending, or whose connection is. */
const handoverMs = 2500;
const pollMs = 100;
/** How long opening waits to learn whether another process feeds the indexers. */
const firstAttemptMs = 5000;

/** The connection of a process that feeds indexers to the queue of their jobs. It is opened again if that failed. */
export class ClusterQueue {
  readonly #options: ClusterQueueOptions;
  #opening: Promise<IndexQueue> | undefined;
  #drained: ReadonlySet<string> = new Set();
  /** How many times the nodes were read, and which of these times the result is from. */
  #readCount = 0;
  #lastRead = 0;
  #isFeeder = false;

  constructor(options: ClusterQueueOptions) {
    this.#options = options;
  }

  /**
   * Returns the queue once it is known which nodes are drained. Rejects with ENGINE_UNAVAILABLE without the database, and
   * while another process feeds the indexers.
   */
  async queue(): Promise<IndexQueue> {
    const queue = await this.open();
    if (!this.#isFeeder) throw new ServiceError("ENGINE_UNAVAILABLE", otherFeeder);
    return queue;
  }

  /** Opens the queue, which this process then feeds as soon as no other does. Rejects with ENGINE_UNAVAILABLE. */
  open(): Promise<IndexQueue> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Waits a moment until this process feeds the indexers. Throws USAGE if another one does, and ENGINE_UNAVAILABLE. */
  async becomeFeeder(): Promise<void> {
    await this.open();
    const { signal } = new AbortController();
    for (const deadline = systemClock.elapsed() + handoverMs; !this.#isFeeder; )
      if (systemClock.elapsed() < deadline) await wait(systemClock, pollMs, signal);
      else throw usageError(`${otherFeeder} Stop it, or use another database.`);
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
      const attempt = new Promise<void>((resolve) =>
        queue.becomeFeeder((isFeeder) => {
          const hasChanged = isFeeder !== this.#isFeeder;
          this.#isFeeder = isFeeder;
          if (hasChanged) this.#options.onFeeder(isFeeder);
          resolve();
        }),
      );
      await Promise.race([attempt, wait(systemClock, firstAttemptMs, new AbortController().signal)]);
    } catch (error) {
      await queue.close();
      throw error;
    }
    return queue;
  }

  async #readNodes(queue: IndexQueue): Promise<void> {
    const read = ++this.#readCount;
    const drained = (await queue.nodes()).filter(({ isDrained }) => isDrained).map(({ name }) => name);
    // Another connection may have answered a later query before.
    if (read < this.#lastRead) return;
    this.#lastRead = read;
    const isSame = drained.length === this.#drained.size && drained.every((name) => this.#drained.has(name));
    if (isSame) return;
    this.#drained = new Set(drained);
    this.#options.onDrained();
  }
}
