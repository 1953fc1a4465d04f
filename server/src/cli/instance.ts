/** What a command gets to work with. `entry` builds it; a command knows neither index nor sockets. */
import type { Caller } from "#contract/service";
import type { Configuration } from "./configuration";
import type { Terminal } from "./terminal";

/**
 * What this process wants of the data folder.
 *
 * `read` and `change` answer from the index as it is; `index` and `serve` bring it up to date as well. Only a process
 * that serves stays, so that others wait for the end of the rest rather than follow it.
 */
export type Purpose = "read" | "change" | "index" | "serve";

/** The Trawl that holds the data folder. */
export interface Endpoint {
  /** Absent while it does not listen. */
  readonly url?: string;
  readonly pid: number;
  readonly version: string;
}

/** This process's way to the index: its own, or through the process that holds the data folder. */
export interface Instance {
  readonly role: "leader" | "follower";
  readonly caller: Caller;
  /** Of the other process; absent for the leader itself. */
  readonly endpoint?: Endpoint;
  /** Where this process, or else the leader, listens by now. */
  url(): string | undefined;
  /** Answers over HTTP from now on. */
  listen(): Promise<Listening>;
  /** Ends everything that was opened, once. */
  close(): Promise<void>;
}

export interface Listening {
  readonly url: string;
  /** Whether requests without credentials are answered, and whether that is so without having been asked for. */
  readonly anonymous: boolean;
  readonly anonymousByDefault: boolean;
}

export interface House {
  readonly version: string;
  readonly terminal: Terminal;
  readonly currentFolder: string;
  readonly defaultDataDir: string;
  /** Fires when the person or the system asks the process to end. */
  readonly interrupted: AbortSignal;
  open(configuration: Configuration, purpose: Purpose): Promise<Instance>;
  /** Speaks LSP as the command line says until the editor is done. */
  speakLsp(configuration: Configuration, opened: Promise<Instance>): Promise<void>;
}
