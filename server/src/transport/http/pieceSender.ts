/** Sends a response in pieces, while later ones are still being rendered or encoded. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { constants, createGzip } from "node:zlib";
import { canceled } from "#base/error";
import type { JsonText } from "#platform/jsonText";
import { TimeSlice } from "#platform/timeSlice";
import type { PageStream } from "#transport/pages/context";
import type { UnreadResponses } from "./responses";

/** Buffers of texts that have been sent, for the next ones. Larger buffers are rare. */
const freeBuffers: Buffer[] = [];
const maxFreeBuffers = 4;
const maxFreeBytes = 256 * 1024;

export class PieceSender {
  readonly #response: ServerResponse;
  readonly #gzip: ReturnType<typeof createGzip> | undefined;
  readonly #stallMs: number;
  readonly #unread: UnreadResponses;

  /** A client that reads nothing for `stallMs` of what it could read is disconnected. */
  constructor(response: ServerResponse, isCompressed: boolean, stallMs: number, unread: UnreadResponses) {
    this.#response = response;
    this.#stallMs = stallMs;
    this.#unread = unread;
    response.once("timeout", () => response.destroy());
    if (!isCompressed) return;
    this.#gzip = createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH });
    this.#gzip.pipe(response);
    response.once("close", () => this.#gzip?.destroy());
  }

  /**
   * Sends a piece, and waits until the client has read enough for the next one to be rendered. Throws CANCELLED if the
   * client has disconnected.
   */
  async send(piece: string): Promise<void> {
    const response = this.#response;
    if (response.destroyed) throw canceled();
    this.#unread.add(response, piece.length);
    const target = this.#gzip ?? response;
    if (target.write(piece)) {
      // Lets the piece leave.
      await nextTurn();
      return;
    }
    // While a piece is being rendered, the client has nothing to read.
    response.setTimeout(this.#stallMs);
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(target, "drain", { signal }), once(response, "close", { signal })]);
    waiting.abort();
    if (!response.destroyed) response.setTimeout(0);
  }

  /**
   * Sends a page while it is rendered. If that fails, what `noteOf` returns is shown instead of the rest; if it returns
   * nothing, the connection is closed.
   */
  async sendPage(
    { start, pieces, end }: PageStream,
    noteOf: (error: unknown) => string | undefined,
  ): Promise<void> {
    try {
      await this.send(start);
      for await (const piece of pieces) await this.send(piece);
    } catch (error) {
      const note = noteOf(error);
      if (note === undefined) {
        this.#response.destroy();
        return;
      }
      await this.send(note).catch(() => {});
    }
    await this.send(end).catch(() => {});
    this.end();
  }

  /** Sends a text while it is read. All of its parts are read into the same memory. */
  async sendText(text: JsonText): Promise<void> {
    const response = this.#response;
    const target = this.#gzip ?? response;
    this.#unread.add(response, text.length);
    response.setTimeout(this.#stallMs);
    let onClose = () => {};
    response.once("close", () => onClose());
    const slice = new TimeSlice();
    let memory = freeBuffers.pop() ?? Buffer.alloc(0);
    const allocate = (byteCount: number) => {
      if (memory.length < byteCount) memory = Buffer.allocUnsafe(byteCount);
      return memory;
    };
    for (const part of text.parts(allocate)) {
      if (response.destroyed) return;
      await new Promise<void>((resolve) => {
        onClose = resolve;
        target.write(part, () => resolve());
      });
      // For a client that reads fast, the socket takes each part at once.
      if (slice.isExpired) await slice.yieldToEventLoop();
    }
    const isReusable = memory.length > 0 && memory.length <= maxFreeBytes && !response.destroyed;
    if (isReusable && freeBuffers.length < maxFreeBuffers) freeBuffers.push(memory);
    this.end();
  }

  end(): void {
    this.#response.setTimeout(this.#stallMs);
    (this.#gzip ?? this.#response).end();
  }
}
