/** How other processes find the one that owns a data directory: `endpoint.json` in it, and a local socket. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Files, replaceFileUnflushed } from "./files";

/** The HTTP port that is tried first. */
export const defaultPort = 4878;

/** The access rules of a leader's port. A process that takes over the port takes over its rules. */
export interface PortAccess {
  /** The address that the port is bound to, as configured. */
  readonly host: string;
  /** Whether requests without credentials are allowed. `untilKeys`: until the first API key is created. */
  readonly anonymous: "on" | "off" | "untilKeys";
  /** Which repositories each caller may see, in the form of the configuration. */
  readonly repositoryRules?: readonly object[];
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** The content of `endpoint.json`. */
export interface Endpoint {
  /** Address of the HTTP listener; absent while there is none. */
  readonly url?: string;
  /** Path of the Unix socket, or name of the pipe. */
  readonly socket: string;
  readonly pid: number;
  readonly version: string;
  /** Indexing is paused, and stays paused when another process takes over. */
  readonly isPaused?: true;
  /** The rules for `url`. Absent if there is no port, and in files of versions that did not write it. */
  readonly access?: PortAccess;
  /** Identifies what the leader checks credentials against: equal for processes that accept the same ones. */
  readonly authority?: string;
}

/** Returns the text of `endpoint.json`. */
export function endpointText(endpoint: Endpoint): string {
  return `${JSON.stringify(endpoint, null, 2)}\n`;
}

/** Does not flush it, because the process that it names would not survive a power failure either. */
export function writeEndpoint(files: Files, dataDirectory: string, text: string): void {
  replaceFileUnflushed(files, endpointPath(dataDirectory), new TextEncoder().encode(text));
}

export function removeEndpoint(files: Files, dataDirectory: string): void {
  files.remove(endpointPath(dataDirectory));
}

/** Whether `endpoint.json` contains exactly `text`. */
export function isEndpointText(dataDirectory: string, text: string): boolean {
  return readText(dataDirectory) === text;
}

/** Reads `endpoint.json`. Returns undefined if the file is missing, damaged or unreadable. */
export function readEndpoint(dataDirectory: string): Endpoint | undefined {
  const text = readText(dataDirectory);
  if (text === undefined) return undefined;
  try {
    return parseEndpoint(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function readText(dataDirectory: string): string | undefined {
  try {
    return readFileSync(endpointPath(dataDirectory), "utf8");
  } catch {
    return undefined;
  }
}

function endpointPath(dataDirectory: string): string {
  return path.join(dataDirectory, "endpoint.json");
}

function parseEndpoint(value: unknown): Endpoint | undefined {
  if (!isRecord(value)) return undefined;
  const { url, socket, pid, version, isPaused, authority } = value;
  if (typeof socket !== "string" || typeof pid !== "number" || typeof version !== "string") return undefined;
  const access = parseAccess(value["access"]);
  return {
    ...(typeof url === "string" && URL.canParse(url) ? { url } : {}),
    socket,
    pid,
    version,
    ...(isPaused === true ? { isPaused } : {}),
    ...(access === undefined ? {} : { access }),
    ...(typeof authority === "string" ? { authority } : {}),
  };
}

/** Returns undefined for incomplete rules: a guess could allow requests that were forbidden. */
function parseAccess(value: unknown): PortAccess | undefined {
  if (!isRecord(value)) return undefined;
  const { host, anonymous, repositoryRules, publicUrl, allowedHosts, allowedOrigins } = value;
  if (typeof host !== "string" || !isStringArray(allowedHosts) || !isStringArray(allowedOrigins))
    return undefined;
  if (anonymous !== "on" && anonymous !== "off" && anonymous !== "untilKeys") return undefined;
  if (repositoryRules !== undefined && !isObjectArray(repositoryRules)) return undefined;
  if (publicUrl !== undefined && typeof publicUrl !== "string") return undefined;
  return {
    host,
    anonymous,
    ...(repositoryRules === undefined ? {} : { repositoryRules }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedHosts,
    allowedOrigins,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isObjectArray(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isRecord);
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/**
 * Returns the sockets on which a leader may listen, the announced one first. A socket that is not announced is trusted
 * only if no other user can create files in its folder.
 */
export function socketCandidates(dataDirectory: string, announced: Endpoint | undefined): readonly string[] {
  const defaultSocket = socketPath(dataDirectory);
  const sockets = announced === undefined ? [] : [announced.socket];
  const isPipe = defaultSocket.startsWith("\\\\");
  const isTrusted = !isPipe && existsSync(defaultSocket) && isPrivateFolder(path.dirname(defaultSocket));
  return isTrusted && defaultSocket !== announced?.socket ? [...sockets, defaultSocket] : sockets;
}

/** Whether only this user can create files in `folder`. */
export function isPrivateFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return isOwnFolder(folder) && (stats.mode & 0o022) === 0;
}

/** Whether `folder` belongs to this user; always on Windows. */
export function isOwnFolder(folder: string): boolean {
  return process.getuid === undefined || lstatSync(folder).uid === process.getuid();
}

/**
 * Returns the path of the local socket: in the data directory or, if that path is longer than systems allow (104 bytes
 * on macOS), in a private folder below the temporary folder. On Windows, returns the name of a pipe.
 */
export function socketPath(
  dataDirectory: string,
  platform: NodeJS.Platform = process.platform,
  temporaryFolder: string = os.tmpdir(),
  user: string = String(process.getuid?.() ?? ""),
): string {
  const hash = createHash("sha256").update(dataDirectory).digest("hex").slice(0, 16);
  if (platform === "win32") return `\\\\.\\pipe\\trawl-${hash}`;
  const inside = path.posix.join(dataDirectory, "trawl.sock");
  if (Buffer.byteLength(inside) <= 100) return inside;
  return path.posix.join(temporaryFolder, `trawl-${user}`, `${hash}.sock`);
}
