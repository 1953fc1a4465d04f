/** Limits the disk space of mirrors. */
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface SizeWatch {
  /** Fires with the outer signal, and when the folder is too large. */
  readonly signal: AbortSignal;
  readonly isExceeded: boolean;
  stop(): void;
}

const watchIntervalMs = 1000;
/** New clones need this much free space, or the given share of the disk if that is less. */
const minFreeBytes = 10e9;
const minFreeShare = 0.1;

/** Measures a repository from time to time while it is cloned or fetched. */
export function watchSize(gitDir: string, maxBytes: number, outer: AbortSignal): SizeWatch {
  const controller = new AbortController();
  let isExceeded = false;
  const check = async () => {
    isExceeded ||= (await packBytes(gitDir)) > maxBytes;
    if (isExceeded) controller.abort();
  };
  const timer = setInterval(() => void check(), watchIntervalMs);
  timer.unref();
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    get isExceeded() {
      return isExceeded;
    },
    stop: () => clearInterval(timer),
  };
}

/** Returns the size of the packfiles of a repository, complete or not; loose objects are few in a mirror. */
export async function packBytes(gitDir: string): Promise<number> {
  const folder = join(gitDir, "objects/pack");
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

/** Whether the disk of `folder` has room for new clones. Fetches go on without. */
export async function hasRoomForClones(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return bavail * bsize >= Math.min(minFreeBytes, blocks * bsize * minFreeShare);
}
