/**
 * OAuth: this instance is a resource server, and the configured issuer authenticates users.
 *
 * An access token is a JWT that the issuer signed for this instance (RFC 9068). It is valid if its issuer, audience,
 * times, type and signature are, and if the signature algorithm is asymmetric.
 */
import type { JWTPayload } from "jose";
import { isServiceError, ServiceError } from "#base/error";
import type { Member } from "#model/organization";
import type { Clock } from "#platform/clock";
import { sha256 } from "./apiKeys";
import { clockToleranceSeconds, type Issuer, signatureAlgorithms } from "./issuer";
import { addMember, findMember, type MembershipOptions, profileOf } from "./membership";

export interface AccessTokenOptions extends MembershipOptions {
  readonly issuer: Issuer;
  /** The `aud` claim of tokens for this instance. */
  readonly audience: string;
  /** Whether a user whose email address the issuer has verified becomes a member with their first call. */
  readonly createsMembers: boolean;
  readonly trustsEmail: boolean;
  readonly clock: Clock;
}

export interface AccessTokens {
  /**
   * Returns the member that a token identifies; `undefined` if the token is invalid, or belongs to no member.
   *
   * Throws ENGINE_UNAVAILABLE if the issuer's keys cannot be fetched, and NOT_AUTHENTICATED if the user of the token
   * cannot become a member.
   */
  memberOf(token: string): Promise<Member | undefined>;
}

const maxTokenCharacters = 16_384;
/** Verified tokens that are cached until the issuer's keys are fetched again; the oldest is evicted first. */
const maxCachedTokens = 1000;

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { issuer, audience, createsMembers, trustsEmail, clock } = options;
  /** Claims of verified tokens, by the hash of the token. */
  const verifiedTokens = new Map<string, JWTPayload>();
  let cachedGeneration = 0;

  return {
    async memberOf(token) {
      const claims = await verify(token);
      if (claims?.sub === undefined) return undefined;
      const identity = { issuer: issuer.url, subject: claims.sub };
      const profile = profileOf(claims, trustsEmail);
      const known = await findMember(options, identity, profile);
      if (known !== undefined || !createsMembers) return known;
      const joining = await addMember(options, identity, profile);
      switch (joining.kind) {
        case "member":
          return joining.member;
        case "unverified":
          return undefined;
        case "full":
          throw new ServiceError(
            "NOT_AUTHENTICATED",
            "All seats of the license are taken, so you cannot become a member. Ask an owner of the organization.",
          );
        case "outdated":
          throw new ServiceError(
            "NOT_AUTHENTICATED",
            "The access token was issued before the last removal of a member, so it cannot create one. Get a new token.",
          );
      }
    },
  };

  async function verify(token: string): Promise<JWTPayload | undefined> {
    if (token.length > maxTokenCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    issuer.refresh();
    if (cachedGeneration !== issuer.generation) verifiedTokens.clear();
    cachedGeneration = issuer.generation;
    const hash = sha256(token);
    const known = verifiedTokens.get(hash);
    if (known?.exp !== undefined) {
      return clock.now() / 1000 < known.exp + clockToleranceSeconds ? known : undefined;
    }
    const jose = await import("jose");
    try {
      const { payload } = await jose.jwtVerify(token, issuer.getKey, {
        issuer: issuer.url,
        audience,
        algorithms: signatureAlgorithms,
        typ: "at+jwt",
        requiredClaims: ["exp", "sub"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      const [oldest] = verifiedTokens.keys();
      if (verifiedTokens.size >= maxCachedTokens && oldest !== undefined) verifiedTokens.delete(oldest);
      // Keys that were fetched during the verification may no longer include the one that signed this token.
      if (cachedGeneration === issuer.generation) verifiedTokens.set(hash, payload);
      return payload;
    } catch (error) {
      if (isServiceError(error)) throw error;
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }
}
