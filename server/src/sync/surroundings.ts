/**
 * Folders around repositories, where new ones appear: their times tell when an entry has come or gone. A clone that has
 * only begun is found like any other; what git writes into it afterwards is seen by its own watch.
 */
import type { Clock } from "#platform/clock";
import { FolderPoll } from "./folderPoll";

/** Who makes one repository makes others. */
const settleMs = 500;
/** A folder in which files come and go all the time is looked through at most so often, */
const leastPauseMs = 5000;
/** and no more than one part in so many of the time. */
const restShare = 30;
const roundMs = 1000;

export class Surroundings {
  readonly #clock: Clock;
  readonly #poll: FolderPoll;
  readonly #onChange: (path: string) => void;
  /** By PATH: what ends the asking for its folders. */
  readonly #asked = new Map<string, readonly (() => void)[]>();
  /** When a PATH was looked through, and when it may be again. */
  readonly #began = new Map<string, number>();
  readonly #rested = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  /** `onChange` is told of a PATH below which something may be new. */
  constructor(clock: Clock, onChange: (path: string) => void) {
    this.#clock = clock;
    this.#poll = new FolderPoll(clock, roundMs);
    this.#onChange = onChange;
  }

  /** A PATH was looked through just now; from now on these of its folders count. */
  set(path: string, folders: readonly string[]): void {
    const now = this.#clock.now();
    const took = now - (this.#began.get(path) ?? now);
    // Something has changed while it was looked through.
    const isStale = this.#waiting.has(path);
    this.forget(path);
    this.#rested.set(path, now + Math.max(leastPauseMs, took * restShare));
    this.#asked.set(
      path,
      folders.map((folder) => this.#poll.add(folder, () => this.#later(path))),
    );
    if (isStale) this.#later(path);
  }

  forget(path: string): void {
    this.#waiting.get(path)?.();
    this.#waiting.delete(path);
    for (const end of this.#asked.get(path) ?? []) end();
    this.#asked.delete(path);
    this.#began.delete(path);
    this.#rested.delete(path);
  }

  close(): void {
    for (const path of [...this.#asked.keys()]) this.forget(path);
    this.#poll.close();
  }

  #later(path: string): void {
    if (this.#waiting.has(path)) return;
    const pause = (this.#rested.get(path) ?? 0) - this.#clock.now();
    const cancel = this.#clock.after(Math.max(settleMs, pause), () => {
      this.#waiting.delete(path);
      this.#began.set(path, this.#clock.now());
      this.#onChange(path);
    });
    this.#waiting.set(path, cancel);
  }
}
