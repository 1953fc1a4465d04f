/** The route that stores what a user chooses on the settings page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "#base/error";
import { changedSettings } from "#transport/pages/viewSettings";
import type { BrowserRules } from "./browserRules";
import { readQuery } from "./decode";
import type { Handlers } from "./handlers";
import { viewCookie, viewSettingsOf } from "./sessions";

export const settingsPath = "/settings";

/** Returns the handler, which stores the choice in a cookie and returns to the page. */
export function createSettingsHandler(
  { rules }: { readonly rules: Pick<BrowserRules, "isFromOwnPage"> },
  { baseUrl, cookieRequest }: Pick<Handlers, "baseUrl" | "cookieRequest">,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    if (!rules.isFromOwnPage(request.raw))
      throw new ServiceError("ORIGIN_NOT_ALLOWED", "Only pages of this service may change its settings.");
    const { theme, contextLines } = readQuery(request.url, new Map());
    const cookies = cookieRequest(request);
    const settings = changedSettings(viewSettingsOf(cookies), {
      theme: typeof theme === "string" ? theme : undefined,
      contextLines: typeof contextLines === "string" ? contextLines : undefined,
    });
    reply.header("set-cookie", viewCookie(settings, cookies));
    return reply.redirect(`${baseUrl(request) ?? ""}${settingsPath}`, 303);
  };
}
