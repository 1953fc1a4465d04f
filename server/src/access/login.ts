/**
 * Logging in to the pages with OpenID Connect: authorization code flow with PKCE, state and nonce.
 *
 * Nothing is stored while a user logs in. A random secret in a cookie of the browser (the transaction) determines the
 * state, the nonce and the PKCE verifier, so a response of the issuer is accepted only from the browser that started the
 * login. The issuer accepts a code only once, and the store accepts a transaction only once.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { JWTPayload } from "jose";
import { isServiceError, ServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import { getJson, type JsonObject, postForm } from "#platform/http";
import type { Log } from "#platform/log";
import { sha256 } from "./apiKeys";
import { type CodeHostClaims, parseCodeHostLogins } from "./codeHostLogins";
import {
  clockToleranceSeconds,
  endpointOf,
  type Issuer,
  type IssuerMetadata,
  signatureAlgorithms,
} from "./issuer";
import { type Profile, profileOf } from "./membership";
import { parseReturnPath } from "./returnPath";

export interface LoginOptions {
  readonly issuer: Issuer;
  readonly clientId: string;
  /** Reads the secret. Absent: the issuer does not require one. */
  readonly clientSecret?: (() => Promise<string>) | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim?: string | undefined;
  /** Absent: nothing is known of users on code hosts. */
  readonly codeHostClaims?: CodeHostClaims | undefined;
  readonly trustsEmail: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A login that has begun. */
export interface BegunLogin {
  /** The page of the issuer to which the browser goes. */
  readonly url: string;
  readonly state: string;
  /** The value of the cookie that the browser keeps until then. */
  readonly transaction: string;
}

/** The parameters with which the issuer sends the browser back. */
export interface LoginResponse {
  readonly state: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

/** A user whom the issuer has authenticated. */
export interface Identified {
  readonly subject: string;
  readonly profile: Profile;
  /** The groups claim as it was sent. */
  readonly groups: unknown;
  /** The names of the user on code hosts, by connection. */
  readonly codeHostLogins: Readonly<Record<string, string>>;
  /** Identifies the login. */
  readonly loginHash: string;
  /** Absent if it is too long to be part of a URL. */
  readonly idToken?: string;
  readonly returnPath: string;
}

export interface Login {
  /** Throws ENGINE_UNAVAILABLE if the issuer does not respond. */
  begin(returnTo: string, baseUrl: string): Promise<BegunLogin>;
  /**
   * Identifies the user who has logged in.
   *
   * Throws NOT_AUTHENTICATED, as a `RefusedCode` if the issuer was asked, and ENGINE_UNAVAILABLE if the issuer does not
   * respond or refuses the credentials of this server.
   */
  complete(response: LoginResponse, transaction: string, baseUrl: string): Promise<Identified>;
  /** Returns the page at which the issuer ends its own session; undefined if it has none, or does not respond. */
  logoutUrl(idToken: string | undefined, baseUrl: string): Promise<string | undefined>;
}

/** The issuer did not accept a code, or sent a token that is not valid. */
export class RefusedCode extends ServiceError {
  constructor(message: string, cause?: unknown) {
    super("NOT_AUTHENTICATED", message, { cause });
  }
}

export const callbackPath = "/login/callback";
export const logoutPath = "/logout";

/** How long a user may take to log in at the issuer. */
export const loginMs = 10 * 60 * 1000;
const maxCodeCharacters = 4096;
/** Longer ID tokens are not kept for the logout, because they would not fit into its URL. */
const maxHintCharacters = 4096;

export function createLogin(options: LoginOptions): Login {
  const { issuer, clientId, clientSecret, scopes, groupsClaim, trustsEmail, clock, log } = options;
  const { codeHostClaims = {} } = options;
  return { begin, complete, logoutUrl };

  async function begin(returnTo: string, baseUrl: string): Promise<BegunLogin> {
    const metadata = await issuer.metadata();
    const secret = randomBytes(32).toString("base64url");
    const path = Buffer.from(parseReturnPath(returnTo)).toString("base64url");
    const transaction = `${secret}.${clock.now().toString(36)}.${path}`;
    const state = derive(transaction, "state");
    const url = new URL(endpoint(metadata, "authorization_endpoint"));
    const parameters = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: `${baseUrl}${callbackPath}`,
      scope: [...new Set(["openid", ...scopes])].join(" "),
      state,
      nonce: derive(transaction, "nonce"),
      code_challenge: createHash("sha256").update(derive(transaction, "verifier")).digest("base64url"),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, state, transaction };
  }

