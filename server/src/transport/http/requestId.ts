/** The ID of a request, shared by its response, its log lines, and the leader to which it is forwarded. */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const requestIdHeader = "x-request-id";

/** Only what needs no escaping in a log, a shell or a header. */
const wellFormedId = /^[\w.:/=+@-]{1,128}$/;
/** Version, trace ID, parent ID and flags, as in W3C Trace Context. */
const wellFormedTrace = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** Returns the `X-Request-Id` of a request, or the trace ID of its `traceparent`; if neither is well-formed, a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const id = headers[requestIdHeader];
  if (typeof id === "string" && wellFormedId.test(id)) return id;
  const { traceparent } = headers;
  const trace = typeof traceparent === "string" ? wellFormedTrace.exec(traceparent)?.[1] : undefined;
  return trace ?? randomUUID();
}
