/**
 * Applies the `connections` of the configuration file when that changes. Other settings need a restart.
 *
 * Polls the file instead of watching it, which also finds files that are replaced, or that are links to others.
 */
import { stat } from "node:fs/promises";
import { isServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import { type Configuration, type ConfigurationSource, readConfigurationFile } from "./configuration";

export interface ConfigurationWatchOptions {
  /** The file, and its settings that this process has started with. */
  readonly source: ConfigurationSource;
  /** The connections that are in use, which may be newer, and whether the file contains them now. */
  readonly connections: Configuration["connections"];
  readonly isCurrent: boolean;
  readonly apply: (connections: Configuration["connections"]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const pollMs = 500;

/** The file is valid, but its connections cannot be applied, for a reason that is elsewhere. */
class UnusedConnections extends Error {
  constructor(cause: unknown) {
    super("The connections cannot be applied.", { cause });
  }
}

export class ConfigurationWatch {
  readonly #options: ConfigurationWatchOptions;
  /** The connections that were read from the file and are in use, as JSON. */
  #connections: string;
  /** The settings that need a restart and have been reported. */
  #reported = "";
  /** Identifies the content that was read last, and the one that the poll before saw. */
  #read: string | undefined;
  #seen: string | undefined;
  #problem: string | undefined;
  #cancel: (() => void) | undefined;
  #polling: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ConfigurationWatchOptions) {
    this.#options = options;
    this.#connections = options.isCurrent ? JSON.stringify(options.connections) : "";
  }

  /** Why the current file is not in use; `undefined` if it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(pollMs, () => {
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#fail(error))
        .then(() => this.start());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const current = await identify(this.#options.source.file);
    const isComplete = current === this.#seen;
    this.#seen = current;
    // A program may still be writing a file that has just changed.
    if (current === this.#read || !isComplete) return;
    this.#read = current;
    await this.#reload();
  }

  /** Rejects if the file is not usable, or cannot be applied. The connections then remain as they are. */
  async #reload(): Promise<void> {
    const { source, apply, log } = this.#options;
    const { connections = {}, ...others } = readConfigurationFile(source.file);
    const text = JSON.stringify(connections);
    if (text !== this.#connections) {
      try {
        await apply(connections);
      } catch (error) {
        // Tries again with the next poll.
        this.#read = undefined;
        throw new UnusedConnections(error);
      }
      this.#connections = text;
      log.info(`The connections of ${source.file} have been reloaded.`);
    }
    if (this.#problem !== undefined) log.warn(`${source.file} is in use again.`);
    this.#problem = undefined;
    this.#reportOthers(others);
  }

  #reportOthers(others: Readonly<Record<string, unknown>>): void {
    const { source, log } = this.#options;
    const before: Readonly<Record<string, unknown>> = { ...source.settings, connections: undefined };
    const names = [...new Set([...Object.keys(before), ...Object.keys(others)])];
    const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(others[name]));
    const list = changed.sort().join(", ");
    if (list !== "" && list !== this.#reported)
      log.warn(`${source.file} has changed. These settings need a restart of Trawl: ${list}.`);
    this.#reported = list;
  }

  #fail(error: unknown): void {
    const { source, log } = this.#options;
    const isApplied = error instanceof UnusedConnections;
    const cause = isApplied ? error.cause : error;
    const what = isApplied
      ? "has changed, but its connections cannot be applied"
      : "has changed but cannot be used";
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (this.#problem === reason) return;
    this.#problem = reason;
    const message = `${source.file} ${what}, so the previous connections remain: ${reason}`;
    if (isServiceError(cause)) log.warn(message);
    else log.error(message, { error: cause });
  }
}

/**
 * Returns the connections with which a process starts to lead, and whether they are those of the file now. Those that it
 * has read may be old, because it may have followed another process since.
 */
export function currentConnections(
  { source, connections }: Configuration,
  log: Log,
): { readonly connections: Configuration["connections"]; readonly isCurrent: boolean } {
  if (source === undefined) return { connections, isCurrent: true };
  try {
    return { connections: readConfigurationFile(source.file).connections ?? {}, isCurrent: true };
  } catch (error) {
    log.warn(`${source.file} cannot be used, so its previous connections remain.`, { error });
    return { connections, isCurrent: false };
  }
}

/** Identifies the content of a file, even if that is replaced within a tick of the clock; "absent" without one. */
async function identify(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs, uid, mode } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs, uid, mode].join(" ");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "absent" : "unreadable";
  }
}
