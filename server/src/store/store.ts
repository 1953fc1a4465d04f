/**
 * What an instance knows of people: its organisation, members, API keys, sessions and audit log, in a database.
 *
 * There is one set of queries (`members.ts` and its neighbours), and two databases that can answer them: one embedded in
 * the process that leads (`embedded.ts`), and PostgreSQL (`postgres.ts`). What a call has resolved is on disk. What a
 * call changes, it changes whole or not at all, also where several processes ask one database at once.
 *
 * Calls that change who may do what take a `RecordOf`, and write what it gives into the audit log: both are on disk, or
 * neither is.
 *
 * Secrets do not come here: keys and sessions are found by the SHA-256 of what was shown for them, 64 lower-case
 * hexadecimal digits.
 *
 * Every call may throw ENGINE_UNAVAILABLE, where the database does not answer, and STORAGE_FAILED, where it cannot do
 * what was asked. Times are milliseconds since 1970.
 */
import type { AuditRecord, NewAuditRecord } from "#model/audit";
import type {
  ApiKey,
  ApiKeyId,
  Member,
  MemberId,
  OAuthIdentity,
  Organisation,
  Role,
  Session,
  SessionId,
} from "#model/organisation";

/** What is recorded of a change that is about to be written. */
export type RecordOf<Changed> = (changed: Changed) => NewAuditRecord;

export interface Store {
  readonly organisation: OrganisationStore;
  readonly members: MemberStore;
  readonly apiKeys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly auditLog: AuditLogStore;
  /** Writes everything but sessions to `file`, in place of what is there. Others are served meanwhile. */
  backup(file: string, signal?: AbortSignal): Promise<BackupCounts>;
  /**
   * Takes what a backup holds, from whichever database, and forgets what was here. Others wait meanwhile.
   *
   * Throws INVALID_REQUEST_BODY, and changes nothing, where `file` is no whole backup, or one of a newer Trawl; and where
   * there is more here than a new instance has, unless `replace`. Who was removed since the backup was made is back, but
   * tokens that were issued before now make nobody a member.
   */
  restore(file: string, options: RestoreOptions): Promise<BackupCounts>;
  close(): Promise<void>;
}

