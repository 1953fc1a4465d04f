/** When a server that ends by itself is started again, and when it is left alone. Pure: knows no VS Code. */

export const crashesAtMost = 5;
export const crashWindowMs = 3 * 60_000;

export class Crashes {
  #times: readonly number[] = [];

  /** Notes an end at `now`, in milliseconds; false once there were too many in a short time. */
  mayStartAgain(now: number): boolean {
    this.#times = [...this.#times.filter((time) => now - time < crashWindowMs), now];
    return this.#times.length < crashesAtMost;
  }

  forget(): void {
    this.#times = [];
  }
}
