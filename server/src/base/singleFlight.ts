import { cancelled, throwIfAborted } from "./error";

interface Flight {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  callers: number;
}

/** Work that several callers want at the same time is done once for all of them. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /**
   * What `work` gives, or what work of the same key gives that is under way.
   *
   * Rejects with CANCELLED when `signal` fires. The signal that `work` gets fires when its last caller has gone.
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
      const giveUp = () => {
        reject(cancelled());
        flight.callers--;
        if (flight.callers > 0) return;
        // Who comes now must not get what is being ended.
        this.#end(key, flight);
        flight.controller.abort();
      };
      const settle = () => signal.removeEventListener("abort", giveUp);
      signal.addEventListener("abort", giveUp, { once: true });
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
