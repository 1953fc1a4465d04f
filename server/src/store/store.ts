/**
 * The database of an instance: its organization, members, API keys, sessions and audit log.
 *
 * One set of queries (`members.ts` and its siblings) serves two databases: one embedded in the leader (`embedded.ts`),
 * and PostgreSQL (`postgres.ts`). When a call resolves, its changes are on disk. Each call is atomic, even if several
 * processes share a database.
 *
 * Calls that change permissions take an `AuditRecordFor` and write its record to the audit log in the same transaction.
 *
 * Keys and tokens of sessions are not stored: they are found by their SHA-256, as 64 lower-case hexadecimal digits.
 *
 * Every call may throw ENGINE_UNAVAILABLE if the database cannot be used (it does not respond, it is damaged, its disk
 * is full), with what to do about it, and STORAGE_FAILED if the database rejects a query.
 *
 * Times are milliseconds since 1970.
 *
 * Tables and columns keep the spelling `organisation`, because they are part of the format on disk.
 */
import type { AuditRecord, NewAuditRecord } from "#model/audit";
import type {
  ApiKey,
  ApiKeyId,
  Member,
  MemberId,
  OAuthIdentity,
  Organization,
  Role,
  Session,
  SessionId,
} from "#model/organization";

/** Builds the audit record of a change that is about to be written. */
export type AuditRecordFor<Changed> = (changed: Changed) => NewAuditRecord;

export interface Store {
  readonly organization: OrganizationStore;
  readonly members: MemberStore;
  readonly apiKeys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly auditLog: AuditLogStore;
  /** Writes everything except sessions to `file`, replacing it, and `texts`. Does not block other calls. */
  backup(file: string, signal?: AbortSignal, texts?: BackupTexts): Promise<BackupCounts>;
  /**
   * Replaces all content with that of a backup, from either kind of database. Other calls wait until it is done.
   *
   * Throws INVALID_REQUEST_BODY, and changes nothing, if `file` is not a complete backup, if it comes from a newer
   * version, or if the instance is not new and `replace` is false. Members that were removed after the backup are back,
   * but access tokens issued before now cannot create members.
   */
  restore(file: string, options: RestoreOptions): Promise<BackupCounts>;
  close(): Promise<void>;
}

/** What a backup contains besides the database, by name. */
export type BackupTexts = Readonly<Record<string, string>>;

