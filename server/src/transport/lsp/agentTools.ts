/** Runs tools for agents, for editors whose own agents cannot use MCP. */
import type { CancellationToken, Connection } from "vscode-languageserver/node";
import { runTool } from "#agents/runTool";
import { type ToolRequest, type ToolResponse, toolMethod } from "#contract/agentTools";
import { createCall, type LspSession, responseError, toAbortSignal } from "./requests";

export function serveAgentTools(connection: Connection, session: Omit<LspSession, "features">): void {
  const { caller, log } = session;
  connection.onRequest(
    toolMethod,
    async (params: Partial<ToolRequest> | undefined, token: CancellationToken): Promise<ToolResponse> => {
      const { signal, release } = toAbortSignal(token);
      try {
        const call = await createCall(session, { signal, arrivedAt: performance.now() });
        const { name, arguments: args } = params ?? {};
        return await runTool(String(name), args, await caller, call, {
          onDefect: (error) => log.error("A tool failed.", { tool: String(name), error }),
        });
      } catch (error) {
        throw responseError(error, log);
      } finally {
        release();
      }
    },
  );
}
