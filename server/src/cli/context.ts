/** What a command depends on. `entry` builds it, so that commands depend on neither the index nor sockets. */
import type { NewNode } from "#instance/clusterNodes";
import type { ClusterStatus } from "#instance/clusterStatus";
import type { Configuration } from "#instance/configuration";
import type { Indexer } from "#instance/indexer";
import type { Instance } from "#instance/instance";
import type { Purpose } from "#instance/leader";
import type { Terminal } from "./terminal";

export interface CommandContext {
  readonly version: string;
  /** Absolute path of the program, as its users start it with Node. */
  readonly programPath: string;
  readonly terminal: Terminal;
  readonly currentFolder: string;
  readonly defaultDataDir: string;
  /** Fires when the process is asked to exit. */
  readonly interrupted: AbortSignal;
  /** Opens an instance. With `forEditor`, logs go to the editor, and indexing waits for the editor's settings. */
  open(configuration: Configuration, purpose: Purpose, forEditor?: "forEditor"): Promise<Instance>;
  /**
   * Speaks LSP over the transport that the command line names, until the editor disconnects. Calls `onClient` when the
   * client has sent its capabilities, with a function that shows messages: in the editor's log if the client also shows
   * progress, else on standard error.
   */
  serveLsp(
    configuration: Configuration,
    opened: Promise<Instance>,
    onClient: (printError: Terminal["printError"]) => void,
  ): Promise<void>;
  /** Starts to index for a Zoekt node (`instance/indexer.ts`). */
  openIndexer(configuration: Configuration, node: string): Promise<Indexer>;
  /** Adds a Zoekt node to the configuration file (`instance/clusterNodes.ts`). Returns the path of the file. */
  addClusterNode(configuration: Configuration, node: NewNode): Promise<string>;
  /** Opens the database of a cluster of Zoekt nodes. */
  openCluster(configuration: Configuration): Promise<OpenCluster>;
  /** Speaks MCP on standard input and output until the client disconnects. */
  serveMcp(opened: Promise<Instance>, options: { readonly isStructured: boolean }): Promise<void>;
}

/** See `instance/clusterStatus.ts`. */
export interface OpenCluster {
  status(): Promise<ClusterStatus>;
  setDrained(node: string, isDrained: boolean): Promise<void>;
  close(): Promise<void>;
}
