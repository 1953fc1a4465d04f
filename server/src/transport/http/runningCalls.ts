import type { ServerResponse } from "node:http";

/** The calls under way, so that each ends with its connection and all end with the listener. */
export class RunningCalls {
  readonly #controllers = new Set<AbortController>();
  #stopping = false;

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Fires when `response` is closed before or after its end, and when everything stops. */
  signalOf(response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.#stopping || response.destroyed) controller.abort();
    this.#controllers.add(controller);
    response.once("close", () => {
      this.#controllers.delete(controller);
      controller.abort();
    });
    return controller.signal;
  }

  /** Cancels every call, and those to come. */
  stop(): void {
    this.#stopping = true;
    for (const controller of this.#controllers) controller.abort();
  }
}
