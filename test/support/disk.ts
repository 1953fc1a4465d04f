/** File systems that a test may fill. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, statfsSync, writeSync } from "node:fs";
import { after } from "node:test";
import { temporaryFolder } from "#test/support/repo";

/** Mounts a separate file system of this many megabytes, or returns why it cannot. */
export function smallDisk(megabytes: number): { readonly path: string } | { readonly reason: string } {
  if (process.platform !== "linux") return { reason: `no tmpfs on ${process.platform}` };
  if (process.getuid?.() !== 0) return { reason: "only root may mount" };
  const path = temporaryFolder();
  const size = `size=${megabytes}m,mode=700`;
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", path]);
  if (status !== 0) return { reason: `mount: ${String(stderr).trim()}` };
  after(() => {
    spawnSync("umount", ["-l", path]);
  });
  return { path };
}

/** Fills the file system except for `leftBytes`, until the file is removed. */
export function fill(path: string, leftBytes: number): void {
  const descriptor = openSync(path, "w");
  const { bavail, bsize } = statfsSync(path);
  const piece = Buffer.alloc(64 * 1024, "x");
  try {
    for (let left = bavail * bsize - leftBytes; left > 0; left -= piece.length) {
      writeSync(descriptor, piece, 0, Math.min(left, piece.length));
    }
  } finally {
    closeSync(descriptor);
  }
}
