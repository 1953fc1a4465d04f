/**
 * OAuth: this instance as a resource server. An issuer, which the configuration names, says who somebody is.
 *
 * An access token is a JWT that the issuer signed for this instance (RFC 9068). It counts where issuer, audience, times,
 * type and signature are right, by an asymmetric algorithm. The issuer's keys come from its own description
 * (`/.well-known/openid-configuration`) and are fetched again when a token names one that is not among them, and every
 * ten minutes while tokens are shown: one that was withdrawn counts for a while longer, and no more once they have come.
 */
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { isServiceError, ServiceError } from "#base/error";
import type { Member, MemberId, OAuthIdentity } from "#model/organisation";
import type { Clock } from "#platform/clock";
import { getJson } from "#platform/http";
import type { Log } from "#platform/log";
import type { MemberStore, Store } from "#store/store";
import { isSafeAddress } from "./addresses";
import { sha256 } from "./apiKeys";
import { joining } from "./audit";

export interface OAuthSettings {
  /** As tokens name it: `https://login.example.com`. */
  readonly issuer: string;
  /** What tokens for this instance are made out to. */
  readonly audience: string;
  /** Whether somebody whom the issuer vouches for becomes a member by their first call. */
  readonly createsMembers: boolean;
}

export interface AccessTokenOptions {
  readonly settings: OAuthSettings;
  readonly store: () => Promise<Store>;
  /** How many members the licence allows; undefined: any number. */
  readonly seats: () => Promise<number | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AccessTokens {
  /**
   * The member whom a token speaks for; undefined where it is not valid, or nobody's.
   *
   * Throws ENGINE_UNAVAILABLE where the issuer does not tell its keys, NOT_AUTHENTICATED where it could make somebody a
   * member and must not.
   */
  memberOf(token: string): Promise<Member | undefined>;
}

/** Signatures that the holder of a public key cannot make. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Clocks of two computers differ by as much. */
const clockToleranceSeconds = 30;
/** An issuer that did not answer is asked again after this time, and its keys at most so often. */
const cooldownMs = 10_000;
/** Keys that are older are fetched again. An issuer that is down leaves those that are known. */
const refreshMs = 600_000;
const maxTokenCharacters = 16_384;
/** Tokens whose signature is not checked again until the issuer's keys are fetched; the oldest is forgotten first. */
const maxChecked = 1000;

export function accessTokens(options: AccessTokenOptions): AccessTokens {
  const { settings, store, seats, clock, log } = options;
  /** By the hash of the token. */
  const checked = new Map<string, JWTPayload>();
  /** How often keys have come. */
  let generation = 0;
  const onKeys = () => {
    generation++;
    checked.clear();
  };
  const keys = issuerKeys(settings.issuer, { clock, log, onKeys });

  return {
    async memberOf(token) {
      const claims = await verified(token);
      if (claims?.sub === undefined) return undefined;
      const { members } = await store();
      const identity = { issuer: settings.issuer, subject: claims.sub };
      const known = (await members.byOAuth(identity)) ?? (await linked(members, identity, claims));
      return known ?? (await created(members, identity, claims));
    },
  };

  async function verified(token: string): Promise<JWTPayload | undefined> {
    if (token.length > maxTokenCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    keys.refresh();
    const hash = sha256(token);
    const known = checked.get(hash);
    if (known?.exp !== undefined) {
      return clock.now() / 1000 < known.exp + clockToleranceSeconds ? known : undefined;
    }
    const jose = await import("jose");
    const before = generation;
    try {
      const { payload } = await jose.jwtVerify(token, keys.get, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms,
        typ: "at+jwt",
        requiredClaims: ["exp", "sub"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      const [oldest] = checked.keys();
      if (checked.size >= maxChecked && oldest !== undefined) checked.delete(oldest);
      // Keys that came meanwhile may be without the one that fits.
      if (generation === before) checked.set(hash, payload);
      return payload;
    } catch (error) {
      if (isServiceError(error)) throw error;
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** A member who was added by an address that the issuer has seen to be theirs. */
  async function linked(
    members: MemberStore,
    identity: OAuthIdentity,
    claims: JWTPayload,
  ): Promise<Member | undefined> {
    const email = verifiedEmail(claims);
    const member = email === undefined ? undefined : await members.byEmail(email);
    if (member === undefined) return undefined;
    await members.linkOAuth(member.id as MemberId, identity);
    return member;
  }

  async function created(
    members: MemberStore,
    oauth: OAuthIdentity,
    claims: JWTPayload,
  ): Promise<Member | undefined> {
    const email = verifiedEmail(claims);
    if (!settings.createsMembers || email === undefined || claims.iat === undefined) return undefined;
    const name = typeof claims["name"] === "string" ? { name: claims["name"].slice(0, 200) } : {};
    const addition = await members.add(
      { ...name, email, role: "MEMBER", oauth },
      // It could bring back who was removed, and the issuer's clock may be ahead of ours.
      { seats: await seats(), vouchedAt: (claims.iat - clockToleranceSeconds) * 1000, record: joining },
    );
    switch (addition.kind) {
      case "added":
        return addition.member;
      // Of two first calls at once the second finds what the first has added.
      case "emailTaken":
        return await members.byOAuth(oauth);
      case "full":
        throw new ServiceError("NOT_AUTHENTICATED", "The licence has no seat left for another member.");
      case "outdated":
        throw new ServiceError(
          "NOT_AUTHENTICATED",
          "The access token was issued before a member was removed last, and makes nobody a member: get a new one.",
        );
    }
  }
}

function verifiedEmail(claims: JWTPayload): string | undefined {
  const { email } = claims as { readonly email?: unknown };
  if (typeof email !== "string" || claims["email_verified"] !== true) return undefined;
  return email.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

interface IssuerKeys {
  readonly get: JWTVerifyGetKey;
  /** Nobody waits for it: what is known goes on counting meanwhile. */
  refresh(): void;
}

/** The issuer's keys, fetched with the first token. */
function issuerKeys(
  issuer: string,
  { clock, log, onKeys }: { readonly clock: Clock; readonly log: Log; readonly onKeys: () => void },
): IssuerKeys {
  let known: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined;
  let fetching: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  const get: JWTVerifyGetKey = async (header, token) => {
    const present = known?.keys ?? (await fetched());
    const { errors } = await import("jose");
    try {
      return await present(header, token);
    } catch (error) {
      const isOther = error instanceof errors.JWKSNoMatchingKey;
      if (!isOther || known === undefined || clock.now() < known.at + cooldownMs) throw error;
      return await (await fetched())(header, token);
    }
  };
  return { get, refresh };

  function refresh(): void {
    if (known === undefined || clock.now() < known.at + refreshMs) return;
    fetched().catch(() => undefined);
  }

  function fetched(): Promise<JWTVerifyGetKey> {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    const unavailable = (cause?: unknown) =>
      new ServiceError("ENGINE_UNAVAILABLE", "The issuer of access tokens does not answer. Try again.", {
        cause,
      });
    if (clock.now() < failedAt + cooldownMs) throw unavailable();
    try {
      const { createLocalJWKSet } = await import("jose");
      const description = await getJson(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
      const { issuer: named, jwks_uri: address } = description;
      if (named !== issuer || typeof address !== "string") {
        throw new Error(`What lies there describes ${String(named)}.`);
      }
      const set = await getJson(checkedAddress(address));
      const keys = createLocalJWKSet(set as unknown as Parameters<typeof createLocalJWKSet>[0]);
      known = { keys, at: clock.now() };
      onKeys();
      return keys;
    } catch (error) {
      failedAt = clock.now();
      log.warn("The issuer of access tokens does not tell its keys.", { issuer, error });
      throw unavailable(error);
    }
  }
}

/** Keys that come unprotected could be anybody's. */
function checkedAddress(text: string): string {
  if (isSafeAddress(text)) return text;
  throw new Error(`Its keys lie at ${text}, which is neither https nor this computer.`);
}
