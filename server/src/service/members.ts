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
}

type MemberRow = "users" | "removeUser" | "members" | "addMember" | "removeMember" | "changeRole";

export function memberHandlers({ store, license, audit }: MemberOptions): Pick<Service, MemberRow> {
  return { users: all, members: all, removeUser: remove, removeMember: remove, addMember, changeRole };

  async function all(): Promise<contract.Member[]> {
    return (await (await store()).members.all()).map(present);
  }

  async function remove({ userId }: { userId: string }, context: CallContext) {
    const { members } = await store();
    const record = await audit.by(context);
    const removal = await members.remove(userId as MemberId, ({ id }) =>
      record({ action: "user.delete", targetType: "user", targetId: id }),
    );
    const { email } = changed(removal, userId, "removed");
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
    const record = await audit.by(context);
    const addition = await members.add(
      { email, role, ...named },
      {
        seats: isLimited ? seats : undefined,
        record: ({ id }) => record({ action: "org.member_added", targetType: "user", targetId: id }),
      },
    );
    if (addition.kind === "emailTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"email": ${email} is a member already.`);
    }
    if (addition.kind === "full") {
      throw new ServiceError(
        "LICENSE_REQUIRED",
        `The licence is for ${seats} members, and there are ${addition.count}.`,
      );
    }
    if (addition.kind === "outdated") throw new Error("Who is added by somebody is added now.");
    return present(addition.member);
  }

  async function changeRole(
    { userId, role }: { userId: string; role: contract.Role },
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const action = role === "OWNER" ? "org.member_promoted_to_owner" : "org.owner_demoted_to_member";
    const record = await audit.by(context);
    const change = await members.setRole(userId as MemberId, role, ({ id }) =>
      record({ action, targetType: "user", targetId: id }),
    );
    return present(changed(change, userId, "made a member"));
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
