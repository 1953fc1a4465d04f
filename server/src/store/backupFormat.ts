/**
 * A backup of a store: JSON lines, compressed by gzip, the same from either database and for either.
 *
 *     {"format":"trawl-backup","version":"0.1.0","migration":"0001","createdAt":1767225600000}
 *     {"organisation":{"id":1,"name":"Trawl","license":null,"latestTime":1767225600000}}
 *     {"member":{"id":"019b76da-…","email":"ada@example.com", …}}
 *     {"apiKey":{"id":"019b76db-…","memberId":"019b76da-…","hash":"…", …}}
 *     {"auditRecord":{"id":"019b76dc-…","timestamp":1767225600123, …}}
 *     {"end":{"members":1,"apiKeys":1,"auditRecords":1}}
 *
 * Rows are those of the tables, which migration `migration` has made; owners come before what they own. Without its
 * last line a backup is not whole. Sessions are not in it: who was signed in signs in again. Nor is when a member was
 * removed last: whoever is restored counts as removed until then.
 */
import * as z from "zod";
import { auditActorTypes, auditTargetTypes } from "#model/audit";
import { type ApiKeyId, type MemberId, roles } from "#model/organisation";
import { organisationId } from "./tables";

export const backupFormat = "trawl-backup";

export const Header = z.strictObject({
  format: z.literal(backupFormat),
  /** Of the Trawl that wrote it. */
  version: z.string(),
  migration: z.string(),
  createdAt: z.int().min(0),
});
export type Header = z.output<typeof Header>;

const time = z.int().min(0).max(8.64e15);
const ourId = z.int().min(organisationId).max(organisationId);
const count = z.int().min(0);
const id = z.string().min(1);
const memberId = id.transform((value) => value as MemberId);

export const Line = z.union([
  z.strictObject({
    auditRecord: z.strictObject({
      id,
      organisationId: ourId,
      timestamp: time,
      action: z.string(),
      actorId: z.string(),
      actorType: z.enum(auditActorTypes),
      targetId: z.string(),
      targetType: z.enum(auditTargetTypes),
      serviceVersion: z.string(),
      metadata: z.string().refine(isJsonObject, "It is no JSON object.").nullable(),
    }),
  }),
  z.strictObject({
    apiKey: z.strictObject({
      id: id.transform((value) => value as ApiKeyId),
      memberId,
      name: z.string(),
      hash: z.string(),
      createdAt: time,
      lastUsedAt: time.nullable(),
      expiresAt: time.nullable(),
    }),
  }),
  z.strictObject({
    member: z.strictObject({
      id: memberId,
      organisationId: ourId,
      name: z.string().nullable(),
      email: z.string(),
      emailKey: z.string(),
      role: z.enum(roles),
      oauthIssuer: z.string().nullable(),
      oauthSubject: z.string().nullable(),
      suspendedAt: time.nullable(),
      createdAt: time,
      updatedAt: time,
      lastActivityAt: time.nullable(),
    }),
  }),
  z.strictObject({
    organisation: z.strictObject({
      id: ourId,
      name: z.string(),
      license: z.string().nullable(),
      latestTime: time,
    }),
  }),
  z.strictObject({ end: z.strictObject({ members: count, apiKeys: count, auditRecords: count }) }),
]);
export type Line = z.output<typeof Line>;

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
