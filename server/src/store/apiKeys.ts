import type { ApiKey, ApiKeyId } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { AuditWriter } from "./auditLog";
import { newIdentifier } from "./identifier";
import { memberRow, toMember } from "./members";
import type { ApiKeyStore } from "./store";
import {
  type ApiKeyRow,
  type Database,
  isOutdated,
  lockOrganization,
  organizationId,
  throwDatabaseEmptied,
} from "./tables";

export function apiKeyStore(database: Database, clock: Clock, write: AuditWriter): ApiKeyStore {
  const keys = database.selectFrom("apiKey").selectAll();
  // Compiled once, because every request with a key runs it, and compiling takes half as long as the query.
  const holder = database
    .selectFrom("apiKey")
    .innerJoin("member", "member.id", "apiKey.memberId")
    .selectAll("member")
    .select([
      "apiKey.id as keyId",
      "apiKey.name as keyName",
      "apiKey.createdAt as keyCreatedAt",
      "apiKey.lastUsedAt",
      "apiKey.expiresAt",
      "apiKey.isReadOnly",
      "apiKey.repositories",
    ])
    .where("apiKey.hash", "=", "")
    .compile();
  return {
    async all() {
      const rows = await keys.orderBy("memberId").orderBy("createdAt").orderBy("id").execute();
      return rows.map(toApiKey);
    },
    async ofMember(id) {
      const rows = await keys.where("memberId", "=", id).orderBy("createdAt").orderBy("id").execute();
      return rows.map(toApiKey);
    },
    async byHash(hash) {
      const query: typeof holder = { ...holder, parameters: [hash] };
      const [row] = (await database.executeQuery(query)).rows;
      if (row === undefined) return undefined;
      const { keyId, keyName, keyCreatedAt, lastUsedAt, expiresAt, isReadOnly, repositories } = row;
      const key = { id: keyId, memberId: row.id, name: keyName, createdAt: keyCreatedAt };
      const bounds = { isReadOnly, repositories };
      return { key: toApiKey({ ...key, hash, lastUsedAt, expiresAt, ...bounds }), member: toMember(row) };
    },
    async hasKeys() {
      const row = await database
        .selectFrom("organisation")
        .select(({ exists, selectFrom }) => exists(selectFrom("apiKey").select("id")).as("any"))
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return Boolean((row ?? throwDatabaseEmptied()).any);
    },
    create: ({ memberId, name, hash, expiresAt, isReadOnly = false, repositories }, record) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        if ((await memberRow(transaction, memberId)) === undefined) return { kind: "unknownMember" };
        const now = clock.now();
        const row: ApiKeyRow = {
          id: newIdentifier(now) as ApiKeyId,
          memberId,
          name,
          hash,
          createdAt: now,
          lastUsedAt: null,
          expiresAt: expiresAt ?? null,
          isReadOnly: Number(isReadOnly),
          repositories: repositories === undefined ? null : JSON.stringify(repositories),
        };
        const inserted = await transaction
          .insertInto("apiKey")
          .values(row)
          .onConflict((conflict) => conflict.columns(["memberId", "name"]).doNothing())
          .returning("id")
          .executeTakeFirst();
        if (inserted === undefined) return { kind: "nameTaken" };
        const key = toApiKey(row);
        await write(transaction, record?.(key));
        return { kind: "created", key };
      }),
    revoke: (id, record) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        await transaction.deleteFrom("browserSession").where("keyId", "=", id).execute();
        const row = await transaction
          .deleteFrom("apiKey")
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const key = toApiKey(row);
        await write(transaction, record?.(key));
        return key;
      }),
    async recordUse(id, time) {
      await database
        .updateTable("apiKey")
        .set({ lastUsedAt: time })
        .where("id", "=", id)
        .where(isOutdated("lastUsedAt", time))
        .execute();
    },
  };
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  const { id, memberId, name, createdAt, lastUsedAt, expiresAt, isReadOnly, repositories } = row;
  return {
    id,
    memberId,
    name,
    createdAt,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(isReadOnly === 0 ? {} : { isReadOnly: true }),
    ...(repositories === null ? {} : { repositories: JSON.parse(repositories) as readonly string[] }),
  };
}
