/** Reads the identity of the user of this computer from git's global configuration. */
import { hostname, userInfo } from "node:os";
import { childEnvironment } from "#platform/environment";
import { runProcess } from "#platform/process";

/** Returns the global `user.name` and `user.email`. The email defaults to the operating system's user and host name. */
export async function readUserIdentity(): Promise<{ readonly name?: string; readonly email: string }> {
  const [name, email] = await Promise.all([readGlobalSetting("user.name"), readGlobalSetting("user.email")]);
  return {
    ...(name === undefined ? {} : { name }),
    email: email ?? `${userName()}@${hostname().toLowerCase()}`,
  };
}

/** Containers often run as a user that the system does not know, whose name cannot be read. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 0}`;
  }
}

async function readGlobalSetting(key: string): Promise<string | undefined> {
  const args = ["config", "--global", "--get", key];
  const { stdout, exitCode } = await runProcess("git", args, { env: childEnvironment(), timeoutMs: 10_000 });
  const value = stdout.toString("utf8").trim();
  return exitCode === 0 && value !== "" ? value : undefined;
}
