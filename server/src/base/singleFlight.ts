import { canceled, throwIfAborted } from "./error";

interface Flight {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  callers: number;
}

/** Shares the result of concurrent work: callers with the same key at the same time get one result. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /**
   * Returns the result of `work`, or of work with the same key that is already under way.
   *
   * Rejects with CANCELLED when `signal` fires. The signal that `work` receives fires when all callers have canceled.
   */
  run<Result>(
    key: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    throwIfAborted(signal);
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.callers++;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        reject(canceled());
        flight.callers--;
        if (flight.callers > 0) return;
        // New callers must not join work that is being canceled.
        this.#end(key, flight);
        flight.controller.abort();
      };
      const settle = () => signal.removeEventListener("abort", cancel);
      signal.addEventListener("abort", cancel, { once: true });
      flight.result.then(
        (result) => {
          settle();
          resolve(result as Result);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<unknown>): Flight {
    const controller = new AbortController();
    const flight: Flight = { result: work(controller.signal), controller, callers: 0 };
    this.#flights.set(key, flight);
    const end = () => this.#end(key, flight);
    flight.result.then(end, end);
    return flight;
  }

  #end(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
