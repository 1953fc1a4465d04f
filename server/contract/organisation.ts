/** The organisation: who belongs to it, their API keys, its licence, and what was done. */
import * as z from "zod";
import { pageFields } from "./position";

const moment = z.iso.datetime({ offset: true });

export const Role = z.enum(["OWNER", "MEMBER"]).describe("What the member may do.");
export type Role = z.output<typeof Role>;

const userIdField = z.string().min(1).max(100);

export const Member = z
  .object({
    id: z.string().describe("Names the member for as long as it exists."),
    name: z.string().nullable().describe("Name of the person."),
    email: z.string().describe("Their e-mail address."),
    role: Role,
    suspendedAt: moment.nullable().describe("Since when the member may do nothing."),
    createdAt: moment.describe("When it was added."),
    updatedAt: moment.describe("When anything of it was changed last."),
    lastActivityAt: moment.nullable().describe("The last call, to the minute."),
  })
  .describe("A member of the organisation.");
export type Member = z.output<typeof Member>;

export const MemberNamed = z
  .object({ userId: userIdField.describe("Id of the member.") })
  .describe("A member.");

export const MemberRemoved = z
  .object({
    success: z.boolean().describe("Always true."),
    message: z.string().describe("What was done, for people."),
  })
  .describe("The member is gone.");

export const AddMemberRequest = z
  .object({
    email: z.email().max(320).describe("E-mail address; no other member has it."),
    name: z.string().max(200).optional().describe("Name of the person."),
    role: Role.default("MEMBER"),
  })
  .describe("Who is added.");

export const ChangeRoleRequest = z
  .object({ userId: userIdField.describe("Id of the member."), role: Role })
  .describe("What a member may do from now on.");

export const ApiKey = z
  .object({
    id: z.string().describe("Names the key; it is no secret."),
    name: z.string().describe("What its owner calls it."),
    userId: z.string().describe("Id of the member as whom it acts."),
    createdAt: moment.describe("When it was created."),
    lastUsedAt: moment.nullable().describe("The last call with it, to the minute."),
    expiresAt: moment.nullable().describe("From when on it is not valid."),
  })
  .describe("An API key, without the key itself.");
export type ApiKey = z.output<typeof ApiKey>;

export const CreateKeyRequest = z
  .object({
    name: z.string().trim().min(1).max(100).describe("What to call it; no other key of the member has it."),
    expiresAt: moment.optional().describe("From when on it is not valid; absent: it stays valid."),
    userId: userIdField.optional().describe("Id of the member as whom it acts; absent: of the caller."),
  })
  .describe("A key to create.");

export const CreatedKey = z
  .object({ ...ApiKey.shape, key: z.string().describe("The key, which is told only here.") })
  .describe("The new API key.");
export type CreatedKey = z.output<typeof CreatedKey>;

export const KeyNamed = z
  .object({ keyId: z.string().min(1).max(100).describe("Id of the key.") })
  .describe("An API key.");

export const CreatedSession = z
  .object({
    token: z.string().describe("What the browser shows from now on; it is told only here."),
    expiresAt: moment.describe("From when on it is not valid."),
  })
  .describe("A browser is signed in.");

/** Actors and targets as the records name them. */
const actorTypes = ["user", "api_key"] as const;
export const targetTypes = ["org", "user", "api_key", "repository", "file"] as const;

export const AuditRequest = z
  .object({
    ...pageFields,
    since: moment.optional().describe("Only records from this moment on, ISO 8601 with offset."),
    until: moment.optional().describe("Only records up to this moment, ISO 8601 with offset."),
  })
  .describe("Which page of which records.");

export const AuditRecord = z
  .object({
    id: z.string().describe("Names the record; ids sort by time."),
    timestamp: moment.describe("When it was."),
    action: z.string().describe("What was done, as in `user.performed_code_search`."),
    actorId: z.string().describe("Id of the member or of the API key."),
    actorType: z.enum(actorTypes).describe("What `actorId` names."),
    targetId: z.string().describe("Id, name or path of what it was done to."),
    targetType: z.enum(targetTypes).describe("What `targetId` names."),
    serviceVersion: z.string().describe("Version of the service that wrote it."),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("More about it, such as `source`: which program asked."),
    orgId: z.int().describe("Number of the organisation."),
  })
  .describe("What somebody did.");
export type AuditRecord = z.output<typeof AuditRecord>;

/** What a licence can open. */
export const licensedFeatures = ["organization", "audit", "oauth"] as const;
export type LicensedFeature = (typeof licensedFeatures)[number];

export const licenseStates = [
  "valid",
  "missing",
  "malformed",
  "wrongAlgorithm",
  "unknownKey",
  "tampered",
  "expired",
  "clockSetBack",
  "seatsExceeded",
] as const;

export const License = z
  .object({
    state: z.enum(licenseStates).describe("Whether it counts, or why not."),
    message: z.string().describe("The same for people."),
    id: z.string().optional().describe("Number of the licence."),
    organization: z.string().optional().describe("For whom it was issued."),
    seats: z.int().optional().describe("Members that it allows; absent: any number."),
    features: z.array(z.string()).optional().describe("What it opens."),
    expiresAt: moment.optional().describe("From when on it does not count."),
  })
  .describe("The licence of this instance; what it says is there only if its signature is right.");
export type License = z.output<typeof License>;

export const InstallLicenseRequest = z
  .object({ license: z.string().min(1).max(20_000).describe("The licence as it was issued.") })
  .describe("A licence to use from now on.");
