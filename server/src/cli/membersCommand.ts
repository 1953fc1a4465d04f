import { ServiceError, usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { Member } from "#contract/organization";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import {
  alignColumns,
  requireNoPositionals,
  requireOnePositional,
  runSubcommand,
  type SendRequest,
  type Subcommand,
} from "./subcommands";

export function membersCommand(context: CommandContext, flags: Flags): Promise<number> {
  return runSubcommand(context, flags, "members", {
    list,
    add,
    remove,
    disable: setSuspended(true),
    enable: setSuspended(false),
    promote: changeRole("OWNER"),
    demote: changeRole("MEMBER"),
  });
}

const list: Subcommand = async ({ terminal }, flags, positionals, send) => {
  requireNoPositionals(positionals);
  const members = await send("members", {});
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(members, undefined, terminal.isTty ? 2 : undefined)}\n`);
    return;
  }
  const rows = members.map(({ email, name, role, lastActivityAt, suspendedAt, id }) => [
    sanitize(email),
    sanitize(name ?? ""),
    suspendedAt === null ? role.toLowerCase() : "disabled",
    formatDay(lastActivityAt, "never"),
    id,
  ]);
  await terminal.print(alignColumns([["EMAIL", "NAME", "ROLE", "LAST ACTIVE", "ID"], ...rows]));
};

const add: Subcommand = async ({ terminal }, flags, positionals, send) => {
  const service = flags.text("service");
  const groups = flags.texts("group");
  const name = flags.text("name");
  const role = flags.has("owner") ? "OWNER" : "MEMBER";
  const fields = { role, ...(name === undefined ? {} : { name }) } as const;
  if (service !== undefined) {
    requireNoPositionals(positionals);
    const { email } = await send("addService", { ...fields, service, groups: [...(groups ?? [])] });
    await terminal.print(
      `${sanitize(email)} is a service account. Run "trawl keys create --member ${email} NAME" for an API key.\n`,
    );
    return;
  }
  if (groups !== undefined)
    throw usageError("--group needs --service: the groups of a person come from the login server.");
  const member = await send("addMember", { ...fields, email: requireOnePositional(positionals, "EMAIL") });
  await terminal.print(`${sanitize(member.email)} is ${withArticle(member.role)} of the organization.\n`);
};

const remove: Subcommand = async ({ terminal }, _flags, positionals, send) => {
  const { id } = await findMember(requireOnePositional(positionals, "MEMBER"), send);
  const { message } = await send("removeMember", { userId: id });
  await terminal.print(`${sanitize(message)} Their API keys are revoked.\n`);
};

function setSuspended(isSuspended: boolean): Subcommand {
  return async ({ terminal }, _flags, positionals, send) => {
    const { id } = await findMember(requireOnePositional(positionals, "MEMBER"), send);
    const { email } = await send("setSuspended", { userId: id, isSuspended });
    const effect = isSuspended
      ? "is disabled: API keys and sessions are refused from now on"
      : "is enabled: API keys and sessions are valid again";
    await terminal.print(`${sanitize(email)} ${effect}.\n`);
  };
}

function changeRole(newRole: Member["role"]): Subcommand {
  return async ({ terminal }, _flags, positionals, send) => {
    const { id } = await findMember(requireOnePositional(positionals, "MEMBER"), send);
    const member = await send("changeRole", { userId: id, role: newRole });
    await terminal.print(`${sanitize(member.email)} is ${withArticle(member.role)} of the organization.\n`);
  };
}

/** Finds a member by email address (ignoring case) or id. Throws NOT_FOUND. */
export async function findMember(emailOrId: string, send: SendRequest): Promise<Member> {
  const members = await send("members", {});
  const found = members.find(
    ({ id, email }) => id === emailOrId || email.toLowerCase() === emailOrId.toLowerCase(),
  );
  if (found !== undefined) return found;
  throw new ServiceError(
    "NOT_FOUND",
    `There is no member ${emailOrId}. Run "trawl members list" to see all members.`,
  );
}

/** `2026-08-23`, or `fallback` for `null`. */
export function formatDay(time: string | null, fallback: string): string {
  return time === null ? fallback : time.slice(0, 10);
}

function withArticle(role: Member["role"]): string {
  return role === "OWNER" ? "an owner" : "a member";
}
