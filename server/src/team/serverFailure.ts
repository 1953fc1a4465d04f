/** Failures of a team's server, which say nothing about one request but about all. */
import { sanitize } from "#base/sanitize";

/**
 * `unreachable`: the network, a gateway or a limit of time. `rejected`: the key. `busy`: the server wants fewer requests.
 * `invalid`: its responses are not those of a Trawl server.
 */
export type FailureKind = "unreachable" | "rejected" | "busy" | "invalid";

export class ServerFailure extends Error {
  readonly kind: FailureKind;
  /** When to send the next request, in milliseconds from now, if that does not depend on how many have failed. */
  readonly retryAfterMs: number | undefined;

  /** `message` is one or two sentences for the user. */
  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

const maxMessageCharacters = 300;

/** Makes text of another server safe to show: bounded, on one line. */
export function shownText(text: string): string {
  const line = sanitize(text.replace(/\s+/g, " ")).trim();
  return line.length > maxMessageCharacters ? `${line.slice(0, maxMessageCharacters)}…` : line;
}
