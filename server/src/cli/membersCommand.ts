import { ServiceError } from "#base/error";
import type { Member } from "#contract/organisation";
import { type Action, type Ask, columns, noWords, onlyWord, runAction } from "./actions";
import type { Flags } from "./flags";
import type { House } from "./instance";
import { harmless } from "./terminal";

export function membersCommand(house: House, flags: Flags): Promise<number> {
  return runAction(house, flags, "members", {
    list,
    add,
    remove,
    promote: role("OWNER"),
    demote: role("MEMBER"),
  });
}

const list: Action = async ({ terminal }, flags, words, ask) => {
  noWords(words);
  const members = await ask("members", {});
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(members, undefined, terminal.isScreen ? 2 : undefined)}\n`);
    return;
  }
  const rows = members.map(({ email, name, role, lastActivityAt, suspendedAt, id }) => [
    harmless(email),
    harmless(name ?? ""),
    suspendedAt === null ? role.toLowerCase() : "suspended",
    day(lastActivityAt, "never"),
    id,
  ]);
  await terminal.print(columns([["EMAIL", "NAME", "ROLE", "LAST ACTIVE", "ID"], ...rows]));
};

const add: Action = async ({ terminal }, flags, words, ask) => {
  const email = onlyWord(words, "EMAIL");
  const name = flags.text("name");
  const role = flags.has("owner") ? "OWNER" : "MEMBER";
  const member = await ask("addMember", { email, role, ...(name === undefined ? {} : { name }) });
  await terminal.print(`${harmless(member.email)} is ${articled(member.role)} of the organisation.\n`);
};

const remove: Action = async ({ terminal }, _flags, words, ask) => {
  const { id } = await memberNamed(onlyWord(words, "MEMBER"), ask);
  const { message } = await ask("removeMember", { userId: id });
  await terminal.print(`${harmless(message)} Their API keys are void.\n`);
};

function role(wanted: Member["role"]): Action {
  return async ({ terminal }, _flags, words, ask) => {
    const { id } = await memberNamed(onlyWord(words, "MEMBER"), ask);
    const member = await ask("changeRole", { userId: id, role: wanted });
    await terminal.print(`${harmless(member.email)} is ${articled(member.role)} of the organisation.\n`);
  };
}

/** By e-mail address, in whatever case, or by id. Throws NOT_FOUND. */
export async function memberNamed(word: string, ask: Ask): Promise<Member> {
  const members = await ask("members", {});
  const found = members.find(({ id, email }) => id === word || email.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  throw new ServiceError("NOT_FOUND", `There is no member ${word}: "trawl members list" shows who there is.`);
}

/** `2026-08-23`, or `without` where there is no such moment. */
export function day(moment: string | null, without: string): string {
  return moment === null ? without : moment.slice(0, 10);
}

function articled(role: Member["role"]): string {
  return role === "OWNER" ? "an owner" : "a member";
}
