import { createHash } from "node:crypto";

/** Returns git's hash of a blob: SHA-256 if `otherHash`, one of the same repository, is; else SHA-1. */
export function blobHash(bytes: Uint8Array, otherHash = ""): string {
  const hash = createHash(otherHash.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
