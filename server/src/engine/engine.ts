/**
 * An engine finds. It is given a plan in which every decision is already made, and knows neither who asks nor git.
 *
 * The embedded engine lives in `engine/embedded`; it is named in `entry` and in tests, nowhere else.
 */
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { SearchStats } from "#model/stats";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";

/** A document that lives in an editor: it stands over the working tree and over every revision that is no `rev:`. */
export interface UnsavedDocument {
  readonly repositoryId: RepositoryId;
  /** Relative to the repository's root, `/`-separated. */
  readonly path: string;
  readonly text: string;
  /** Linguist's name, `""` if unknown. */
  readonly language: string;
  /** Changes whenever `text` does, for the same path. */
  readonly version: string;
}

export interface SearchPlan {
  /** Of the kinds about repositories only `repositoryIds` is left. */
  readonly query: Query;
  /** Ids that the caller may see. */
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  readonly limits: Limits;
  readonly unsaved: readonly UnsavedDocument[];
  /** Repositories open in the editor or recently used: a little before the others. */
  readonly preferred: readonly RepositoryId[];
}

export interface EngineResult {
  /** Best first. */
  readonly files: readonly FileMatch[];
  readonly stats: SearchStats;
  /** False when a limit, a damaged shard or a missing symbol index may have hidden a match. */
  readonly exhaustive: boolean;
}

export interface Engine {
  /**
   * With `onFiles`, files are handed over as they are found and the result carries none. Where it gives a promise, no
   * more are looked for until that is kept.
   */
  search(
    plan: SearchPlan,
    signal: AbortSignal,
    onFiles?: (files: readonly FileMatch[]) => Promise<void> | void,
  ): Promise<EngineResult>;
  close(): Promise<void>;
}
