/** Server-sent events on one response. */
import type { ServerResponse } from "node:http";
import { cancelled } from "#base/error";

export interface EventTimes {
  /** A comment is sent this often, so that proxies and clients see that the stream lives. */
  readonly heartbeatMs: number;
  /** A reader that takes nothing for this long is cut off. */
  readonly stallMs: number;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #times: EventTimes;
  readonly #begin: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #last: Promise<void> = Promise.resolve();

  /** `begin` sends the headers; until the first event or heartbeat the response can still become a plain failure. */
  constructor(response: ServerResponse, times: EventTimes, begin: () => void) {
    this.#response = response;
    this.#times = times;
    this.#begin = begin;
    this.#heartbeat = setInterval(() => {
      // Events that wait to be read say enough.
      if (response.writableLength === 0) this.#write(":\n\n").catch(() => {});
    }, times.heartbeatMs);
    response.once("close", () => clearInterval(this.#heartbeat));
  }

  get started(): boolean {
    return this.#response.headersSent;
  }

  /** Keeps its promise when there is room for the next event. Rejects with CANCELLED when the reader has gone. */
  send(event: string, data: unknown): Promise<void> {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#last = this.#last.then(() => this.#write(text));
    // The rejection is for whoever waits; an event that nobody waits for is lost with its reader.
    this.#last.catch(() => {});
    return this.#last;
  }

  /** After all events are written. */
  async end(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#last.catch(() => {});
    this.#response.end();
  }

  #write(text: string): Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return Promise.reject(cancelled());
    if (!this.started) this.#begin();
    if (response.write(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stalled = setTimeout(() => response.destroy(), this.#times.stallMs);
      const settle = (done: () => void) => {
        clearTimeout(stalled);
        response.off("drain", onDrain);
        response.off("close", onClose);
        done();
      };
      const onDrain = () => settle(resolve);
      const onClose = () => settle(() => reject(cancelled()));
      response.once("drain", onDrain);
      response.once("close", onClose);
    });
  }
}
