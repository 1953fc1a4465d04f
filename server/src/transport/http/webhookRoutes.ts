/** The route for webhooks of code hosts. Passes them on as they arrived, because only that can be verified. */
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import { readBody, readQuery } from "./decode";
import type { Handlers } from "./handlers";

const prefix = "/api/webhooks/";
/** The path as a route pattern: `:connection` is the name of the connection. */
export const webhookPattern = `${prefix}:connection`;

/** The largest webhook that hosts send. */
export const maxWebhookBytes = 25 * 1024 * 1024;
/** Anyone may send bodies, so only a few that are larger than this are in memory at once. */
const largeBytes = 1024 * 1024;
const maxLargeCount = 2;

export function isWebhook({ url = "" }: IncomingMessage): boolean {
  return url.startsWith(prefix);
}

/**
 * Returns the handler, which responds with 202 once the webhook has been verified. It throws REQUEST_TOO_LARGE,
 * OVERLOADED while many large webhooks are being handled, and NOT_AUTHENTICATED.
 */
export function createWebhookHandler(
  { caller }: { readonly caller: Caller },
  { createCall }: Pick<Handlers, "createCall">,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let largeCount = 0;
  return async (request, reply) => {
    let isLarge = false;
    const admit = (length: number) => {
      if (isLarge || length <= largeBytes) return;
      if (largeCount >= maxLargeCount)
        throw new ServiceError("OVERLOADED", "Too many large webhooks are being received. Try again later.");
      isLarge = true;
      largeCount++;
    };
    try {
      const body = await readBody(request.raw, maxWebhookBytes, admit);
      await caller<"receiveWebhook">("receiveWebhook", toRequest(request, body), createCall(request, reply));
      return await reply.code(202).send();
    } finally {
      if (isLarge) largeCount--;
    }
  };
}

function toRequest({ params, url, headers }: FastifyRequest, body: Uint8Array) {
  const { connection } = params as { readonly connection: string };
  const { repository, secret } = readQuery(url, new Map());
  return {
    connection,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === "string")),
    repository,
    secret,
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64"),
  };
}
