/** A port with nothing but probes and metrics, for processes that serve no requests. */
import type { ServerResponse } from "node:http";
import { closeServer, createHttpServer, defaultLimits, listenOnPort, reachableHost } from "./httpServer";

export interface MonitoringOptions {
  readonly host: string;
  readonly port: number;
  readonly isReady: () => boolean;
  /** Returns all metrics in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
}

export interface MonitoringServer {
  readonly url: string;
  close(): Promise<void>;
}

const maxConnections = 64;

/** Serves `/livez`, `/readyz` and `/metrics`. Throws USAGE if the port cannot be used. */
export async function serveMonitoring(options: MonitoringOptions): Promise<MonitoringServer> {
  const { host, port } = options;
  const server = createHttpServer(
    (request, response) => {
      request.resume();
      response.on("error", () => undefined);
      const path = request.method === "GET" || request.method === "HEAD" ? (request.url ?? "") : "";
      respond(path.split("?")[0] ?? "", response, options).catch(() => response.destroy());
    },
    { ...defaultLimits, maxConnections },
    () => true,
  );
  const boundPort = await listenOnPort(server, host, port);
  return { url: `http://${reachableHost(host)}:${boundPort}`, close: () => closeServer(server) };
}

async function respond(
  path: string,
  response: ServerResponse,
  { isReady, metrics }: MonitoringOptions,
): Promise<void> {
  const send = (status: number, text: string) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
  };
  switch (path) {
    case "/livez":
      return send(200, "ok\n");
    case "/readyz":
      return isReady() ? send(200, "ok\n") : send(503, "The database does not respond.\n");
    case "/metrics":
      return send(200, await metrics());
    default:
      return send(404, "Not found.\n");
  }
}
