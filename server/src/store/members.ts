import { foldCase } from "#base/foldCase";
import type { Member, MemberId } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { AuditWriter } from "./auditLog";
import { newIdentifier } from "./identifier";
import type { AuditRecordFor, MemberChange, MemberStore, NewMember } from "./store";
import {
  type Database,
  type DatabaseTransaction,
  isOutdated,
  lastRemovalTime,
  lockOrganization,
  type MemberRow,
  organizationId,
  recordRemoval,
} from "./tables";

export function memberStore(database: Database, clock: Clock, write: AuditWriter): MemberStore {
  const members = database.selectFrom("member").selectAll();

  /** Changes a member under the organization's lock. With `keepsLastOwner`, refuses it for the last owner. */
  const change = (
    id: MemberId,
    keepsLastOwner: boolean,
    work: (transaction: DatabaseTransaction, before: MemberRow) => Promise<MemberRow>,
  ): Promise<MemberChange> =>
    database.transaction().execute(async (transaction) => {
      await lockOrganization(transaction);
      const before = await memberRow(transaction, id);
      if (before === undefined) return { kind: "unknown" };
      if (keepsLastOwner && (await isLastOwner(transaction, before)))
        return { kind: "lastOwner", member: toMember(before) };
      return { kind: "changed", member: toMember(await work(transaction, before)) };
    });
  const update = (
    id: MemberId,
    keepsLastOwner: boolean,
    values: (now: number) => Partial<Pick<MemberRow, "role" | "suspendedAt">>,
    isUnchanged: (before: MemberRow) => boolean,
    record?: AuditRecordFor<Member>,
  ): Promise<MemberChange> =>
    change(id, keepsLastOwner, async (transaction, before) => {
      if (isUnchanged(before)) return before;
      const now = clock.now();
      const after = await transaction
        .updateTable("member")
        .set({ ...values(now), updatedAt: now })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await write(transaction, record?.(toMember(after)));
      return after;
    });

  return {
    async all() {
      const rows = await members.orderBy("createdAt").orderBy("id").execute();
      return rows.map(toMember);
    },
    async get(id) {
      return toMemberIfAny(await members.where("id", "=", id).executeTakeFirst());
    },
    async byEmail(email) {
      return toMemberIfAny(await members.where("emailKey", "=", foldCase(email)).executeTakeFirst());
    },
    async byOAuth({ issuer, subject }) {
      return toMemberIfAny(
        await members
          .where("oauthIssuer", "=", issuer)
          .where("oauthSubject", "=", subject)
          .executeTakeFirst(),
      );
    },
    count: () => countActive(database),
    add: (member, { seats, verifiedAt, record } = {}) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        const same = await transaction
          .selectFrom("member")
          .selectAll()
          .where("emailKey", "=", foldCase(member.email))
          .executeTakeFirst();
        if (same !== undefined) return { kind: "emailTaken", member: toMember(same) };
        if (verifiedAt !== undefined && verifiedAt <= (await lastRemovalTime(transaction)))
          return { kind: "outdated" };
        const count = seats === undefined || member.isService ? 0 : await countActive(transaction);
        if (seats !== undefined && count >= seats) return { kind: "full", count };
        const added = await insertMember(transaction, member, clock.now());
        await write(transaction, record?.(added));
        return { kind: "added", member: added };
      }),
    addFirst: (member) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        const any = await transaction.selectFrom("member").select("id").limit(1).executeTakeFirst();
        if (any !== undefined) return undefined;
        return await insertMember(transaction, { ...member, role: "OWNER" }, clock.now());
      }),
    async linkOAuth(id, { issuer, subject }) {
      await database
        .updateTable("member")
        .set({ oauthIssuer: issuer, oauthSubject: subject, updatedAt: clock.now() })
        .where("id", "=", id)
        .execute();
    },
    setClaims: (id, { groups, role, codeHostLogins }, record) =>
      change(id, false, async (transaction, before) => {
        const keepsRole =
          role === undefined || (role !== "OWNER" && (await isLastOwner(transaction, before)));
        const values = {
          groups: JSON.stringify(groups),
          role: keepsRole ? before.role : role,
          codeHostLogins: JSON.stringify(codeHostLogins),
        };
        const isUnchanged =
          values.groups === before.groups &&
          values.role === before.role &&
          values.codeHostLogins === before.codeHostLogins;
        if (isUnchanged) return before;
        const after = await transaction
          .updateTable("member")
          .set({ ...values, updatedAt: clock.now() })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        if (after.role !== before.role) await write(transaction, record?.(toMember(after)));
        return after;
      }),
    setRole: (id, role, record) =>
      update(
        id,
        role !== "OWNER",
        () => ({ role }),
        (before) => before.role === role,
        record,
      ),
    suspend: (id, record) =>
      update(
        id,
        true,
        (now) => ({ suspendedAt: now }),
        ({ suspendedAt }) => suspendedAt !== null,
        record,
      ),
    resume: (id, { seats, record } = {}) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        const before = await memberRow(transaction, id);
        if (before === undefined) return { kind: "unknown" };
        if (before.suspendedAt === null) return { kind: "changed", member: toMember(before) };
        const count = seats === undefined || before.isService !== 0 ? 0 : await countActive(transaction);
        if (seats !== undefined && count >= seats) return { kind: "full", count };
        const after = await transaction
          .updateTable("member")
          .set({ suspendedAt: null, updatedAt: clock.now() })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await write(transaction, record?.(toMember(after)));
        return { kind: "changed", member: toMember(after) };
      }),
    remove: (id, record) =>
      change(id, true, async (transaction, before) => {
        await transaction.deleteFrom("browserSession").where("memberId", "=", id).execute();
        await transaction.deleteFrom("apiKey").where("memberId", "=", id).execute();
        await transaction.deleteFrom("member").where("id", "=", id).execute();
        await recordRemoval(transaction, clock.now());
        await write(transaction, record?.(toMember(before)));
        return before;
      }),
    async recordActivity(id, time) {
      await database
        .updateTable("member")
        .set({ lastActivityAt: time })
        .where("id", "=", id)
        .where(isOutdated("lastActivityAt", time))
        .execute();
    },
  };
}

