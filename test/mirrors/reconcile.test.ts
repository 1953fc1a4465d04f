/** What is mirrored and removed, for every history of a host and its failures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostRepository, LookUp, ScopeListing } from "#hosts/codeHost";
import { dayMs, type RemovalRules } from "#mirrors/holding";
import { pollDelay } from "#mirrors/pollInterval";
import { type HeldRepository, type ReconcileInput, reconcile } from "#mirrors/reconcile";
import { describeRepository, type SimulatedHost, simulateHost } from "#test/support/simulatedHost";

const hourMs = dayMs / 24;
const defaultRemovalRules: RemovalRules = { keepDays: 7, confirmations: 2, maxShare: 0.1 };

/** Runs syncs in a row: `listing` is `acme: 1 2 | other: 3`, with `?` after the name of a partial scope, `!` of a failed one. */
class Syncs {
  held: readonly HeldRepository[] = [];
  now = 0;
  fingerprint = "a";
  confirmedIds = new Set<string>();
  unconfirmedIds: readonly string[] | undefined;
  exclude: ReconcileInput["exclude"] = () => undefined;
  #previous: string | undefined;

  sync(listing: string, lookUps: Record<string, "gone" | "present" | "unknown"> = {}, days = 0): string {
    this.now += days * dayMs;
    const input: ReconcileInput = {
      held: this.held,
      listings: listing.split(" | ").map(parseListing),
      lookUps: new Map(),
      exclude: this.exclude,
      rules: defaultRemovalRules,
      fingerprint: this.fingerprint,
      previousFingerprint: this.#previous,
      confirmedIds: this.confirmedIds,
      now: this.now,
    };
    const { toLookUp } = reconcile(input);
    const answers = toLookUp.map((each) => [each.hostId, answer(each, lookUps[each.hostId])] as const);
    const result = reconcile({ ...input, lookUps: new Map(answers) });
    this.held = [...result.kept, ...result.added];
    this.unconfirmedIds = result.unconfirmedIds;
    this.#previous = this.fingerprint;
    return this.held.map(printHeld).sort().join(" ");
  }
}

function parseListing(text: string): ScopeListing {
  const [, scope = "", mark, ids = ""] = /^(\w+)([?!]?):(.*)$/.exec(text) ?? [];
  return {
    scope,
    outcome: mark === "?" ? "partial" : mark === "!" ? "failed" : "complete",
    repositories: ids
      .split(" ")
      .filter(Boolean)
      .map((id) => describeRepository(id, `${scope}/${id}`)),
    problems: [],
  };
}

function answer(repository: HostRepository, kind: "gone" | "present" | "unknown" = "unknown"): LookUp {
  if (kind === "gone") return { kind, status: 404 };
  return kind === "present" ? { kind, repository } : { kind, problem: { message: "503", status: 503 } };
}

/** `1` is listed, `1?` missing, `1x2` twice reported as gone, `1-` hidden by the configuration. */
function printHeld({ repository: { hostId }, holding }: HeldRepository): string {
  const { unlistedSince, confirmations = [], released } = holding;
  if (released !== undefined) return `${hostId}-`;
  if (confirmations.length > 0) return `${hostId}x${confirmations.length}`;
  return unlistedSince === undefined ? hostId : `${hostId}?`;
}

test("a repository goes after two confirmations a day apart, and a week", () => {
  const syncs = new Syncs();
  assert.equal(syncs.sync("a: 1 2"), "1 2");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }), "1 2x1");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 0.5), "1 2x1");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 0.6), "1 2x2");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 5.8), "1 2x3");
  assert.equal(syncs.sync("a: 1", { 2: "unknown" }, 2), "1 2x3");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 0), "1");
});

