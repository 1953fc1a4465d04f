/** A real SSH server for tests, started without rights of its own: `sshd` of the package openssh-server. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { eventually } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { temporaryFolder } from "#test/support/repo";

const program = ["/usr/sbin/sshd", "/usr/bin/sshd"].find((path) => existsSync(path));

export interface SshServer {
  /** `ssh://user@127.0.0.1:port`; paths are those of this computer. */
  readonly url: string;
  /** A private key that it accepts. */
  readonly keyFile: string;
  /** The line of `known_hosts` for it. */
  readonly knownHost: string;
}

/** Returns why a server cannot be started here, or `undefined`. */
export function sshObstacle(): string | undefined {
  if (program === undefined) return "there is no sshd (package openssh-server)";
  return spawnSync("ssh", ["-V"], { stdio: "ignore" }).status === 0 ? undefined : "there is no ssh";
}

/** Creates a key pair, and returns the file of the private key. */
export function sshKey(name: string, folder = temporaryFolder()): string {
  const file = join(folder, name);
  const { status, stderr } = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  if (status !== 0) throw new Error(`ssh-keygen: ${stderr}`);
  chmodSync(file, 0o600);
  return file;
}

export async function sshServer(t: Pick<TestContext, "after">): Promise<SshServer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const [hostKey, keyFile] = [sshKey("host", folder), sshKey("user key", folder)];
  // With root's rights, it needs a folder that the package creates only when its service starts.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const authorized = join(folder, "authorized");
  writeFileSync(authorized, readFileSync(`${keyFile}.pub`));
  const file = join(folder, "sshd_config");
  writeFileSync(
    file,
    `ListenAddress 127.0.0.1
Port ${port}
HostKey ${hostKey}
AuthorizedKeysFile ${authorized}
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
PidFile none
`,
  );
  const child = spawn(program ?? "sshd", ["-D", "-e", "-f", file], { stdio: "ignore" });
  t.after(() => child.kill());
  await eventually(() => isListening(port));
  const [type, key] = readFileSync(`${hostKey}.pub`, "utf8").split(" ");
  return {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    keyFile,
    knownHost: `[127.0.0.1]:${port} ${type} ${key}\n`,
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}
