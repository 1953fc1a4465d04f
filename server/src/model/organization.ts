import type { Brand } from "#base/brand";

/** A UUID (version 7), never reused. */
export type MemberId = Brand<string, "MemberId">;
/** A UUID (version 7) of an API key. Independent of the key's secret. */
export type ApiKeyId = Brand<string, "ApiKeyId">;
/** A UUID (version 7) of a session. Independent of the session's token. */
export type SessionId = Brand<string, "SessionId">;

export const roles = ["OWNER", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** The only organization of an instance. */
export interface Organization {
  readonly id: number;
  /** Distinguishes it from every other organization, including one that has replaced it. */
  readonly uuid: string;
  readonly name: string;
  /** The signed license token, as installed. */
  readonly license?: string;
  /** The latest time ever recorded, milliseconds since 1970. A clock that shows an earlier time was set back. */
  readonly latestTime: number;
}

/** Times are milliseconds since 1970. */
export interface Member {
  readonly id: MemberId;
  readonly name?: string;
  /**
   * As entered. No two members have addresses that differ only in case. That of a service account is `service:` and its
   * name, which is no email address, so that nobody can log in as it.
   */
  readonly email: string;
  /** Present for a service account, which belongs to no person and only has API keys. */
  readonly isService?: true;
  readonly role: Role;
  /** Sorted: those that the issuer named at the last login, or with which a service account was added. */
  readonly groups: readonly string[];
  /** Names on code hosts, by connection, as the issuer stated them at the last login. */
  readonly codeHostLogins: Readonly<Record<string, string>>;
  /** Absent if not suspended. */
  readonly suspendedAt?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastActivityAt?: number;
}

/** The identity of a user at an OAuth issuer. */
export interface OAuthIdentity {
  readonly issuer: string;
  /** The claim `sub`. */
  readonly subject: string;
}

/** Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly memberId: MemberId;
  /** Unique among the keys of a member. */
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  /** Absent if it never expires. */
  readonly expiresAt?: number;
  /** Present if operations that change something refuse it. */
  readonly isReadOnly?: true;
  /** Globs of the names of the repositories that it can see; absent: those that its member can see. */
  readonly repositories?: readonly string[];
}

/**
 * A browser session. It was started by a login, or with an API key as which it then acts. Times are milliseconds since
 * 1970.
 */
export interface Session {
  readonly id: SessionId;
  readonly memberId: MemberId;
  /** Absent if it was started by a login. */
  readonly keyId?: ApiKeyId;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** When it expires unless it is used before. */
  readonly expiresAt: number;
  /** When it expires even if it is used. */
  readonly endsAt: number;
  /** The ID token of the login, which the issuer needs to end its own session. */
  readonly idToken?: string;
  /** The browser, as it names itself. */
  readonly userAgent?: string;
}
