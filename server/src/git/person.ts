/** Who the person at this computer is, by git's word. */
import { hostname, userInfo } from "node:os";
import { runProcess } from "#platform/process";
import { childEnvironment } from "#platform/settings";

/** `user.name` and `user.email` as the person has set them for all repositories; else their account on this computer. */
export async function localPerson(): Promise<{ readonly name?: string; readonly email: string }> {
  const [name, email] = await Promise.all([setting("user.name"), setting("user.email")]);
  return {
    ...(name === undefined ? {} : { name }),
    email: email ?? `${userInfo().username}@${hostname().toLowerCase()}`,
  };
}

async function setting(key: string): Promise<string | undefined> {
  const args = ["config", "--global", "--get", key];
  const { stdout, exitCode } = await runProcess("git", args, { env: childEnvironment(), timeoutMs: 10_000 });
  const value = stdout.toString("utf8").trim();
  return exitCode === 0 && value !== "" ? value : undefined;
}
