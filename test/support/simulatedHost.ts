/** A code host in memory with a random history, for tests of what is removed. */
import type { HostRepository, LookUp, ScopeListing } from "#hosts/codeHost";
import { Random } from "#test/support/corpus";

export interface SimulatedHost {
  now: number;
  readonly fingerprint: string;
  /** Changes repositories at random, and lets up to two days pass. */
  step(): void;
  list(hasFaults: boolean): ScopeListing[];
  lookUp(hostId: string, hasFaults: boolean): LookUp;
  isGone(hostId: string): boolean;
  /** Returns the ids that exist in a listed scope, and those of `known` that exist elsewhere. */
  mirroredIds(known: readonly string[]): readonly string[];
}

interface Simulated {
  readonly id: string;
  /** `away` is a scope that the connection does not list. */
  scope: "a" | "b" | "away";
  path: string;
  isGone: boolean;
}

export function describeRepository(hostId: string, path: string): HostRepository {
  return {
    hostId,
    path,
    cloneUrl: `https://git.example.com/${path}.git`,
    visibility: "public",
    isFork: false,
    isArchived: false,
    isDisabled: false,
  };
}

export function simulateHost(seed: number): SimulatedHost {
  const random = new Random(seed);
  const all: Simulated[] = [];
  let count = 0;
  let credentials = 0;
  const chance = (share: number) => random.chance(share);
  const create = () => {
    const id = String(++count);
    all.push({ id, scope: chance(0.5) ? "a" : "b", path: `p${id}`, isGone: false });
  };
  for (let at = 0; at < 12; at++) create();
  const describe = ({ id, scope, path }: Simulated) => describeRepository(id, `${scope}/${path}`);
  return {
    now: 0,
    get fingerprint() {
      return `credentials ${credentials}`;
    },
    step() {
      this.now += random.next() * 48 * 3_600_000;
      if (chance(0.3)) create();
      if (chance(0.05)) credentials++;
      for (const each of all) {
        const isRemoved = chance(0.04);
        const isMoved = chance(0.03);
        // Deleted repositories may be restored.
        if (each.isGone) each.isGone = !isMoved;
        else if (isRemoved) each.isGone = true;
        else if (isMoved) each.scope = random.pick(["a", "b", "away"]);
        else if (chance(0.03)) each.path = `renamed${count}-${each.id}`;
      }
      // Now and then, a whole scope is lost for a while.
      if (chance(0.03)) for (const each of all) each.isGone ||= each.scope === "a";
    },
    list: (hasFaults) =>
      (["a", "b"] as const).map((scope): ScopeListing => {
        const present = all.filter((each) => each.scope === scope && !each.isGone);
        if (hasFaults && chance(0.2)) return { scope, outcome: "failed", repositories: [], problems: [] };
        const isPartial = hasFaults && chance(0.3);
        const repositories = present.filter(() => !isPartial || chance(0.5)).map(describe);
        return { scope, outcome: isPartial ? "partial" : "complete", repositories, problems: [] };
      }),
    lookUp(hostId, hasFaults) {
      const found = all.find(({ id }) => id === hostId);
      if (hasFaults && chance(0.3)) return { kind: "unknown", problem: { message: "Busy", status: 429 } };
      if (found === undefined || found.isGone) return { kind: "gone", status: 404 };
      return { kind: "present", repository: describe(found) };
    },
    isGone: (hostId) => all.find(({ id }) => id === hostId)?.isGone !== false,
    mirroredIds: (known) =>
      all
        .filter(({ id, scope, isGone }) => !isGone && (scope !== "away" || known.includes(id)))
        .map(({ id }) => id)
        .sort(),
  };
}
