/** Handlers of the members of the organization. */
import type { Audit } from "#access/audit";
import { parseGroups } from "#access/groups";
import type { InstalledLicense } from "#access/installedLicense";
import type { Organization } from "#access/organization";
import { ServiceError } from "#base/error";
import type * as contract from "#contract/organization";
import type { CallContext, RequestOf, Service } from "#contract/service";
import type { Member, MemberId } from "#model/organization";
import type { MemberChange, Store } from "#store/store";
import { isoTime } from "./isoTime";

export interface MemberOptions {
  readonly organization: Organization;
  readonly store: () => Promise<Store>;
  readonly license: InstalledLicense;
  readonly audit: Audit;
}

/** Precedes the name of a service account, where other members have an email address. */
const servicePrefix = "service:";

type MemberOperation =
  | "users"
  | "removeUser"
  | "members"
  | "addMember"
  | "addService"
  | "setSuspended"
  | "removeMember"
  | "changeRole"
  | "currentMember";

export function memberHandlers({
  organization,
  store,
  license,
  audit,
}: MemberOptions): Pick<Service, MemberOperation> {
  return {
    users: all,
    members: all,
    removeUser: remove,
    removeMember: remove,
    addMember,
    addService,
    setSuspended,
    changeRole,
    currentMember,
  };

  async function currentMember(
    _request: Readonly<Record<string, never>>,
    { actor }: CallContext,
  ): Promise<contract.Member> {
    const member =
      actor.kind === "member"
        ? await (await store()).members.get(actor.id as MemberId)
        : await organization.localMember();
    if (member !== undefined) return toContractMember(member);
    throw new ServiceError("NOT_FOUND", "You are not a member of the organization.");
  }

  async function all(): Promise<contract.Member[]> {
    return (await (await store()).members.all()).map(toContractMember);
  }

  async function remove({ userId }: { userId: string }, context: CallContext) {
    const { members } = await store();
    const record = await audit.recordBuilder(context);
    const removal = await members.remove(userId as MemberId, ({ id }) =>
      record({ action: "user.delete", targetType: "user", targetId: id }),
    );
    const { email } = changedMember(removal, userId, "removed");
    return { success: true, message: `${email} has been removed from the organization.` };
  }

  async function addMember(
    { email, name, role }: { email: string; name?: string | undefined; role: contract.Role },
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const seats = await license.seats();
    const nameField = name === undefined || name === "" ? {} : { name };
    const record = await audit.recordBuilder(context);
    const addition = await members.add(
      { email, role, ...nameField },
      {
        seats,
        record: ({ id }) => record({ action: "org.member_added", targetType: "user", targetId: id }),
      },
    );
    if (addition.kind === "emailTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"email": ${email} is already a member.`);
    }
    if (addition.kind === "full") throw noSeat(seats);
    if (addition.kind === "outdated") throw new Error("Only an OAuth identity can be outdated.");
    return toContractMember(addition.member);
  }

  async function addService(
    { service, name = "", role, groups }: RequestOf<"addService">,
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const email = `${servicePrefix}${service}`;
    const record = await audit.recordBuilder(context);
    const addition = await members.add(
      {
        email,
        role,
        isService: true,
        groups: parseGroups(groups),
        ...(name === "" ? {} : { name }),
      },
      {
        record: ({ id }) =>
          record({ action: "org.member_added", targetType: "user", targetId: id, metadata: { service } }),
      },
    );
    if (addition.kind === "emailTaken") {
      throw new ServiceError("INVALID_REQUEST_BODY", `"service": ${service} is already a service account.`);
    }
    if (addition.kind !== "added") throw new Error("Service accounts take no seat, and have no identity.");
    return toContractMember(addition.member);
  }

  async function setSuspended(
    { userId, isSuspended }: RequestOf<"setSuspended">,
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const action = isSuspended ? "org.member_suspended" : "org.member_resumed";
    const record = await audit.recordBuilder(context);
    const id = userId as MemberId;
    const recordChange = () => record({ action, targetType: "user", targetId: id });
    const seats = isSuspended ? undefined : await license.seats();
    const change = isSuspended
      ? await members.suspend(id, recordChange)
      : await members.resume(id, { seats, record: recordChange });
    if (change.kind === "full") throw noSeat(seats);
    return toContractMember(changedMember(change, userId, "disabled"));
  }

  async function changeRole(
    { userId, role }: { userId: string; role: contract.Role },
    context: CallContext,
  ): Promise<contract.Member> {
    const { members } = await store();
    const action = role === "OWNER" ? "org.member_promoted_to_owner" : "org.owner_demoted_to_member";
    const record = await audit.recordBuilder(context);
    const change = await members.setRole(userId as MemberId, role, ({ id }) =>
      record({ action, targetType: "user", targetId: id }),
    );
    return toContractMember(changedMember(change, userId, "demoted to member"));
  }
}

function noSeat(seats = 0): ServiceError {
  const count = `${seats} ${seats === 1 ? "seat" : "seats"}`;
  return new ServiceError("LICENSE_REQUIRED", `The license has ${count}, and all are taken.`);
}

/** Returns the member. `what` follows "cannot be" in a message. Throws NOT_FOUND, LAST_OWNER_CANNOT_BE_REMOVED. */
function changedMember(change: MemberChange, userId: string, what: string): Member {
  switch (change.kind) {
    case "changed":
      return change.member;
    case "unknown":
      throw new ServiceError("NOT_FOUND", `There is no member ${userId} in the organization.`);
    case "lastOwner":
      throw new ServiceError(
        "LAST_OWNER_CANNOT_BE_REMOVED",
        `${change.member.email} is the last owner of the organization and cannot be ${what}.`,
      );
  }
}

function toContractMember(member: Member): contract.Member {
  const { id, name, email, role, groups, suspendedAt, createdAt, updatedAt, lastActivityAt } = member;
  const { isService = false } = member;
  return {
    id,
    name: name ?? null,
    email,
    role,
    isService,
    groups: [...groups],
    suspendedAt: isoTime(suspendedAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    lastActivityAt: isoTime(lastActivityAt),
  };
}