test("one that is included again stays, although its scope cannot be listed", () => {
  const syncs = new Syncs();
  syncs.sync("a: 1 2");
  syncs.exclude = ({ hostId }) => (hostId === "2" ? "excluded" : undefined);
  assert.equal(syncs.sync("a: 1 2"), "1 2-");
  assert.equal(syncs.sync("a!:", {}, 6), "1 2-");
  syncs.exclude = () => undefined;
  assert.equal(syncs.sync("a!:", {}, 8), "1 2");
  syncs.fingerprint = "b";
  assert.equal(syncs.sync("b: 9"), "1- 2- 9");
  syncs.fingerprint = "c";
  assert.equal(syncs.sync("a?: | b: 9", {}, 8), "1 2 9");
  assert.equal(syncs.sync("a?: | b: 9", {}, 8), "1 2 9");
});

test("one that comes back or has moved stays", () => {
  const syncs = new Syncs();
  syncs.sync("a: 1 2 3");
  assert.equal(syncs.sync("a: 1", { 2: "gone", 3: "present" }), "1 2x1 3?");
  assert.equal(syncs.sync("a: 1 2", { 3: "present" }, 30), "1 2 3?");
  assert.equal(syncs.sync("a: 1", { 2: "gone", 3: "gone" }, 30), "1 2x1 3x1");
});

const proofless = {
  "a partial list": ["a?: 1", "gone", "1 2"],
  "a failed list": ["a!:", "gone", "1 2"],
  "a list of another scope": ["b: 1", "gone", "1 2"],
  "a look-up that failed": ["a: 1", "unknown", "1 2?"],
} as const;
for (const [name, [listing, lookUp, expected]] of Object.entries(proofless)) {
  test(`${name} proves nothing`, () => {
    const syncs = new Syncs();
    syncs.sync("a: 1 2");
    for (let days = 0; days < 30; days++) assert.equal(syncs.sync(listing, { 2: lookUp }, 1), expected);
  });
}

test("after a change of credentials, the first confirmation does not count", () => {
  const syncs = new Syncs();
  syncs.sync("a: 1 2");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }), "1 2x1");
  syncs.fingerprint = "b";
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 8), "1 2?");
  assert.equal(syncs.sync("a: 1", { 2: "gone" }, 1), "1 2x1");
});

test("if many disappear at once, a person must confirm it", () => {
  const syncs = new Syncs();
  const all = syncs.sync("a: 1 2 3 4 5 6 7");
  const gone = Object.fromEntries(all.split(" ").map((id) => [id, "gone" as const]));
  for (let days = 0; days < 20; days++) assert.equal(syncs.sync("a: 1", gone, 1), all);
  assert.deepEqual(syncs.unconfirmedIds, ["2", "3", "4", "5", "6", "7"]);
  syncs.confirmedIds = new Set(syncs.unconfirmedIds);
  assert.equal(syncs.sync("a: 1", gone), "1 2x1 3x1 4x1 5x1 6x1 7x1");
  syncs.sync("a: 1", gone, 4);
  assert.equal(syncs.sync("a: 1", gone, 4), "1");
});

test("an empty list is never believed where there were five", () => {
  const syncs = new Syncs();
  const all = syncs.sync("a: 1 2 3 4 5 | b: 6");
  assert.equal(syncs.sync("a: | b: 6", { 1: "gone", 2: "gone" }, 9), all);
  assert.equal(syncs.unconfirmedIds?.length, 5);
  assert.equal(syncs.sync("a: 1 2 3 4 5 | b:", { 6: "gone" }), "1 2 3 4 5 6x1");
});

test("what the configuration excludes is hidden at once, and kept for a week", () => {
  const syncs = new Syncs();
  syncs.sync("a: 1 2 | b: 3");
  syncs.exclude = ({ hostId }) => (hostId === "2" ? "archived" : undefined);
  syncs.fingerprint = "b";
  assert.equal(syncs.sync("a: 1 2"), "1 2- 3-");
  assert.equal(syncs.sync("a: 1 2", {}, 6), "1 2- 3-");
  syncs.exclude = () => undefined;
  assert.equal(syncs.sync("a: 1 2", {}, 0), "1 2 3-");
  assert.equal(syncs.sync("a: 1 2", {}, 1), "1 2");
});

