/**
 * The format of licenses, and their verification, which needs no network.
 *
 * A license is a compact JWS (RFC 7515), signed with Ed25519:
 * `base64url(header).base64url(claims).base64url(signature)`. The header is
 * `{"alg":"EdDSA","typ":"license+jwt","kid":…}`, where `kid` names the issuer's key (`keyName`), so that a license from
 * another issuer can be distinguished from one that was changed. The claims:
 *
 *     {"id":"2026-017","organization":"Example","seats":25,"features":["organization","audit","oauth"],
 *      "issuedAt":"2026-11-01T00:00:00Z","expiresAt":"2027-11-01T00:00:00Z"}
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import * as z from "zod";
import { ServiceError } from "#base/error";
import type { licenseStates } from "#contract/organization";

export type LicenseState = (typeof licenseStates)[number];

const timestamp = z.iso.datetime({ offset: true });

const Claims = z.object({
  id: z.string().min(1).max(200),
  organization: z.string().min(1).max(200),
  /** Absent if the number of members is not limited. */
  seats: z.int().min(1).optional(),
  features: z.array(z.string().max(100)).max(100),
  issuedAt: timestamp,
  expiresAt: timestamp,
});
export type LicenseClaims = z.output<typeof Claims>;

const Header = z.object({ alg: z.string(), kid: z.string().optional() });

/** The result of verifying a license, except for its dates and seats. */
export type VerifiedLicense =
  | { readonly state: "valid"; readonly claims: LicenseClaims }
  | { readonly state: "malformed" | "wrongAlgorithm" | "unknownKey" | "tampered" };

/** An issuer's public key. */
export interface IssuerKey {
  readonly name: string;
  readonly key: KeyObject;
}

/** Parses an issuer's public key: 32 bytes of an Ed25519 key in base64url. Throws USAGE for anything else. */
export function parseIssuerKey(text: string): IssuerKey {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: text }, format: "jwk" });
    return { name: keyName(text), key };
  } catch (cause) {
    const message = `"${text}" is not the public key of a license issuer. Use the 32 bytes of an Ed25519 public key in base64url.`;
    throw new ServiceError("USAGE", message, { cause });
  }
}

function keyName(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Verifies the format and the signature of a license. */
export function verifyLicense(token: string, trusted: readonly IssuerKey[]): VerifiedLicense {
  const parts = token.trim().split(".");
  const [head = "", body = "", signature = ""] = parts;
  const header = Header.safeParse(decode(head));
  if (parts.length !== 3 || !header.success) return { state: "malformed" };
  // Only Ed25519 is accepted, whatever the header says. Its `alg` only serves to explain the refusal.
  if (header.data.alg !== "EdDSA") return { state: "wrongAlgorithm" };
  const issuer = trusted.find(({ name }) => name === header.data.kid);
  if (issuer === undefined) return { state: "unknownKey" };
  const signedPart = Buffer.from(`${head}.${body}`);
  if (!verify(null, signedPart, issuer.key, Buffer.from(signature, "base64url")))
    return { state: "tampered" };
  const claims = Claims.safeParse(decode(body));
  return claims.success ? { state: "valid", claims: claims.data } : { state: "malformed" };
}

/**
 * Signs a license with a private key in PEM format. Returns it with the public key that verifies it, in base64url.
 *
 * Throws USAGE if the key is not an Ed25519 private key, or if the claims are invalid.
 */
export function issueLicense(
  claims: LicenseClaims,
  privateKey: string,
): { license: string; publicKey: string } {
  const key = parseSigningKey(privateKey);
  const parsed = Claims.safeParse(claims);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ServiceError("USAGE", `${issue?.path.join(".")}: ${issue?.message}.`);
  }
  const publicKey = createPublicKey(key).export({ format: "jwk" }).x ?? "";
  const header = { alg: "EdDSA", typ: "license+jwt", kid: keyName(publicKey) };
  const signedPart = `${encode(header)}.${encode(parsed.data)}`;
  return {
    license: `${signedPart}.${sign(null, Buffer.from(signedPart), key).toString("base64url")}`,
    publicKey,
  };
}

function parseSigningKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Not reported: the text may be another secret.
  }
  throw new ServiceError(
    "USAGE",
    'The key is not an Ed25519 private key in PEM format. Create one with "openssl genpkey -algorithm ed25519".',
  );
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
