import type { Draft, ShardDirectory } from "#shard/directory/directory";

/** Thrown if drafts do not fit into the disk space of the index, and nothing may be evicted for them. */
export class IndexFull extends Error {
  /** Whether they need more than the limit even alone. */
  readonly isTooLarge: boolean;
  /** Repositories that may be evicted for them, but not while they are being indexed. */
  readonly blockers: readonly number[];

  /** Whether there is room now that the drafts are gone. */
  readonly canRetry: boolean;

  constructor({ isTooLarge = false, blockers = [], canRetry = false }: Partial<IndexFull>) {
    super("The index has reached its limit of disk space.");
    this.isTooLarge = isTooLarge;
    this.blockers = blockers;
    this.canRetry = canRetry;
  }
}

export interface DraftTask<Result> {
  /** The repositories whose drafts the task writes. */
  readonly repositoryIds: readonly number[];
  /** Whether the drafts replace what these repositories have now, which may then be removed early. */
  readonly replaces: boolean;
  readonly signal: AbortSignal;
  /** Runs the task. Calls `onDraft` with the size of each draft, and waits for it before writing the next one. */
  readonly run: (signal: AbortSignal, onDraft: (bytes: number) => Promise<void>) => Promise<Result>;
  /** Returns the paths of the drafts that a result contains. */
  readonly draftsOf: (result: Result) => readonly string[];
}

/** Keeps the drafts of shards and symbol files within the disk space of the index. */
export interface DraftGate {
  /** Runs a task that writes drafts. Throws `IndexFull`, without drafts. */
  write<Result>(task: DraftTask<Result>): Promise<Result>;
  /** Publishes drafts when there is room for them. Throws `IndexFull`, and then discards them. */
  publish<Result>(
    options: Pick<DraftTask<unknown>, "repositoryIds" | "replaces"> & { readonly paths: readonly string[] },
    publish: () => Promise<Result>,
  ): Promise<Result>;
  /** Stops counting drafts that are about to be published in place of old shards. */
  release(paths: readonly string[]): void;
  /** Removes drafts that are not published. */
  discard(paths: readonly string[]): void;
}

/** Returns the paths of drafts in the result of an index task. */
export function draftPaths(result: { readonly drafts?: readonly Draft[] } | object): readonly string[] {
  return "drafts" in result ? (result.drafts ?? []).map(({ path }) => path) : [];
}

/** Returns a gate without a limit. */
export function openGate(directory: ShardDirectory): DraftGate {
  return {
    write: ({ run, signal }) => run(signal, async () => {}),
    publish: (_options, publish) => publish(),
    release: () => {},
    discard: (paths) => directory.discard(paths),
  };
}
