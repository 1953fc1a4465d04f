/** Limits restarts of a server that crashes repeatedly. Pure: does not use VS Code. */

export const maxCrashes = 5;
export const crashWindowMs = 3 * 60_000;

export class Crashes {
  #times: readonly number[] = [];

  /** Records a crash at `now`, in milliseconds; returns false once there were too many in a short time. */
  mayRestart(now: number): boolean {
    this.#times = [...this.#times.filter((time) => now - time < crashWindowMs), now];
    return this.#times.length < maxCrashes;
  }

  reset(): void {
    this.#times = [];
  }
}
