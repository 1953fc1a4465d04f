/**
 * What is written down of who did what. Of a search it is told that there was one: never what was looked for, and never
 * what was found. What nobody can be named for is not recorded: a call without credentials, and what the person at this
 * computer reads, to whom the files belong.
 */
import type { Operation } from "#contract/operation";
import type { Actor, CallContext } from "#contract/service";
import type { AuditMetadata, AuditTargetType, NewAuditRecord } from "#model/audit";
import type { Member } from "#model/organisation";
import type { Organisation } from "./organisation";

/** Something that was done. */
export interface Deed {
  readonly action: `${string}.${string}`;
  readonly targetType: AuditTargetType;
  /** Absent for the organisation. */
  readonly targetId?: string;
  readonly metadata?: AuditMetadata;
}

export interface Audit {
  /** What the row says of a call that was let in, if anything. Resolves when it is on disk. */
  ofCall(row: Operation, request: unknown, context: CallContext): Promise<void>;
  /**
   * What the store records of the caller's deeds, each together with the change itself. To be asked for before the
   * change: afterwards the caller may be nobody any more.
   */
  by(context: Author): Promise<(deed: Deed) => NewAuditRecord>;
  /** What has changed nothing. Resolves when it is on disk. */
  ofDeed(deed: Deed, context: Author): Promise<void>;
}

/** Who did it, and by which program. */
export type Author = Pick<CallContext, "actor" | "source">;

/** Somebody chooses these texts: a path in a request may be as long as the request. */
const maxTargetCharacters = 1000;
const maxSourceCharacters = 100;
/** An instance has one organisation. */
const organisationId = "1";
/** The person at this computer, where they are no member any more. */
const nobodysId = "local";

export function createAudit(organisation: Organisation): Audit {
  return { ofCall, by, ofDeed };

  async function ofCall({ audit, tag }: Operation, request: unknown, context: CallContext): Promise<void> {
    const { actor } = context;
    const isReading = actor.kind === "local" && tag !== "Enterprise (EE)";
    if (audit === undefined || actor.kind === "anonymous" || isReading) return;
    const { action, target } = audit;
    await ofDeed({ action, targetType: target, ...targetOf(target, request) }, context);
  }

  async function by({ actor, source }: Author): Promise<(deed: Deed) => NewAuditRecord> {
    const names = await namesOf(actor);
    return ({ action, targetType, targetId = organisationId, metadata }) => ({
      action,
      ...names,
      targetType,
      targetId: shortened(targetId, maxTargetCharacters),
      metadata: metadataOf(actor, source, metadata),
    });
  }

  async function ofDeed(deed: Deed, context: Author): Promise<void> {
    const record = await by(context);
    const { auditLog } = await organisation.store();
    await auditLog.append(record(deed));
  }

  async function namesOf(actor: Actor): Promise<Pick<NewAuditRecord, "actorId" | "actorType">> {
    if (actor.kind === "member") {
      const { id, keyId } = actor;
      return keyId === undefined
        ? { actorId: id, actorType: "user" }
        : { actorId: keyId, actorType: "api_key" };
    }
    const member = await organisation.localMember();
    return { actorId: member?.id ?? nobodysId, actorType: "user" };
  }
}

/** Somebody has become a member by their first call. */
export function joining({ id }: Member): NewAuditRecord {
  return {
    action: "org.member_added",
    actorId: id,
    actorType: "user",
    targetType: "user",
    targetId: id,
    metadata: null,
  };
}

/** A key says by itself nothing of whose it was once it is gone. */
function metadataOf(
  actor: Actor,
  source: string | undefined,
  more: AuditMetadata | undefined,
): AuditMetadata | null {
  const metadata = {
    ...(source === undefined ? {} : { source: shortened(source, maxSourceCharacters) }),
    ...(actor.kind === "member" && actor.keyId !== undefined ? { userId: actor.id } : {}),
    ...more,
  };
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** Rows name a repository `repo` or `repoName`, and a file in it `path`. */
function targetOf(type: AuditTargetType, request: unknown): { readonly targetId?: string } {
  if (type !== "repository" && type !== "file") return {};
  const { repo, repoName, path } = request as Readonly<Record<string, unknown>>;
  const name = String(repo ?? repoName);
  return { targetId: type === "file" ? `${name}/-/${String(path).replace(/^\//, "")}` : name };
}

function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}
