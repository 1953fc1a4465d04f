/** Revisions that were chosen, newest first: they come first when a repository is asked for one again. Knows no VS Code. */
import type { Memory } from "#client/search/history";

const keptAtMost = 200;
const keptOfEach = 5;
const key = "trawl.recentRevisions";

interface RecentRevision {
  readonly repository: string;
  /** As it was chosen: a name, or an expression such as `main~2`. */
  readonly ref: string;
}

export class RecentRevisions {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  of(repository: string): readonly string[] {
    return this.#kept.filter((each) => each.repository === repository).map(({ ref }) => ref);
  }

  async add(repository: string, ref: string): Promise<void> {
    const own = [ref, ...this.of(repository).filter((each) => each !== ref)].slice(0, keptOfEach);
    const others = this.#kept.filter((each) => each.repository !== repository);
    const kept = [...own.map((each) => ({ repository, ref: each })), ...others].slice(0, keptAtMost);
    await this.#memory.update(key, kept);
  }

  get #kept(): readonly RecentRevision[] {
    const kept = this.#memory.get(key);
    return Array.isArray(kept) ? kept.filter(isRecentRevision) : [];
  }
}

function isRecentRevision(value: unknown): value is RecentRevision {
  if (typeof value !== "object" || value === null) return false;
  const { repository, ref } = value as Partial<Record<keyof RecentRevision, unknown>>;
  return typeof repository === "string" && typeof ref === "string" && ref !== "";
}
