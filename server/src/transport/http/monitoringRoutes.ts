/** The routes for operators: metrics, and probes for supervisors and load balancers. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import { notReady } from "#contract/system";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import type { Handlers } from "./handlers";

export const metricsPath = "/metrics";
export const livePath = "/livez";
export const readyPath = "/readyz";

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const plainType = "text/plain; charset=utf-8";
const readyLimitMs = 2000;

export function createMonitoringHandlers(
  { caller, log }: { readonly caller: Caller; readonly log: Log },
  { createCall, sendBody }: Pick<Handlers, "createCall" | "sendBody">,
): {
  /** Responds with the metrics of the leader. */
  readonly handleMetrics: Handler;
  /** Responds that this process runs, whatever the leader does. */
  readonly handleLive: Handler;
  /** Responds with 503 if the leader does not respond. */
  readonly handleReady: Handler;
} {
  return { handleMetrics, handleLive, handleReady };

  async function handleMetrics(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { text } = await caller<"metrics">("metrics", {}, createCall(request, reply));
    reply.type("text/plain; version=0.0.4; charset=utf-8");
    return await sendBody(request, reply, Buffer.from(text));
  }

  async function handleLive(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return reply.type(plainType).send("ok\n");
  }

  async function handleReady(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.type(plainType);
    const call = createCall(request, reply);
    const limit = new TimeLimit(call.signal, readyLimitMs);
    try {
      await caller<"health">("health", {}, { ...call, signal: limit.signal });
      return reply.send("ok\n");
    } catch (error) {
      const isStarting = isServiceError(error, "ENGINE_UNAVAILABLE") && error.message.startsWith(notReady);
      const reason = isStarting ? error.message : "The leader does not respond.";
      if (!call.signal.aborted) log.warn(reason, { requestId: request.id, error });
      return reply.code(503).send(`${reason}\n`);
    } finally {
      limit.dispose();
    }
  }
}