  async function complete(
    response: LoginResponse,
    transaction: string,
    baseUrl: string,
  ): Promise<Identified> {
    const returnPath = checkTransaction(transaction, response.state);
    const metadata = await issuer.metadata();
    const { code, error, iss } = response;
    const isIssMissing =
      iss === undefined && metadata["authorization_response_iss_parameter_supported"] === true;
    if (isIssMissing || (iss !== undefined && iss !== issuer.url)) {
      throw new ServiceError("NOT_AUTHENTICATED", "The response comes from another login server.");
    }
    if (error !== undefined) throw refusedByIssuer(error);
    if (code === undefined || code.length > maxCodeCharacters) {
      throw new ServiceError("NOT_AUTHENTICATED", "The login server sent a response without a code.");
    }
    const tokens = await exchange(metadata, {
      grant_type: "authorization_code",
      code,
      redirect_uri: `${baseUrl}${callbackPath}`,
      code_verifier: derive(transaction, "verifier"),
    });
    const { id_token: idToken, access_token: accessToken } = tokens;
    if (typeof idToken !== "string") throw invalidToken("There is no ID token.");
    const claims = await verify(idToken, derive(transaction, "nonce"));
    const more = await moreClaims(metadata, claims, accessToken);
    const all = { ...more, ...claims };
    const profile = profileOf(all, trustsEmail);
    return {
      subject: claims.sub,
      profile,
      groups: groupsClaim === undefined ? undefined : (claims[groupsClaim] ?? more[groupsClaim]),
      codeHostLogins: parseCodeHostLogins(all, codeHostClaims),
      loginHash: sha256(transaction),
      ...(idToken.length <= maxHintCharacters ? { idToken } : {}),
      returnPath,
    };
  }

  /** Returns the path to which a login returns. Throws NOT_AUTHENTICATED unless it began in this browser, recently. */
  function checkTransaction(transaction: string, state: string): string {
    const [, startedAt = "", path = ""] = /^[\w-]{43}\.([0-9a-z]{1,11})\.([\w-]*)$/.exec(transaction) ?? [];
    const age = clock.now() - Number.parseInt(startedAt, 36);
    if (startedAt === "" || derive(transaction, "state") !== state || !(Math.abs(age) <= loginMs)) {
      throw new ServiceError(
        "NOT_AUTHENTICATED",
        "This login has expired, or was not started in this browser.",
      );
    }
    return parseReturnPath(Buffer.from(path, "base64url").toString());
  }

  async function exchange(
    metadata: IssuerMetadata,
    fields: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const secret = await readClientSecret();
    const methods = metadata["token_endpoint_auth_methods_supported"];
    // Basic authentication is the default of the specification.
    const isBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
    const request =
      secret === undefined
        ? postForm(endpoint(metadata, "token_endpoint"), { ...fields, client_id: clientId })
        : isBasic
          ? postForm(endpoint(metadata, "token_endpoint"), fields, {
              authorization: `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString("base64")}`,
            })
          : postForm(endpoint(metadata, "token_endpoint"), {
              ...fields,
              client_id: clientId,
              client_secret: secret,
            });
    const { status, body } = await request.catch((error: unknown) => {
      throw unavailable(error);
    });
    if (status === 200) return body;
    const reason = `${status} ${String(body["error"])}: ${String(body["error_description"])}`.slice(0, 500);
    log.warn("The OpenID issuer refused a code.", { issuer: issuer.url, reason });
    if (status >= 500) throw unavailable(reason);
    if (body["error"] === "invalid_grant") {
      throw new RefusedCode("The login server no longer accepts this login. It may have been used already.");
    }
    throw misconfigured(`the login server refused its request (${status})`);
  }

  async function readClientSecret(): Promise<string | undefined> {
    try {
      return await clientSecret?.();
    } catch (error) {
      log.error("Cannot read the client secret of the login.", { error });
      throw misconfigured("its client secret cannot be read", error);
    }
  }

