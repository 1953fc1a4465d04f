/** Zoekt nodes, as the configuration names them. */

export interface ZoektNodeSettings {
  readonly name: string;
  /** Of `zoekt-webserver -rpc`, without a slash at the end. */
  readonly url: string;
  /** The index folder of the node, absolute, if this process may write to it. */
  readonly indexFolder?: string | undefined;
  /** The node's share of the repositories, relative to the others. */
  readonly weight: number;
}

export interface ZoektSettings {
  readonly nodes: readonly ZoektNodeSettings[];
  /** `zoekt-git-index`: an absolute path, or a name on the PATH. Absent: in `ZOEKT_BIN` or on the PATH. */
  readonly indexer?: string | undefined;
  /** How many nodes should have each repository. */
  readonly replicas: number;
  /** The largest response of a node to one request. */
  readonly maxResponseBytes: number;
}
