/** Lets git use SSH, with a key and known hosts that the configuration names. Nothing of the user's `~/.ssh` counts. */
import { join } from "node:path";
import { ServiceError, usageError } from "#base/error";
import { isSshFile } from "#hosts/ssh";
import { environmentVariable } from "#platform/environment";

export interface SshAccess {
  /** The file of a private key, or the environment variable with the socket of an agent. */
  readonly key: { readonly file?: string | undefined; readonly agent?: string | undefined };
  /** File with the keys of hosts. Others are refused. */
  readonly knownHosts: string;
}

/** The program in the folder of git's helpers that runs ssh. Its text is fixed; it reads what differs from variables. */
const program = "git-ssh-trawl";

/** Returns the variables with which git runs ssh. Throws USAGE if the agent's variable is not set. */
export function sshEnvironment(
  { key: { file, agent }, knownHosts }: SshAccess,
  helperFolder: string,
): Record<string, string> {
  const socket = agent === undefined ? "none" : environmentVariable(agent);
  if (!socket)
    throw usageError(`The environment variable ${agent}, with the socket of an SSH agent, is not set.`);
  for (const each of [file ?? "", socket, knownHosts])
    if (!isSshFile(each))
      throw new ServiceError(
        "GIT_FAILED",
        'The name of a file for SSH contains one of the characters " % $ \\ ~.',
      );
  return {
    GIT_SSH: join(helperFolder, program),
    GIT_SSH_VARIANT: "ssh",
    TRAWL_SSH_KNOWN_HOSTS: knownHosts,
    TRAWL_SSH_IDENTITY_FILE: file ?? "none",
    TRAWL_SSH_IDENTITIES_ONLY: file === undefined ? "no" : "yes",
    TRAWL_SSH_IDENTITY_AGENT: socket,
  };
}

/** Replaces the names of the files in a message of ssh, because all who see a repository see why it cannot be fetched. */
export function withoutSshFiles(message: string, { key: { file }, knownHosts }: SshAccess): string {
  const text = message.replaceAll(knownHosts, "[knownHosts]").replaceAll(/@{9,}(?:; )?/g, "");
  return file === undefined ? text : text.replaceAll(file, "[sshKey]");
}
