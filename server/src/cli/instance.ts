/** What a command gets to work with. `entry` builds it; a command knows neither index nor sockets. */
import type { Caller } from "#contract/service";
import type { EditorSettings } from "#contract/settings";
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

/**
 * This process's way to the index: its own, or through the process that holds the data folder. A process that serves
 * takes the other's place when it ends; the caller stays the same.
 */
export interface Instance {
  readonly role: "leader" | "follower";
  readonly caller: Caller;
  /** Of the other process; absent for the leader itself. */
  readonly endpoint: Endpoint | undefined;
  /** Where this process, or else the leader, listens by now. */
  url(): string | undefined;
  /** Answers over HTTP from now on. */
  listen(): Promise<Listening>;
  /**
   * Takes what an editor is set to over the configuration, now and whenever this process leads. A process that serves
   * an editor looks for changes only after the first call.
   */
  configure(settings: EditorSettings): Promise<void>;
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
  /** `forEditor`: what is logged goes to the editor, and nothing is looked for before it has said what it wants. */
  open(configuration: Configuration, purpose: Purpose, forEditor?: "forEditor"): Promise<Instance>;
  /** Speaks LSP as the command line says until the editor is done. */
  speakLsp(configuration: Configuration, opened: Promise<Instance>): Promise<void>;
}
