/**
 * The request that is being handled: its ID and, if traces are exported, its span. Requests to other processes carry both,
 * as `X-Request-Id` and in the headers of W3C Trace Context.
 *
 * OpenTelemetry is loaded only if its environment variables name a collector. Spans have names of routes, operations and
 * servers, but nothing from queries, responses or repositories.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Context, Span, SpanOptions, TextMapPropagator, Tracer } from "@opentelemetry/api";
import { isServiceError, usageError } from "#base/error";
import { environmentVariable } from "./environment";
import type { Log } from "./log";

type Api = typeof import("@opentelemetry/api");

interface Exported {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  stop(): Promise<void>;
}

interface RequestContext {
  readonly requestId?: string;
  /** Contains the span that runs now. */
  readonly trace?: Context;
}

const stopTimeoutMs = 2000;

const running = new AsyncLocalStorage<RequestContext>();
/** Following a request through promises has a cost, which only processes pay that send something to others. */
let isFollowing = false;
let exported: Exported | undefined;

/** Has requests to other processes carry the ID of the request that is being handled. */
export function followRequests(): void {
  isFollowing = true;
}

/**
 * Exports traces from now on, if an environment variable of OpenTelemetry names a collector.
 *
 * Throws USAGE for a protocol other than `http/protobuf`. A collector that fails is logged, and affects nothing else.
 */
export async function startTracing(version: string, log: Log): Promise<void> {
  if (!isTracingRequested()) return;
  refuseOtherProtocols();
  const api = await import("@opentelemetry/api");
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const { BasicTracerProvider, BatchSpanProcessor } = await import("@opentelemetry/sdk-trace-base");
  logFailures(api, log);
  const own = resourceFromAttributes({ "service.name": "trawl", "service.version": version });
  const provider = new BasicTracerProvider({
    // Variables take precedence.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  exported = {
    api,
    tracer: provider.getTracer("trawl", version),
    propagator: new W3CTraceContextPropagator(),
    stop: () => provider.shutdown(),
  };
  isFollowing = true;
}

/** Sends the spans that have ended, and stops. Never rejects, and does not wait long for the collector. */
export async function stopTracing(): Promise<void> {
  const stopped = exported;
  exported = undefined;
  const stopping = stopped?.stop().catch(() => undefined);
  await Promise.race([stopping, setTimeout(stopTimeoutMs, undefined, { ref: false })]);
}

function isTracingRequested(): boolean {
  if (environmentVariable("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return false;
  const exporter = environmentVariable("OTEL_TRACES_EXPORTER");
  if (exporter) return exporter === "otlp";
  return ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].some((name) =>
    environmentVariable(name),
  );
}

function refuseOtherProtocols(): void {
  for (const name of ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
    const protocol = environmentVariable(name);
    if (!protocol) continue;
    if (protocol === "http/protobuf") return;
    throw usageError(`${name} must be http/protobuf, not "${protocol}". Collectors accept it on port 4318.`);
  }
}

/** Logs each kind of failure once. Errors arrive as JSON with a stack, and may contain a response of the collector. */
function logFailures(api: Api, log: Log): void {
  const logged = new Set<string>();
  const report = (message: string) => {
    const reason = /"message":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message;
    const text = reason.slice(0, 200);
    if (logged.size >= 20 || logged.has(text)) return;
    logged.add(text);
    log.warn(`OpenTelemetry: ${text}`);
  };
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  api.diag.setLogger(logger, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
}

export interface ReceivedRequest {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** With the names of parameters instead of their values. */
  readonly route: string;
}

/** Runs `handle`, and all that follows from it, as the handling of a request. Its span ends when `response` closes. */
export function handleRequest(received: ReceivedRequest, response: ServerResponse, handle: () => void): void {
  if (!isFollowing) handle();
  else if (exported === undefined) running.run({ requestId: received.requestId }, handle);
  else handleInSpan(exported, received, response, handle);
}

function handleInSpan(
  { api, tracer, propagator }: Exported,
  { requestId, headers, method, route }: ReceivedRequest,
  response: ServerResponse,
  handle: () => void,
): void {
  const parent = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "trawl.request_id": requestId,
  };
  const span = tracer.startSpan(`${method} ${route}`, { kind: api.SpanKind.SERVER, attributes }, parent);
  response.once("close", () => {
    const { statusCode } = response;
    span.setAttribute("http.response.status_code", statusCode);
    if (statusCode >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
  });
  running.run({ requestId, trace: api.trace.setSpan(parent, span) }, handle);
}

/** Runs `work` in a span of its own, if traces are exported. */
export async function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return exported === undefined ? await work() : await runSpan(exported, name, {}, work);
}

/**
 * Sends a request to another process, in a span of its own if traces are exported. `send` is called with the headers that
 * the request carries on behalf of the request that is being handled.
 */
export async function sendInSpan<Response extends { readonly statusCode: number }>(
  origin: string,
  method: string,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  if (exported === undefined) return await send(requestHeaders());
  const { hostname, port } = new URL(origin);
  const attributes = {
    "http.request.method": method,
    "server.address": hostname,
    "server.port": Number(port),
  };
  const options = { kind: exported.api.SpanKind.CLIENT, attributes };
  return await runSpan(exported, method, options, async (span) => {
    const response = await send(requestHeaders());
    span.setAttribute("http.response.status_code", response.statusCode);
    return response;
  });
}

async function runSpan<Result>(
  { api, tracer }: Exported,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const context = running.getStore();
  const parent = context?.trace ?? api.ROOT_CONTEXT;
  const span = tracer.startSpan(name, options, parent);
  try {
    return await running.run({ ...context, trace: api.trace.setSpan(parent, span) }, () => work(span));
  } catch (error) {
    span.setAttribute("error.type", isServiceError(error) ? error.code : "UNEXPECTED_ERROR");
    // A caller that disconnects, or a request that another one has made superfluous, is no error.
    if (!isServiceError(error, "CANCELLED")) span.setStatus({ code: api.SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function requestHeaders(): Record<string, string> {
  const context = running.getStore();
  if (context === undefined) return {};
  const { requestId, trace } = context;
  const headers: Record<string, string> = {};
  if (requestId !== undefined) headers["x-request-id"] = requestId;
  if (trace !== undefined) exported?.propagator.inject(trace, headers, exported.api.defaultTextMapSetter);
  return headers;
}
