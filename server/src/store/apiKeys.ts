import type { ApiKey, ApiKeyId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import type { Recorder } from "./auditLog";
import { newIdentifier } from "./identifier";
import { memberRow, toMember } from "./members";
import type { ApiKeyStore } from "./store";
import { type ApiKeyRow, type Database, lockOrganisation } from "./tables";

export function apiKeyStore(database: Database, clock: Clock, write: Recorder): ApiKeyStore {
  const keys = database.selectFrom("apiKey").selectAll();
  // Asked for every request that shows a key, and put together once: that takes half as long as the answer.
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
      const question: typeof holder = { ...holder, parameters: [hash] };
      const [row] = (await database.executeQuery(question)).rows;
      if (row === undefined) return undefined;
      const { keyId, keyName, keyCreatedAt, lastUsedAt, expiresAt } = row;
      const key = { id: keyId, memberId: row.id, name: keyName, createdAt: keyCreatedAt };
      return { key: toApiKey({ ...key, hash, lastUsedAt, expiresAt }), member: toMember(row) };
    },
    async exist() {
      return (await keys.limit(1).executeTakeFirst()) !== undefined;
    },
    create: ({ memberId, name, hash, expiresAt }, record) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganisation(transaction);
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
        await lockOrganisation(transaction);
        await transaction.deleteFrom("session").where("keyId", "=", id).execute();
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
    async noteUse(id, time) {
      await database
        .updateTable("apiKey")
        .set({ lastUsedAt: time })
        .where("id", "=", id)
        .where((row) => row.or([row("lastUsedAt", "is", null), row("lastUsedAt", "<", time)]))
        .execute();
    },
  };
}

export function toApiKey({ id, memberId, name, createdAt, lastUsedAt, expiresAt }: ApiKeyRow): ApiKey {
  return {
    id,
    memberId,
    name,
    createdAt,
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}
