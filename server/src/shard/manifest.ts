import { type Checksum, damaged } from "./checksum";
import type { Manifest } from "./directory";

/** One line of checksum and format, then JSON: `trawl-manifest 1 1a2b3c4d\n{…}`. */
const manifestFormatVersion = 1;

export function printManifest(manifest: Manifest, checksum: Checksum): Uint8Array {
  const body = Buffer.from(JSON.stringify(manifest));
  const head = Buffer.from(`trawl-manifest ${manifestFormatVersion} ${checksum(body).toString(16)}\n`);
  return Buffer.concat([head, body]);
}

/** Throws `SHARD_DAMAGED` for bytes that are not what `printManifest` wrote. */
export function parseManifest(bytes: Uint8Array, checksum: Checksum): Manifest {
  const end = bytes.indexOf(0x0a);
  const [magic, version, sum] = new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))).split(" ");
  if (magic !== "trawl-manifest") throw damaged("No manifest");
  if (version !== String(manifestFormatVersion)) throw damaged(`Manifest format ${version}`);
  const body = bytes.slice(end + 1);
  if (checksum(body).toString(16) !== sum) throw damaged("Manifest checksum");
  return JSON.parse(new TextDecoder().decode(body)) as Manifest;
}
