/** Fetches commits of a repository from a URL, without their history. */
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { Files } from "#platform/files";
import { runProcess } from "#platform/process";
import { type CopiedRef, createBareRepository, writeRefs } from "./shallowCopy";

export interface FetchOptions {
  /** Sent as bearer token, and only to the origin of the URL. */
  readonly token?: string | undefined;
  readonly configuration: string;
  readonly files: Files;
  readonly timeoutMs: number;
}

const maxReasonLength = 500;
const maxOutputBytes = 1024 * 1024;
/** A transfer that is slower than this is ended. */
const minBytesPerSecond = 1000;
const maxSlowSeconds = 60;

/**
 * Creates a bare repository in `folder` with these refs and a configuration, and fetches their commits, trees and blobs.
 * The server must allow commits to be fetched by their hashes, as git's protocol 2 does.
 *
 * Throws GIT_FAILED with git's message, without the token; TIMED_OUT; and CANCELLED.
 */
export async function fetchShallow(
  url: string,
  folder: string,
  refs: readonly CopiedRef[],
  { token, configuration, files, timeoutMs }: FetchOptions,
  signal: AbortSignal,
): Promise<void> {
  createBareRepository(folder, refs, configuration, files);
  const commits = [...new Set(refs.map(({ commit }) => commit))];
  const { exitCode, stderr } = await runProcess(
    "git",
    [
      "--no-pager",
      ...setting("core.hooksPath", "/dev/null"),
      ...setting("gc.auto", "0"),
      ...setting("maintenance.auto", "false"),
      ...setting("fetch.unpackLimit", "1"),
      ...setting("protocol.version", "2"),
      ...setting("credential.helper", ""),
      ...setting("http.followRedirects", "false"),
      ...setting("http.lowSpeedLimit", String(minBytesPerSecond)),
      ...setting("http.lowSpeedTime", String(maxSlowSeconds)),
      ...["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"],
      ...["--", url, ...commits],
    ],
    {
      cwd: folder,
      env: { ...environmentOf(url, folder), ...(token === undefined ? {} : headerOf(token)) },
      signal,
      timeoutMs,
      maxOutputBytes,
      killsGroup: true,
    },
  );
  if (exitCode !== 0) {
    const text = token === undefined ? stderr : stderr.replaceAll(token, "[secret]");
    const reason = sanitize(text.replaceAll(/[\r\n]+/g, "; ")).slice(0, maxReasonLength);
    throw new ServiceError("GIT_FAILED", `git fetch of ${url} failed: ${reason || `exit code ${exitCode}`}`);
  }
  writeRefs(folder, refs, files);
}

function setting(name: string, value: string): readonly string[] {
  return ["-c", `${name}=${value}`];
}

/** Ignores the configuration of the user and the system, which could send the token elsewhere. */
function environmentOf(url: string, folder: string): Record<string, string> {
  return {
    HOME: folder,
    USERPROFILE: folder,
    XDG_CONFIG_HOME: join(folder, "none"),
    GIT_DIR: folder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: url.startsWith("http:") ? "http:https" : "https",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    LC_ALL: "C.UTF-8",
  };
}

/** Sets a header through the environment, which other users cannot read. */
function headerOf(token: string): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "http.extraHeader",
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${token}`,
  };
}
