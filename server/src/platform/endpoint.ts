/** How other processes find the one that holds a data directory: `endpoint.json` in it, and a local socket. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { ServiceError } from "#base/error";
import { type Files, replaceFile } from "./files";

/** Where the HTTP listener is looked for first. */
export const defaultPort = 4878;

export interface Endpoint {
  /** Address of the HTTP listener; absent while there is none. */
  readonly url?: string;
  /** Path of the Unix socket, or name of the pipe. */
  readonly socket: string;
  readonly pid: number;
  readonly version: string;
  /** Indexing rests, and is to rest with whoever comes next. */
  readonly isPaused?: true;
}

export function writeEndpoint(files: Files, dataDirectory: string, endpoint: Endpoint): void {
  const text = `${JSON.stringify(endpoint, null, 2)}\n`;
  replaceFile(files, endpointPath(dataDirectory), new TextEncoder().encode(text));
}

export function removeEndpoint(files: Files, dataDirectory: string): void {
  files.remove(endpointPath(dataDirectory));
}

/** Absent where no process has announced itself. Throws STORAGE_FAILED where the file says nothing that we know. */
export function readEndpoint(dataDirectory: string): Endpoint | undefined {
  let text: string;
  try {
    text = readFileSync(endpointPath(dataDirectory), "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ServiceError("STORAGE_FAILED", `Cannot read ${endpointPath(dataDirectory)}.`, { cause });
  }
  try {
    return checked(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError("STORAGE_FAILED", `${endpointPath(dataDirectory)} is damaged.`, { cause });
  }
}

function endpointPath(dataDirectory: string): string {
  return path.join(dataDirectory, "endpoint.json");
}

function checked(value: unknown): Endpoint {
  if (typeof value !== "object" || value === null) throw new TypeError("no object");
  const { url, socket, pid, version, isPaused } = value as Record<string, unknown>;
  if (typeof socket !== "string" || typeof pid !== "number" || typeof version !== "string") {
    throw new TypeError("a field is missing");
  }
  return {
    ...(typeof url === "string" ? { url } : {}),
    socket,
    pid,
    version,
    ...(isPaused === true ? { isPaused } : {}),
  };
}

/**
 * Where the local socket of a data directory lies: in it, else, where that path is longer than systems allow (104
 * bytes on macOS), in a folder of this user's own in the temporary folder. On Windows the name of a pipe.
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
