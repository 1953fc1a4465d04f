/** Tokens of an installation of a GitHub App: requested with the app's private key, and kept in memory until they expire. */
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import * as z from "zod";
import { usageError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { SecretSource } from "./connection";
import type { HostResponse, Requests } from "./requests";
import { readMultilineSecret, Secret } from "./secret";

export interface GithubApp {
  /** Its number or its client id. */
  readonly id: number | string;
  readonly installation: number;
  readonly privateKey: SecretSource;
}

/** GitHub rejects tokens that are valid for more than ten minutes by its own clock, which may be slow. */
const jwtSeconds = 540;
const skewSeconds = 60;
/** Tokens of installations are valid for an hour. */
const maxTokenMs = 3_600_000;
/** Tokens are replaced early, so that they do not expire during a request or before a clone has started. */
const marginMs = 5 * 60_000;

const Token = z.object({
  token: z
    .string()
    .max(4096)
    .regex(/^[\x21-\x7e]+$/),
  expires_at: z.string().max(100),
});

export class InstallationTokens {
  readonly #app: GithubApp;
  readonly #clock: Clock;
  #current: { readonly token: Secret; readonly until: number } | undefined;
  #requested: Promise<Secret> | undefined;

  constructor(app: GithubApp, clock: Clock) {
    this.#app = app;
    this.#clock = clock;
  }

  /**
   * Returns a token that is valid for some minutes. Callers at the same time share one request.
   *
   * Rejects with USAGE if the private key cannot be read, with `HostFailure`, and with CANCELLED.
   */
  async read(requests: Requests, apiUrl: string, signal: AbortSignal): Promise<Secret> {
    if (this.#current !== undefined && this.#clock.now() < this.#current.until) return this.#current.token;
    this.#requested ??= this.#request(requests, apiUrl, signal).finally(() => {
      this.#requested = undefined;
    });
    return await this.#requested;
  }

  /** Forgets a token that the host refused, unless another one has replaced it meanwhile. */
  forget(token: string): void {
    if (this.#current?.token.reveal() === token) this.#current = undefined;
  }

  async #request(requests: Requests, apiUrl: string, signal: AbortSignal): Promise<Secret> {
    const { id, installation, privateKey } = this.#app;
    const jwt = appToken(id, await readAppKey(privateKey), this.#clock.now());
    const now = this.#clock.now();
    const read = ({ body }: HostResponse) => Token.parse(body);
    const url = `${apiUrl}/app/installations/${installation}/access_tokens`;
    const { token, expires_at: expiry } = await requests.post(url, jwt, read, signal);
    const validMs = Math.min(maxTokenMs, Date.parse(expiry) - now) || 0;
    const secret = new Secret(token);
    this.#current = { token: secret, until: now + validMs - marginMs };
    return secret;
  }
}

/** Returns the JSON Web Token with which an app proves who it is. `now`: milliseconds since 1970. */
function appToken(id: number | string, key: KeyObject, now: number): Secret {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - skewSeconds, exp: seconds + jwtSeconds, iss: String(id) };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return new Secret(`${text}.${sign("RSA-SHA256", Buffer.from(text), key).toString("base64url")}`);
}

/** Rejects with USAGE, with a message without any of the key. */
export async function readAppKey(source: SecretSource): Promise<KeyObject> {
  const pem = await readMultilineSecret(source);
  try {
    const key = createPrivateKey(pem.reveal());
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // The message of the error could quote the key.
  }
  const where = source.file ?? `The environment variable ${source.env}`;
  throw usageError(`${where} contains no private RSA key in the PEM format.`);
}
