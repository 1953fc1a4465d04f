/**
 * A PostgreSQL server for one test: in a temporary folder, listening on a socket there, without a password.
 *
 * If PostgreSQL is not installed, tests that need it report that they did not run; with `POSTGRES_REQUIRED=1`, they fail.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { temporaryFolder } from "#test/support/repo";

export interface PostgresServer {
  /** Of the process that starts one for each connection. */
  readonly pid: number | undefined;
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>;
  /** Stops it as a power failure would, but without losing writes to the disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the folder of `initdb` and `postgres`, which distributions do not put on the PATH. */
export function postgresFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/opt/homebrew/opt/postgresql/bin",
    "/usr/local/opt/postgresql/bin",
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

const postgresRequired = process.env["POSTGRES_REQUIRED"] === "1";

export const howToGetPostgres =
  "PostgreSQL is not installed, so nothing was tested on it. Run apt-get install postgresql (or brew install postgresql).";

/** Defines tests that need PostgreSQL; without it, defines one test of that name that reports so. */
export function withPostgres(name: string, define: (binaries: string) => void): void {
  const binaries = postgresFolder();
  if (binaries !== undefined) define(binaries);
  else {
    test(name, (t) => {
      if (postgresRequired) throw new Error(howToGetPostgres);
      t.diagnostic(howToGetPostgres);
    });
  }
}

/** `maxConnections`: that of the server, by default 100. */
export async function startPostgres(binaries: string, maxConnections = 100): Promise<PostgresServer> {
  const folder = temporaryFolder();
  const user = serverUser();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const made = spawnSync(
    join(binaries, "initdb"),
    ["--pgdata", data, "--auth", "trust", "--username", "trawl", "--encoding", "UTF8", "--locale", "C"],
    { cwd: folder, encoding: "utf8", ...user },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error?.message}`);

  const address = (name: string) => `postgres://trawl@localhost/${name}?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess | undefined;
  const kill = async (signal: NodeJS.Signals) => {
    const ending = server;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await gone;
  };
  const start = async () => {
    const settings = ["listen_addresses=", `max_connections=${maxConnections}`];
    const flags = ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])];
    server = spawn(join(binaries, "postgres"), flags, {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      ...user,
    });
    const running = server;
    process.once("exit", () => running.kill("SIGKILL"));
    await new Promise<void>((resolve, reject) => {
      let output = "";
      running.stderr?.on("data", (text: Buffer) => {
        output += text.toString();
        if (/ready to accept connections/.test(output)) resolve();
      });
      running.once("exit", () => reject(new Error(`postgres: ${output}`)));
    });
  };
  await start();
  let databases = 0;
  return {
    get pid() {
      return server?.pid;
    },
    async database() {
      const name = `test${++databases}`;
      await runSql(address("postgres"), `create database ${name}`);
      return address(name);
    },
    kill: () => kill("SIGKILL"),
    start,
    close: () => kill("SIGINT"),
  };
}

/** Runs statements one after the other, on a connection of their own. Returns the rows of the last one. */
export async function runSql(url: string, ...statements: readonly string[]): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The server refuses to run as root; its package creates a user for it. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [uid, gid] = (line ?? "").split(":").slice(2, 4).map(Number);
  if (uid === undefined || gid === undefined) throw new Error("The user postgres does not exist.");
  return { uid, gid };
}
