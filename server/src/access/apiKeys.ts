/**
 * API keys: `trwl_` and 43 characters of base64url, which are 32 random bytes.
 *
 * Only the SHA-256 of the whole is kept. So many random bytes need no slow hash: there is nothing to guess.
 */
import { createHash, randomBytes } from "node:crypto";

const form = /^trwl_[A-Za-z0-9_-]{43}$/;

export function newApiKey(): string {
  return `trwl_${randomBytes(32).toString("base64url")}`;
}

/** Whether it could be one; whether it is one only the store knows. */
export function looksLikeApiKey(token: string): boolean {
  return form.test(token);
}

/** 64 hexadecimal digits, as the store finds a key. A lookup by them says nothing about it, however long that takes. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
