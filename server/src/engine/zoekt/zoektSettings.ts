/** Zoekt nodes, as the configuration names them. */

export interface ZoektNodeSettings {
  readonly name: string;
  /** Of `zoekt-webserver -rpc`, without a slash at the end. */
  readonly url: string;
  /** The index folder of the node, absolute: on the computer of its indexer if it has one, else here. */
  readonly indexFolder?: string | undefined;
  /** Whether an indexer runs beside the node (`trawl serve --role indexer`). */
  readonly hasIndexer: boolean;
  /** The node's share of the repositories, relative to the others. */
  readonly weight: number;
}

export interface ZoektSettings {
  readonly nodes: readonly ZoektNodeSettings[];
  /** `zoekt-git-index`: an absolute path, or a name on the PATH. Absent: in `ZOEKT_BIN` or on the PATH. */
  readonly indexer?: string | undefined;
  /**
   * Where indexers fetch repositories: a URL in which `{id}` and `{name}` stand for the id and the name of a repository.
   * Absent: at the path of the repository.
   */
  readonly gitUrl?: string | undefined;
  /** Where the token is that indexers send to that URL. Absent: they send none. */
  readonly gitToken?: { readonly env?: string | undefined; readonly file?: string | undefined } | undefined;
  /** How long an indexer may give no sign of life before another one takes over its jobs. */
  readonly leaseSeconds: number;
  /** How many nodes should have each repository. */
  readonly replicas: number;
  /** The largest response of a node to one request. */
  readonly maxResponseBytes: number;
}
