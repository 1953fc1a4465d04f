/** Schemas of the organization: members, API keys, sessions, license, audit records. */
import * as z from "zod";
import { pageFields } from "./position";

const timestamp = z.iso.datetime({ offset: true });

export const Role = z.enum(["OWNER", "MEMBER"]).describe("Role of the member.");
export type Role = z.output<typeof Role>;

const userIdField = z.string().min(1).max(100);

export const Member = z
  .object({
    id: z.string().describe("Stable id of the member."),
    name: z.string().nullable().describe("Name of the person, or what a service account is for."),
    email: z.string().describe("Email address of the person; `service:` and its name for a service account."),
    role: Role,
    isService: z.boolean().describe("Whether it is a service account, which belongs to no person."),
    groups: z
      .array(z.string())
      .describe(
        "Groups that the login server named at the last login; those that a service account was given.",
      ),
    suspendedAt: timestamp.nullable().describe("When the member was disabled."),
    createdAt: timestamp.describe("When the member was added."),
    updatedAt: timestamp.describe("When the member was last changed."),
    lastActivityAt: timestamp.nullable().describe("Time of the last request, to the minute."),
  })
  .describe("A member of the organization.");
export type Member = z.output<typeof Member>;

export const MemberRequest = z
  .object({ userId: userIdField.describe("Id of the member.") })
  .describe("A member.");

export const MemberRemoved = z
  .object({
    success: z.boolean().describe("Always true."),
    message: z.string().describe("Human-readable message."),
  })
  .describe("The member was removed.");

export const AddMemberRequest = z
  .object({
    email: z.email().max(320).describe("Email address, unique among the members."),
    name: z.string().max(200).optional().describe("Name of the person."),
    role: Role.default("MEMBER"),
  })
  .describe("The member to add.");

export const AddServiceRequest = z
  .object({
    service: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
        error:
          "must be 1 to 63 of the characters a-z, 0-9, '.', '_' and '-', and start with a letter or digit",
      })
      .describe("Name of the service account, unique among them."),
    name: z.string().max(200).optional().describe("What it is for."),
    role: Role.default("MEMBER"),
    groups: z
      .array(z.string().min(1).max(256))
      .max(1000)
      .default([])
      .describe("Groups, as rules of repositories name them."),
  })
  .describe("The service account to add.");

export const SetSuspendedRequest = z
  .object({
    userId: userIdField.describe("Id of the member."),
    isSuspended: z.boolean().describe("Whether all credentials of the member are refused."),
  })
  .describe("Whether a member is disabled.");

export const ChangeRoleRequest = z
  .object({ userId: userIdField.describe("Id of the member."), role: Role })
  .describe("The new role of a member.");

export const ApiKey = z
  .object({
    id: z.string().describe("Id of the key. Not a secret."),
    name: z.string().describe("Name of the key."),
    userId: z.string().describe("Id of the member that it acts as."),
    createdAt: timestamp.describe("When it was created."),
    lastUsedAt: timestamp.nullable().describe("Time of the last call with it, to the minute."),
    expiresAt: timestamp.nullable().describe("When it expires."),
    isReadOnly: z.boolean().describe("Whether it cannot change anything."),
    repositories: z
      .array(z.string())
      .nullable()
      .describe("Globs of the names of the repositories that it can see, of those that its member can see."),
  })
  .describe("An API key, without the key itself.");
export type ApiKey = z.output<typeof ApiKey>;

export const CreateKeyRequest = z
  .object({
    name: z.string().trim().min(1).max(100).describe("Name of the key, unique among the member's keys."),
    expiresAt: timestamp.optional().describe("When it expires; if absent, never."),
    userId: userIdField.optional().describe("Id of the member that it acts as; if absent, the caller."),
    isReadOnly: z.boolean().default(false).describe("Whether it cannot change anything."),
    repositories: z
      .array(z.string().min(1).max(1000))
      .min(1)
      .max(1000)
      .optional()
      .describe(
        "Globs of the names of the repositories that it can see, of those that its member can see; if absent, all of " +
          "these. Such a key never acts as an owner.",
      ),
  })
  .describe("The key to create.");

export const CreatedKey = z
  .object({ ...ApiKey.shape, key: z.string().describe("The key itself. It cannot be retrieved later.") })
  .describe("The new API key.");
export type CreatedKey = z.output<typeof CreatedKey>;

export const KeyRequest = z
  .object({ keyId: z.string().min(1).max(100).describe("Id of the key.") })
  .describe("An API key.");

export const CreatedSession = z
  .object({
    token: z.string().describe("The session token. It cannot be retrieved later."),
    expiresAt: timestamp.describe("When it expires."),
  })
  .describe("A new browser session.");

export const SignedOut = z
  .object({
    url: z.string().optional().describe("The page at which the login server ends its own session."),
  })
  .describe("The session has ended.");

export const Session = z
  .object({
    id: z.string().describe("Id of the session. Not a secret."),
    userId: z.string().describe("Id of the member."),
    keyId: z.string().nullable().describe("Id of the API key as which it acts; null after a login."),
    userAgent: z.string().nullable().describe("The browser, as it names itself."),
    createdAt: timestamp.describe("When it began."),
    lastUsedAt: timestamp.describe("Time of the last request in it, to the minute."),
    expiresAt: timestamp.describe("When it ends, unless it is used before."),
    isCurrent: z.boolean().describe("Whether this request was sent in it."),
  })
  .describe("A browser session.");
