/** FNV-1a of a path's bytes, 32 bits: finds a document by its path without a map of all paths in memory. */
export function hashPath(path: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ (path[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
