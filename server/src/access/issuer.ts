/**
 * The configured OpenID issuer: its discovery document (`/.well-known/openid-configuration`) and its keys.
 *
 * Both are fetched on first use, when a token names an unknown key, and every ten minutes while tokens are used. A key
 * that was withdrawn is accepted until the next fetch.
 */
import type { JWTVerifyGetKey } from "jose";
import { ServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import { getJson } from "#platform/http";
import type { Log } from "#platform/log";
import { isSecureUrl } from "./addresses";

/** A discovery document. Its values are not validated. */
export type IssuerMetadata = Readonly<Record<string, unknown>>;

export interface Issuer {
  /** As in the `iss` claim. */
  readonly url: string;
  readonly getKey: JWTVerifyGetKey;
  /** Changes when the keys have been fetched again. */
  readonly generation: number;
  /** Fetches outdated keys again in the background. The known ones stay in use until then. */
  refresh(): void;
  /**
   * Returns the discovery document. Throws ENGINE_UNAVAILABLE if the issuer does not respond now, even if it did before.
   */
  metadata(): Promise<IssuerMetadata>;
}

/** Asymmetric algorithms only. */
export const signatureAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];
/** Accepted difference between two computers' clocks. */
export const clockToleranceSeconds = 30;
/** Minimum time between two fetches of the keys, including failed ones. */
const cooldownMs = 10_000;
/** Older keys are fetched again. They stay in use while the issuer is down. */
const refreshMs = 600_000;

interface Fetched {
  readonly keys: JWTVerifyGetKey;
  readonly metadata: IssuerMetadata;
  readonly fetchedAt: number;
}

export function createIssuer(
  url: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Issuer {
  let known: Fetched | undefined;
  let fetching: Promise<Fetched> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  const getKey: JWTVerifyGetKey = async (header, token) => {
    const { keys } = known ?? (await fetchOnce());
    const { errors } = await import("jose");
    try {
      return await keys(header, token);
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknownKey || known === undefined || clock.elapsed() < known.fetchedAt + cooldownMs) throw error;
      return await (await fetchOnce()).keys(header, token);
    }
  };
  return {
    url,
    getKey,
    get generation() {
      return generation;
    },
    refresh() {
      if (known === undefined || clock.elapsed() < known.fetchedAt + refreshMs) return;
      fetchOnce().catch(() => undefined);
    },
    async metadata() {
      const isRecent = known !== undefined && clock.elapsed() < known.fetchedAt + cooldownMs;
      return (isRecent && known !== undefined ? known : await fetchOnce()).metadata;
    },
  };

  function fetchOnce(): Promise<Fetched> {
    fetching ??= fetchAll().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function fetchAll(): Promise<Fetched> {
    const unavailable = (cause?: unknown) =>
      new ServiceError("ENGINE_UNAVAILABLE", `The login server ${url} does not respond. Try again later.`, {
        cause,
      });
    if (clock.elapsed() < failedAt + cooldownMs) throw unavailable();
    try {
      const { createLocalJWKSet } = await import("jose");
      const metadata = await getJson(`${url.replace(/\/+$/, "")}/.well-known/openid-configuration`);
      if (metadata["issuer"] !== url) {
        throw new Error(`The discovery document is for ${String(metadata["issuer"])}.`);
      }
      const set = await getJson(endpointOf(metadata, "jwks_uri"));
      const keys = createLocalJWKSet(set as unknown as Parameters<typeof createLocalJWKSet>[0]);
      known = { keys, metadata, fetchedAt: clock.elapsed() };
      generation++;
      return known;
    } catch (error) {
      failedAt = clock.elapsed();
      log.warn("Could not fetch the metadata and keys of the OpenID issuer.", { issuer: url, error });
      throw unavailable(error);
    }
  }
}

/** Returns a URL of the discovery document. Throws if it is missing, or if its response could be modified in transit. */
export function endpointOf(metadata: IssuerMetadata, name: string): string {
  const endpoint = metadata[name];
  if (typeof endpoint === "string" && isSecureUrl(endpoint)) return endpoint;
  throw new Error(`${name} is ${String(endpoint)}, which is neither an https:// URL nor on this computer.`);
}
