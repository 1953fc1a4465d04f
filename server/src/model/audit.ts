export const auditActorTypes = ["user", "api_key"] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

export const auditTargetTypes = ["org", "user", "api_key", "repository", "file"] as const;
export type AuditTargetType = (typeof auditTargetTypes)[number];

/** Never the text of a query or of a file. */
export type AuditMetadata = Readonly<Record<string, unknown>>;

/** That somebody did something. */
export interface AuditRecord {
  /** A UUID (version 7). Those of one process sort by time, and in the order in which they were recorded. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** What was done: `user.performed_code_search`. */
  readonly action: string;
  readonly actorId: string;
  readonly actorType: AuditActorType;
  readonly targetId: string;
  readonly targetType: AuditTargetType;
  /** Of the Trawl that wrote it. */
  readonly serviceVersion: string;
  readonly metadata: AuditMetadata | null;
  readonly orgId: number;
}

/** What the store adds to it: id, time, version and organisation. */
export type NewAuditRecord = Omit<AuditRecord, "id" | "timestamp" | "serviceVersion" | "orgId">;
