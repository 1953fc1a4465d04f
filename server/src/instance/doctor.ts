/** Checks whether Trawl can work on this computer with a configuration. Changes nothing. */
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  watch,
} from "node:fs";
import { dirname, join } from "node:path";
import { checkGitVersion, oldestVersion } from "#git/git";
import { defaultPort, isOwnFolder } from "#platform/endpoint";
import type { Log } from "#platform/log";
import { connectRemote } from "#remote/remote";
import { findPort } from "#transport/http/httpServer";
import { checkLogin, checkSecretFiles, checkSecrets } from "./accessChecks";
import type { Configuration } from "./configuration";
import { isNewerFormat } from "./dataFormat";
import { type Finding, messageOf, ok, problem, type Result, warning } from "./finding";
import { findLeader } from "./role";

type Check = (configuration: Configuration, log: Log) => Result | undefined | Promise<Result | undefined>;

const MB = 1024 * 1024;
/** Building a shard may need this much. */
const minFreeBytes = 500 * MB;
const lowFreeBytes = 5000 * MB;
/** One watch for each folder: fewer are reached by a few large repositories. */
const minWatches = 65_536;
const oldestNode = [20, 19] as const;

/** In the order in which they are printed. Each reports one thing; `undefined` means that it does not apply. */
const checks: Readonly<Record<string, Check>> = {
  git: checkGit,
  "Node.js": checkNode,
  "data directory": checkDataDirectory,
  "disk space": checkDiskSpace,
  "file system": checkFileSystem,
  clock: checkClock,
  "file watches": checkWatches,
  port: checkPort,
  configuration: checkConfiguration,
  database: checkDatabase,
  login: checkLogin,
  secrets: checkSecrets,
  "secret files": checkSecretFiles,
  paths: checkPaths,
};

/** Runs all checks. A check that fails unexpectedly is a problem by itself. */
export async function examine(configuration: Configuration, log: Log): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      const finding = await check(configuration, log);
      if (finding !== undefined) findings.push({ name, ...finding });
    } catch (error) {
      findings.push({ name, outcome: "problem", detail: messageOf(error) });
    }
  }
  return findings;
}

async function checkGit(): Promise<Result> {
  try {
    return ok(await checkGitVersion());
  } catch (error) {
    const required = `git ${oldestVersion.join(".")} or newer`;
    const advice = `Install ${required}, and make sure that it is on the PATH of the user who runs Trawl.`;
    return problem(messageOf(error), advice);
  }
}

function checkNode(): Result {
  const detail = process.versions.node;
  const [major = 0, minor = 0] = detail.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(detail);
  return problem(detail, `Install Node.js ${oldestNode.join(".")} or newer.`);
}

function checkDataDirectory({ dataDir }: Configuration): Result {
  const folder = nearestFolder(dataDir);
  const advice = "Change its owner or permissions, or choose another folder with --data-dir.";
  if (!statSync(folder).isDirectory()) return problem(`${folder} is not a folder.`, advice);
  // Even root cannot use the data directory of another user, because clients of its socket act as its owner.
  if (folder === dataDir && !isOwnFolder(dataDir)) {
    const detail = `${dataDir} belongs to another user.`;
    return problem(
      detail,
      "Run Trawl as that user, or change the owner of the folder and of all files in it.",
    );
  }
  const code = accessErrorOf(folder);
  if (code === "EROFS") {
    const detail = `${folder} is on a file system that is mounted read-only.`;
    return problem(detail, "Mount it with write access, or choose another folder with --data-dir.");
  }
  if (code !== undefined) return problem(`Cannot write to ${folder} (${code}).`, advice);
  if (folder !== dataDir) return ok(`${dataDir} will be created.`);
  const refused = readdirSync(dataDir).find((name) => accessErrorOf(join(dataDir, name)) !== undefined);
  if (refused !== undefined) {
    const detail = `Cannot read and write ${join(dataDir, refused)}.`;
    return problem(detail, "Change the owner of all files in the folder to the user who runs Trawl.");
  }
  if (isNewerFormat(dataDir)) {
    const detail = `${dataDir} was written by a newer Trawl.`;
    return problem(detail, "Update this Trawl, or choose another folder.");
  }
  if (process.platform !== "win32" && (statSync(dataDir).mode & 0o077) !== 0) {
    const detail = `Other users can read ${dataDir}.`;
    return warning(detail, `Run chmod go= ${dataDir}.`);
  }
  return ok(dataDir);
}

/** Returns the code of the error if this user may not read and write `path`; files that are gone by now count as usable. */
function accessErrorOf(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (statSync(path).isDirectory() ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : code;
  }
}

