import { ServiceError, usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { ApiKey } from "#contract/organization";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { findMember, formatDay } from "./membersCommand";
import {
  alignColumns,
  requireNoPositionals,
  requireOnePositional,
  runSubcommand,
  type Subcommand,
} from "./subcommands";

export function keysCommand(context: CommandContext, flags: Flags): Promise<number> {
  return runSubcommand(context, flags, "keys", { create, list, revoke });
}

const create: Subcommand = async ({ terminal }, flags, positionals, send) => {
  const name = requireOnePositional(positionals, "NAME");
  const expiresAt = parseExpiry(flags.text("expires"), Date.now());
  const repositories = flags.texts("repo");
  const owner = flags.text("member");
  const userId = owner === undefined ? undefined : (await findMember(owner, send)).id;
  const created = await send("createKey", {
    name,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(userId === undefined ? {} : { userId }),
    ...(repositories === undefined ? {} : { repositories: [...repositories] }),
    isReadOnly: flags.has("read-only"),
  });
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(created, undefined, terminal.isTty ? 2 : undefined)}\n`);
    return;
  }
  // Only the key goes to standard output, so that scripts can read it.
  await terminal.print(`${created.key}\n`);
  const end = created.expiresAt === null ? "never expires" : `expires on ${formatDay(created.expiresAt, "")}`;
  const bounds = describeBounds(created);
  const limits = bounds === "" ? "" : ` and is limited: ${bounds}`;
  terminal.printError(
    `The key "${sanitize(name)}" ${end}${limits}. Copy it now: it cannot be shown again.\n`,
  );
};

const list: Subcommand = async ({ terminal }, flags, positionals, send) => {
  requireNoPositionals(positionals);
  const keys = await send("keys", {});
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(keys, undefined, terminal.isTty ? 2 : undefined)}\n`);
    return;
  }
  const members = new Map((await send("members", {})).map(({ id, email }) => [id, email]));
  const now = new Date().toISOString();
  const rows = keys.map((key) => {
    const { id, name, userId, createdAt, lastUsedAt, expiresAt } = key;
    return [
      sanitize(name),
      sanitize(members.get(userId) ?? userId),
      formatDay(createdAt, ""),
      formatDay(lastUsedAt, "never"),
      expiresAt !== null && expiresAt <= now ? "expired" : formatDay(expiresAt, "never"),
      describeBounds(key),
      id,
    ];
  });
  await terminal.print(
    alignColumns([["NAME", "MEMBER", "CREATED", "LAST USED", "EXPIRES", "LIMITED TO", "ID"], ...rows]),
  );
};

/** Returns the bounds of a key; an empty text if it may do what its member may. */
function describeBounds({ isReadOnly, repositories }: ApiKey): string {
  const names = (repositories ?? []).map((name) => sanitize(name));
  return [...(isReadOnly ? ["reading"] : []), ...names].join(", ");
}

const revoke: Subcommand = async ({ terminal }, _flags, positionals, send) => {
  const key = findKey(requireOnePositional(positionals, "KEY"), await send("keys", {}));
  await send("revokeKey", { keyId: key.id });
  await terminal.print(`Revoked the key "${sanitize(key.name)}".\n`);
};

/** Finds a key by id or by name. Throws NOT_FOUND, or USAGE if several keys have the name. */
function findKey(nameOrId: string, keys: readonly ApiKey[]): ApiKey {
  const found = keys.filter(({ id, name }) => id === nameOrId || name === nameOrId);
  const [key, other] = found;
  if (key === undefined)
    throw new ServiceError(
      "NOT_FOUND",
      `There is no API key ${nameOrId}. Run "trawl keys list" to see all keys.`,
    );
  if (other === undefined) return key;
  throw usageError(
    `${found.length} keys are named "${nameOrId}". Use an id: ${found.map(({ id }) => id).join(", ")}.`,
  );
}

const unitDays: Readonly<Record<string, number>> = { d: 1, w: 7, y: 365 };

/**
 * Parses the value of `--expires`: `30d`, `4w` or `1y` after `now` (milliseconds since 1970), a date, or `never`.
 * Returns an ISO 8601 time, or `undefined` for a key that never expires. Throws USAGE.
 */
export function parseExpiry(text: string | undefined, now: number): string | undefined {
  if (text === undefined || text === "never") return undefined;
  const [, count, unit = ""] = /^(\d{1,4})([dwy])$/.exec(text) ?? [];
  const days = unitDays[unit];
  if (count !== undefined && days !== undefined) {
    return new Date(now + Number(count) * days * 24 * 60 * 60 * 1000).toISOString();
  }
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(`--expires must be 30d, 4w, 1y, a date such as 2027-01-31, or never, not "${text}".`);
}
