/**
 * Polls the parent folders of repositories, so that new repositories are found soon. A clone in progress is found as
 * well; its own watch then reports what git writes to it.
 */
import type { Clock } from "#platform/clock";
import { FolderPoll } from "./folderPoll";

/** Delay after a change, because several repositories are often created together. */
const settleMs = 500;
/** Minimum interval between scans of an added path. */
const minScanIntervalMs = 5000;
/** Scans take at most this fraction (1/n) of the time. */
const idleFactor = 30;
const pollIntervalMs = 1000;

export class ParentFolderPoll {
  readonly #clock: Clock;
  readonly #poll: FolderPoll;
  readonly #onChange: (path: string) => void;
  /** By added path: functions that stop polling its folders. */
  readonly #polled = new Map<string, readonly (() => void)[]>();
  /** By added path: when the last scan started, and when the next one may start. */
  readonly #scanStarted = new Map<string, number>();
  readonly #notBefore = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();

  /** `onChange` is called with an added path that may contain new repositories. */
  constructor(clock: Clock, onChange: (path: string) => void) {
    this.#clock = clock;
    this.#poll = new FolderPoll(clock, pollIntervalMs);
    this.#onChange = onChange;
  }

  /** Records that an added path was just scanned, and polls exactly these of its folders from now on. */
  set(path: string, folders: readonly string[]): void {
    const now = this.#clock.elapsed();
    const durationMs = now - (this.#scanStarted.get(path) ?? now);
    // A folder changed during the scan.
    const isStale = this.#timers.has(path);
    this.remove(path);
    this.#notBefore.set(path, now + Math.max(minScanIntervalMs, durationMs * idleFactor));
    this.#polled.set(
      path,
      folders.map((folder) => this.#poll.add(folder, () => this.#schedule(path))),
    );
    if (isStale) this.#schedule(path);
  }

  remove(path: string): void {
    this.#timers.get(path)?.();
    this.#timers.delete(path);
    for (const end of this.#polled.get(path) ?? []) end();
    this.#polled.delete(path);
    this.#scanStarted.delete(path);
    this.#notBefore.delete(path);
  }

  close(): void {
    for (const path of [...this.#polled.keys()]) this.remove(path);
    this.#poll.close();
  }

  #schedule(path: string): void {
    if (this.#timers.has(path)) return;
    const delayMs = (this.#notBefore.get(path) ?? 0) - this.#clock.elapsed();
    const cancel = this.#clock.after(Math.max(settleMs, delayMs), () => {
      this.#timers.delete(path);
      this.#scanStarted.set(path, this.#clock.elapsed());
      this.#onChange(path);
    });
    this.#timers.set(path, cancel);
  }
}
