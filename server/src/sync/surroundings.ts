/**
 * Folders around repositories, where new ones appear: their times tell when an entry has come or gone. A clone that has
 * only begun is found like any other; what git writes into it afterwards is seen by its own watch.
 */
import type { Clock } from "#platform/clock";
import { FolderPoll } from "./folderPoll";

/** Who makes one repository makes others. */
const settleMs = 500;
/** A folder in which files come and go all the time is looked through at most so often. */
const leastPauseMs = 5000;
const roundMs = 1000;

export class Surroundings {
  readonly #clock: Clock;
  readonly #poll: FolderPoll;
  readonly #onChange: (path: string) => void;
  /** By PATH: what ends the asking for its folders. */
  readonly #asked = new Map<string, readonly (() => void)[]>();
  readonly #looked = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  /** `onChange` is told of a PATH below which something may be new. */
  constructor(clock: Clock, onChange: (path: string) => void) {
    this.#clock = clock;
    this.#poll = new FolderPoll(clock, roundMs);
    this.#onChange = onChange;
  }

  /** A PATH was looked through just now; from now on these of its folders count. */
  set(path: string, folders: readonly string[]): void {
    this.forget(path);
    this.#looked.set(path, this.#clock.now());
    this.#asked.set(
      path,
      folders.map((folder) => this.#poll.add(folder, () => this.#later(path))),
    );
  }

  forget(path: string): void {
    this.#waiting.get(path)?.();
    this.#waiting.delete(path);
    for (const end of this.#asked.get(path) ?? []) end();
    this.#asked.delete(path);
    this.#looked.delete(path);
  }

  close(): void {
    for (const path of [...this.#asked.keys()]) this.forget(path);
    this.#poll.close();
  }

  #later(path: string): void {
    if (this.#waiting.has(path)) return;
    const pause = (this.#looked.get(path) ?? 0) + leastPauseMs - this.#clock.now();
    const cancel = this.#clock.after(Math.max(settleMs, pause), () => {
      this.#waiting.delete(path);
      this.#onChange(path);
    });
    this.#waiting.set(path, cancel);
  }
}
