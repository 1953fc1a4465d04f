/** Who may manage keys and sessions: members their own, owners and the local user all of them. */
import { ServiceError } from "#base/error";
import type { Actor } from "#contract/service";
import type { MemberId } from "#model/organization";

export function mayManageAll(actor: Actor): boolean {
  return actor.kind === "local" || (actor.kind === "member" && actor.role === "OWNER");
}

/** Returns the id of the caller. Throws NOT_AUTHENTICATED unless the caller is a member. */
export function idOf(actor: Actor): MemberId {
  if (actor.kind !== "member") throw new ServiceError("NOT_AUTHENTICATED", "This request needs credentials.");
  return actor.id as MemberId;
}