export interface RestoreOptions {
  readonly replace: boolean;
  /** Builds a record that is appended to the audit records of the backup. */
  readonly record?: AuditRecordFor<BackupCounts> | undefined;
  /** Receives the texts of the backup once it has been read. If this throws, the database is not changed. */
  readonly useTexts?: ((texts: BackupTexts) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The number of rows in a backup. */
export interface BackupCounts {
  readonly members: number;
  readonly apiKeys: number;
  readonly auditRecords: number;
}

export interface OrganizationStore {
  /** Throws ENGINE_UNAVAILABLE if the database has lost its organization. */
  get(): Promise<Organization>;
  /** Replaces the license, or removes it if there is no token. */
  setLicense(token: string | undefined, record?: AuditRecordFor<Organization>): Promise<void>;
  /** Records `time` as the latest time seen, unless a later one is recorded. */
  advanceLatestTime(time: number): Promise<void>;
  /** Records `time` even if a later one is recorded, to recover from a clock that ran ahead. */
  resetLatestTime(time: number, record?: AuditRecordFor<Organization>): Promise<void>;
}

export interface NewMember {
  readonly name?: string;
  readonly email: string;
  readonly role: Role;
  readonly oauth?: OAuthIdentity;
  readonly isService?: boolean;
  readonly groups?: readonly string[];
}

/** Conditions for adding a member. */
export interface AddMemberOptions {
  /** The number of persons who are not suspended must be lower than this. Absent: no limit. */
  readonly seats?: number | undefined;
  /** When the identity was verified. Absent: it was verified just now. */
  readonly verifiedAt?: number | undefined;
  readonly record?: AuditRecordFor<Member> | undefined;
}

/**
 * Only `added` means that something has changed. `outdated`: a member was removed after this identity was verified, and
 * may have been the same person.
 */
export type AddMemberResult =
  | { readonly kind: "added"; readonly member: Member }
  | { readonly kind: "emailTaken"; readonly member: Member }
  | { readonly kind: "full"; readonly count: number }
  | { readonly kind: "outdated" };

/** `lastOwner`: nothing was changed, because no owner would be left. */
export type MemberChange =
  | { readonly kind: "changed"; readonly member: Member }
  | { readonly kind: "unknown" }
  | { readonly kind: "lastOwner"; readonly member: Member };

export interface MemberStore {
  /** Returns all members in the order in which they joined. */
  all(): Promise<readonly Member[]>;
  get(id: MemberId): Promise<Member | undefined>;
  /** Finds a member by email address, ignoring case. */
  byEmail(email: string): Promise<Member | undefined>;
  byOAuth(identity: OAuthIdentity): Promise<Member | undefined>;
  /** Counts the persons who are not suspended. */
  count(): Promise<number>;
  add(member: NewMember, options?: AddMemberOptions): Promise<AddMemberResult>;
  /** Adds an owner if there is no member yet; otherwise returns undefined. */
  addFirst(member: Omit<NewMember, "role">): Promise<Member | undefined>;
  /** Links an OAuth identity to the member, replacing any other. */
  linkOAuth(id: MemberId, identity: OAuthIdentity): Promise<void>;
  /**
   * Stores the groups and the names on code hosts of a member and, unless `role` is absent, the role that follows from
   * the groups. The last owner stays an owner. Records only a change of the role.
   */
  setClaims(
    id: MemberId,
    change: {
      readonly groups: readonly string[];
      readonly role?: Role | undefined;
      readonly codeHostLogins: Readonly<Record<string, string>>;
    },
    record?: AuditRecordFor<Member>,
  ): Promise<MemberChange>;
  /** Changes and records nothing if the member already has the role. */
  setRole(id: MemberId, role: Role, record?: AuditRecordFor<Member>): Promise<MemberChange>;
  suspend(id: MemberId, record?: AuditRecordFor<Member>): Promise<MemberChange>;
  /** Fails with `full` if a person would need a seat more than there are. */
  resume(
    id: MemberId,
    options?: Omit<AddMemberOptions, "verifiedAt">,
  ): Promise<MemberChange | Extract<AddMemberResult, { readonly kind: "full" }>>;
  /** Removes a member with all keys and sessions. The result contains the member as it was. */
  remove(id: MemberId, record?: AuditRecordFor<Member>): Promise<MemberChange>;
  /** Stores when the member was last active. Keeps a later time, unless it is implausibly far ahead. */
  recordActivity(id: MemberId, time: number): Promise<void>;
}

export interface NewApiKey {
  readonly memberId: MemberId;
  readonly name: string;
  readonly hash: string;
  readonly expiresAt?: number;
  readonly isReadOnly?: boolean;
  readonly repositories?: readonly string[];
}

export type CreateApiKeyResult =
  | { readonly kind: "created"; readonly key: ApiKey }
  | { readonly kind: "nameTaken" }
  | { readonly kind: "unknownMember" };

export interface ApiKeyStore {
  /** Returns all keys by member, then by creation time. */
  all(): Promise<readonly ApiKey[]>;
  ofMember(id: MemberId): Promise<readonly ApiKey[]>;
  /** Finds a key, even if it has expired or its member is suspended: the caller must check its validity. */
  byHash(hash: string): Promise<{ readonly key: ApiKey; readonly member: Member } | undefined>;
  /**
   * Whether any key exists. Throws ENGINE_UNAVAILABLE if the database has lost its organization, because its keys are
   * lost as well.
   */
  hasKeys(): Promise<boolean>;
  create(key: NewApiKey, record?: AuditRecordFor<ApiKey>): Promise<CreateApiKeyResult>;
  /** Deletes a key and its sessions. Returns the deleted key, or undefined if there was none. */
  revoke(id: ApiKeyId, record?: AuditRecordFor<ApiKey>): Promise<ApiKey | undefined>;
  /** Stores when the key was last used. Keeps a later time, unless it is implausibly far ahead. */
  recordUse(id: ApiKeyId, time: number): Promise<void>;
}

/** A session that a key starts, or a login. */
export type NewSession = SessionFields &
  ({ readonly keyId: ApiKeyId } | (LoginDetails & { readonly memberId: MemberId }));

interface SessionFields {
  readonly hash: string;
  readonly expiresAt: number;
  /** Default: `expiresAt`. */
  readonly endsAt?: number;
  readonly userAgent?: string | undefined;
}

interface LoginDetails {
  /** A hash that identifies the login. */
  readonly loginHash: string;
  readonly idToken?: string | undefined;
  /** The hash of the session that the browser had before, which ends. */
  readonly replacedHash?: string | undefined;
}

/**
 * A session with its member and, if it acts as one, its key. The session and the key may have expired, and the member
 * may be suspended.
 */
export interface SessionHolder {
  readonly session: Session;
  readonly key?: ApiKey;
  readonly member: Member;
}

export interface SessionStore {
  /** Returns all sessions by member, then by creation time. They may have expired. */
  all(): Promise<readonly Session[]>;
  ofMember(id: MemberId): Promise<readonly Session[]>;
  /** Creates a session. Returns undefined if the key or the member does not exist, or if the login was used before. */
  create(session: NewSession, record?: AuditRecordFor<Session>): Promise<Session | undefined>;
  byHash(hash: string): Promise<SessionHolder | undefined>;
  /** Stores when the session was last used, and until when it is now valid. */
  recordUse(id: SessionId, use: { readonly time: number; readonly expiresAt: number }): Promise<void>;
  /** Deletes a session, and returns it. A missing one is not an error. */
  end(id: SessionId, record?: AuditRecordFor<Session>): Promise<Session | undefined>;
  /** Deletes the sessions that had expired at `time`. */
  removeExpired(time: number): Promise<void>;
}

/** A range of times. Both bounds are inclusive; an absent bound does not limit the range. */
export interface AuditRange {
  readonly since?: number;
  readonly until?: number;
}

/** A request for one page of a range. `page` counts from 1. */
export interface AuditPageRequest extends AuditRange {
  readonly page: number;
  readonly perPage: number;
}

export interface AuditPage {
  /** Newest first; records of the same time by id, the highest first. */
  readonly items: readonly AuditRecord[];
  /** The number of records in the whole range. */
  readonly total: number;
}

export interface AuditLogStore {
  /** Appends a record; concurrent ones are written in batches. Resolves when the record is on disk. */
  append(record: NewAuditRecord): Promise<AuditRecord>;
  page(request: AuditPageRequest): Promise<AuditPage>;
  /** Deletes old records in small steps, so that other calls are not blocked. Returns how many were deleted. */
  removeBefore(time: number, signal?: AbortSignal): Promise<number>;
}
