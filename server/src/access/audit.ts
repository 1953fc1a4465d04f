/**
 * Audit records of calls and changes. A search is recorded without its query and results. Anonymous calls are not
 * recorded. Neither is what the local user reads, because those are their own files.
 */
import type { Operation } from "#contract/operation";
import type { Actor, CallContext } from "#contract/service";
import type { AuditMetadata, AuditTargetType, NewAuditRecord } from "#model/audit";
import type { Member } from "#model/organization";
import type { Store } from "#store/store";
import type { Organization } from "./organization";

/** An action that is about to be recorded. */
export interface AuditEvent {
  readonly action: `${string}.${string}`;
  readonly targetType: AuditTargetType;
  /** Absent for the organization. */
  readonly targetId?: string;
  readonly metadata?: AuditMetadata;
}

export interface Audit {
  /** Records an admitted call, if its operation is audited. Resolves when the record is stored durably. */
  recordCall(row: Operation, request: unknown, context: CallContext): Promise<void>;
  /**
   * Returns a function that builds records, which the store writes in the same transaction as the change. Call this
   * before the change, which may remove the caller. Pass `store` during a restore, when the organization does not use
   * it yet.
   */
  recordBuilder(context: AuditContext, store?: Store): Promise<(event: AuditEvent) => NewAuditRecord>;
  /** Records an event that changed nothing in the store. Resolves when the record is stored durably. */
  record(event: AuditEvent, context: AuditContext): Promise<void>;
}

/** The caller and its program. */
export type AuditContext = Pick<CallContext, "actor" | "source">;

/** Callers choose these texts, which may be as long as a request. Longer ones are truncated. */
const maxTargetCharacters = 1000;
const maxSourceCharacters = 100;
/** An instance has one organization. */
const organizationTargetId = "1";
/** Identifies the local user if no member has their email address. */
const localActorId = "local";

export function createAudit(organization: Organization): Audit {
  return { recordCall, recordBuilder, record };

  async function recordCall(
    { audit, tag }: Operation,
    request: unknown,
    context: CallContext,
  ): Promise<void> {
    const { actor } = context;
    const isLocalRead = actor.kind === "local" && tag !== "Enterprise (EE)";
    if (audit === undefined || actor.kind === "anonymous" || isLocalRead) return;
    const { action, target, unless, details } = audit;
    const fields = request as Readonly<Record<string, unknown>>;
    if (unless !== undefined && fields[unless] !== undefined) return;
    const metadata = detailsOf(request, details);
    await record({ action, targetType: target, ...targetOf(target, request), ...metadata }, context);
  }

  async function recordBuilder(
    { actor, source }: AuditContext,
    store?: Store,
  ): Promise<(event: AuditEvent) => NewAuditRecord> {
    const actorFields = await describeActor(actor, store);
    return ({ action, targetType, targetId = organizationTargetId, metadata }) => ({
      action,
      ...actorFields,
      targetType,
      targetId: truncate(targetId, maxTargetCharacters),
      metadata: metadataOf(actor, source, metadata),
    });
  }

  async function record(event: AuditEvent, context: AuditContext): Promise<void> {
    const buildRecord = await recordBuilder(context);
    const { auditLog } = await organization.store();
    await auditLog.append(buildRecord(event));
  }

  async function describeActor(
    actor: Actor,
    store: Store | undefined,
  ): Promise<Pick<NewAuditRecord, "actorId" | "actorType">> {
    if (actor.kind === "member") {
      const { id, keyId } = actor;
      return keyId === undefined
        ? { actorId: id, actorType: "user" }
        : { actorId: keyId, actorType: "api_key" };
    }
    const member = await organization.localMember(store);
    return { actorId: member?.id ?? localActorId, actorType: "user" };
  }
}

/** The record of a user who became a member with their first call. */
export function memberJoinedRecord({ id }: Member): NewAuditRecord {
  return {
    action: "org.member_added",
    actorId: id,
    actorType: "user",
    targetType: "user",
    targetId: id,
    metadata: null,
  };
}

/** Returns the record of a login that was refused. `member` is absent if the user is none. */
export function refusedLoginRecord(member: Member | undefined, metadata: AuditMetadata): NewAuditRecord {
  return {
    action: "user.sign_in_refused",
    actorId: member?.id ?? "unknown",
    actorType: "user",
    targetType: "org",
    targetId: organizationTargetId,
    metadata,
  };
}

/** Names the member in addition to the key, because a deleted key no longer identifies its owner. */
function metadataOf(
  actor: Actor,
  source: string | undefined,
  more: AuditMetadata | undefined,
): AuditMetadata | null {
  const metadata = {
    ...(source === undefined ? {} : { source: truncate(source, maxSourceCharacters) }),
    ...(actor.kind === "member" && actor.keyId !== undefined ? { userId: actor.id } : {}),
    ...more,
  };
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** Returns the target of a request, which names a repository as `repo` or `repoName`, and a file in it as `path`. */
function targetOf(type: AuditTargetType, request: unknown): { readonly targetId?: string } {
  if (type !== "repository" && type !== "file") return {};
  const { repo, repoName, path } = request as Readonly<Record<string, unknown>>;
  const name = String(repo ?? repoName);
  return { targetId: type === "file" ? `${name}/-/${String(path).replace(/^\//, "")}` : name };
}

function detailsOf(
  request: unknown,
  names: readonly string[] | undefined,
): { readonly metadata?: AuditMetadata } {
  if (names === undefined) return {};
  const fields = request as Readonly<Record<string, unknown>>;
  return { metadata: Object.fromEntries(names.map((name) => [name, fields[name]])) };
}

function truncate(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}
