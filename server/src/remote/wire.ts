/**
 * How one Trawl asks another on the same computer: `POST /call/<row>` over its socket.
 *
 * The body is a `WireCall`. The answer is a line of JSON for each event, then one for the end:
 *
 *     {"event":{"event":"progress","data":{"fileCount":3,"matchCount":9}}}
 *     {"answer":{"stats":…}}        or        {"error":{"code":"FAILED_TO_PARSE_QUERY","message":"…"}}
 *
 * JSON escapes newlines, so that a line is a message. An answer that breaks off before its end means that the other
 * process has gone. Closing the connection cancels the call.
 */
import { isServiceError, ServiceError } from "#base/error";
import { isErrorCode } from "#contract/error";
import type { OpenDocument } from "#contract/service";

export interface WireCall {
  readonly request: unknown;
  readonly baseUrl?: string;
  readonly unsaved?: readonly OpenDocument[];
  readonly folders?: readonly string[];
  /** Whether events are wanted. */
  readonly events: boolean;
}

export type WireLine =
  | { readonly event: unknown }
  | { readonly answer: unknown }
  | { readonly error: WireError };

export interface WireError {
  readonly code: string;
  readonly message: string;
}

export const callPath = "/call/";

/** Internal codes travel as well, so that the caller's process can tell them apart; of a defect only that it was one. */
export function toWireError(error: unknown): WireError {
  if (isServiceError(error)) return { code: error.code, message: error.message };
  return {
    code: "UNEXPECTED_ERROR",
    message: "Something went wrong in the process that holds the index. Its log says what.",
  };
}

export function fromWireError({ code, message }: WireError): ServiceError {
  if (isErrorCode(code) || code === "CANCELLED" || code === "STORAGE_FAILED" || code === "USAGE") {
    return new ServiceError(code, message);
  }
  return new ServiceError("UNEXPECTED_ERROR", message);
}

/** The lines of `body`; the last one counts only with its newline. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Pieces of a line that is not whole yet: an answer may be one line of many megabytes.
  let pieces: string[] = [];
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      pieces.push(text.slice(0, end));
      yield pieces.join("");
      pieces = [];
      text = text.slice(end + 1);
    }
    if (text !== "") pieces.push(text);
  }
}
