/** Keeps mirrors compact, because each fetch adds a packfile. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runProcess } from "#platform/process";

export interface MaintenanceOptions {
  /** Takes the place of the home folder. */
  readonly homeFolder: string;
  readonly signal: AbortSignal;
}

const maxPacks = 20;
const maxLooseObjects = 1000;
/** Loose objects are spread evenly over 256 folders. One of them is counted. */
const sampledFolder = "17";
const folderCount = 256;
const timeoutMs = 3_600_000;

/**
 * Packs a mirror that has many packfiles or loose objects. Returns whether it had. Only packs that have become small
 * compared with the others are rewritten. Throws CANCELLED and TIMED_OUT; a failure of git changes nothing.
 */
export async function compactMirror(gitDir: string, options: MaintenanceOptions): Promise<boolean> {
  const [packs, sample] = await Promise.all([
    namesIn(join(gitDir, "objects/pack")),
    namesIn(join(gitDir, "objects", sampledFolder)),
  ]);
  const packCount = packs.filter((name) => name.endsWith(".pack")).length;
  if (packCount <= maxPacks && sample.length * folderCount <= maxLooseObjects) return false;
  const commands = [
    ["repack", "-d", "-q", "--geometric=2"],
    ["pack-refs", "--all"],
  ];
  const { homeFolder, signal } = options;
  for (const args of commands) {
    await runProcess("git", ["-c", "gc.auto=0", "-c", "core.hooksPath=/dev/null", ...args], {
      cwd: gitDir,
      env: {
        HOME: homeFolder,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_ALLOW_PROTOCOL: "none",
        GIT_CEILING_DIRECTORIES: homeFolder,
      },
      signal,
      timeoutMs,
      killsGroup: true,
    });
  }
  return true;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
