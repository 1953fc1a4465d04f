import { createHash } from "node:crypto";

/** Git's name for a content; `like` is another name of the repository, of the same kind of hash. */
export function blobName(bytes: Uint8Array, like = ""): string {
  const hash = createHash(like.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
