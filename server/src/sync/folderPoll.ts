/**
 * Folders that the system does not watch for us: their times tell that an entry came or went. What is written into a
 * file that stays does not show there; that is found by looking at everything now and then (`sync.ts`).
 */
import { statSync } from "node:fs";
import type { Clock } from "#platform/clock";

interface Polled {
  readonly place: string | Buffer;
  readonly onChange: () => void;
  mtimeNs: bigint | undefined;
}

/** All folders are asked at most so often, where nothing else is said. */
const usualRoundMs = 300;
/** One part in twenty of the time, in short turns: a hundred thousand folders take some seconds a round. */
const turnMs = 2;
const pauseMs = 40;

export class FolderPoll {
  readonly #clock: Clock;
  readonly #roundMs: number;
  readonly #folders = new Set<Polled>();
  #round: Iterator<Polled> | undefined;
  #roundBegan = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, roundMs = usualRoundMs) {
    this.#clock = clock;
    this.#roundMs = roundMs;
  }

  get folderCount(): number {
    return this.#folders.size;
  }

  /** Calls whenever the folder has changed since the last time; gives what ends that. */
  add(place: string | Buffer, onChange: () => void): () => void {
    const polled = { place, onChange, mtimeNs: mtimeOf(place) };
    this.#folders.add(polled);
    this.#later(this.#roundMs);
    return () => {
      this.#folders.delete(polled);
    };
  }

  close(): void {
    this.#cancel?.();
    this.#folders.clear();
  }

  #later(delayMs: number): void {
    this.#cancel ??= this.#clock.after(delayMs, () => {
      this.#cancel = undefined;
      this.#turn();
    });
  }

  #turn(): void {
    const ends = performance.now() + turnMs;
    if (this.#round === undefined) {
      this.#round = this.#folders.values();
      this.#roundBegan = this.#clock.now();
    }
    do {
      const next = this.#round.next();
      if (next.done) {
        this.#round = undefined;
        const rest = this.#roundBegan + this.#roundMs - this.#clock.now();
        if (this.#folders.size > 0) this.#later(Math.max(pauseMs, rest));
        return;
      }
      const polled = next.value;
      const mtimeNs = mtimeOf(polled.place);
      if (mtimeNs !== polled.mtimeNs) {
        polled.mtimeNs = mtimeNs;
        polled.onChange();
      }
    } while (performance.now() < ends);
    this.#later(pauseMs);
  }
}

/** `undefined` for what is not there or may not be looked at. */
function mtimeOf(place: string | Buffer): bigint | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false, bigint: true })?.mtimeNs;
  } catch {
    return undefined;
  }
}
