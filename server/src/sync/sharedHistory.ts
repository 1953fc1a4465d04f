/**
 * Recognizes clones of mirrored repositories whose remote has another address, such as an alias of SSH, another port or
 * the name of a proxy: the path is the same, and the mirror contains the first commit of the clone.
 */
import { existsSync } from "node:fs";
import { isServiceError } from "#base/error";
import { runGit } from "#git/git";
import { findGitRepository, openGitRepository } from "#git/repository";
import type { MirrorRecord } from "#mirrors/mirrorRecord";
import type { MirrorState } from "#mirrors/state";
import type { Repository, RepositoryId } from "#model/repository";

/** A clone, and the name of its remote in lower case. */
export interface NamedClone {
  readonly repository: Repository;
  readonly name: string;
}

const timeoutMs = 30_000;

export class SharedHistory {
  readonly #state: Pick<MirrorState, "pathOf">;
  /** By the path of the clone and the number of the mirror. */
  readonly #known = new Map<string, boolean>();
  /** Paths of mirrors that were to be compared with a clone, and did not exist yet. */
  readonly #awaited = new Set<string>();

  constructor(state: Pick<MirrorState, "pathOf">) {
    this.#state = state;
  }

  /** Whether the mirror at a path has been created since it was to be compared. */
  isAwaited(path: string): boolean {
    return this.#awaited.has(path) && existsSync(path);
  }

  /**
   * Returns the clones of mirrors, by the number of the mirror. Mirrors that do not exist yet have none, and neither have
   * those on several hosts that match the same clone.
   */
  async match(
    mirrors: readonly MirrorRecord[],
    clones: readonly NamedClone[],
  ): Promise<ReadonlyMap<number, RepositoryId>> {
    const byPath = new Map<string, Repository>();
    for (const { repository, name } of clones) {
      const slash = name.indexOf("/");
      if (slash > 0 && repository.gitDir !== undefined) byPath.set(name.slice(slash + 1), repository);
    }
    this.#awaited.clear();
    const found = new Map<number, RepositoryId>();
    for (const mirror of byPath.size === 0 ? [] : mirrors) {
      const clone = byPath.get(mirror.repository.path.toLowerCase());
      if (clone === undefined) continue;
      const path = this.#state.pathOf(mirror);
      if (!existsSync(path)) this.#awaited.add(path);
      else if (await this.#isShared(clone, mirror.number, path)) found.set(mirror.number, clone.id);
    }
    const matches = [...found.values()];
    return new Map([...found].filter(([, id]) => matches.indexOf(id) === matches.lastIndexOf(id)));
  }

  async #isShared({ path: clonePath }: Repository, number: number, path: string): Promise<boolean> {
    const key = `${clonePath}\n${number}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const clone = findGitRepository(clonePath);
    const root = clone && (await output(clone, ["rev-list", "--max-parents=0", "--max-count=1", "HEAD"]));
    const isShared =
      root !== undefined &&
      /^[0-9a-f]{40,64}$/.test(root) &&
      (await output(openGitRepository(path), ["cat-file", "-t", root])) === "commit";
    this.#known.set(key, isShared);
    return isShared;
  }
}

/** Returns `undefined` if git fails, as in an empty repository. */
async function output(
  repository: Parameters<typeof runGit>[0],
  args: readonly string[],
): Promise<string | undefined> {
  try {
    return (await runGit(repository, args, { timeoutMs })).toString("latin1").trim();
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}
