/**
 * MCP over HTTP (Streamable HTTP): every request is complete in itself. There are no sessions, and so nothing to lose
 * when another process takes over the port.
 */
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Call, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import { createMcpServer } from "./mcpServer";

export interface McpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON. */
  readonly body: unknown;
  readonly call: Call;
  /** Whether results have structured content besides their text. */
  readonly isStructured: boolean;
}

export interface McpOverHttp {
  respond(request: McpRequest): Promise<Response>;
  close(): Promise<void>;
}

export function createMcpOverHttp(caller: Caller, log: Log): McpOverHttp {
  let version: string | undefined;
  const handler = createMcpHandler(
    async ({ authInfo }) => {
      const { call, isStructured } = (authInfo as { readonly extra?: unknown }).extra as Pick<
        McpRequest,
        "call" | "isStructured"
      >;
      version ??= (await caller<"version">("version", {}, call)).version;
      return createMcpServer({ version, caller, log, isStructured }, call);
    },
    // Nothing changes that clients could subscribe to.
    { maxSubscriptions: 0, onerror: (error) => log.debug("An MCP request was rejected.", { error }) },
  );
  return {
    respond({ url, headers, body, call, isStructured }) {
      const request = new Request(url, {
        method: "POST",
        headers: Object.entries(headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each): [string, string] => [name, each]),
        ),
        signal: call.signal,
      });
      // The SDK passes `extra` through; the service checks the credentials in the call.
      const authInfo = { token: "", clientId: "", scopes: [], extra: { call, isStructured } };
      return handler.fetch(request, { parsedBody: body, authInfo });
    },
    close: () => handler.close(),
  };
}
