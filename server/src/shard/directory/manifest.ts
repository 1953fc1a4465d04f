import { type Checksum, shardDamaged } from "#shard/format/checksum";
import type { ShardSummary } from "#shard/format/shard";

/** A ref, the commit it pointed to when it was indexed, and the slot that represents it in sets. */
export interface IndexedRevision {
  readonly name: string;
  readonly commit: string;
  readonly slot: number;
}

/** One shard of a repository. The counts of a compound shard, which several repositories share, cover only this one. */
export interface Segment extends ShardSummary {
  /** The name of the shard file in the index folder. */
  readonly file: string;
}

/**
 * The current index of a repository. Replaced as a whole by a rename, so that a crash leaves the old or the new one.
 */
export interface Manifest {
  readonly repositoryId: number;
  /** Incremented with each change. */
  readonly generation: number;
  /** Describes the repository together with `path` and `kind`, so that a lost catalog can be rebuilt. */
  readonly name: string;
  readonly path: string;
  readonly kind: "clone" | "bare" | "folder" | "package";
  readonly revisions: readonly IndexedRevision[];
  /** The name of the default revision; absent if there are no commits. */
  readonly defaultRevision?: string;
  /** The lowest slot that has never been assigned. */
  readonly nextSlot: number;
  /** Oldest first; later ones override earlier ones. */
  readonly segments: readonly Segment[];
}

/** Returns the bytes of the shards of a repository; of shared ones, only its part. */
export function shardBytesOf({ segments }: Pick<Manifest, "segments">): number {
  return segments.reduce((sum, { shardBytes }) => sum + shardBytes, 0);
}

/**
 * The format: one line with magic, version and checksum, then JSON: `trawl-manifest 1 1a2b3c4d\n{…}`, or
 * `trawl-manifests 1 5e6f\n[{…},{…}]`.
 */
const manifestFormatVersion = 1;

export function printManifest(manifest: Manifest, checksum: Checksum): Uint8Array {
  return print("trawl-manifest", JSON.stringify(manifest), checksum);
}

/** Prints several manifests as one file. */
export function printManifests(manifests: readonly Manifest[], checksum: Checksum): Uint8Array {
  return print("trawl-manifests", JSON.stringify(manifests), checksum);
}

function print(magic: string, json: string, checksum: Checksum): Uint8Array {
  const body = Buffer.from(json);
  return Buffer.concat([
    Buffer.from(`${magic} ${manifestFormatVersion} ${checksum(body).toString(16)}\n`),
    body,
  ]);
}

/** Parses a file of one or several manifests. Throws `SHARD_DAMAGED`. */
export function parseManifests(bytes: Uint8Array, checksum: Checksum): readonly Manifest[] {
  const end = bytes.indexOf(0x0a);
  const [magic, version, sum] = new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))).split(" ");
  if (magic !== "trawl-manifest" && magic !== "trawl-manifests")
    throw shardDamaged("The file is not a manifest");
  if (version !== String(manifestFormatVersion))
    throw shardDamaged(`Manifest format ${version} is not supported`);
  const body = bytes.slice(end + 1);
  if (checksum(body).toString(16) !== sum) throw shardDamaged("The checksum of the manifest does not match");
  const value: unknown = JSON.parse(new TextDecoder().decode(body));
  return (magic === "trawl-manifest" ? [value] : value) as readonly Manifest[];
}