function checkDiskSpace({ dataDir }: Configuration): Result {
  const { bavail, bsize } = statfsSync(nearestFolder(dataDir));
  const freeBytes = bavail * bsize;
  const detail = `${Math.floor(freeBytes / MB).toLocaleString("en-US")} MB free.`;
  if (freeBytes >= lowFreeBytes) return ok(detail);
  const advice = "An index takes 1 to 1.5 times the size of its text. Free some space, or use --data-dir.";
  return freeBytes < minFreeBytes ? problem(detail, advice) : warning(detail, advice);
}

/** Numbers of `statfs`, from Linux's `magic.h`. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
]);

function checkFileSystem({ dataDir }: Configuration): Result | undefined {
  if (process.platform !== "linux") return undefined;
  const network = networkFileSystems.get(statfsSync(nearestFolder(dataDir)).type);
  if (network === undefined) return undefined;
  const detail = `The data directory is on a network file system (${network}), which is untested.`;
  return warning(detail, "Use a local disk.");
}

/** Licenses, sessions and polling depend on a clock that does not go backward. */
function checkClock({ dataDir }: Configuration): Result | undefined {
  const file = join(dataDir, "catalogue.json");
  if (!existsSync(file)) return undefined;
  const aheadMs = statSync(file).mtimeMs - Date.now();
  if (aheadMs < 60_000) return ok(new Date().toISOString());
  const detail = `The index was written in the future, at ${statSync(file).mtime.toISOString()}.`;
  return warning(detail, "Set the clock of this computer.");
}

function checkWatches({ dataDir }: Configuration): Result | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    watch(nearestFolder(dataDir)).close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const limit = code === "EMFILE" ? "max_user_instances=1024" : "max_user_watches=524288";
    if (code !== "EMFILE" && code !== "ENOSPC") throw error;
    const detail = "No folder can be watched: other programs of this user have reached the limit.";
    return warning(detail, `Until then, Trawl polls. Run sysctl fs.inotify.${limit}, or a higher number.`);
  }
  const limit = Number(readFileSync("/proc/sys/fs/inotify/max_user_watches", "utf8"));
  const detail = `${limit.toLocaleString("en-US")} folders can be watched.`;
  if (limit >= minWatches) return ok(detail);
  const advice = "Beyond that, Trawl polls. Run sysctl fs.inotify.max_user_watches=524288.";
  return warning(detail, advice);
}

async function checkPort({ dataDir, host, port }: Configuration): Promise<Result> {
  const { url } = (await findLeader(dataDir, new AbortController().signal)) ?? {};
  if (url !== undefined && (port === undefined || Number(new URL(url).port) === port))
    return ok(`Trawl listens at ${url}.`);
  try {
    const found = await findPort(host, port);
    const isNext = port === undefined && found !== defaultPort;
    const detail = isNext
      ? `${defaultPort} is in use, so the next server will listen on ${found}.`
      : `${found} is free.`;
    return ok(detail);
  } catch (error) {
    return problem(messageOf(error), "Choose another one with --port.");
  }
}

/** Reports a change of the configuration file that the running server does not use. */
async function checkConfiguration({ dataDir }: Configuration): Promise<Result | undefined> {
  const { signal } = new AbortController();
  const endpoint = await findLeader(dataDir, signal);
  if (endpoint === undefined) return undefined;
  const remote = connectRemote(endpoint.socket);
  try {
    const call = { credentials: { kind: "local" }, signal } as const;
    const { configurationProblem } = await remote.call<"instance">("instance", {}, call);
    if (configurationProblem === undefined) return undefined;
    const detail = `The running server keeps its previous connections: ${configurationProblem}`;
    return problem(detail, "Correct what the message names. The configuration file is then read at once.");
  } finally {
    await remote.close();
  }
}

async function checkDatabase({ database }: Configuration, log: Log): Promise<Result | undefined> {
  if (database === undefined) return undefined;
  const { postgresVersion } = await import("#store/postgres");
  try {
    return ok(`PostgreSQL ${await postgresVersion(database, log)}`);
  } catch (error) {
    // The message contains neither the address nor the password.
    const advice = "Check the address, the user, and whether the server accepts connections from here.";
    return problem(messageOf(error), advice);
  }
}

function checkPaths({ paths }: Configuration): Result | undefined {
  if (paths.length === 0) return undefined;
  const unreadable = paths.filter((path) => !isReadable(path));
  if (unreadable.length === 0) return ok(paths.join(", "));
  const detail = `Cannot read ${unreadable.join(", ")}.`;
  return problem(detail, "Check the paths and their permissions.");
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path itself, or the nearest one above it that exists. */
function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
