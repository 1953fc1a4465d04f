/**
 * What a licence is, and whether one counts. Nobody is asked over a network.
 *
 * A licence is a compact JWS (RFC 7515), signed with Ed25519: `base64url(header).base64url(claims).base64url(signature)`.
 * The header is `{"alg":"EdDSA","typ":"license+jwt","kid":…}`, where `kid` is the name of the maker's key (`keyName`), so
 * that a licence of another maker can be told from one that somebody has changed. The claims:
 *
 *     {"id":"2026-017","organization":"Example","seats":25,"features":["organization","audit","oauth"],
 *      "issuedAt":"2026-11-01T00:00:00Z","expiresAt":"2027-11-01T00:00:00Z"}
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import * as z from "zod";
import { ServiceError } from "#base/error";
import type { licenseStates } from "#contract/organisation";

export type LicenseState = (typeof licenseStates)[number];

const moment = z.iso.datetime({ offset: true });

const Claims = z.object({
  id: z.string().min(1).max(200),
  organization: z.string().min(1).max(200),
  /** Absent: any number of members. */
  seats: z.int().min(1).optional(),
  features: z.array(z.string().max(100)).max(100),
  issuedAt: moment,
  expiresAt: moment,
});
export type LicenseClaims = z.output<typeof Claims>;

const Header = z.object({ alg: z.string(), kid: z.string().optional() });

/** A licence as far as it can be judged without a clock. `claims` are there where the signature is right. */
export type ReadLicense =
  | { readonly state: "valid"; readonly claims: LicenseClaims }
  | { readonly state: "malformed" | "wrongAlgorithm" | "unknownKey" | "tampered" };

/** A maker's public key. */
export interface MakerKey {
  readonly name: string;
  readonly key: KeyObject;
}

/** `text` is the 32 bytes of an Ed25519 public key in base64url. Throws USAGE for anything else. */
export function makerKey(text: string): MakerKey {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: text }, format: "jwk" });
    return { name: keyName(text), key };
  } catch (cause) {
    const message = `"${text}" is no key of a licence's maker: 32 bytes of an Ed25519 public key, in base64url.`;
    throw new ServiceError("USAGE", message, { cause });
  }
}

function keyName(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

export function readLicense(token: string, trusted: readonly MakerKey[]): ReadLicense {
  const parts = token.trim().split(".");
  const [head = "", body = "", signature = ""] = parts;
  const header = Header.safeParse(parsed(head));
  if (parts.length !== 3 || !header.success) return { state: "malformed" };
  // The algorithm is ours to choose: what the licence names only tells why it cannot count.
  if (header.data.alg !== "EdDSA") return { state: "wrongAlgorithm" };
  const maker = trusted.find(({ name }) => name === header.data.kid);
  if (maker === undefined) return { state: "unknownKey" };
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify(null, signed, maker.key, Buffer.from(signature, "base64url"))) return { state: "tampered" };
  const claims = Claims.safeParse(parsed(body));
  return claims.success ? { state: "valid", claims: claims.data } : { state: "malformed" };
}

/** Signs a licence. `privateKey` is PEM. Throws USAGE where it is no Ed25519 key, or the claims are none. */
export function issueLicense(claims: LicenseClaims, privateKey: string): { license: string; maker: string } {
  const key = signingKey(privateKey);
  const checked = Claims.safeParse(claims);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new ServiceError("USAGE", `${issue?.path.join(".")}: ${issue?.message}.`);
  }
  const maker = createPublicKey(key).export({ format: "jwk" }).x ?? "";
  const header = { alg: "EdDSA", typ: "license+jwt", kid: keyName(maker) };
  const signed = `${encoded(header)}.${encoded(checked.data)}`;
  return { license: `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`, maker };
}

function signingKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // What it is instead may be a secret of something else, and is not told.
  }
  throw new ServiceError(
    "USAGE",
    "The key is no Ed25519 private key in PEM (openssl genpkey -algorithm ed25519).",
  );
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function parsed(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
