/** Sends server-sent events on one response. */
import type { ServerResponse } from "node:http";
import { canceled } from "#base/error";
import { toJsonBytes } from "#platform/jsonText";

export interface EventTimes {
  /** Interval of comments that keep the connection alive. */
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #times: EventTimes;
  readonly #sendHeaders: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #last: Promise<void> = Promise.resolve();

  /** Calls `sendHeaders` before the first event or heartbeat; until then, the response can still be a plain failure. */
  constructor(response: ServerResponse, times: EventTimes, sendHeaders: () => void) {
    this.#response = response;
    this.#times = times;
    this.#sendHeaders = sendHeaders;
    this.#heartbeat = setInterval(() => {
      // Not needed while events are waiting to be read.
      if (response.writableLength === 0) this.#write(":\n\n").catch(() => {});
    }, times.heartbeatMs);
    response.once("close", () => clearInterval(this.#heartbeat));
  }

  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  /**
   * Sends an event with `data` as JSON. Resolves when the next one can be sent; rejects with CANCELLED if the client
   * disconnects.
   */
  send(event: string, data: unknown): Promise<void> {
    const bytes = Buffer.concat([
      Buffer.from(`event: ${event}\ndata: `),
      toJsonBytes(data),
      Buffer.from("\n\n"),
    ]);
    this.#last = this.#last.then(() => this.#write(bytes));
    // Prevents an unhandled rejection if the caller does not await the event.
    this.#last.catch(() => {});
    return this.#last;
  }

  /** Ends the response after all events are written. */
  async end(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#last.catch(() => {});
    this.#response.end();
  }

  #write(text: string | Buffer): Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return Promise.reject(canceled());
    if (!this.hasStarted) this.#sendHeaders();
    if (response.write(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stallTimer = setTimeout(() => response.destroy(), this.#times.stallMs);
      const settle = (done: () => void) => {
        clearTimeout(stallTimer);
        response.off("drain", onDrain);
        response.off("close", onClose);
        done();
      };
      const onDrain = () => settle(resolve);
      const onClose = () => settle(() => reject(canceled()));
      response.once("drain", onDrain);
      response.once("close", onClose);
    });
  }
}