export function toMember(row: MemberRow): Member {
  const { id, name, email, role, groups, suspendedAt, createdAt, updatedAt, lastActivityAt } = row;
  const { isService, codeHostLogins } = row;
  return {
    id,
    ...(name === null ? {} : { name }),
    email,
    role,
    ...(isService === 0 ? {} : { isService: true }),
    groups: JSON.parse(groups) as readonly string[],
    codeHostLogins: JSON.parse(codeHostLogins) as Readonly<Record<string, string>>,
    ...(suspendedAt === null ? {} : { suspendedAt }),
    createdAt,
    updatedAt,
    ...(lastActivityAt === null ? {} : { lastActivityAt }),
  };
}

function toMemberIfAny(row: MemberRow | undefined): Member | undefined {
  return row === undefined ? undefined : toMember(row);
}

export function memberRow(database: Database, id: MemberId): Promise<MemberRow | undefined> {
  return database.selectFrom("member").selectAll().where("id", "=", id).executeTakeFirst();
}

async function countActive(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom("member")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("suspendedAt", "is", null)
    .where("isService", "=", 0)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether the member is a person who owns the organization, and no other such person is active. */
async function isLastOwner(
  transaction: DatabaseTransaction,
  { id, role, isService }: MemberRow,
): Promise<boolean> {
  if (role !== "OWNER" || isService !== 0) return false;
  const other = await transaction
    .selectFrom("member")
    .select("id")
    .where("role", "=", "OWNER")
    .where("isService", "=", 0)
    .where("suspendedAt", "is", null)
    .where("id", "!=", id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

async function insertMember(
  transaction: DatabaseTransaction,
  { name, email, role, oauth, isService = false, groups = [] }: NewMember,
  now: number,
): Promise<Member> {
  const row: MemberRow = {
    id: newIdentifier(now) as MemberId,
    organisationId: organizationId,
    name: name ?? null,
    email,
    emailKey: foldCase(email),
    role,
    groups: JSON.stringify(groups),
    oauthIssuer: oauth?.issuer ?? null,
    oauthSubject: oauth?.subject ?? null,
    suspendedAt: null,
    isService: Number(isService),
    codeHostLogins: "{}",
    createdAt: now,
    updatedAt: now,
    lastActivityAt: null,
  };
  await transaction.insertInto("member").values(row).execute();
  return toMember(row);
}
