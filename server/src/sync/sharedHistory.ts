/**
 * Recognizes clones of mirrored repositories whose remote has another address, such as an alias of SSH, another port or
 * the name of a proxy: the path is the same, and the mirror contains the first commit of the clone.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
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

/** How clones relate to the mirrors that have or had their path. */
export interface CloneComparison {
  /** The mirrors that contain the first commit of each clone, by their numbers. */
  readonly mirrorsOf: ReadonlyMap<RepositoryId, readonly number[]>;
  /** Clones that may be of a mirror that cannot be compared: it does not exist yet or lacks old commits, or git failed. */
  readonly undecided: ReadonlySet<RepositoryId>;
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

  async compare(mirrors: readonly MirrorRecord[], clones: readonly NamedClone[]): Promise<CloneComparison> {
    const byPath = new Map<string, Repository[]>();
    for (const { repository, name } of clones) {
      const slash = name.indexOf("/");
      if (slash <= 0 || repository.gitDir === undefined) continue;
      const path = name.slice(slash + 1);
      byPath.set(path, [...(byPath.get(path) ?? []), repository]);
    }
    this.#awaited.clear();
    const mirrorsOf = new Map<RepositoryId, number[]>();
    const undecided = new Set<RepositoryId>();
    for (const mirror of byPath.size === 0 ? [] : mirrors) {
      const { number } = mirror;
      const path = this.#state.pathOf(mirror);
      for (const clone of pathsOf(mirror).flatMap((each) => byPath.get(each) ?? [])) {
        if (!existsSync(path)) this.#awaited.add(path);
        const isShared = await this.#isShared(clone, number, path);
        if (isShared === undefined) undecided.add(clone.id);
        else if (isShared) mirrorsOf.set(clone.id, [...(mirrorsOf.get(clone.id) ?? []), number]);
      }
    }
    return { mirrorsOf, undecided };
  }

  async #isShared(
    { path: clonePath }: Repository,
    number: number,
    path: string,
  ): Promise<boolean | undefined> {
    const key = `${clonePath}\n${number}`;
    const known = this.#known.get(key);
    if (known !== undefined || !existsSync(path)) return known;
    const clone = findGitRepository(clonePath);
    const root = clone && (await output(clone, ["rev-list", "--max-parents=0", "--max-count=1", "HEAD"]));
    if (root === undefined || !/^[0-9a-f]{40,64}$/.test(root)) return undefined;
    const found = await output(openGitRepository(path), [
      "rev-parse",
      "--quiet",
      "--verify",
      `${root}^{commit}`,
    ]);
    const isUndecided = found === undefined || (found !== root && existsSync(join(path, "shallow")));
    if (isUndecided) return undefined;
    this.#known.set(key, found === root);
    return found === root;
  }
}

/** Returns the paths that a mirror has or had on its host, in lower case. */
export function pathsOf({ repository, formerPaths = [] }: MirrorRecord): readonly string[] {
  return [...new Set([repository.path, ...formerPaths].map((each) => each.toLowerCase()))];
}

/** Returns `undefined` if git fails, as in an empty repository. A missing object is no failure. */
async function output(
  repository: Parameters<typeof runGit>[0],
  args: readonly string[],
): Promise<string | undefined> {
  try {
    return (await runGit(repository, args, { timeoutMs, acceptedExitCode: 1 })).toString("latin1").trim();
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}
