/** Runs the server side of `git fetch`, one request at a time, as git's smart HTTP protocol does. It only reads. */
import type { RunningProcess } from "#platform/process";
import { spawnGit } from "./git";
import type { GitRepository } from "./repository";

export interface UploadPackOptions {
  /** Prints the refs and capabilities instead of reading a request. */
  readonly isAdvertisement: boolean;
  readonly protocol: 0 | 1 | 2;
  readonly signal: AbortSignal;
}

/** How long it waits for the rest of a request. */
const idleSeconds = 60;

/** Starts `git upload-pack`. It is killed with the process that packs objects for it. */
export function spawnUploadPack(
  repository: GitRepository,
  { isAdvertisement, protocol, signal }: UploadPackOptions,
): RunningProcess {
  const args = [
    "upload-pack",
    "--strict",
    "--stateless-rpc",
    `--timeout=${idleSeconds}`,
    ...(isAdvertisement ? ["--advertise-refs"] : []),
    "--",
    repository.gitDir,
  ];
  return spawnGit(repository, args, {
    signal,
    isBuffered: true,
    killsGroup: true,
    protocol: `version=${protocol}`,
  });
}
