/** Handlers of API keys. Members manage their own keys, owners and the local user all keys. */
import { generateApiKey, sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import type { Organization } from "#access/organization";
import { isServiceError, ServiceError } from "#base/error";
import type * as contract from "#contract/organization";
import type { Actor, CallContext, RequestOf, Service } from "#contract/service";
import type { ApiKey, ApiKeyId, MemberId } from "#model/organization";
import type { Clock } from "#platform/clock";
import { idOf, mayManageAll } from "./actors";
import { isoTime } from "./isoTime";

export interface ApiKeyOptions {
  readonly organization: Organization;
  readonly audit: Audit;
  readonly clock: Clock;
}

export function apiKeyHandlers({
  organization,
  audit,
  clock,
}: ApiKeyOptions): Pick<Service, "keys" | "createKey" | "revokeKey"> {
  return {
    async keys(_request, { actor }) {
      const { apiKeys } = await organization.store();
      const keys = mayManageAll(actor) ? await apiKeys.all() : await apiKeys.ofMember(idOf(actor));
      return keys.map(toApiKey);
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
    { name, expiresAt, userId, isReadOnly, repositories }: RequestOf<"createKey">,
    context: CallContext<"createKey">,
  ): Promise<contract.CreatedKey> {
    const { apiKeys } = await organization.store();
    const memberId = await ownerOf(userId, context.actor);
    const expiry = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (expiry !== undefined && expiry <= clock.now()) {
      throw new ServiceError(
        "INVALID_REQUEST_BODY",
        `"expiresAt" must be in the future, but is ${expiresAt}.`,
      );
    }
    const value = generateApiKey();
    const bounds = {
      isReadOnly,
      ...(expiry === undefined ? {} : { expiresAt: expiry }),
      ...(repositories === undefined ? {} : { repositories }),
    };
    const record = await audit.recordBuilder(context);
    const creation = await apiKeys.create({ memberId, name, hash: sha256(value), ...bounds }, ({ id }) =>
      record({ action: "api_key.created", targetType: "api_key", targetId: id }),
    );
    if (creation.kind === "nameTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"name": a key named "${name}" already exists.`);
    }
    if (creation.kind === "unknownMember") throw unknownMember(memberId);
    return { ...toApiKey(creation.key), key: value };
  }

  async function revoke(keyId: string, context: CallContext<"revokeKey">): Promise<Record<string, never>> {
    const { apiKeys } = await organization.store();
    const { actor } = context;
    const ownKeys = mayManageAll(actor) ? undefined : await apiKeys.ofMember(idOf(actor));
    const isAllowed = ownKeys === undefined || ownKeys.some(({ id }) => id === keyId);
    const record = await audit.recordBuilder(context);
    const deletionRecord = ({ id, name }: ApiKey) =>
      record({
        action: "api_key.deleted",
        targetType: "api_key",
        targetId: id,
        metadata: { api_key: name },
      });
    const key = isAllowed ? await apiKeys.revoke(keyId as ApiKeyId, deletionRecord) : undefined;
    if (key === undefined) throw new ServiceError("NOT_FOUND", `There is no API key ${keyId}.`);
    return {};
  }

  /** Returns the member that a new key acts as. */
  async function ownerOf(userId: string | undefined, actor: Actor): Promise<MemberId> {
    if (userId !== undefined) {
      if (mayManageAll(actor) || userId === idOf(actor)) return userId as MemberId;
      throw new ServiceError("INSUFFICIENT_PERMISSIONS", "Only owners can create keys for others.");
    }
    if (actor.kind === "member") return idOf(actor);
    const local = await organization.localMember();
    if (local !== undefined) return local.id;
    throw new ServiceError(
      "NOT_FOUND",
      "You are not a member of the organization. Specify the member that the key is for.",
    );
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
      const message = isServiceError(error)
        ? error.message
        : "The request failed because of an internal error.";
      await audit.record({ action, targetType: "org", metadata: { message, api_key: key } }, context);
      throw error;
    }
  }
}

function unknownMember(id: string): ServiceError {
  return new ServiceError("NOT_FOUND", `There is no member ${id} in the organization.`);
}

function toApiKey(key: ApiKey): contract.ApiKey {
  const { id, name, memberId, createdAt, lastUsedAt, expiresAt, isReadOnly = false, repositories } = key;
  return {
    id,
    name,
    userId: memberId,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTime(lastUsedAt),
    expiresAt: isoTime(expiresAt),
    isReadOnly,
    repositories: repositories === undefined ? null : [...repositories],
  };
}
