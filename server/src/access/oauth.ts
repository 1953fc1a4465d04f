/**
 * OAuth: this instance is a resource server, and the configured issuer authenticates users.
 *
 * An access token is a JWT that the issuer signed for this instance (RFC 9068). It is valid if its issuer, audience,
 * times, type and signature are, and if the signature algorithm is asymmetric. The issuer's keys come from its
 * discovery document (`/.well-known/openid-configuration`). They are fetched again when a token names an unknown key,
 * and every ten minutes while tokens are used. A key that was withdrawn is accepted until the next fetch.
 */
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { isServiceError, ServiceError } from "#base/error";
import type { Member, MemberId, OAuthIdentity } from "#model/organization";
import type { Clock } from "#platform/clock";
import { getJson } from "#platform/http";
import type { Log } from "#platform/log";
import type { MemberStore, Store } from "#store/store";
import { isSecureUrl } from "./addresses";
import { sha256 } from "./apiKeys";
import { memberJoinedRecord } from "./audit";

export interface OAuthSettings {
  /** As in the `iss` claim: `https://login.example.com`. */
  readonly issuer: string;
  /** The `aud` claim of tokens for this instance. */
  readonly audience: string;
  /** Whether a user whose email address the issuer has verified becomes a member with their first call. */
  readonly createsMembers: boolean;
}

export interface AccessTokenOptions {
  readonly settings: OAuthSettings;
  readonly store: () => Promise<Store>;
  /** Returns the number of members that the license allows; `undefined` for any number. */
  readonly seats: () => Promise<number | undefined>;
  readonly clock: Clock;
  readonly log: Log;
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

/** Asymmetric algorithms only. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Accepted difference between two computers' clocks. */
const clockToleranceSeconds = 30;
/** Minimum time between two fetches of the keys, including failed ones. */
const cooldownMs = 10_000;
/** Older keys are fetched again. They stay in use while the issuer is down. */
const refreshMs = 600_000;
const maxTokenCharacters = 16_384;
/** Verified tokens that are cached until the issuer's keys are fetched again; the oldest is evicted first. */
const maxCachedTokens = 1000;

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { settings, store, seats, clock, log } = options;
  /** Claims of verified tokens, by the hash of the token. */
  const verifiedTokens = new Map<string, JWTPayload>();
  /** Incremented each time the keys are fetched. */
  let generation = 0;
  const onKeys = () => {
    generation++;
    verifiedTokens.clear();
  };
  const keys = createIssuerKeys(settings.issuer, { clock, log, onKeys });

  return {
    async memberOf(token) {
      const claims = await verify(token);
      if (claims?.sub === undefined) return undefined;
      const { members } = await store();
      const identity = { issuer: settings.issuer, subject: claims.sub };
      const known = (await members.byOAuth(identity)) ?? (await linkByEmail(members, identity, claims));
      return known ?? (await createMember(members, identity, claims));
    },
  };

  async function verify(token: string): Promise<JWTPayload | undefined> {
    if (token.length > maxTokenCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    keys.refresh();
    const hash = sha256(token);
    const known = verifiedTokens.get(hash);
    if (known?.exp !== undefined) {
      return clock.now() / 1000 < known.exp + clockToleranceSeconds ? known : undefined;
    }
    const jose = await import("jose");
    const initialGeneration = generation;
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
      const [oldest] = verifiedTokens.keys();
      if (verifiedTokens.size >= maxCachedTokens && oldest !== undefined) verifiedTokens.delete(oldest);
      // Keys that were fetched during the verification may no longer include the one that signed this token.
      if (generation === initialGeneration) verifiedTokens.set(hash, payload);
      return payload;
    } catch (error) {
      if (isServiceError(error)) throw error;
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Finds a member by an email address that the issuer has verified, and links the identity. */
  async function linkByEmail(
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

  async function createMember(
    members: MemberStore,
    oauth: OAuthIdentity,
    claims: JWTPayload,
  ): Promise<Member | undefined> {
    const email = verifiedEmail(claims);
    if (!settings.createsMembers || email === undefined || claims.iat === undefined) return undefined;
    const name = typeof claims["name"] === "string" ? { name: claims["name"].slice(0, 200) } : {};
    const addition = await members.add(
      { ...name, email, role: "MEMBER", oauth },
      // An old token could bring back a removed member. The tolerance is for an issuer whose clock is ahead.
      {
        seats: await seats(),
        verifiedAt: (claims.iat - clockToleranceSeconds) * 1000,
        record: memberJoinedRecord,
      },
    );
    switch (addition.kind) {
      case "added":
        return addition.member;
      // Of two concurrent first calls, the second finds the member that the first has added.
      case "emailTaken":
        return await members.byOAuth(oauth);
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
  }
}

function verifiedEmail(claims: JWTPayload): string | undefined {
  const { email } = claims as { readonly email?: unknown };
  if (typeof email !== "string" || claims["email_verified"] !== true) return undefined;
  return email.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

interface IssuerKeys {
  readonly get: JWTVerifyGetKey;
  /** Fetches outdated keys again in the background. The known ones stay in use until then. */
  refresh(): void;
}

/** The issuer's keys, fetched with the first token. */
function createIssuerKeys(
  issuer: string,
  { clock, log, onKeys }: { readonly clock: Clock; readonly log: Log; readonly onKeys: () => void },
): IssuerKeys {
  let known: { readonly keys: JWTVerifyGetKey; readonly fetchedAt: number } | undefined;
  let fetching: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  const get: JWTVerifyGetKey = async (header, token) => {
    const currentKeys = known?.keys ?? (await fetchOnce());
    const { errors } = await import("jose");
    try {
      return await currentKeys(header, token);
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknownKey || known === undefined || clock.elapsed() < known.fetchedAt + cooldownMs) throw error;
      return await (await fetchOnce())(header, token);
    }
  };
  return { get, refresh };

  function refresh(): void {
    if (known === undefined || clock.elapsed() < known.fetchedAt + refreshMs) return;
    fetchOnce().catch(() => undefined);
  }

  function fetchOnce(): Promise<JWTVerifyGetKey> {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    const unavailable = (cause?: unknown) =>
      new ServiceError(
        "ENGINE_UNAVAILABLE",
        "The issuer of access tokens does not respond. Try again later.",
        {
          cause,
        },
      );
    if (clock.elapsed() < failedAt + cooldownMs) throw unavailable();
    try {
      const { createLocalJWKSet } = await import("jose");
      const description = await getJson(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`);
      const { issuer: documentIssuer, jwks_uri: keysUrl } = description;
      if (documentIssuer !== issuer || typeof keysUrl !== "string") {
        throw new Error(`The discovery document is for ${String(documentIssuer)}.`);
      }
      const set = await getJson(requireSecureUrl(keysUrl));
      const keys = createLocalJWKSet(set as unknown as Parameters<typeof createLocalJWKSet>[0]);
      known = { keys, fetchedAt: clock.elapsed() };
      onKeys();
      return keys;
    } catch (error) {
      failedAt = clock.elapsed();
      log.warn("Could not fetch the keys of the issuer of access tokens.", { issuer, error });
      throw unavailable(error);
    }
  }
}

/** Throws for a URL whose response could be modified in transit. */
function requireSecureUrl(text: string): string {
  if (isSecureUrl(text)) return text;
  throw new Error(`The keys are at ${text}, which is neither an https:// URL nor on this computer.`);
}
