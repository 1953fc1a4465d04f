import type { Brand } from "#base/brand";

/** A UUID (version 7), given once and never reused. */
export type MemberId = Brand<string, "MemberId">;
/** A UUID (version 7) of an API key. It says nothing about the key's value. */
export type ApiKeyId = Brand<string, "ApiKeyId">;
/** A UUID (version 7) of a session. It says nothing about the session's token. */
export type SessionId = Brand<string, "SessionId">;

export const roles = ["OWNER", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** The one organisation of an instance. */
export interface Organisation {
  readonly id: number;
  readonly name: string;
  /** The signed token of its licence, as it was installed. */
  readonly license?: string;
  /** The latest time that was ever noted, milliseconds since 1970: a clock that shows less was set back. */
  readonly latestTime: number;
}

/** Times are milliseconds since 1970. */
export interface Member {
  readonly id: MemberId;
  readonly name?: string;
  /** As it was given; no two members have addresses that differ in case only. */
  readonly email: string;
  readonly role: Role;
  /** Absent: not suspended. */
  readonly suspendedAt?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastActivityAt?: number;
}

/** Who somebody is at an OAuth issuer. */
export interface OAuthIdentity {
  readonly issuer: string;
  /** The claim `sub`. */
  readonly subject: string;
}

/** Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly memberId: MemberId;
  /** No two keys of a member have the same. */
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  /** Absent: never. */
  readonly expiresAt?: number;
}

/** A browser in which somebody has shown an API key, and which acts as that key. Times are milliseconds since 1970. */
export interface Session {
  readonly id: SessionId;
  readonly keyId: ApiKeyId;
  readonly createdAt: number;
  readonly expiresAt: number;
}
