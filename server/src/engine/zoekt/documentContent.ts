/** What the content of a document that a node returned says about it. */
import { createHash } from "node:crypto";
import type { SkipReason } from "#model/document";

/** What Zoekt searches instead of a document that it did not index. */
const skippedPrefix = Buffer.from("NOT-INDEXED: ");
const skipReasonsByText: ReadonlyMap<string, SkipReason> = new Map([
  ["exceeds the maximum size limit", "tooLarge"],
  ["contains too few trigrams", "excluded"],
  ["contains binary content", "binary"],
  ["contains too many trigrams", "tooManyTrigrams"],
  ["object missing from repository", "missing"],
]);

export function skipReasonOf(content: Buffer): SkipReason | undefined {
  if (!mayBeSkipped(content)) return undefined;
  return skipReasonsByText.get(content.subarray(skippedPrefix.length).toString("latin1"));
}

/** Returns false if a document that starts with these lines is indexed. */
export function mayBeSkipped(start: Buffer): boolean {
  return start.subarray(0, skippedPrefix.length).equals(skippedPrefix);
}

const hashes = new WeakMap<Uint8Array, string>();

/** Returns the hash of a git blob. It is computed once for each text in the cache. */
export function blobHash(content: Uint8Array): string {
  const known = hashes.get(content);
  if (known !== undefined) return known;
  const hash = createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  hashes.set(content, hash);
  return hash;
}
