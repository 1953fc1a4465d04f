/**
 * A real Gerrit server for tests, from its packages on Maven Central: they contain everything but the WAR file.
 *
 * The packages and an empty site are cached in `~/.cache/trawl-tests`. It needs a JDK, and Maven the first time.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { eventually } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { temporaryFolder } from "#test/support/repo";

const version = "3.9.1";
const bouncyCastle = "1.78.1";
/** Coordinates of the packages, and the SHA-256 of their files. */
const packages: Readonly<Record<string, string>> = {
  [`com.google.gerrit:gerrit-acceptance-framework:${version}`]:
    "28d6d73a50af086b952b3b6ef9ba9ded45c7c895ce8273f8b6b6c3545f2563f2",
  [`com.google.gerrit:gerrit-plugin-api:${version}`]:
    "61b4f368fb2a33494a6afb949d427a1f3e81c2de84cce00ae67aa16ba7d6c7e5",
  [`org.bouncycastle:bcprov-jdk18on:${bouncyCastle}`]:
    "add5915e6acfc6ab5836e1fd8a5e21c6488536a8c1f21f386eeb3bf280b702d7",
  [`org.bouncycastle:bcpg-jdk18on:${bouncyCastle}`]:
    "1463bb2cb8737e9ae34f5bd93f48e27711365bb277f4918f44608ed89b68792d",
  [`org.bouncycastle:bcpkix-jdk18on:${bouncyCastle}`]:
    "4b48ea084e5232b9d79ebca1887b9de037b124931807cd60710748c2aee08cc9",
  [`org.bouncycastle:bcutil-jdk18on:${bouncyCastle}`]:
    "d9fa56f97b0f761ce3bc8d9d74c5d7137a987bf5bd3abfe1003f9bafa45a1d2f",
};

const runTimeoutMs = 120_000;

const program = `
public class RunGerrit {
  public static void main(String[] args) throws Exception {
    String[] rest = java.util.Arrays.copyOfRange(args, 1, args.length);
    System.exit(args[0].equals("init")
        ? new com.google.gerrit.pgm.Init().main(rest)
        : new com.google.gerrit.pgm.Daemon().main(rest));
  }
}
`;

const administrator = { user: "admin", password: "secret" };

export interface Gerrit {
  readonly origin: string;
  /** The folder of the repositories, which may be changed while the server is stopped. */
  readonly repositories: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Calls the REST API as the administrator, and returns the parsed response. Throws for other statuses than 2xx. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Returns why Gerrit cannot be started here, or `undefined`. */
export function gerritObstacle(): string | undefined {
  if (process.env["GERRIT"] !== "1") return "GERRIT=1 is not set (.ci/hosts sets it)";
  if (!succeeds("javac", ["-version"])) return "there is no JDK";
  try {
    downloadPackages();
  } catch (error) {
    return `Maven could not fetch it: ${error instanceof Error ? error.message.slice(0, 300) : error}`;
  }
  return undefined;
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "trawl-tests", `gerrit-${version}`);
}

/** Starts a server without projects, on a free port. The caller must stop it. */
export async function startGerrit(): Promise<Gerrit> {
  const cache = cacheFolder();
  const classPath = checkedClassPath();
  const emptySite = join(cache, "site");
  if (!existsSync(emptySite)) createSite(emptySite, classPath);
  const site = join(temporaryFolder(), "site");
  cpSync(emptySite, site, { recursive: true });
  const origin = `http://127.0.0.1:${await freePort()}`;
  writeFileSync(join(site, "etc/gerrit.config"), configuration(origin));

  let daemon: ChildProcess | undefined;
  const gerrit: Gerrit = {
    origin,
    repositories: join(site, "git"),
    async start() {
      const args = ["daemon", "-d", site, "--console-log", "--disable-sshd", "--headless"];
      const started = spawn("java", javaArguments(classPath, args), { stdio: ["ignore", "pipe", "pipe"] });
      daemon = started;
      process.once("exit", () => started.kill("SIGKILL"));
      let output = "";
      for (const stream of [started.stdout, started.stderr])
        stream.on("data", (text: Buffer) => {
          output += text.toString();
        });
      await eventually(() => {
        if (started.exitCode !== null) throw new Error(`Gerrit exited: ${output.slice(-4000)}`);
        return /Gerrit Code Review .* ready/.test(output);
      }, 180_000);
    },
    async stop() {
      const ending = daemon;
      daemon = undefined;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = once(ending, "exit");
      ending.kill("SIGTERM");
      await ended;
    },
    async call(method, path, body) {
      const { user, password } = administrator;
      const response = await fetch(`${origin}/a${path}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text.replace(/^\)\]\}'\n/, ""));
    },
  };
  await gerrit.start();
  return gerrit;
}

function configuration(origin: string): string {
  return `[gerrit]
  basePath = git
  canonicalWebUrl = ${origin}/
[httpd]
  listenUrl = ${origin}/
[auth]
  type = DEVELOPMENT_BECOME_ANY_ACCOUNT
  gitBasicAuthPolicy = HTTP
[sshd]
  listenAddress = off
[index]
  type = lucene
[sendemail]
  enable = false
`;
}

function javaArguments(classPath: string, args: readonly string[]): readonly string[] {
  return [
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-cp",
    classPath,
    join(cacheFolder(), "RunGerrit.java"),
    ...args,
  ];
}

function packageFiles() {
  return Object.entries(packages).map(([coordinates, hash]) => {
    const [, artifact = "", release = ""] = coordinates.split(":");
    return { coordinates, hash, path: join(cacheFolder(), "packages", `${artifact}-${release}.jar`) };
  });
}

/** Downloads the packages that are missing. Throws if Maven or the network is. */
function downloadPackages(): void {
  const folder = join(cacheFolder(), "packages");
  mkdirSync(folder, { recursive: true });
  for (const { coordinates, path } of packageFiles().filter((each) => !existsSync(each.path))) {
    for (const goal of [`get -Dartifact=${coordinates} -Dtransitive=false`, `copy -Dartifact=${coordinates}`])
      run("mvn", [
        "--quiet",
        "--batch-mode",
        ...`dependency:${goal}`.split(" "),
        `-DoutputDirectory=${folder}`,
      ]);
    if (!existsSync(path)) throw new Error(`mvn did not copy ${coordinates}.`);
  }
}

/** Checks the downloaded packages, and returns the class path. */
function checkedClassPath(): string {
  const files = packageFiles();
  for (const { path, hash } of files) {
    if (createHash("sha256").update(readFileSync(path)).digest("hex") === hash) continue;
    rmSync(path);
    throw new Error(`${path} was not what it should be, and was deleted.`);
  }
  return files.map(({ path }) => path).join(delimiter);
}

/** Creates a site with its administrator. */
function createSite(folder: string, classPath: string): void {
  writeFileSync(join(cacheFolder(), "RunGerrit.java"), program);
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(join(draft, "etc"), { recursive: true });
  writeFileSync(join(draft, "etc/gerrit.config"), configuration("http://127.0.0.1:8080"));
  run(
    "java",
    javaArguments(classPath, [..."init --batch --no-auto-start --skip-plugins --dev -d".split(" "), draft]),
  );
  // It contains only a copy of the packages.
  rmSync(join(draft, "bin"), { recursive: true, force: true });
  renameSync(draft, folder);
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: runTimeoutMs,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `${stdout}${stderr}`.slice(-4000)}`);
}
