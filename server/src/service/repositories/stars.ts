/** The stars of repositories on their code hosts, in the form in which engines use them for ranking. */
import type { Repository } from "#model/repository";

const maxLevel = 20;

/** By the list of repositories, which is replaced, never modified. */
const known = new WeakMap<readonly Repository[], Uint8Array<SharedArrayBuffer>>();

/** Returns how often the stars of a repository have doubled, rounded up: 0 without stars, 10 for a thousand. */
function starLevel({ stars = 0 }: Pick<Repository, "stars">): number {
  return Math.min(maxLevel, Math.ceil(Math.log2(1 + stars)));
}

/** Returns the level of each repository by its id; `undefined` if none has stars. Computed once for each list. */
export function starLevelsOf(all: readonly Repository[]): Uint8Array<SharedArrayBuffer> | undefined {
  let levels = known.get(all);
  if (levels === undefined) {
    const maxId = all.reduce((max, { id, stars = 0 }) => (stars > 0 ? Math.max(max, id) : max), -1);
    levels = new Uint8Array(new SharedArrayBuffer(maxId + 1));
    for (const repository of all) if (repository.stars) levels[repository.id] = starLevel(repository);
    known.set(all, levels);
  }
  return levels.length === 0 ? undefined : levels;
}

/** Returns the repositories in descending order of their stars. Those with a similar number keep their order. */
export function byStars(repositories: readonly Repository[]): readonly Repository[] {
  return repositories.toSorted((left, right) => starLevel(right) - starLevel(left));
}
