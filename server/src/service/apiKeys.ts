/** API keys: members manage their own, owners those of everybody. */
import { newApiKey, sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import type { Organisation } from "#access/organisation";
import { isServiceError, ServiceError } from "#base/error";
import type * as contract from "#contract/organisation";
import type { Actor, CallContext, RequestOf, Service } from "#contract/service";
import type { ApiKey, ApiKeyId, MemberId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import { moment } from "./moment";

export interface ApiKeyOptions {
  readonly organisation: Organisation;
  readonly audit: Audit;
  readonly clock: Clock;
}

export function apiKeyHandlers({
  organisation,
  audit,
  clock,
}: ApiKeyOptions): Pick<Service, "keys" | "createKey" | "revokeKey"> {
  return {
    async keys(_request, { actor }) {
      const { apiKeys } = await organisation.store();
      const keys = mayManageAll(actor) ? await apiKeys.all() : await apiKeys.ofMember(idOf(actor));
      return keys.map(present);
    },

    async createKey(request, context) {
      const { name } = request;
      return await recordFailure("api_key.creation_failed", name, context, () => create(request, context));
    },

    async revokeKey({ keyId }, context) {
      return await recordFailure("api_key.deletion_failed", keyId, context, () => revoke(keyId, context));
    },
  };

  async function create(
    { name, expiresAt, userId }: RequestOf<"createKey">,
    context: CallContext<"createKey">,
  ): Promise<contract.CreatedKey> {
    const { apiKeys } = await organisation.store();
    const memberId = await ownerOf(userId, context.actor);
    const expiry = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (expiry !== undefined && expiry <= clock.now()) {
      throw new ServiceError(
        "INVALID_REQUEST_BODY",
        `"expiresAt" must be in the future, but is ${expiresAt}.`,
      );
    }
    const value = newApiKey();
    const until = expiry === undefined ? {} : { expiresAt: expiry };
    const record = await audit.by(context);
    const creation = await apiKeys.create({ memberId, name, hash: sha256(value), ...until }, ({ id }) =>
      record({ action: "api_key.created", targetType: "api_key", targetId: id }),
    );
    if (creation.kind === "nameTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"name": there is a key "${name}" already.`);
    }
    if (creation.kind === "unknownMember") throw unknownMember(memberId);
    return { ...present(creation.key), key: value };
  }

  async function revoke(keyId: string, context: CallContext<"revokeKey">): Promise<Record<string, never>> {
    const { apiKeys } = await organisation.store();
    const { actor } = context;
    const own = mayManageAll(actor) ? undefined : await apiKeys.ofMember(idOf(actor));
    const isTheirs = own === undefined || own.some(({ id }) => id === keyId);
    const record = await audit.by(context);
    const recordOf = ({ id, name }: ApiKey) =>
      record({
        action: "api_key.deleted",
        targetType: "api_key",
        targetId: id,
        metadata: { api_key: name },
      });
    const key = isTheirs ? await apiKeys.revoke(keyId as ApiKeyId, recordOf) : undefined;
    if (key === undefined) throw new ServiceError("NOT_FOUND", `There is no API key ${keyId}.`);
    return {};
  }

  /** As whom a new key acts. */
  async function ownerOf(userId: string | undefined, actor: Actor): Promise<MemberId> {
    if (userId !== undefined) {
      if (mayManageAll(actor) || userId === idOf(actor)) return userId as MemberId;
      throw new ServiceError("INSUFFICIENT_PERMISSIONS", "Only owners create keys for others.");
    }
    if (actor.kind === "member") return idOf(actor);
    const local = await organisation.localMember();
    if (local !== undefined) return local.id;
    throw new ServiceError("NOT_FOUND", "You are no member of the organisation: say for whom the key is.");
  }

  async function recordFailure<Result>(
    action: "api_key.creation_failed" | "api_key.deletion_failed",
    key: string,
    context: CallContext,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const message = isServiceError(error) ? error.message : "Something went wrong.";
      await audit.ofDeed({ action, targetType: "org", metadata: { message, api_key: key } }, context);
      throw error;
    }
  }
}

function mayManageAll(actor: Actor): boolean {
  return actor.kind === "local" || (actor.kind === "member" && actor.role === "OWNER");
}

function idOf(actor: Actor): MemberId {
  if (actor.kind !== "member") throw new ServiceError("NOT_AUTHENTICATED", "This call needs credentials.");
  return actor.id as MemberId;
}

function unknownMember(id: string): ServiceError {
  return new ServiceError("NOT_FOUND", `There is no member ${id} in the organisation.`);
}

function present({ id, name, memberId, createdAt, lastUsedAt, expiresAt }: ApiKey): contract.ApiKey {
  return {
    id,
    name,
    userId: memberId,
    createdAt: moment(createdAt),
    lastUsedAt: moment(lastUsedAt),
    expiresAt: moment(expiresAt),
  };
}
