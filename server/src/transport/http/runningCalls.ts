import type { ServerResponse } from "node:http";

/** Shared, because an exception captures its stack, which takes microseconds for each call. */
const reason = new DOMException("The response was closed, or the listener stopped.", "AbortError");

/** Cancels each running call when its connection closes, and all of them when the listener stops. */
export class RunningCalls {
  readonly #controllers = new Set<AbortController>();
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Returns a signal that fires when `response` closes, whether complete or not, and when the listener stops. */
  signalOf(response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.#isStopping || response.destroyed) controller.abort(reason);
    this.#controllers.add(controller);
    response.once("close", () => {
      this.#controllers.delete(controller);
      controller.abort(reason);
    });
    return controller.signal;
  }

  /** Cancels all running and future calls. */
  stop(): void {
    this.#isStopping = true;
    for (const controller of this.#controllers) controller.abort(reason);
  }
}
