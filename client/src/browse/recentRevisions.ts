/** Recently picked revisions of each repository, latest first. Pure: does not use VS Code. */
import type { Memento } from "#client/workbench/memento";

const maxEntries = 200;
const maxPerRepository = 5;
const key = "trawl.recentRevisions";

interface RecentRevision {
  readonly repository: string;
  /** As the user picked it: a name, or an expression such as `main~2`. */
  readonly ref: string;
}

export class RecentRevisions {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  of(repository: string): readonly string[] {
    return this.#entries.filter((each) => each.repository === repository).map(({ ref }) => ref);
  }

  async add(repository: string, ref: string): Promise<void> {
    const own = [ref, ...this.of(repository).filter((each) => each !== ref)].slice(0, maxPerRepository);
    const others = this.#entries.filter((each) => each.repository !== repository);
    const kept = [...own.map((each) => ({ repository, ref: each })), ...others].slice(0, maxEntries);
    await this.#memento.update(key, kept);
  }

  get #entries(): readonly RecentRevision[] {
    const stored = this.#memento.get(key);
    return Array.isArray(stored) ? stored.filter(isRecentRevision) : [];
  }
}

function isRecentRevision(value: unknown): value is RecentRevision {
  if (typeof value !== "object" || value === null) return false;
  const { repository, ref } = value as Partial<Record<keyof RecentRevision, unknown>>;
  return typeof repository === "string" && typeof ref === "string" && ref !== "";
}
