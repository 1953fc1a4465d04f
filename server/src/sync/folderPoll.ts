/**
 * Polls the modification times of folders that the system cannot watch. They change when an entry is created, deleted
 * or renamed. Only the periodic scan of everything (`runs.ts`) finds writes to existing files.
 */
import { statSync } from "node:fs";
import type { Clock } from "#platform/clock";

interface PolledFolder {
  readonly path: string | Buffer;
  readonly onChange: () => void;
  mtimeNs: bigint | undefined;
}

/** Default poll interval. */
const defaultRoundMs = 300;
/**
 * Polls for at most a twentieth of the time, in short slices: a round of a hundred thousand folders takes some seconds.
 */
const timeSliceMs = 2;
const pauseMs = 40;

export class FolderPoll {
  readonly #clock: Clock;
  readonly #roundMs: number;
  readonly #folders = new Set<PolledFolder>();
  #round: Iterator<PolledFolder> | undefined;
  #roundBegan = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, roundMs = defaultRoundMs) {
    this.#clock = clock;
    this.#roundMs = roundMs;
  }

  get folderCount(): number {
    return this.#folders.size;
  }

  /** Calls `onChange` whenever the folder has changed. Returns a function that stops polling it. */
  add(path: string | Buffer, onChange: () => void): () => void {
    const polled = { path, onChange, mtimeNs: mtimeOf(path) };
    this.#folders.add(polled);
    this.#schedule(this.#roundMs);
    return () => {
      this.#folders.delete(polled);
    };
  }

  close(): void {
    this.#cancel?.();
    this.#folders.clear();
  }

  #schedule(delayMs: number): void {
    this.#cancel ??= this.#clock.after(delayMs, () => {
      this.#cancel = undefined;
      this.#checkNext();
    });
  }

  #checkNext(): void {
    const endsAt = performance.now() + timeSliceMs;
    if (this.#round === undefined) {
      this.#round = this.#folders.values();
      this.#roundBegan = this.#clock.elapsed();
    }
    do {
      const next = this.#round.next();
      if (next.done) {
        this.#round = undefined;
        const remainingMs = this.#roundBegan + this.#roundMs - this.#clock.elapsed();
        if (this.#folders.size > 0) this.#schedule(Math.max(pauseMs, remainingMs));
        return;
      }
      const polled = next.value;
      const mtimeNs = mtimeOf(polled.path);
      if (mtimeNs !== polled.mtimeNs) {
        polled.mtimeNs = mtimeNs;
        polled.onChange();
      }
    } while (performance.now() < endsAt);
    this.#schedule(pauseMs);
  }
}

/** Returns `undefined` if the folder does not exist or cannot be read. */
function mtimeOf(path: string | Buffer): bigint | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true })?.mtimeNs;
  } catch {
    return undefined;
  }
}
