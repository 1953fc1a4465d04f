/** Sends a response in pieces, while later ones are still being rendered. */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { constants, createGzip } from "node:zlib";
import { canceled } from "#base/error";

/**
 * Writes each piece as soon as it is rendered, without waiting for the client to read it: the whole response must be small
 * enough to stay in memory.
 */
export class PieceSender {
  readonly #response: ServerResponse;
  readonly #gzip: ReturnType<typeof createGzip> | undefined;
  /** The number of UTF-16 units so far. */
  length = 0;

  constructor(response: ServerResponse, isCompressed: boolean) {
    this.#response = response;
    if (!isCompressed) return;
    this.#gzip = createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH });
    this.#gzip.pipe(response);
    response.once("close", () => this.#gzip?.destroy());
  }

  /** Sends a piece, and lets it leave before the next one is rendered. Throws CANCELLED if the client has disconnected. */
  async send(piece: string): Promise<void> {
    if (this.#response.destroyed) throw canceled();
    this.length += piece.length;
    (this.#gzip ?? this.#response).write(piece);
    await nextTurn();
  }

  end(): void {
    (this.#gzip ?? this.#response).end();
  }
}
