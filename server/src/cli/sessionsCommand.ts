import { isServiceError, ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatDay } from "./membersCommand";
import {
  alignColumns,
  requireNoPositionals,
  requireOnePositional,
  runSubcommand,
  type SendRequest,
  type Subcommand,
} from "./subcommands";

export function sessionsCommand(context: CommandContext, flags: Flags): Promise<number> {
  return runSubcommand(context, flags, "sessions", { list, revoke });
}

/** User agents are longer than a terminal is wide. */
const maxBrowserCharacters = 40;

function browserOf(keyId: string | null, userAgent: string | null): string {
  return [keyId === null ? "" : "API key", userAgent ?? ""].filter((part) => part !== "").join(", ");
}

const list: Subcommand = async ({ terminal }, flags, positionals, send) => {
  requireNoPositionals(positionals);
  const sessions = await send("sessions", {});
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(sessions, undefined, terminal.isTty ? 2 : undefined)}\n`);
    return;
  }
  const emails = await emailsOfMembers(send);
  const rows = sessions.map(({ id, userId, keyId, userAgent, createdAt, lastUsedAt, expiresAt }) => [
    sanitize(emails.get(userId) ?? userId),
    sanitize(browserOf(keyId, userAgent).slice(0, maxBrowserCharacters)),
    formatDay(createdAt, ""),
    formatDay(lastUsedAt, ""),
    formatDay(expiresAt, ""),
    id,
  ]);
  await terminal.print(
    alignColumns([["MEMBER", "BROWSER", "STARTED", "LAST USED", "EXPIRES", "ID"], ...rows]),
  );
};

const revoke: Subcommand = async ({ terminal }, _flags, positionals, send) => {
  const wanted = requireOnePositional(positionals, "SESSION");
  const emails = await emailsOfMembers(send);
  const found = (await send("sessions", {})).filter(
    ({ id, userId }) =>
      id === wanted || userId === wanted || emails.get(userId)?.toLowerCase() === wanted.toLowerCase(),
  );
  if (found.length === 0) {
    throw new ServiceError(
      "NOT_FOUND",
      `There is no session ${wanted}, and none of a member ${wanted}. Run "trawl sessions list" to see all sessions.`,
    );
  }
  for (const { id } of found) {
    try {
      await send("revokeSession", { sessionId: id });
    } catch (error) {
      // It has ended meanwhile.
      if (!isServiceError(error, "NOT_FOUND")) throw error;
    }
  }
  await terminal.print(`Ended ${found.length} ${found.length === 1 ? "session" : "sessions"}.\n`);
};

async function emailsOfMembers(send: SendRequest): Promise<ReadonlyMap<string, string>> {
  return new Map((await send("members", {})).map(({ id, email }) => [id, email]));
}
