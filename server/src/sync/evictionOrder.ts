/** Ranks repositories and revisions for eviction. */

/** What is known about one repository, or package, that has an index. */
export interface EvictionCandidate {
  readonly id: number;
  readonly isPackage: boolean;
  /** Whether an editor has it open, or its files have changed recently. */
  readonly isOpen: boolean;
  /** When it was last used, in milliseconds since 1970; 0 if never. */
  readonly usedAt: number;
  /** Commit date of its default revision, in milliseconds since 1970; 0 if unknown. */
  readonly changedAt: number;
  /** Bytes that only it occupies, or its share of shards that it shares with others. */
  readonly bytes: number;
  /** Indexed revisions other than the default one. */
  readonly revisions: readonly { readonly name: string; readonly usedAt: number }[];
}

/** One step: some revisions of a repository, or all of it. */
export interface Victim {
  readonly candidate: EvictionCandidate;
  /** Empty: all of it. */
  readonly revisions: readonly string[];
  /** Lower ones are evicted first. Compared number by number. */
  readonly rank: readonly number[];
}

/** A revision that was searched within this time is evicted only with its repository. */
export const recentRevisionMs = 24 * 3600_000;

const stages = { revisions: 0, packages: 1, repositories: 2, open: 3 };

/**
 * Returns what to evict, first things first: revisions that were not searched recently, then packages, then repositories,
 * and last those that are open. Within each stage, the least recently used are first, then the least recently changed.
 */
export function evictionOrder(candidates: Iterable<EvictionCandidate>, now: number): Victim[] {
  const victims: Victim[] = [];
  for (const candidate of candidates) {
    const old = candidate.revisions.filter(({ usedAt }) => usedAt <= now - recentRevisionMs);
    if (old.length > 0) {
      const usedAt = Math.max(...old.map((each) => each.usedAt));
      const rank = [stages.revisions, usedAt, candidate.usedAt, candidate.changedAt, candidate.id];
      victims.push({ candidate, revisions: old.map(({ name }) => name), rank });
    }
    victims.push({ candidate, revisions: [], rank: rankOf(candidate) });
  }
  return victims.sort((left, right) => compareRanks(left.rank, right.rank));
}

/** Returns the rank of a whole repository. */
function rankOf({ id, isPackage, isOpen, usedAt, changedAt }: Omit<EvictionCandidate, "bytes">) {
  const stage = isOpen ? stages.open : isPackage ? stages.packages : stages.repositories;
  return [stage, usedAt, changedAt, id];
}

/**
 * Whether a repository may take the place of a victim. One that a request waits for may take that of everything that was
 * not used since; others only that of what is evicted before them, so that they do not evict one another in turn.
 */
export function mayReplace(
  victim: Victim,
  { candidate, isRequested }: { readonly candidate: EvictionCandidate; readonly isRequested: boolean },
): boolean {
  if (victim.revisions.length > 0) return true;
  if (isRequested && victim.candidate.usedAt < candidate.usedAt) return true;
  return compareRanks(victim.rank, rankOf(candidate)) < 0;
}

/**
 * Returns the victims that free at least `excess` bytes if they are evicted together: the first ones, without those that
 * later, larger ones make unnecessary. Revisions of a repository that is evicted as a whole are not listed apart.
 * `revisionBytes` is what the revisions of a victim occupy.
 */
export function chooseVictims(
  order: readonly Victim[],
  excess: number,
  revisionBytes: (victim: Victim) => number,
): readonly Victim[] {
  const chosen: { readonly victim: Victim; readonly bytes: number }[] = [];
  const partial = new Map<number, number>();
  let total = 0;
  for (const victim of order) {
    if (total >= excess) break;
    const { id, bytes: allBytes } = victim.candidate;
    const isWhole = victim.revisions.length === 0;
    const bytes = isWhole ? allBytes - (partial.get(id) ?? 0) : Math.min(allBytes, revisionBytes(victim));
    if (!isWhole) partial.set(id, bytes);
    chosen.push({ victim, bytes });
    total += bytes;
  }
  const victims: Victim[] = [];
  const whole = new Set<number>();
  for (const { victim, bytes } of chosen.reverse()) {
    const { id } = victim.candidate;
    if (whole.has(id)) continue;
    if (total - bytes >= excess) {
      total -= bytes;
      continue;
    }
    if (victim.revisions.length === 0) whole.add(id);
    victims.unshift(victim);
  }
  return victims;
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
