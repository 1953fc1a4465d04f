export const auditActorTypes = ["user", "api_key"] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

export const auditTargetTypes = ["org", "user", "api_key", "repository", "file"] as const;
export type AuditTargetType = (typeof auditTargetTypes)[number];

/** Never contains the text of a query or of a file. */
export type AuditMetadata = Readonly<Record<string, unknown>>;

/** A record of one action. */
export interface AuditRecord {
  /** A UUID (version 7). Records of one process sort in the order in which they were recorded. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** For example `user.performed_code_search`. */
  readonly action: string;
  readonly actorId: string;
  readonly actorType: AuditActorType;
  readonly targetId: string;
  readonly targetType: AuditTargetType;
  /** The version of Trawl that wrote it. */
  readonly serviceVersion: string;
  readonly metadata: AuditMetadata | null;
  readonly orgId: number;
}

/** A record before the store adds its id, time, version and organization. */
export type NewAuditRecord = Omit<AuditRecord, "id" | "timestamp" | "serviceVersion" | "orgId">;
