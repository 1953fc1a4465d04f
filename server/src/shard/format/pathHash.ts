/** Hashes a path with 32-bit FNV-1a, to find documents by path without a map of all paths in memory. */
export function hashPath(path: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ (path[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