  async function verify(idToken: string, nonce: string): Promise<JWTPayload & { readonly sub: string }> {
    const jose = await import("jose");
    try {
      const { payload, protectedHeader } = await jose.jwtVerify(idToken, issuer.getKey, {
        issuer: issuer.url,
        audience: clientId,
        algorithms: signatureAlgorithms,
        requiredClaims: ["exp", "iat", "sub", "nonce"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      const { sub, aud, azp, nonce: found } = payload as JWTPayload & Readonly<Record<string, unknown>>;
      if (found !== nonce) throw invalidToken("Its nonce belongs to another login.");
      if (/^at\+jwt$/i.test(protectedHeader.typ ?? "")) throw invalidToken("It is an access token.");
      const isForOthersToo = Array.isArray(aud) && aud.length > 1;
      if ((azp !== undefined || isForOthersToo) && azp !== clientId)
        throw invalidToken("It was issued for another client.");
      if (sub === undefined || sub === "" || sub.length > 255)
        throw invalidToken("Its subject is not valid.");
      return { ...payload, sub };
    } catch (error) {
      if (isServiceError(error)) throw error;
      if (error instanceof jose.errors.JOSEError) throw invalidToken(error.message);
      throw error;
    }
  }

  /** Returns the claims of the userinfo endpoint, where some issuers keep the email address and the groups. */
  async function moreClaims(
    metadata: IssuerMetadata,
    claims: JWTPayload,
    accessToken: unknown,
  ): Promise<JWTPayload> {
    const wanted = [...Object.values(codeHostClaims), ...(groupsClaim === undefined ? [] : [groupsClaim])];
    const isComplete =
      profileOf(claims, trustsEmail).email !== undefined &&
      wanted.every((claim) => claims[claim] !== undefined);
    const hasEndpoint = metadata["userinfo_endpoint"] !== undefined && typeof accessToken === "string";
    if (isComplete || !hasEndpoint) return {};
    const authorization = `Bearer ${accessToken}`;
    try {
      const info: JWTPayload = await getJson(endpointOf(metadata, "userinfo_endpoint"), { authorization });
      if (info.sub === claims.sub) return info;
    } catch (error) {
      throw unavailable(error);
    }
    throw invalidToken("The userinfo endpoint described another user.");
  }

  async function logoutUrl(idToken: string | undefined, baseUrl: string): Promise<string | undefined> {
    const metadata = await issuer.metadata().catch(() => undefined);
    if (metadata?.["end_session_endpoint"] === undefined) return undefined;
    const url = new URL(endpoint(metadata, "end_session_endpoint"));
    url.searchParams.set("client_id", clientId);
    url.searchParams.set("post_logout_redirect_uri", `${baseUrl}${logoutPath}`);
    if (idToken !== undefined) url.searchParams.set("id_token_hint", idToken);
    return url.href;
  }

  function endpoint(metadata: IssuerMetadata, name: string): string {
    try {
      return endpointOf(metadata, name);
    } catch (error) {
      throw unavailable(error);
    }
  }

  function unavailable(cause: unknown): ServiceError {
    log.warn("A request to the OpenID issuer failed.", { issuer: issuer.url, error: cause });
    return new ServiceError(
      "ENGINE_UNAVAILABLE",
      `The login server ${issuer.url} does not respond as expected. Try again later.`,
      { cause },
    );
  }

  function invalidToken(reason: string): RefusedCode {
    log.warn("The OpenID issuer sent an ID token that is not valid.", { issuer: issuer.url, reason });
    return new RefusedCode("The response of the login server is not valid.", reason);
  }
}

/** Returns 43 characters that only the holder of the transaction can compute. */
function derive(transaction: string, purpose: "state" | "nonce" | "verifier"): string {
  return createHmac("sha256", transaction).update(purpose).digest("base64url");
}

/** Encodes a part of the credentials as a form field, which RFC 6749 requires before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function refusedByIssuer(error: string): ServiceError {
  if (error === "access_denied")
    return new ServiceError("NOT_AUTHENTICATED", "The login server did not let you in.");
  // Anyone can write the parameter, so only its code is shown.
  const code = /^[a-z_]{1,50}$/.test(error) ? ` (${error})` : "";
  return new ServiceError("NOT_AUTHENTICATED", `The login server ended the login${code}.`);
}

function misconfigured(reason: string, cause?: unknown): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    `The login of this server is not set up correctly: ${reason}. Ask its operator to read the log.`,
    { cause },
  );
}
