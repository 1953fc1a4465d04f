/** A collector of OpenTelemetry traces: decodes what exporters send to it in OTLP over HTTP. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
}

export interface TraceCollector {
  readonly spans: readonly CollectedSpan[];
  /** Everything that was received, to look for text in it. */
  readonly received: () => string;
  /** The variables by which a process sends its traces here, soon after they end. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Of `trace.proto` of OpenTelemetry: the numbers of fields, from the outermost to the innermost. */
const fields = {
  resourceSpans: 1,
  scopeSpans: 2,
  spans: 2,
  traceId: 1,
  spanId: 2,
  parentSpanId: 4,
  name: 5,
} as const;

export async function collectTraces(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    bodies.push(body);
    if (request.url === "/v1/traces") spans.push(...decodeSpans(body));
    response.writeHead(request.url === "/v1/traces" ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    spans,
    received: () => Buffer.concat(bodies).toString("latin1"),
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function decodeSpans(body: Buffer): CollectedSpan[] {
  return bytesOf(body, fields.resourceSpans)
    .flatMap((resourceSpans) => bytesOf(resourceSpans, fields.scopeSpans))
    .flatMap((scopeSpans) => bytesOf(scopeSpans, fields.spans))
    .map((span) => ({
      traceId: hexOf(span, fields.traceId),
      spanId: hexOf(span, fields.spanId),
      parentId: hexOf(span, fields.parentSpanId),
      name: textOf(span, fields.name),
    }));
}

const textOf = (message: Buffer, field: number) => bytesOf(message, field)[0]?.toString("utf8") ?? "";
const hexOf = (message: Buffer, field: number) => bytesOf(message, field)[0]?.toString("hex") ?? "";

/** Returns the values of a field of a Protocol Buffers message whose wire type is a length with bytes. */
function bytesOf(message: Buffer, wanted: number): Buffer[] {
  const values: Buffer[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else {
      const length = varint();
      if (Math.floor(tag / 8) === wanted) values.push(message.subarray(at, at + length));
      at += length;
    }
  }
  return values;
}
