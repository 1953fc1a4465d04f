/** Finds or adds the member whom an OpenID issuer has authenticated. */
import type { JWTPayload } from "jose";
import type { Member, MemberId, OAuthIdentity, Role } from "#model/organization";
import type { Store } from "#store/store";
import { memberJoinedRecord } from "./audit";
import { clockToleranceSeconds } from "./issuer";

/** What the issuer says about a user. */
export interface Profile {
  /** Absent unless the issuer has verified it. */
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** When the issuer authenticated the user, in seconds since 1970. */
  readonly issuedAt?: number | undefined;
}

export interface MembershipOptions {
  readonly store: () => Promise<Store>;
  /** Returns the number of members that the license allows; `undefined` for any number. */
  readonly seats: () => Promise<number | undefined>;
}

/**
 * `unverified`: the email address is missing or not verified. `full`: the license has no free seat. `outdated`: a member
 * was removed after the user was authenticated, and may have been the same person.
 */
export type Joining =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "unverified" | "full" | "outdated" };

/** Finds the member with an identity, or the one with the verified email address, who is then linked to it. */
export async function findMember(
  { store }: MembershipOptions,
  identity: OAuthIdentity,
  { email }: Profile,
): Promise<Member | undefined> {
  const { members } = await store();
  const known = await members.byOAuth(identity);
  if (known !== undefined || email === undefined) return known;
  const member = await members.byEmail(email);
  if (member !== undefined) await members.linkOAuth(member.id as MemberId, identity);
  return member;
}

/** Adds a member with this identity. */
export async function addMember(
  { store, seats }: MembershipOptions,
  oauth: OAuthIdentity,
  { email, name, issuedAt }: Profile,
  role: Role = "MEMBER",
): Promise<Joining> {
  if (email === undefined || issuedAt === undefined) return { kind: "unverified" };
  const { members } = await store();
  const addition = await members.add(
    { ...(name === undefined ? {} : { name }), email, role, oauth },
    // An old token could bring back a removed member. The tolerance is for an issuer whose clock is ahead.
    {
      seats: await seats(),
      verifiedAt: (issuedAt - clockToleranceSeconds) * 1000,
      record: memberJoinedRecord,
    },
  );
  if (addition.kind === "added") return { kind: "member", member: addition.member };
  if (addition.kind !== "emailTaken") return { kind: addition.kind };
  // Of two concurrent first calls, the second finds the member that the first has added.
  const member = await members.byOAuth(oauth);
  return member === undefined ? { kind: "unverified" } : { kind: "member", member };
}

/**
 * Reads a profile from the claims of a token. With `trustsEmail`, an email address counts as verified unless the issuer says
 * otherwise.
 */
export function profileOf(claims: JWTPayload, trustsEmail: boolean): Profile {
  const { email, email_verified: isVerified, name, iat } = claims as Readonly<Record<string, unknown>>;
  const isUsable =
    typeof email === "string" &&
    (isVerified === true || (trustsEmail && isVerified === undefined)) &&
    email.length <= 320 &&
    /^[^\s@]+@[^\s@]+$/.test(email);
  return {
    ...(isUsable ? { email } : {}),
    ...(typeof name === "string" && name !== "" ? { name: name.slice(0, 200) } : {}),
    ...(typeof iat === "number" ? { issuedAt: iat } : {}),
  };
}
