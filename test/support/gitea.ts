/**
 * A real Gitea server for tests: the program that `GITEA_BIN` names, or `gitea` on the PATH.
 *
 * To build one with Go, copy the folder that `go mod download -json code.gitea.io/gitea@v1.26.0` names, and run
 * `go build -tags 'sqlite sqlite_unlock_notify' -o gitea .` there. Set `GITEA_STATIC` to that folder, in which it finds
 * its templates and options.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { temporaryFolder } from "#test/support/repo";

export interface Gitea {
  readonly origin: string;
  /** A token of the administrator, whose name is `admin1`. */
  readonly adminToken: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs `gitea` with these arguments, and returns its output. */
  run(...args: readonly string[]): string;
  /**
   * Calls the REST API, by default as the administrator, and returns the parsed response. Throws for other statuses than
   * 2xx.
   */
  call(method: string, path: string, body?: unknown, authorization?: string): Promise<unknown>;
}

function programOf(): string {
  return process.env["GITEA_BIN"] ?? "gitea";
}

/** Returns why Gitea cannot be started here, or `undefined`. */
export function giteaObstacle(): string | undefined {
  const isThere = spawnSync(programOf(), ["--version"], { stdio: "ignore", ...user() }).status === 0;
  return isThere ? undefined : "GITEA_BIN is not set, and there is no gitea on the PATH";
}

/** Gitea refuses to run as root. */
function user(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

/** Starts a server without repositories, on a free port. The caller must stop it. */
export async function startGitea(): Promise<Gitea> {
  const folder = temporaryFolder();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = join(folder, "app.ini");
  mkdirSync(join(folder, "state"));
  writeFileSync(file, configuration(folder, port));
  const { uid, gid } = user();
  if (uid !== undefined && gid !== undefined)
    for (const path of [folder, file, join(folder, "state")]) chownSync(path, uid, gid);
  const options = {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, USER: "gitea", GITEA_WORK_DIR: join(folder, "state") },
    ...user(),
  };
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr, error } = spawnSync(programOf(), ["--config", file, ...args], {
      ...options,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`gitea ${args.join(" ")}: ${error?.message ?? stdout + stderr}`);
    return stdout;
  };
  run("migrate");
  const created = run(
    ..."admin user create --username admin1 --password Pa55word! --email a@example.com --admin".split(" "),
    ..."--must-change-password=false --access-token --access-token-scopes all".split(" "),
  );
  const adminToken = /\b[0-9a-f]{40}\b/.exec(created)?.[0] ?? "";

  let server: ChildProcess | undefined;
  const gitea: Gitea = {
    origin,
    adminToken,
    run,
    async start() {
      const started = spawn(programOf(), ["--config", file, "web"], { ...options, stdio: "ignore" });
      server = started;
      process.once("exit", () => started.kill("SIGKILL"));
      await eventually(async () => {
        if (started.exitCode !== null) throw new Error(`Gitea exited with ${started.exitCode}.`);
        return await fetch(`${origin}/api/v1/version`).then(
          ({ ok }) => ok,
          () => false,
        );
      }, 120_000);
    },
    async stop() {
      const ending = server;
      server = undefined;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = once(ending, "exit");
      ending.kill("SIGTERM");
      await ended;
    },
    async call(method, path, body, authorization = `token ${adminToken}`) {
      const response = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
  };
  await gitea.start();
  return gitea;
}

function configuration(folder: string, port: number): string {
  const staticRoot = process.env["GITEA_STATIC"];
  return `RUN_USER =
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
; Not the address at which it is reached, as in many containers.
ROOT_URL = http://localhost:3000/
DISABLE_SSH = true
OFFLINE_MODE = true
${staticRoot === undefined ? "" : `STATIC_ROOT_PATH = ${staticRoot}`}
[database]
DB_TYPE = sqlite3
PATH = ${folder}/state/gitea.db
[repository]
ROOT = ${folder}/state/repositories
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
SECRET_KEY = test
INTERNAL_TOKEN = test
PASSWORD_HASH_ALGO = pbkdf2_v2
[log]
LEVEL = error
[webhook]
ALLOWED_HOST_LIST = loopback
[cron]
ENABLED = false
[actions]
ENABLED = false
[packages]
ENABLED = false
`;
}
