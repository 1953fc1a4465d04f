/** The tables as the queries see them. Times are milliseconds since 1970; names are those of the columns. */
import type { Kysely, Transaction } from "kysely";
import type { AuditActorType, AuditTargetType } from "#model/audit";
import type { ApiKeyId, MemberId, Role, SessionId } from "#model/organisation";

export interface Tables {
  readonly migration: MigrationRow;
  readonly organisation: OrganisationRow;
  readonly member: MemberRow;
  readonly apiKey: ApiKeyRow;
  readonly session: SessionRow;
  readonly auditRecord: AuditRecordRow;
  readonly auditCount: AuditCountRow;
}

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

interface MigrationRow {
  readonly name: string;
  readonly appliedAt: number;
}

export interface OrganisationRow {
  readonly id: number;
  readonly name: string;
  readonly license: string | null;
  readonly latestTime: number;
  /** When a member was removed last; 0: never. */
  readonly lastRemovalAt: number;
}

export interface MemberRow {
  readonly id: MemberId;
  readonly organisationId: number;
  readonly name: string | null;
  readonly email: string;
  /** The address in lower case, which is unique. */
  readonly emailKey: string;
  readonly role: Role;
  readonly oauthIssuer: string | null;
  readonly oauthSubject: string | null;
  readonly suspendedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastActivityAt: number | null;
}

export interface ApiKeyRow {
  readonly id: ApiKeyId;
  readonly memberId: MemberId;
  readonly name: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

export interface SessionRow {
  readonly id: SessionId;
  readonly keyId: ApiKeyId;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface AuditRecordRow {
  readonly id: string;
  readonly organisationId: number;
  readonly timestamp: number;
  readonly action: string;
  readonly actorId: string;
  readonly actorType: AuditActorType;
  readonly targetId: string;
  readonly targetType: AuditTargetType;
  readonly serviceVersion: string;
  /** JSON. */
  readonly metadata: string | null;
}

/** How many records there are from `start` on, for as long as a level of `timeCounts.ts` says. */
interface AuditCountRow {
  readonly level: number;
  readonly start: number;
  readonly count: number;
}

/** There is one, so far. */
export const organisationId = 1;

/**
 * Makes every other change of members, keys and sessions wait until the transaction ends, in whichever process: rules
 * that look at several rows (the last owner, the seats) hold when two are changed at once.
 */
export async function lockOrganisation(transaction: DatabaseTransaction): Promise<void> {
  await transaction
    .updateTable("organisation")
    .set((row) => ({ name: row.ref("name") }))
    .where("id", "=", organisationId)
    .execute();
}

/** When a member was removed last, or may have been; milliseconds since 1970. */
export async function lastRemoval(transaction: DatabaseTransaction): Promise<number> {
  const { lastRemovalAt } = await transaction
    .selectFrom("organisation")
    .select("lastRemovalAt")
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  return lastRemovalAt;
}

/** A clock that lags makes none of the removals before undone. */
export async function noteRemoval(transaction: DatabaseTransaction, time: number): Promise<void> {
  await transaction
    .updateTable("organisation")
    .set({ lastRemovalAt: time })
    .where("id", "=", organisationId)
    .where("lastRemovalAt", "<", time)
    .execute();
}
