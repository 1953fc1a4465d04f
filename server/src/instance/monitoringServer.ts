/** A port with nothing but probes and metrics, for processes that serve no requests. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ServiceError } from "#base/error";

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

const requestTimeoutMs = 10_000;
const maxConnections = 64;

/** Serves `/livez`, `/readyz` and `/metrics`. Throws USAGE if the port cannot be used. */
export async function serveMonitoring(options: MonitoringOptions): Promise<MonitoringServer> {
  const server = createServer((request, response) => {
    request.resume();
    const path = request.method === "GET" || request.method === "HEAD" ? (request.url ?? "") : "";
    respond(path.split("?")[0] ?? "", response, options).catch(() => response.destroy());
  });
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = requestTimeoutMs;
  server.maxConnections = maxConnections;
  await listen(server, options);
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
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

function listen(server: Server, { host, port }: MonitoringOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new ServiceError("USAGE", `Cannot listen on ${host}:${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, host, resolve);
  });
}
