/**
 * The format of a backup: JSON lines, compressed with gzip. Both databases write and read the same format.
 *
 *     {"format":"trawl-backup","version":"0.1.0","migration":"0006","createdAt":1767225600000}
 *     {"text":{"name":"paths","part":"{\"paths\":[\"/srv/git\"],\"excluded\":[]}"}}
 *     {"organisation":{"id":1,"uuid":"019b76da-…","name":"Trawl","license":null,"latestTime":1767225600000}}
 *     {"member":{"id":"019b76da-…","email":"ada@example.com", …}}
 *     {"apiKey":{"id":"019b76db-…","memberId":"019b76da-…","hash":"…", …}}
 *     {"auditRecord":{"id":"019b76dc-…","timestamp":1767225600123, …}}
 *     {"end":{"members":1,"apiKeys":1,"auditRecords":1}}
 *
 * A text is data of the instance besides its database (`instance/savedState.ts`); a long one has several parts. Backups of
 * older versions have none.
 *
 * Rows are table rows as of migration `migration`; a member precedes its keys. A backup without its last line is
 * incomplete. A backup contains no sessions, so users have to sign in again. It does not contain the time of the last
 * removal of a member either, because restoring counts as a removal.
 */
import * as z from "zod";
import { auditActorTypes, auditTargetTypes } from "#model/audit";
import { type ApiKeyId, type MemberId, roles } from "#model/organization";
import { organizationId } from "./tables";

export const backupFormat = "trawl-backup";

/** The number of UTF-16 code units in a part of a text. Escaped as JSON, it may become six times as long. */
export const maxPartLength = 128 * 1024;

/** The first line of a backup. */
export const Header = z.strictObject({
  format: z.literal(backupFormat),
  /** The version of Trawl that wrote the backup. */
  version: z.string(),
  migration: z.string(),
  createdAt: z.int().min(0),
});
export type Header = z.output<typeof Header>;

const time = z.int().min(0).max(8.64e15);
const onlyOrganizationId = z.int().min(organizationId).max(organizationId);
const count = z.int().min(0);
const id = z.string().min(1);
const memberId = id.transform((value) => value as MemberId);

/** Any other line of a backup. */
export const Line = z.union([
  z.strictObject({
    auditRecord: z.strictObject({
      id,
      organisationId: onlyOrganizationId,
      timestamp: time,
      action: z.string(),
      actorId: z.string(),
      actorType: z.enum(auditActorTypes),
      targetId: z.string(),
      targetType: z.enum(auditTargetTypes),
      serviceVersion: z.string(),
      metadata: z.string().refine(isJsonObject, "Not a JSON object.").nullable(),
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
      // Absent before migration 0005.
      isReadOnly: z.int().min(0).max(1).default(0),
      repositories: z.string().refine(isStringArray, "Not an array of strings.").nullable().default(null),
    }),
  }),
  z.strictObject({
    member: z.strictObject({
      id: memberId,
      organisationId: onlyOrganizationId,
      name: z.string().nullable(),
      email: z.string(),
      emailKey: z.string(),
      role: z.enum(roles),
      /** Absent before migration 0004. */
      groups: z.string().refine(isStringArray, "Not a JSON array of strings.").default("[]"),
      oauthIssuer: z.string().nullable(),
      oauthSubject: z.string().nullable(),
      suspendedAt: time.nullable(),
      createdAt: time,
      updatedAt: time,
      lastActivityAt: time.nullable(),
      // Absent before migration 0006.
      isService: z.int().min(0).max(1).default(0),
      codeHostLogins: z.string().refine(isObjectOfStrings, "Not an object of strings.").default("{}"),
    }),
  }),
  z.strictObject({
    organisation: z.strictObject({
      id: onlyOrganizationId,
      uuid: z.string().min(1).optional(),
      name: z.string(),
      license: z.string().nullable(),
      latestTime: time,
    }),
  }),
  z.strictObject({ text: z.strictObject({ name: z.string(), part: z.string().max(maxPartLength) }) }),
  z.strictObject({ end: z.strictObject({ members: count, apiKeys: count, auditRecords: count }) }),
]);
export type Line = z.output<typeof Line>;

function isStringArray(text: string): boolean {
  try {
    return z.array(z.string()).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function isObjectOfStrings(text: string): boolean {
  try {
    return z.record(z.string(), z.string()).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
