/** Who belongs to the organisation. */
import type { Audit } from "#access/audit";
import type { InstalledLicense } from "#access/installedLicense";
import { ServiceError } from "#base/error";
import type * as contract from "#contract/organisation";
import type { CallContext, Service } from "#contract/service";
import type { Member, MemberId } from "#model/organisation";
import type { MemberChange, Store } from "#store/store";
import { moment } from "./moment";

export interface MemberOptions {
  readonly store: () => Promise<Store>;
  readonly license: InstalledLicense;
  readonly audit: Audit;
  /** Told when somebody has been removed. */
  readonly onRemoved: () => void;
}

type MemberRow = "users" | "removeUser" | "members" | "addMember" | "removeMember" | "changeRole";

export function memberHandlers({
  store,
  license,
  audit,
  onRemoved,
}: MemberOptions): Pick<Service, MemberRow> {
  return { users: all, members: all, removeUser: remove, removeMember: remove, addMember, changeRole };

  async function all(): Promise<contract.Member[]> {
    return (await (await store()).members.all()).map(present);
  }

  async function remove({ userId }: { userId: string }, context: CallContext) {
    const { members } = await store();
    const { id, email } = changed(await members.remove(userId as MemberId), userId, "removed");
    onRemoved();
    await audit.ofDeed({ action: "org.member_removed", targetType: "user", targetId: id }, context);
    return { success: true, message: `${email} has been removed from the organisation.` };
  }

  async function addMember(
    { email, name, role }: { email: string; name?: string | undefined; role: contract.Role },
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const { state, seats } = await license.state();
    const isLimited = state === "valid" || state === "seatsExceeded";
    const named = name === undefined || name === "" ? {} : { name };
    const addition = await members.add({ email, role, ...named }, isLimited ? seats : undefined);
    if (addition.kind === "emailTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"email": ${email} is a member already.`);
    }
    if (addition.kind === "full") {
      throw new ServiceError(
        "LICENSE_REQUIRED",
        `The licence is for ${seats} members, and there are ${addition.count}.`,
      );
    }
    const { member } = addition;
    await audit.ofDeed({ action: "org.member_added", targetType: "user", targetId: member.id }, context);
    return present(member);
  }

  async function changeRole(
    { userId, role }: { userId: string; role: contract.Role },
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const before = await members.get(userId as MemberId);
    const member = changed(await members.setRole(userId as MemberId, role), userId, "made a member");
    const action = role === "OWNER" ? "org.member_promoted_to_owner" : "org.owner_demoted_to_member";
    if (before?.role !== role)
      await audit.ofDeed({ action, targetType: "user", targetId: member.id }, context);
    return present(member);
  }
}

/** Throws NOT_FOUND, LAST_OWNER_CANNOT_BE_REMOVED. */
function changed(change: MemberChange, userId: string, what: string): Member {
  switch (change.kind) {
    case "changed":
      return change.member;
    case "unknown":
      throw new ServiceError("NOT_FOUND", `There is no member ${userId} in the organisation.`);
    case "lastOwner":
      throw new ServiceError(
        "LAST_OWNER_CANNOT_BE_REMOVED",
        `${change.member.email} is the last owner of the organisation and cannot be ${what}.`,
      );
  }
}

function present(member: Member): contract.Member {
  const { id, name, email, role, suspendedAt, createdAt, updatedAt, lastActivityAt } = member;
  return {
    id,
    name: name ?? null,
    email,
    role,
    suspendedAt: moment(suspendedAt),
    createdAt: moment(createdAt),
    updatedAt: moment(updatedAt),
    lastActivityAt: moment(lastActivityAt),
  };
}
