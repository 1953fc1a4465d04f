/**
 * API keys: `trwl_` and 43 characters of base64url, which encode 32 random bytes.
 *
 * Only the SHA-256 of the whole key is stored. A slow hash is not needed, because 32 random bytes cannot be guessed.
 */
import { createHash, randomBytes } from "node:crypto";

const keyPattern = /^trwl_[A-Za-z0-9_-]{43}$/;

export function generateApiKey(): string {
  return `trwl_${randomBytes(32).toString("base64url")}`;
}

/** Whether a token has the format of an API key. Only the store knows whether it is valid. */
export function hasApiKeyFormat(token: string): boolean {
  return keyPattern.test(token);
}

/** Returns 64 hexadecimal digits. The store looks up keys by this hash, so lookup times reveal nothing about a key. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
