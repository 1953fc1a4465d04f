/** Callers that wait for an event. */
export class Waiters {
  readonly #resolvers: (() => void)[] = [];

  /** Resolves at the next call of `notify`. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }

  notify(): void {
    for (const resolve of this.#resolvers.splice(0)) resolve();
  }
}
