import { ServiceError } from "#base/error";
import type { ApiKey } from "#contract/organisation";
import { type Action, columns, noWords, onlyWord, runAction } from "./actions";
import { type Flags, usage } from "./flags";
import type { House } from "./instance";
import { day, memberNamed } from "./membersCommand";
import { harmless } from "./terminal";

export function keysCommand(house: House, flags: Flags): Promise<number> {
  return runAction(house, flags, "keys", { create, list, revoke });
}

const create: Action = async ({ terminal }, flags, words, ask) => {
  const name = onlyWord(words, "NAME");
  const expiresAt = expiry(flags.text("expires"), Date.now());
  const owner = flags.text("member");
  const userId = owner === undefined ? undefined : (await memberNamed(owner, ask)).id;
  const created = await ask("createKey", {
    name,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(userId === undefined ? {} : { userId }),
  });
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(created, undefined, terminal.isScreen ? 2 : undefined)}\n`);
    return;
  }
  // Alone on its stream, so that a script can take it as it is.
  await terminal.print(`${created.key}\n`);
  const end = created.expiresAt === null ? "never expires" : `expires on ${day(created.expiresAt, "")}`;
  terminal.say(`The key "${harmless(name)}" ${end}. It is shown only this once: nobody can read it again.\n`);
};

const list: Action = async ({ terminal }, flags, words, ask) => {
  noWords(words);
  const keys = await ask("keys", {});
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(keys, undefined, terminal.isScreen ? 2 : undefined)}\n`);
    return;
  }
  const members = new Map((await ask("members", {})).map(({ id, email }) => [id, email]));
  const now = new Date().toISOString();
  const rows = keys.map(({ id, name, userId, createdAt, lastUsedAt, expiresAt }) => [
    harmless(name),
    harmless(members.get(userId) ?? userId),
    day(createdAt, ""),
    day(lastUsedAt, "never"),
    expiresAt !== null && expiresAt <= now ? "expired" : day(expiresAt, "never"),
    id,
  ]);
  await terminal.print(columns([["NAME", "MEMBER", "CREATED", "LAST USED", "EXPIRES", "ID"], ...rows]));
};

const revoke: Action = async ({ terminal }, _flags, words, ask) => {
  const key = keyNamed(onlyWord(words, "KEY"), await ask("keys", {}));
  await ask("revokeKey", { keyId: key.id });
  await terminal.print(`The key "${harmless(key.name)}" is void.\n`);
};

/** By id, or by a name that one key has. Throws NOT_FOUND; USAGE where several keys have the name. */
function keyNamed(word: string, keys: readonly ApiKey[]): ApiKey {
  const found = keys.filter(({ id, name }) => id === word || name === word);
  const [key, other] = found;
  if (key === undefined)
    throw new ServiceError(
      "NOT_FOUND",
      `There is no API key ${word}: "trawl keys list" shows what there is.`,
    );
  if (other === undefined) return key;
  throw usage(
    `${found.length} keys are called "${word}"; give an id: ${found.map(({ id }) => id).join(", ")}.`,
  );
}

const unitDays: Readonly<Record<string, number>> = { d: 1, w: 7, y: 365 };

/** `30d`, `4w`, `1y` from `now` (milliseconds since 1970), a date, or `never`. Throws USAGE. */
export function expiry(text: string | undefined, now: number): string | undefined {
  if (text === undefined || text === "never") return undefined;
  const [, count, unit = ""] = /^(\d{1,4})([dwy])$/.exec(text) ?? [];
  const days = unitDays[unit];
  if (count !== undefined && days !== undefined) {
    return new Date(now + Number(count) * days * 24 * 60 * 60 * 1000).toISOString();
  }
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usage(`--expires takes 30d, 4w, 1y, a date such as 2027-01-31, or never, not "${text}".`);
}
