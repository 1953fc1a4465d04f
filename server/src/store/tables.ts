/** The types of the tables. Times are milliseconds since 1970; property names are column names. */
import { type Expression, type Kysely, type SqlBool, sql, type Transaction } from "kysely";
import { ServiceError } from "#base/error";
import type { AuditActorType, AuditTargetType } from "#model/audit";
import type { ApiKeyId, MemberId, Role, SessionId } from "#model/organization";
import type { IndexJobState } from "./indexQueue";

export interface Tables {
  readonly migration: MigrationRow;
  readonly organisation: OrganizationRow;
  readonly member: MemberRow;
  readonly apiKey: ApiKeyRow;
  readonly browserSession: SessionRow;
  readonly auditRecord: AuditRecordRow;
  readonly auditCount: AuditCountRow;
  readonly indexJob: IndexJobRow;
  readonly clusterNode: ClusterNodeRow;
  readonly clusterRepository: ClusterRepositoryRow;
}

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

interface MigrationRow {
  readonly name: string;
  readonly appliedAt: number;
}

export interface OrganizationRow {
  readonly id: number;
  readonly name: string;
  readonly license: string | null;
  readonly latestTime: number;
  /** When a member was last removed; 0 for never. */
  readonly lastRemovalAt: number;
  /** Distinguishes it from any other organization. */
  readonly uuid: string;
}

export interface MemberRow {
  readonly id: MemberId;
  readonly organisationId: number;
  readonly name: string | null;
  readonly email: string;
  /** The address in lower case and Unicode form NFC, which is unique. */
  readonly emailKey: string;
  readonly role: Role;
  /** A JSON array of strings. */
  readonly groups: string;
  readonly oauthIssuer: string | null;
  readonly oauthSubject: string | null;
  readonly suspendedAt: number | null;
  /** 1 for a service account, else 0. */
  readonly isService: number;
  /** A JSON object: the names on code hosts, by connection. */
  readonly codeHostLogins: string;
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
  /** 1 if the key cannot change anything, else 0. */
  readonly isReadOnly: number;
  /** Globs of repository names, as a JSON array; null if the key is not limited to some repositories. */
  readonly repositories: string | null;
}

export interface SessionRow {
  readonly id: SessionId;
  readonly memberId: MemberId;
  /** The key with which the session was started; null if the member has logged in. */
  readonly keyId: ApiKeyId | null;
  readonly hash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly endsAt: number;
  /** A hash that identifies the login. Unique, so that a login starts only one session. */
  readonly loginHash: string | null;
  readonly idToken: string | null;
  readonly userAgent: string | null;
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
  /** A JSON object. */
  readonly metadata: string | null;
}

/** The number of records in one time span; see `timeCounts.ts`. */
interface AuditCountRow {
  readonly level: number;
  readonly start: number;
  readonly count: number;
}

/** What a node should index of a repository, and has indexed. */
export interface IndexJobRow {
  readonly repositoryId: number;
  readonly node: string;
  readonly name: string;
  readonly source: string;
  readonly maxFileBytes: number;
  /** A JSON array of `RevisionCommit`. */
  readonly wanted: string;
  /** Like `wanted`; null if the node has nothing of the repository. */
  readonly indexed: string | null;
  /** Counts the changes of what is wanted. */
  readonly version: number;
  readonly state: IndexJobState;
  readonly attempts: number;
  readonly wantedAt: number;
  /** When an indexer may take the job: after a delay, or when the lease of another one expires. Null if it is done. */
  readonly dueAt: number | null;
  /** Identifies the holder; null if nobody holds the job. */
  readonly lease: string | null;
  readonly lastError: string | null;
}

interface ClusterNodeRow {
  readonly name: string;
  /** 1 if its repositories move to other nodes, else 0. */
  readonly isDrained: number;
  readonly seenAt: number | null;
}

interface ClusterRepositoryRow {
  readonly id: number;
  readonly name: string;
}

/** The id of the only organization. */
export const organizationId = 1;

/** Clocks of instances that share a database differ by less than this. */
const skewMs = 60_000;

/**
 * Whether a column is empty, is earlier than `time`, or is so far in the future that a wrong clock must have set it.
 */
export function isOutdated(column: "lastUsedAt" | "lastActivityAt", time: number): Expression<SqlBool> {
  const value = sql.ref(column);
  return sql<SqlBool>`(${value} is null or ${value} < ${time} or ${value} > ${time + skewMs})`;
}

/** Returns the organization. Throws ENGINE_UNAVAILABLE if the database was emptied. */
export async function organizationRow(database: Database): Promise<OrganizationRow> {
  const row = await database
    .selectFrom("organisation")
    .selectAll()
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return row ?? throwDatabaseEmptied();
}

/** Throws the error for a database without an organization, in which nothing defines permissions. */
export function throwDatabaseEmptied(): never {
  throw new ServiceError(
    "ENGINE_UNAVAILABLE",
    'The database was emptied, so access is closed. Restore its content, or stop Trawl and run "trawl restore FILE".',
  );
}

/**
 * Makes every other change of members, keys and sessions wait until the transaction ends, in any process, so that rules
 * about several rows (the last owner, the seats) hold under concurrent changes.
 */
export async function lockOrganization(transaction: DatabaseTransaction): Promise<void> {
  await transaction
    .updateTable("organisation")
    .set((row) => ({ name: row.ref("name") }))
    .where("id", "=", organizationId)
    .execute();
}

/** Returns when a member was last removed, or a later time if that is unknown; 0 for never. */
export async function lastRemovalTime(transaction: DatabaseTransaction): Promise<number> {
  const { lastRemovalAt } = await transaction
    .selectFrom("organisation")
    .select("lastRemovalAt")
    .where("id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return lastRemovalAt;
}

/** Records when a member was removed. Keeps a later time, which a clock that was set back must not undo. */
export async function recordRemoval(transaction: DatabaseTransaction, time: number): Promise<void> {
  await transaction
    .updateTable("organisation")
    .set({ lastRemovalAt: time })
    .where("id", "=", organizationId)
    .where("lastRemovalAt", "<", time)
    .execute();
}
