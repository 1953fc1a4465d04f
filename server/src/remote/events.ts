/** Parses server-sent events in the form that this service writes: one `data` line per event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Yields an event only after its blank line, so that a truncated stream does not yield a partial event. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = "";
  let data: string | undefined;
  for await (const line of linesOf(body)) {
    if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data = line.slice(6);
    else if (line === "") {
      if (data !== undefined) yield { event, data };
      event = "";
      data = undefined;
    }
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Pieces of an incomplete line: a response may be one line of many megabytes.
  let pieces: string[] = [];
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      pieces.push(text.slice(start, end));
      yield pieces.join("");
      pieces = [];
      start = end + 1;
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
}
