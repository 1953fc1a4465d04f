/**
 * Runs the git commands that use the network: `clone`, `fetch` and `ls-remote`, for mirrors only. `git.ts` runs all
 * others, which allow no transport.
 *
 * Credentials are in the environment of the process, from which a credential helper answers git's requests for the
 * origin of the remote. They are in no argument, URL or configuration. Redirects to other origins are not followed.
 */
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import { commandOf } from "#git/git";
import { isObjectMissing } from "#git/missingObjects";
import type { GitCredentials } from "#hosts/codeHost";
import { type HostProxy, proxyEnvironment } from "#hosts/proxy";
import { Redactor } from "#hosts/redact";
import type { Secret } from "#hosts/secret";
import { isSshUrl } from "#hosts/ssh";
import { pathWith } from "#platform/environment";
import { runProcess } from "#platform/process";
import { followRedirects, wasRedirected } from "./redirect";
import { type SshAccess, sshEnvironment, withoutSshFiles } from "./ssh";

/** The repository that a mirror copies. */
export interface Remote {
  /** `https:`, or `http:` if that is allowed, without user information; `ssh:` if there is access to it. */
  readonly url: string;
  readonly allowsHttp: boolean;
  readonly credentials?: GitCredentials | undefined;
  /** File with the certificates of authorities to trust. */
  readonly caFile?: string | undefined;
  readonly proxy?: HostProxy | undefined;
  readonly ssh?: SshAccess | undefined;
}

export interface NetworkOptions {
  /** The folder of `git-credential-trawl` and `git-ssh-trawl`. */
  readonly helperFolder: string;
  /** Takes the place of the home folder, whose `.gitconfig` and `.netrc` must not count. */
  readonly homeFolder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The repository lacks objects that its refs need, so that it must be cloned again. */
export class MirrorDamaged extends Error {}

const maxOutputBytes = 64 * 1024 * 1024;
const maxReasonLength = 500;
/** A transfer that is slower than this is ended. */
const minBytesPerSecond = 1000;
const maxSlowSeconds = 60;

/**
 * Runs git in `cwd` and returns its standard output. `args` end with `--`; the URL of the remote and then `refs` follow:
 * refs, or the path of a new clone.
 *
 * Throws GIT_FAILED with git's message, without secrets; TIMED_OUT; CANCELLED; and `MirrorDamaged`.
 */
export async function runNetworkGit(
  cwd: string,
  args: readonly string[],
  remote: Remote,
  refs: readonly string[],
  options: NetworkOptions,
): Promise<Buffer> {
  const { credentials, proxy, ssh } = remote;
  const command = commandOf(args);
  const run = (url: URL) =>
    runProcess("git", [...networkArguments(remote), ...args, url.href, ...refs], {
      cwd,
      env: {
        ...environmentOf(url, options),
        ...(credentials ? secrets(url, credentials) : {}),
        ...(proxy ? proxyEnvironment(proxy) : {}),
        ...(ssh ? sshEnvironment(ssh, options.helperFolder) : {}),
      },
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      maxOutputBytes,
      killsGroup: true,
    });
  let url = checkedUrl(remote);
  let result = await run(url);
  if (result.exitCode !== 0 && wasRedirected(result.stderr)) {
    url = await followRedirects(url, { ...remote, signal: options.signal });
    result = await run(url);
  }
  const { stdout, stderr, exitCode } = result;
  if (exitCode === 0) return stdout;
  const text = redact(stderr, credentials?.password, proxy?.login?.password).replaceAll(/[\r\n]+/g, "; ");
  const reason =
    sanitize(ssh ? withoutSshFiles(text, ssh) : text).slice(0, maxReasonLength) || `exit code ${exitCode}`;
  // The lines of the remote could claim anything, and a forbidden transport has nothing to do with objects.
  const ownLines = stderr.split(/[\r\n]+/).filter((line) => !/^remote:|transport/.test(line));
  if (ownLines.some(isObjectMissing)) throw new MirrorDamaged(reason);
  throw new ServiceError("GIT_FAILED", `git ${command} of ${url.href} failed: ${reason}`);
}

function networkArguments({ caFile, credentials, proxy }: Remote): readonly string[] {
  return [
    "--no-pager",
    ...setting("core.hooksPath", "/dev/null"),
    ...setting("gc.auto", "0"),
    // Packfiles are written under a temporary name, and measured; loose objects are not.
    ...setting("fetch.unpackLimit", "1"),
    ...setting("maintenance.auto", "false"),
    ...setting("http.lowSpeedLimit", String(minBytesPerSecond)),
    ...setting("http.lowSpeedTime", String(maxSlowSeconds)),
    ...setting("http.followRedirects", "false"),
    // The empty value removes all helpers.
    ...setting("credential.helper", ""),
    ...(credentials === undefined ? [] : setting("credential.helper", "trawl")),
    ...(caFile === undefined ? [] : setting("http.sslCAInfo", caFile)),
    ...(caFile === undefined || proxy?.url.startsWith("https:") !== true
      ? []
      : setting("http.proxySSLCAInfo", caFile)),
  ];
}

function setting(name: string, value: string): readonly string[] {
  return ["-c", `${name}=${value}`];
}

const protocols: Readonly<Record<string, string>> = {
  "http:": "http:https",
  "https:": "https",
  "ssh:": "ssh",
};

function environmentOf(url: URL, { helperFolder, homeFolder }: NetworkOptions): Record<string, string> {
  return {
    ...pathWith(helperFolder),
    HOME: homeFolder,
    USERPROFILE: homeFolder,
    XDG_CONFIG_HOME: homeFolder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: protocols[url.protocol] ?? "none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    // Git only obeys folders above the current one, which may be the folder of the mirrors itself.
    GIT_CEILING_DIRECTORIES: dirname(homeFolder),
    LC_ALL: "C.UTF-8",
  };
}

function secrets(url: URL, { user, password }: GitCredentials): Record<string, string> {
  const secret = password.reveal();
  // A line break would let one answer of the helper pass for several.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are rejected
  if (/[\u0000-\u001f\u007f]/.test(user + secret))
    throw new ServiceError("GIT_FAILED", `The credentials for ${url.host} contain a control character.`);
  return {
    TRAWL_GIT_ORIGIN: `${url.protocol}//${url.host}`,
    TRAWL_GIT_USER: user,
    TRAWL_GIT_PASSWORD: secret,
  };
}

function checkedUrl({ url, allowsHttp, ssh }: Remote): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (ssh !== undefined && parsed !== undefined && isSshUrl(parsed)) return parsed;
  const isAllowed = parsed?.protocol === "https:" || (allowsHttp && parsed?.protocol === "http:");
  if (parsed !== undefined && isAllowed && parsed.username === "" && parsed.password === "") return parsed;
  const address = sanitize(redact(url)).slice(0, maxReasonLength);
  throw new ServiceError(
    "GIT_FAILED",
    `Cannot clone ${address}: its URL must begin with https://, with http:// if allowHttp is set, or with ssh:// if sshKey is set, and name a user only for SSH.`,
  );
}

/** The second safeguard: no message of git should contain secrets. */
function redact(text: string, ...known: readonly (Secret | undefined)[]): string {
  const redactor = new Redactor();
  for (const secret of known) if (secret !== undefined) redactor.add(secret.reveal());
  return redactor.redact(text);
}