test("a scope that is missing without a change of settings releases nothing", () => {
  const syncs = new Syncs();
  syncs.sync("a: 1 | b: 2");
  assert.equal(syncs.sync("a: 1", {}, 30), "1 2");
});

test("for random hosts and failures, only what is gone is removed, and not too early", () => {
  for (let seed = 1; seed <= 300; seed++) checkRandomHistory(simulateHost(seed), seed);
});

function checkRandomHistory(host: SimulatedHost, seed: number): void {
  const label = `seed ${seed}`;
  let held: readonly HeldRepository[] = [];
  let previous: string | undefined;
  let confirmedIds = new Set<string>();
  /** When the host said that a repository is gone, since it was last seen. */
  const goneAt = new Map<string, number[]>();
  const sync = (hasFaults: boolean) => {
    const input: ReconcileInput = {
      held,
      listings: host.list(hasFaults),
      lookUps: new Map(),
      exclude: () => undefined,
      rules: defaultRemovalRules,
      fingerprint: host.fingerprint,
      previousFingerprint: previous,
      confirmedIds,
      now: host.now,
    };
    const { toLookUp } = reconcile(input);
    const lookUps = new Map(toLookUp.map(({ hostId }) => [hostId, host.lookUp(hostId, hasFaults)]));
    for (const { hostId } of input.listings.flatMap(({ repositories }) => repositories))
      goneAt.delete(hostId);
    for (const [hostId, { kind }] of lookUps) {
      if (kind === "present") goneAt.delete(hostId);
      if (kind === "gone") goneAt.set(hostId, [...(goneAt.get(hostId) ?? []), host.now]);
    }
    const result = reconcile({ ...input, lookUps });
    for (const { repository } of result.removed) {
      assert.ok(host.isGone(repository.hostId), `${label}: ${repository.path} exists and was removed`);
      const [first = Number.NaN, second = Number.NaN] = goneAt.get(repository.hostId) ?? [];
      const isProved = host.now - first >= 7 * dayMs && second - first >= dayMs;
      assert.ok(isProved, `${label}: ${repository.path} was removed too early`);
    }
    held = [...result.kept, ...result.added];
    previous = host.fingerprint;
    // A person confirms everything at once, and it counts until a complete listing has nothing to confirm. Even a wrong
    // confirmation only lets the host be asked about each of them.
    const isComplete = input.listings.every(({ outcome }) => outcome === "complete");
    const isOver = isComplete && result.unconfirmedIds === undefined;
    confirmedIds = new Set(isOver ? [] : [...confirmedIds, ...(result.unconfirmedIds ?? [])]);
  };
  for (let step = 0; step < 60; step++) {
    host.step();
    sync(true);
  }
  for (let step = 0; step < 12; step++) {
    host.now += 25 * hourMs;
    sync(false);
  }
  const ids = held.map(({ repository }) => repository.hostId).sort();
  const expected = host.mirroredIds(ids);
  assert.deepEqual(ids, expected, label);
}

test("active repositories are fetched often, quiet and failing ones rarely", () => {
  const limits = { fetchMinMs: 120_000, fetchMaxMs: dayMs };
  const minutes = (ageMs: number, failures = 0, random = 0.5) =>
    Math.round(pollDelay(limits, { ageMs, failures }, random) / 60_000);
  assert.deepEqual(
    [0, hourMs, 4 * dayMs].map((ageMs) => minutes(ageMs)),
    [2, 30, 1440],
  );
  assert.deepEqual(
    [1, 2, 3, 50].map((failures) => minutes(0, failures)),
    [4, 8, 16, 1440],
  );
  assert.deepEqual([minutes(hourMs, 0, 0), minutes(hourMs, 0, 1)], [24, 36]);
});
