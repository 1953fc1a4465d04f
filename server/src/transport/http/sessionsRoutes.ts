/** The route of the forms on the page with the user's own sessions. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isServiceError, ServiceError } from "#base/error";
import type { Call, Caller } from "#contract/service";
import { ownAccessOf } from "#transport/pages/sessionsPage";
import type { BrowserRules } from "./browserRules";
import { readQuery } from "./decode";
import type { Handlers } from "./handlers";
import { pageCredentialsOf } from "./sessions";

export const sessionsPath = "/sessions";

/** Returns the handler, which ends sessions or revokes the key of an editor, and returns to the page. */
export function createSessionsHandler(
  { caller, rules }: { readonly caller: Caller; readonly rules: Pick<BrowserRules, "isFromOwnPage"> },
  { baseUrl, cookieRequest, createCall, sendPage }: Handlers,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    if (!rules.isFromOwnPage(request.raw))
      throw new ServiceError("ORIGIN_NOT_ALLOWED", "Only pages of this service may end sessions.");
    return await sendPage(request, reply, async () => {
      const call = createCall(request, reply, pageCredentialsOf(cookieRequest(request)));
      await change(readQuery(request.url, new Map()), call);
      return { status: 303, location: `${baseUrl(request) ?? ""}${sessionsPath}`, body: "" };
    });
  };

  /** Does nothing for what has ended already, or belongs to somebody else. */
  async function change({ end, revoke }: Readonly<Record<string, unknown>>, call: Call): Promise<void> {
    const { sessions, editors } = await ownAccessOf({ caller, call });
    const ended = sessions.filter(({ id, isCurrent }) => id === end || (end === "others" && !isCurrent));
    for (const { id } of ended) await ignoreMissing(caller("revokeSession", { sessionId: id }, call));
    for (const { id } of editors)
      if (id === revoke) await ignoreMissing(caller("revokeKey", { keyId: id }, call));
  }
}

async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isServiceError(error, "NOT_FOUND")) throw error;
  }
}
