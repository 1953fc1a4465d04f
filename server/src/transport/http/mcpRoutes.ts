/** The routes of MCP over HTTP, and of the metadata with which its clients find the OAuth issuer (RFC 9728). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isServiceError, ServiceError } from "#base/error";
import type { Call, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import type { McpOverHttp } from "#transport/mcp/http";
import { readQuery } from "./decode";
import type { Handlers } from "./handlers";

export const mcpPath = "/mcp";
export const resourceMetadataPath = "/.well-known/oauth-protected-resource/mcp";

export interface McpRouteOptions {
  readonly caller: Caller;
  readonly log: Log;
  /** URL of the issuer whose access tokens are accepted; absent: only API keys are. */
  readonly oauthIssuer?: string;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function createMcpHandlers(
  { caller, log, oauthIssuer }: McpRouteOptions,
  { createCall, sendBody }: Pick<Handlers, "createCall" | "sendBody">,
): { readonly handleMcp: Handler; readonly sendResourceMetadata: Handler; close(): Promise<void> } {
  let mcp: Promise<McpOverHttp> | undefined;
  return { handleMcp, sendResourceMetadata, close };

  /** Loads the SDK once; the next request tries again if that fails. */
  function load(): Promise<McpOverHttp> {
    mcp ??= import("#transport/mcp/http")
      .then(({ createMcpOverHttp }) => createMcpOverHttp(caller, log))
      .catch((error: unknown) => {
        mcp = undefined;
        throw error;
      });
    return mcp;
  }

  async function close(): Promise<void> {
    const loaded = await mcp?.catch(() => undefined);
    await loaded?.close();
  }

  async function handleMcp(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = { source: "mcp", ...createCall(request, reply) };
    await checkAccess(call, reply);
    const { headers, body } = request;
    const isStructured = wantsStructuredContent(request.url);
    const loaded = await load();
    const response = await loaded.respond({ url: urlOf(call, mcpPath), headers, body, call, isStructured });
    // No response is longer than the budget of a tool or the limit of a resource, and none is a subscription.
    const bytes = Buffer.from(await response.arrayBuffer());
    return await sendBody(request, reply.code(response.status).headers(responseHeaders(response)), bytes);
  }

  /** Refuses callers without access before the SDK sees them: it would send their error with status 200. */
  async function checkAccess(call: Call, reply: FastifyReply): Promise<void> {
    try {
      // An operation that everyone with access may call, and that leaves no audit record.
      await caller<"readQuery">("readQuery", { query: "" }, call);
    } catch (error) {
      if (isServiceError(error, "NOT_AUTHENTICATED") && oauthIssuer !== undefined) {
        const metadata = urlOf(call, resourceMetadataPath);
        reply.header("www-authenticate", `Bearer resource_metadata="${metadata}"`);
      }
      throw error;
    }
  }

  async function sendResourceMetadata(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return reply.send({
      resource: urlOf(createCall(request, reply), mcpPath),
      resource_name: "Trawl",
      ...(oauthIssuer === undefined ? {} : { authorization_servers: [oauthIssuer] }),
      bearer_methods_supported: ["header"],
    });
  }
}

/** Throws INVALID_QUERY_PARAMS. */
function wantsStructuredContent(url: string): boolean {
  const { structured = false } = readQuery(url, new Map([["structured", "boolean"]]));
  if (typeof structured === "boolean") return structured;
  const value = JSON.stringify(structured);
  throw new ServiceError("INVALID_QUERY_PARAMS", `"structured" must be true or false, but is ${value}.`);
}

/** Returns the headers of a response of the SDK, without those of its connection. */
function responseHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== "connection"));
}

function urlOf({ baseUrl = "http://localhost" }: Call, path: string): string {
  return `${baseUrl}${path}`;
}
