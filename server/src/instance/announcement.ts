/**
 * How other processes find the leader: `endpoint.json`, and the local socket that it names.
 *
 * These files may be removed or damaged at any time, so the leader restores them while it holds the lock. It never
 * removes the files of another leader.
 */
import { lstatSync, rmSync } from "node:fs";
import type { Caller } from "#contract/service";
import {
  type Endpoint,
  endpointText,
  isEndpointText,
  readEndpoint,
  removeEndpoint,
  socketPath,
  writeEndpoint,
} from "#platform/endpoint";
import { diskFiles } from "#platform/files";
import type { Log } from "#platform/log";
import type { Listener } from "#transport/http/listener";

export interface AnnouncementOptions {
  readonly dataDir: string;
  readonly caller: Caller;
  readonly log: Log;
  /** Returns the current announcement, without the socket. */
  readonly describe: () => Omit<Endpoint, "socket">;
}

const announcementFailed =
  "Cannot write endpoint.json, so other processes may not find this one. Trying again.";
const socketFailed = "Cannot restore the local socket, which was removed. Trying again.";

export class Announcement {
  readonly #options: AnnouncementOptions;
  readonly #socket: string;
  readonly #listeners: Listener[] = [];
  /** Identity of our socket file; absent before listening, and for pipes, which are not files. */
  #socketFile: string | undefined;
  #text: string | undefined;
  /** Failures that were already logged. Each is logged once, not on every retry. */
  readonly #failing = new Set<string>();
  #isRestoringSocket = false;
  #isClosed = false;

  constructor(options: AnnouncementOptions) {
    this.#options = options;
    this.#socket = socketPath(options.dataDir);
  }

  /** Listens on the socket. Throws USAGE if that fails. */
  async listen(): Promise<void> {
    const { caller, log } = this.#options;
    const { listen } = await import("#transport/http/listener");
    this.#listeners.push(await listen({ caller, log, socket: this.#socket }));
    this.#socketFile = fileIdentity(this.#socket);
  }

  /** Announces the current state. A failure is only logged, because `restore` tries again. */
  readonly update = (): void => {
    if (this.#isClosed) return;
    const { dataDir, describe } = this.#options;
    this.#text = endpointText({ ...describe(), socket: this.#socket });
    try {
      writeEndpoint(diskFiles, dataDir, this.#text);
      this.#failing.delete(announcementFailed);
    } catch (error) {
      this.#warnOnce(announcementFailed, error);
    }
  };

  /** Restores the files if something removed or damaged them. Call it only while holding the lock. */
  readonly restore = (): void => {
    const { dataDir } = this.#options;
    if (this.#text === undefined || this.#isClosed) return;
    if (!isEndpointText(dataDir, this.#text)) this.update();
    // A socket that is not listening yet, or is a pipe, is not missing.
    if (this.#socketFile === undefined || this.#isRestoringSocket || fileIdentity(this.#socket) !== undefined)
      return;
    // Clients that are connected stay connected to the old socket.
    this.#isRestoringSocket = true;
    this.listen()
      .then(() => this.#failing.delete(socketFailed))
      .catch((error: unknown) => this.#warnOnce(socketFailed, error))
      .finally(() => {
        this.#isRestoringSocket = false;
      });
  };

  #warnOnce(message: string, error: unknown): void {
    if (this.#failing.has(message)) return;
    this.#failing.add(message);
    this.#options.log.warn(message, { error });
  }

  /** Removes this process's own files at exit. */
  readonly removeFiles = (): void => {
    const { dataDir } = this.#options;
    this.#isClosed = true;
    try {
      const found = readEndpoint(dataDir);
      if (found === undefined || found.pid === process.pid) removeEndpoint(diskFiles, dataDir);
    } finally {
      const isOurs = this.#socketFile !== undefined && fileIdentity(this.#socket) === this.#socketFile;
      if (isOurs) rmSync(this.#socket, { force: true });
    }
  };

  /** Stops listening, and keeps the files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#listeners.map((listener) => listener.close()));
  }
}

/** Distinguishes a file from a later one at the same path; `undefined` if there is none, and for pipes. */
function fileIdentity(path: string): string | undefined {
  if (path.startsWith("\\\\")) return undefined;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
