/** MCP over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "#contract/service";
import type { Log } from "#platform/log";
import { createMcpServer } from "./mcpServer";

export interface McpStdioOptions {
  readonly version: string;
  /** Calls wait for it, so that a client is answered before the index is open. */
  readonly caller: Promise<Caller>;
  readonly log: Log;
  readonly isStructured: boolean;
  readonly signal: AbortSignal;
}

/** Serves until standard input ends or the signal fires. */
export async function serveMcpOverStdio({
  version,
  caller,
  log,
  isStructured,
  signal,
}: McpStdioOptions): Promise<void> {
  const waitingCaller: Caller = async (name, request, call) => (await caller)(name, request, call);
  const call = { credentials: { kind: "local" }, client: `mcp ${process.pid}`, source: "mcp" } as const;
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("close", resolve);
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const options = { version, caller: waitingCaller, log, isStructured };
  const handle = serveStdio(() => createMcpServer(options, call), {
    onerror: (error) => log.warn("A message over standard input failed.", { error }),
  });
  await ended;
  await handle.close();
}
