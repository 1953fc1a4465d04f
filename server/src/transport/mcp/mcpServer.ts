/**
 * The Model Context Protocol: the tools for agents, files as resources, and prompts.
 *
 * This file and its neighbors are the only ones that import the SDK, and are loaded with the first connection.
 */
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { runTool } from "#agents/runTool";
import type { Send } from "#agents/tool";
import { toolDefinitions } from "#agents/toolDefinitions";
import { isServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import type { Call, Caller } from "#contract/service";
import { type Log, withFields } from "#platform/log";
import { prompts, writePrompt } from "./prompts";
import { completeArgument, readResource, resourceTemplates } from "./resources";

export interface McpOptions {
  readonly version: string;
  readonly caller: Caller;
  readonly log: Log;
  /**
   * Whether results have structured content besides their text. Many clients give their model this content instead of
   * the text, although it takes more tokens.
   */
  readonly isStructured?: boolean;
}

const instructions =
  "Trawl searches all repositories that its user has indexed, also those that are not open here, at any branch, tag or commit. Results are exact. Start with grep or find; name repositories as results do.";

/** Definitions never change while a process runs, and are the same for everybody. */
const listCache = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/**
 * Creates the server of one connection or request. `call` describes its caller; its signal, if there is one, fires when
 * the connection closes.
 */
export function createMcpServer(
  { version, caller, log: plainLog, isStructured = false }: McpOptions,
  call: Omit<Call, "signal" | "emit"> & Partial<Pick<Call, "signal">>,
): Server {
  const { requestId } = call;
  const log = requestId === undefined ? plainLog : withFields(plainLog, { requestId });
  const server = new Server(
    { name: "trawl", title: "Trawl", version },
    {
      instructions,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      cacheHints: {
        "tools/list": listCache,
        "prompts/list": listCache,
        "resources/list": listCache,
        "resources/templates/list": listCache,
      },
    },
  );
  const tools = toolDefinitions({ isStructured }).map((definition) => ({
    ...definition,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }));
  const toolNames = new Set(tools.map(({ name }) => name));
  const callUntil = (canceled: AbortSignal): Omit<Call, "emit"> => ({
    ...call,
    signal: call.signal === undefined ? canceled : AbortSignal.any([call.signal, canceled]),
  });
  const sendUntil = (canceled: AbortSignal): Send => {
    const context = callUntil(canceled);
    return (operation, request) => caller(operation, request, context);
  };

  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    if (!toolNames.has(params.name)) {
      const names = [...toolNames].join(", ");
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool. There are ${names}.`);
    }
    const context = callUntil(mcpReq.signal);
    const { text, isError, structured } = await withProtocolErrors(log, () =>
      runTool(params.name, params.arguments, caller, context, {
        isStructured,
        onDefect: (error) => log.error("A tool failed.", { tool: params.name, error }),
      }),
    );
    const content = [{ type: "text" as const, text }];
    return structured === undefined
      ? { content, isError }
      : { content, isError, structuredContent: { ...structured } };
  });
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler("resources/read", ({ params }, { mcpReq }) =>
    withProtocolErrors(log, () => readResource(sendUntil(mcpReq.signal), params.uri)),
  );
  server.setRequestHandler("prompts/list", () => ({ prompts: [...prompts] }));
  server.setRequestHandler("prompts/get", ({ params }) => writePrompt(params.name, params.arguments ?? {}));
  server.setRequestHandler("completion/complete", async ({ params }, { mcpReq }) => ({
    completion: await withProtocolErrors(log, () => completeArgument(sendUntil(mcpReq.signal), params)),
  }));
  return server;
}

/** Turns expected errors into errors of the protocol. Logs defects, and hides what they say. */
async function withProtocolErrors<Result>(log: Log, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { message, errorCode } = toErrorObject(error);
    const isDefect = errorCode === "UNEXPECTED_ERROR" && !isServiceError(error, "CANCELLED");
    if (isDefect) log.error("An MCP request failed.", { error });
    throw new ProtocolError(
      isDefect ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
      message,
    );
  }
}
