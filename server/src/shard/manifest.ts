import { type Checksum, damaged } from "./checksum";
import type { Manifest } from "./directory";

/** One line of checksum and format, then JSON: `trawl-manifest 1 1a2b3c4d\n{…}`, or `trawl-manifests 1 5e6f\n[{…},{…}]`. */
const manifestFormatVersion = 1;

export function printManifest(manifest: Manifest, checksum: Checksum): Uint8Array {
  return print("trawl-manifest", JSON.stringify(manifest), checksum);
}

/** Several in one file. */
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

/** Of a file for one or for several. Throws `SHARD_DAMAGED` for bytes that were not printed here. */
export function parseManifests(bytes: Uint8Array, checksum: Checksum): readonly Manifest[] {
  const end = bytes.indexOf(0x0a);
  const [magic, version, sum] = new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))).split(" ");
  if (magic !== "trawl-manifest" && magic !== "trawl-manifests") throw damaged("No manifest");
  if (version !== String(manifestFormatVersion)) throw damaged(`Manifest format ${version}`);
  const body = bytes.slice(end + 1);
  if (checksum(body).toString(16) !== sum) throw damaged("Manifest checksum");
  const value: unknown = JSON.parse(new TextDecoder().decode(body));
  return (magic === "trawl-manifest" ? [value] : value) as readonly Manifest[];
}