export type Session = z.output<typeof Session>;

export const SessionRequest = z
  .object({ sessionId: z.string().min(1).max(100).describe("Id of the session.") })
  .describe("A browser session.");

/** Longest value of a parameter of a login; some issuers send long codes. */
const maxParameterLength = 8192;
const parameter = z.string().max(maxParameterLength);

export const BeginLoginRequest = z
  .object({ returnTo: parameter.default("/").describe("Path of the page to return to.") })
  .describe("The login to begin.");

export const BegunLogin = z
  .object({
    url: z.string().describe("The page of the login server."),
    state: z.string().describe("Identifies the login."),
    transaction: z.string().describe("What the browser has to present when it returns."),
  })
  .describe("A login that has begun.");

const userAgent = parameter.optional().describe("The browser, as it names itself.");

export const SignInRequest = z.object({ userAgent }).describe("Who starts a session.");

export const CompleteLoginRequest = z
  .object({
    state: parameter.describe("The parameter `state` of the response."),
    code: parameter.optional().describe("The parameter `code`."),
    error: parameter.optional().describe("The parameter `error`."),
    iss: parameter.optional().describe("The parameter `iss`."),
    transaction: parameter.describe("What the browser presents."),
    replacedToken: parameter.optional().describe("The token of the browser's previous session."),
    userAgent,
  })
  .describe("The response of the login server.");

export const CompletedLogin = z
  .object({
    ...CreatedSession.shape,
    returnTo: z.string().describe("Path of the page to return to."),
  })
  .describe("A new browser session, after a login.");

/** A port of the computer on which the browser runs (RFC 8252). */
const loopbackUri = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):(\d{1,5})\/[\w/-]{0,100}$/;

export const AllowEditorRequest = z
  .object({
    redirectUri: z
      .string()
      .max(200)
      .refine((text) => Number(loopbackUri.exec(text)?.[1]) <= 65_535, {
        error: "must be a URL such as http://127.0.0.1:4321/path",
      })
      .describe("Where the editor waits for its code."),
    state: z
      .string()
      .regex(/^[\w-]{16,128}$/)
      .describe("Identifies the request of the editor."),
    codeChallenge: z
      .string()
      .regex(/^[\w-]{43}$/)
      .describe("SHA-256 of the verifier, in base64url."),
    name: z.string().trim().min(1).max(60).describe("Names the editor and its computer."),
  })
  .describe("The editor to let in.");

export const AllowedEditor = z
  .object({ url: z.string().describe("Where the browser goes: to the editor, with its code.") })
  .describe("The editor is let in.");

export const ConnectEditorRequest = z
  .object({
    code: z.string().max(200).describe("The code that the browser has passed on."),
    codeVerifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/)
      .describe("The verifier of the challenge."),
  })
  .describe("An editor that was let in.");

export const EditorKey = z
  .object({
    key: z.string().describe("An API key that can only read. It cannot be retrieved later."),
    expiresAt: timestamp.describe("When it expires."),
  })
  .describe("The API key of an editor.");

const actorTypes = ["user", "api_key"] as const;
/** Types of targets of audit records. */
export const targetTypes = ["org", "user", "api_key", "repository", "file"] as const;

export const AuditRequest = z
  .object({
    ...pageFields,
    since: timestamp.optional().describe("Only records from this time on, in ISO 8601 with offset."),
    until: timestamp.optional().describe("Only records up to this time, in ISO 8601 with offset."),
  })
  .describe("A page of the audit records.");

export const AuditRecord = z
  .object({
    id: z.string().describe("Id of the record; ids sort by time."),
    timestamp: timestamp.describe("Time of the action."),
    action: z.string().describe("The action, such as `user.performed_code_search`."),
    actorId: z.string().describe("Id of the member or of the API key."),
    actorType: z.enum(actorTypes).describe("Type of the actor."),
    targetId: z.string().describe("Id, name or path of the target."),
    targetType: z.enum(targetTypes).describe("Type of the target."),
    serviceVersion: z.string().describe("Version of the service that wrote it."),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Details, such as `source`, the program that made the request."),
    orgId: z.int().describe("Id of the organization."),
  })
  .describe("An audit record.");
export type AuditRecord = z.output<typeof AuditRecord>;

/** Features that a license can enable. */
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
    state: z.enum(licenseStates).describe("Whether the license is valid, or why not."),
    message: z.string().describe("The state as a sentence."),
    id: z.string().optional().describe("License number."),
    organization: z.string().optional().describe("The licensed organization."),
    seats: z.int().optional().describe("Maximum number of members; if absent, unlimited."),
    features: z.array(z.string()).optional().describe("Enabled features."),
    expiresAt: timestamp.optional().describe("When it expires."),
  })
  .describe("The license of this instance. Its details are present only if its signature is valid.");
export type License = z.output<typeof License>;

export const InstallLicenseRequest = z
  .object({ license: z.string().min(1).max(20_000).describe("The license text as issued.") })
  .describe("The license to install.");