export interface RestoreOptions {
  readonly replace: boolean;
  /** Goes behind the records of the backup. */
  readonly record?: RecordOf<BackupCounts> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BackupCounts {
  readonly members: number;
  readonly apiKeys: number;
  readonly auditRecords: number;
}

export interface OrganisationStore {
  get(): Promise<Organisation>;
  /** Takes the place of the licence before; without a token there is none afterwards. */
  setLicense(token: string | undefined, record?: RecordOf<Organisation>): Promise<void>;
  /** Notes that it is `time`; an earlier one than was noted before changes nothing. */
  noteTime(time: number): Promise<void>;
  /** Notes that it is `time`, whatever was noted before: for a clock that was ahead. */
  resetTime(time: number, record?: RecordOf<Organisation>): Promise<void>;
}

export interface NewMember {
  readonly name?: string;
  readonly email: string;
  readonly role: Role;
  readonly oauth?: OAuthIdentity;
}

/** On what somebody is added. */
export interface AdditionTerms {
  /** There must be fewer members than that who are not suspended; absent: there is always room. */
  readonly seats?: number | undefined;
  /** When somebody vouched for them; absent: somebody does so now. */
  readonly vouchedAt?: number | undefined;
  readonly record?: RecordOf<Member> | undefined;
}

/**
 * Nothing was changed but where it is `added`. `outdated`: a member was removed after somebody vouched for this one, who
 * may be the same.
 */
export type Addition =
  | { readonly kind: "added"; readonly member: Member }
  | { readonly kind: "emailTaken"; readonly member: Member }
  | { readonly kind: "full"; readonly count: number }
  | { readonly kind: "outdated" };

/** `lastOwner`: nothing was changed, because nobody would be left who may do what owners may. */
export type MemberChange =
  | { readonly kind: "changed"; readonly member: Member }
  | { readonly kind: "unknown" }
  | { readonly kind: "lastOwner"; readonly member: Member };

export interface MemberStore {
  /** In the order in which they joined. */
  all(): Promise<readonly Member[]>;
  get(id: MemberId): Promise<Member | undefined>;
  /** Case does not count. */
  byEmail(email: string): Promise<Member | undefined>;
  byOAuth(identity: OAuthIdentity): Promise<Member | undefined>;
  /** How many are not suspended. */
  count(): Promise<number>;
  add(member: NewMember, terms?: AdditionTerms): Promise<Addition>;
  /** Adds an owner where there is no member at all; else gives undefined. */
  addFirst(member: Omit<NewMember, "role">): Promise<Member | undefined>;
  /** From now on the member is found by it. Takes the place of an identity before. */
  linkOAuth(id: MemberId, identity: OAuthIdentity): Promise<void>;
  /** Who has the role already is not changed, and nothing is recorded. */
  setRole(id: MemberId, role: Role, record?: RecordOf<Member>): Promise<MemberChange>;
  suspend(id: MemberId): Promise<MemberChange>;
  resume(id: MemberId): Promise<MemberChange>;
  /** With all keys and sessions. The change carries the member as it was. */
  remove(id: MemberId, record?: RecordOf<Member>): Promise<MemberChange>;
  /** Notes that the member did something, unless something later is noted. */
  noteActivity(id: MemberId, time: number): Promise<void>;
}

export interface NewApiKey {
  readonly memberId: MemberId;
  readonly name: string;
  readonly hash: string;
  readonly expiresAt?: number;
}

export type ApiKeyCreation =
  | { readonly kind: "created"; readonly key: ApiKey }
  | { readonly kind: "nameTaken" }
  | { readonly kind: "unknownMember" };

export interface ApiKeyStore {
  /** By member, each one's in the order in which they were made. */
  all(): Promise<readonly ApiKey[]>;
  ofMember(id: MemberId): Promise<readonly ApiKey[]>;
  /** Also of suspended members, and when it has expired: whether it counts is not decided here. */
  byHash(hash: string): Promise<{ readonly key: ApiKey; readonly member: Member } | undefined>;
  /** Whether there is any key. */
  exist(): Promise<boolean>;
  create(key: NewApiKey, record?: RecordOf<ApiKey>): Promise<ApiKeyCreation>;
  /** With its sessions. Gives the key that is no more, or undefined where there was none. */
  revoke(id: ApiKeyId, record?: RecordOf<ApiKey>): Promise<ApiKey | undefined>;
  /** Notes that the key was used, unless a later use is noted. */
  noteUse(id: ApiKeyId, time: number): Promise<void>;
}

export interface NewSession {
  readonly keyId: ApiKeyId;
  readonly hash: string;
  readonly expiresAt: number;
}

/** Whose a session is: also when it, or its key, has expired, and of suspended members. */
export interface SessionHolder {
  readonly session: Session;
  readonly key: ApiKey;
  readonly member: Member;
}

export interface SessionStore {
  /** Gives undefined where there is no such key. */
  create(session: NewSession, record?: RecordOf<Session>): Promise<Session | undefined>;
  byHash(hash: string): Promise<SessionHolder | undefined>;
  /** One that is not there is no error. */
  end(id: SessionId, record?: RecordOf<Session>): Promise<void>;
  /** Forgets those that had expired at `time`. */
  removeExpired(time: number): Promise<void>;
}

export interface AuditRange {
  /** Both are inclusive. */
  readonly since?: number;
  readonly until?: number;
}

/** Counted from 1. */
export interface AuditPageRequest extends AuditRange {
  readonly page: number;
  readonly perPage: number;
}

export interface AuditPage {
  /** Newest first, then by id, the highest first. */
  readonly items: readonly AuditRecord[];
  /** Of the whole range. */
  readonly total: number;
}

export interface AuditLogStore {
  /** Records that come at once are written at once. Resolves when they are on disk. */
  append(record: NewAuditRecord): Promise<AuditRecord>;
  page(request: AuditPageRequest): Promise<AuditPage>;
  /** Gives how many there were. Goes in small steps, between which others are served. */
  removeBefore(time: number, signal?: AbortSignal): Promise<number>;
}
