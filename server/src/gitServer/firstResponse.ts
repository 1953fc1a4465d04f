/** Asks servers one after the other, and returns the first response. */
import { canceled } from "#base/error";

export interface FirstResponseOptions<Server, Response> {
  /** In the order in which they are asked; at least one. */
  readonly servers: readonly Server[];
  /** How long a server is the last one that was asked. It may still respond later. */
  readonly stepMs: number;
  readonly signal: AbortSignal;
  readonly send: (server: Server, signal: AbortSignal) => Promise<Response>;
  /** Whether another server may succeed after this error. */
  readonly isFailure: (error: unknown) => boolean;
  /** Called when a server has not responded within `stepMs`. */
  readonly onLate: (server: Server) => void;
}

/**
 * Asks the next server when one fails, or does not respond in time. The requests that lose are canceled.
 *
 * Rejects with the first error that is not a failure, with an array of all failures if every server fails, and with
 * CANCELLED when the signal fires.
 */
export async function firstResponse<Server, Response>({
  servers,
  stepMs,
  signal,
  send,
  isFailure,
  onLate,
}: FirstResponseOptions<Server, Response>): Promise<Response> {
  const losers = new AbortController();
  const cancel = () => losers.abort();
  signal.addEventListener("abort", cancel, { once: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Response>((resolve, reject) => {
      const failures: unknown[] = [];
      let next = 0;
      const askNext = () => {
        clearTimeout(timer);
        const server = servers[next++];
        if (server === undefined) return;
        timer = setTimeout(() => {
          onLate(server);
          askNext();
        }, stepMs);
        send(server, losers.signal).then(resolve, (error: unknown) => {
          if (!isFailure(error)) return reject(error);
          failures.push(error);
          if (failures.length === servers.length) reject(failures);
          else askNext();
        });
      };
      if (signal.aborted) reject(canceled());
      else askNext();
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
