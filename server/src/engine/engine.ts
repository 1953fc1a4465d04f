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

/** Asks how many documents there are of each kind. */
export interface CountRequest {
  /**
   * By Linguist's names; by what stands next in their paths behind `folder` (empty, or ending in `/`), which is a name,
   * with a `/` behind it if it is a folder's; or by whole paths, for files below `folder` whose own names begin with
   * `start`; ASCII letters in capitals or not, and
   * no more of them than some hundreds.
   */
  readonly by:
    | { readonly kind: "language" }
    | { readonly kind: "name"; readonly folder: string }
    | { readonly kind: "path"; readonly folder: string; readonly start: string };
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  /** As a `rev:` names them; without any, what a search without one sees, less what is not saved. */
  readonly revisions: readonly string[];
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
  /** Quick enough for every key that is pressed. What is lost with a damaged shard is not counted. */
  count(request: CountRequest, signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}
