import type { Member, MemberId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import type { Recorder } from "./auditLog";
import { newIdentifier } from "./identifier";
import type { MemberChange, MemberStore, NewMember, RecordOf } from "./store";
import {
  type Database,
  type DatabaseTransaction,
  lastRemoval,
  lockOrganisation,
  type MemberRow,
  noteRemoval,
  organisationId,
} from "./tables";

export function memberStore(database: Database, clock: Clock, write: Recorder): MemberStore {
  const members = database.selectFrom("member").selectAll();

  /** The one way to take something from a member: nobody does it while another one does. */
  const change = (
    id: MemberId,
    takesOwner: boolean,
    work: (transaction: DatabaseTransaction, before: MemberRow) => Promise<MemberRow>,
  ): Promise<MemberChange> =>
    database.transaction().execute(async (transaction) => {
      await lockOrganisation(transaction);
      const before = await memberRow(transaction, id);
      if (before === undefined) return { kind: "unknown" };
      if (takesOwner && (await isLastOwner(transaction, before)))
        return { kind: "lastOwner", member: toMember(before) };
      return { kind: "changed", member: toMember(await work(transaction, before)) };
    });
  const update = (
    id: MemberId,
    takesOwner: boolean,
    values: (now: number) => Partial<Pick<MemberRow, "role" | "suspendedAt">>,
    isSo: (before: MemberRow) => boolean,
    record?: RecordOf<Member>,
  ): Promise<MemberChange> =>
    change(id, takesOwner, async (transaction, before) => {
      if (isSo(before)) return before;
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
      return toMemberIfAny(await members.where("emailKey", "=", keyOf(email)).executeTakeFirst());
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
    add: (member, { seats, vouchedAt, record } = {}) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganisation(transaction);
        const same = await transaction
          .selectFrom("member")
          .selectAll()
          .where("emailKey", "=", keyOf(member.email))
          .executeTakeFirst();
        if (same !== undefined) return { kind: "emailTaken", member: toMember(same) };
        if (vouchedAt !== undefined && vouchedAt <= (await lastRemoval(transaction)))
          return { kind: "outdated" };
        const count = seats === undefined ? 0 : await countActive(transaction);
        if (seats !== undefined && count >= seats) return { kind: "full", count };
        const added = await insert(transaction, member, clock.now());
        await write(transaction, record?.(added));
        return { kind: "added", member: added };
      }),
    addFirst: (member) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganisation(transaction);
        const any = await transaction.selectFrom("member").select("id").limit(1).executeTakeFirst();
        if (any !== undefined) return undefined;
        return await insert(transaction, { ...member, role: "OWNER" }, clock.now());
      }),
    async linkOAuth(id, { issuer, subject }) {
      await database
        .updateTable("member")
        .set({ oauthIssuer: issuer, oauthSubject: subject, updatedAt: clock.now() })
        .where("id", "=", id)
        .execute();
    },
    setRole: (id, role, record) =>
      update(
        id,
        role !== "OWNER",
        () => ({ role }),
        (before) => before.role === role,
        record,
      ),
    suspend: (id) =>
      update(
        id,
        true,
        (now) => ({ suspendedAt: now }),
        ({ suspendedAt }) => suspendedAt !== null,
      ),
    resume: (id) =>
      update(
        id,
        false,
        () => ({ suspendedAt: null }),
        ({ suspendedAt }) => suspendedAt === null,
      ),
    remove: (id, record) =>
      change(id, true, async (transaction, before) => {
        await transaction
          .deleteFrom("session")
          .where("keyId", "in", ({ selectFrom }) =>
            selectFrom("apiKey").select("apiKey.id").where("apiKey.memberId", "=", id),
          )
          .execute();
        await transaction.deleteFrom("apiKey").where("memberId", "=", id).execute();
        await transaction.deleteFrom("member").where("id", "=", id).execute();
        await noteRemoval(transaction, clock.now());
        await write(transaction, record?.(toMember(before)));
        return before;
      }),
    async noteActivity(id, time) {
      await database
        .updateTable("member")
        .set({ lastActivityAt: time })
        .where("id", "=", id)
        .where((row) => row.or([row("lastActivityAt", "is", null), row("lastActivityAt", "<", time)]))
        .execute();
    },
  };
}

export function toMember(row: MemberRow): Member {
  const { id, name, email, role, suspendedAt, createdAt, updatedAt, lastActivityAt } = row;
  return {
    id,
    ...(name === null ? {} : { name }),
    email,
    role,
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

/** Two addresses with the same key are one address. */
function keyOf(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

async function countActive(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom("member")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("suspendedAt", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether no other owner is left who can still come in. */
async function isLastOwner(transaction: DatabaseTransaction, { id, role }: MemberRow): Promise<boolean> {
  if (role !== "OWNER") return false;
  const other = await transaction
    .selectFrom("member")
    .select("id")
    .where("role", "=", "OWNER")
    .where("suspendedAt", "is", null)
    .where("id", "!=", id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

async function insert(
  transaction: DatabaseTransaction,
  { name, email, role, oauth }: NewMember,
  now: number,
): Promise<Member> {
  const row: MemberRow = {
    id: newIdentifier(now) as MemberId,
    organisationId,
    name: name ?? null,
    email,
    emailKey: keyOf(email),
    role,
    oauthIssuer: oauth?.issuer ?? null,
    oauthSubject: oauth?.subject ?? null,
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
    lastActivityAt: null,
  };
  await transaction.insertInto("member").values(row).execute();
  return toMember(row);
}
