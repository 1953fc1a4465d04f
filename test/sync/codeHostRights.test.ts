/** Which mirrors members see where the host decides it: what is kept, what is dropped, and what is not known yet. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Readers } from "#hosts/codeHost";
import { type KnownConnections, releaseUnconfigured } from "#mirrors/applyListing";
import type { MirrorConnection } from "#mirrors/connection";
import { MirrorState } from "#mirrors/state";
import type { CodeHostUser } from "#model/codeHostUser";
import { type Clock, systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import { silentLog } from "#platform/log";
import { CodeHostRights } from "#sync/codeHostRights";
import { steppedClock } from "#test/support/clock";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";
import { describeRepository } from "#test/support/simulatedHost";

const ann: CodeHostUser = { email: "ann@example.com", logins: {} };
const bob: CodeHostUser = { email: "bob@example.com", logins: { work: "Bob-B" } };
const service: CodeHostUser = { email: "service:nightly", logins: {} };
const nobody: CodeHostUser = { email: "eve@example.com", logins: {} };

const connection: MirrorConnection = {
  type: "gitea",
  url: "https://git.example.com",
  allowHttp: false,
  sync: { listEvery: 3_600_000, fetchMin: 60_000, fetchMax: 60_000, gitConcurrency: 1 },
  revisions: { branches: [], tags: [], newestTags: 0 },
  history: "full",
  limits: { oneRepositoryBytes: 1 },
  onRemoved: { keepDays: 7, confirmations: 2, maxShare: 0.1 },
  access: {
    visibleTo: "codeHost",
    logins: { "ANN@example.com": "ann-a", "service:nightly": "robot" },
    checkEvery: 3_600_000,
  },
};

type Answer = (hostId: string, logins: readonly string[]) => Readers;
const only =
  (...names: readonly string[]): Answer =>
  (_id, logins) => ({ kind: "known", logins: logins.filter((login) => names.includes(login)) });
const failing =
  (kind: "refused" | "unknown", status: number, more: { readonly retryAt?: number } = {}): Answer =>
  () => ({ kind, problem: { message: "Failed.", status, ...more } });

interface World {
  readonly known?: Partial<KnownConnections>;
  readonly hostIds?: readonly string[];
  readonly clock?: Clock;
}

/** Opens a data directory with mirrors, of which 1 is public and others are private. */
function open(
  t: TestContext,
  dataDir: string,
  answer: Answer,
  { known: change = {}, hostIds = ["1", "2"], clock = systemClock }: World = {},
) {
  const known: KnownConnections = { connections: { work: connection }, removals: "all", ...change };
  const state = new MirrorState({ dataDir, files: diskFiles, clock: systemClock, log: silentLog });
  if (state.mirrors.length === 0) {
    for (const hostId of hostIds) {
      const visibility = hostId === "1" ? "public" : "private";
      const repository = { ...describeRepository(hostId, `acme/r${hostId}`), visibility } as const;
      const fetches = { nextAt: 0, failures: 0 };
      state.add({
        type: "gitea",
        url: "https://git.example.com",
        repository,
        holdings: { work: { scopes: ["all"], seenWith: "" } },
        fetches,
      });
    }
  }
  for (const mirror of state.mirrors) {
    mkdirSync(state.pathOf(mirror), { recursive: true });
    state.describe(mirror);
  }
  releaseUnconfigured(state, known, clock.now(), (_, repositories) => ({ kept: repositories, excluded: [] }));
  state.flush();
  const catalog = Catalog.open(dataDir, { log: silentLog, known: [] });
  const world = {
    answer,
    asked: [] as (readonly string[])[],
    hasClaims: true,
    isCompared: true,
    known,
    users: [ann, bob, service, nobody],
  };
  const rights = new CodeHostRights({
    dataDir,
    files: diskFiles,
    clock,
    log: silentLog,
    random: Math.random,
    state,
    catalog,
    known: () => world.known,
    mirrorsOfClone: () => [],
    isCompared: () => world.isCompared,
    mirrorAt: (path) => state.mirrors.find((mirror) => state.pathOf(mirror) === path),
    hostOf: () => ({
      requestCount: 0,
      identify: async () => ({}),
      async *list() {},
      lookUp: async () => ({ kind: "gone", status: 404 }),
      async readers({ hostId }, logins) {
        world.asked.push(logins);
        return world.answer(hostId, logins);
      },
      gitCredentials: async () => undefined,
      close: async () => {},
    }),
    users: async () => world.users,
    hasClaim: () => world.hasClaims,
  });
  const close = async () => {
    await rights.close();
    state.close();
    catalog.close();
  };
  t.after(close);
  rights.start();
  const paths = state.mirrors.map((mirror) => state.pathOf(mirror));
  const seen = (user: CodeHostUser | undefined, name = "git.example.com/acme/r2") =>
    rights.visibility({ id: 7, name, path: name } as never, user);
  const mirrored = (user: CodeHostUser | undefined) =>
    paths.map((path) => rights.visibility({ id: 8, name: "other", path } as never, user));
  return { state, world, rights, close, seen, mirrored };
}

test("the configuration and claims name people, and nobody else sees what is private", async (t) => {
  const { mirrored, seen, state, world, rights } = open(t, temporaryFolder(), only("ann-a", "robot"));
  assert.deepEqual(mirrored(ann), ["visible", "unknown"]);
  assert.equal(rights.isActive, true);
  await eventuallyEqual(() => mirrored(ann), ["visible", "visible"]);
  assert.deepEqual(
    [mirrored(bob), mirrored(service), mirrored(nobody), mirrored(undefined)],
    [
      ["visible", "hidden"],
      ["visible", "visible"],
      ["visible", "hidden"],
      ["visible", "hidden"],
    ],
  );
  assert.deepEqual(world.asked, [["ann-a", "bob-b", "robot"]], "public ones are not asked about");
  // A clone of a mirrored repository is treated as its mirror, in whatever case.
  assert.deepEqual(
    [seen(ann, "git.example.com/ACME/r2"), seen(bob, "git.example.com/ACME/r2")],
    ["visible", "hidden"],
  );
  assert.equal(seen(bob, "git.example.com/acme/elsewhere"), "visible");
  // Another address hides nothing, unless it is not known yet whether it leads to the same repository.
  assert.equal(seen(bob, "alias/acme/r2"), "visible");
  world.isCompared = false;
  assert.deepEqual(
    ["alias/acme/r2", "alias/acme/r1", "alias/acme/elsewhere"].map((name) => seen(bob, name)),
    ["unknown", "visible", "visible"],
  );
  // A clone keeps the former address of its repository.
  const mirror = state.mirrors[1] ?? assert.fail();
  const repository = { ...mirror.repository, path: "acme/renamed" };
  state.put({ ...mirror, repository, formerPaths: ["acme/r2"] });
  rights.mirrorsChanged();
  const names = ["git.example.com/acme/r2", "alias/acme/r2"];
  assert.deepEqual(
    [ann, bob].map((user) => names.map((name) => seen(user, name))),
    [
      ["visible", "unknown"],
      ["hidden", "unknown"],
    ],
  );
});

const moved = { ...connection, url: "https://new.example.com" };
const { access: _, ...unrestricted } = moved;
const replacements: Record<string, KnownConnections["connections"]> = {
  "is removed": {},
  "has another host": { work: moved },
  "has another host and is open to all members": { work: unrestricted },
};

for (const [change, connections] of Object.entries(replacements))
  test(`members see no more of the mirrors of a connection that ${change}`, async (t) => {
    const clock = steppedClock();
    const { state, world, rights, mirrored } = open(t, temporaryFolder(), only("ann-a"), { clock });
    await clock.advance(1000);
    assert.deepEqual(
      [mirrored(ann), mirrored(bob)],
      [
        ["visible", "visible"],
        ["visible", "hidden"],
      ],
    );
    world.asked.length = 0;
    const known: KnownConnections = { connections, removals: "all" };
    world.known = known;
    const check = async () => {
      assert.notEqual(mirrored(bob)[1], "visible");
      await clock.advance(1000);
      assert.notEqual(mirrored(bob)[1], "visible");
    };
    await check();
    rights.configure(["work"]);
    await check();
    // The end of an update that had begun before.
    rights.mirrorsChanged();
    await check();
    releaseUnconfigured(state, known, clock.now(), (_, repositories) => ({
      kept: repositories,
      excluded: [],
    }));
    await check();
    assert.deepEqual(mirrored(ann), ["hidden", "hidden"]);
    assert.deepEqual(world.asked, [], "the new host is not asked about repositories of the old one");
  });

test("rights are kept for a week while the host is down, also after a restart, and end when it says so", async (t) => {
  const dataDir = temporaryFolder();
  const first = open(t, dataDir, only("ann-a"));
  await eventuallyEqual(() => first.seen(ann), "visible");
  first.world.answer = failing("unknown", 503);
  first.world.asked.length = 0;
  first.rights.recheck("work");
  await eventually(() => first.world.asked.length > 0);
  assert.equal(first.seen(ann), "visible");
  await first.close();
  const second = open(t, dataDir, failing("unknown", 503));
  assert.deepEqual([second.seen(ann), second.seen(bob)], ["visible", "hidden"]);
  await eventually(() => second.world.asked.length > 0);
  assert.equal(second.seen(ann), "visible");
  second.world.answer = only("bob-b");
  second.rights.recheck("work");
  await eventuallyEqual(() => [second.seen(ann), second.seen(bob)], ["hidden", "visible"]);
  // What was taken away is on disk at once.
  const third = open(t, dataDir, failing("unknown", 503));
  assert.deepEqual([third.seen(ann), third.seen(bob)], ["hidden", "visible"]);
  await third.close();
  // A name that is added later must not get the rights of one that is missing.
  const file = join(dataDir, "codeHostRights.json");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...stored, names: stored.names.slice(0, 1) }));
  const damaged = open(t, dataDir, failing("unknown", 503));
  assert.deepEqual([damaged.seen(ann), damaged.seen(bob)], ["unknown", "unknown"]);
});

const [minute, hour, day] = [60_000, 3_600_000, 24 * 3_600_000];

for (const isConfigured of [true, false])
  test(`rights end after a week ${isConfigured ? "in which the host asked to wait" : "without settings"}`, async (t) => {
    const dataDir = temporaryFolder();
    const clock = steppedClock();
    const first = open(t, dataDir, only("bob-b"), { clock });
    await clock.advance(1000);
    await first.close();
    const known = isConfigured ? {} : ({ connections: {}, removals: "none" } as const);
    const { world, seen } = open(t, dataDir, only("bob-b"), { clock, known });
    world.answer = failing("unknown", 429, { retryAt: clock.now() + 30 * day });
    await clock.advance(7 * day - hour);
    assert.equal(seen(bob), "visible");
    await clock.advance(2 * hour);
    assert.equal(seen(bob), "unknown");
  });

test("what a host said is written when its file can be written again", async (t) => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, "codeHostRights.json");
  mkdirSync(file);
  const clock = steppedClock();
  const { seen } = open(t, dataDir, only("bob-b"), { clock });
  await clock.advance(minute);
  assert.equal(seen(bob), "visible");
  rmSync(file, { recursive: true });
  await clock.advance(2 * minute);
  assert.match(readFileSync(file, "utf8"), /"bob-b"/);
});

test("names from claims that the configuration no longer names do not count", async (t) => {
  const { world, seen } = open(t, temporaryFolder(), only("ann-a", "bob-b"));
  await eventuallyEqual(() => seen(bob), "visible");
  world.hasClaims = false;
  assert.deepEqual([seen(bob), seen(ann)], ["hidden", "visible"]);
});

for (const status of [401, 403, 404]) {
  test(`rights are dropped when the host answers ${status}`, async (t) => {
    const { world, rights, seen } = open(t, temporaryFolder(), only("ann-a"));
    await eventuallyEqual(() => seen(ann), "visible");
    world.answer = failing("refused", status);
    rights.recheck("work");
    await eventuallyEqual(() => seen(ann), status === 401 ? "unknown" : "hidden");
    world.answer = only("ann-a");
    rights.recheck("work");
    await eventuallyEqual(() => seen(ann), "visible");
  });
}

test("connections that know the same person by different names do not take rights from each other", async (t) => {
  const access = { visibleTo: "codeHost", checkEvery: 3_600_000 } as const;
  const connections = {
    first: { ...connection, access: { ...access, logins: { "ann@example.com": "ann-a" } } },
    second: { ...connection, access: { ...access, logins: { "eve@example.com": "eve" } } },
  };
  // The connection that held the mirror was renamed.
  const { seen, rights, world } = open(t, temporaryFolder(), only("ann-a", "eve"), {
    known: { connections },
  });
  assert.deepEqual([seen(nobody), seen(bob)], ["unknown", "hidden"]);
  await eventuallyEqual(() => [seen(ann), seen(nobody)], ["visible", "visible"]);
  const askedCount = world.asked.length;
  rights.recheck("first");
  await eventually(() => world.asked.length > askedCount);
  assert.deepEqual([seen(ann), seen(nobody), seen(bob)], ["visible", "visible", "hidden"]);
});

const failures = [
  { name: "500", status: 500, waitMs: undefined },
  { name: "503 with Retry-After", status: 503, waitMs: 1000 },
  { name: "429", status: 429, waitMs: 1000 },
];
const forty = Array.from({ length: 41 }, (_, at) => String(at + 1));

for (const { name, status, waitMs } of failures) {
  const fail = (clock: Clock) =>
    failing("unknown", status, waitMs === undefined ? {} : { retryAt: clock.now() + waitMs });

  test(`a repository that always fails with ${name} has nothing else asked about again`, async (t) => {
    const clock = steppedClock();
    const ids: string[] = [];
    const answer: Answer = (id, logins) => {
      ids.push(id);
      return (id === "20" ? fail(clock) : only("ann-a"))(id, logins);
    };
    const { seen } = open(t, temporaryFolder(), answer, { hostIds: forty, clock });
    await clock.advance(40 * minute);
    assert.equal(new Set(ids).size, 40);
    const others = ids.filter((id) => id !== "20");
    assert.equal(others.length, 39);
    // After 30 s, and twice as long each time.
    assert.ok(ids.length - others.length <= 8, `${ids.length - others.length} requests`);
    assert.equal(seen(ann, "git.example.com/acme/r41"), "visible");
  });

  test(`a host that only answers ${name} is asked rarely, and about everything when it recovers`, async (t) => {
    const clock = steppedClock();
    const { world, seen } = open(t, temporaryFolder(), () => fail(clock)("", []), {
      hostIds: forty,
      clock,
    });
    await clock.advance(day);
    // Up to three in a row, after 30 s at first and every hour at last.
    assert.ok(world.asked.length <= 120, `${world.asked.length} requests`);
    world.asked.length = 0;
    world.answer = only("ann-a");
    await clock.advance(1.2 * hour);
    assert.ok(world.asked.length <= 120, `${world.asked.length} requests`);
    for (const id of forty) assert.equal(seen(ann, `git.example.com/acme/r${id}`), "visible");
  });
}

test("a host that limits requests is asked about each repository once", async (t) => {
  const clock = steppedClock();
  const ids: string[] = [];
  let left = 0;
  let allowedAt = 0;
  const answer: Answer = (id, logins) => {
    if (clock.now() >= allowedAt) left = 7;
    if (left-- > 0) {
      ids.push(id);
      return only("ann-a")(id, logins);
    }
    if (clock.now() >= allowedAt) allowedAt = clock.now() + minute;
    return failing("unknown", 429, { retryAt: allowedAt })(id, logins);
  };
  const { rights } = open(t, temporaryFolder(), answer, { hostIds: forty, clock });
  await clock.advance(30 * minute);
  assert.deepEqual(
    ids.map(Number).sort((one, other) => one - other),
    forty.slice(1).map(Number),
  );
  assert.deepEqual(rights.problems("work"), []);
});

test("repositories about which the host always fails keep no new member from seeing others", async (t) => {
  const failingIds = ["3", "4", "5", "6"];
  const answer: Answer = (id, logins) =>
    (failingIds.includes(id) ? failing("unknown", 500) : only("ann-a", "dan"))(id, logins);
  const { world, rights, seen } = open(t, temporaryFolder(), answer, { hostIds: ["1", "2", ...failingIds] });
  const problems = () => rights.problems("work").map(({ scope }) => scope);
  await eventuallyEqual(() => [seen(ann), problems()], ["visible", ["acme/r3", "acme/r4", "acme/r5"]]);
  // As many failures in a row could mean that the host is down. The next round finds that it is not.
  rights.recheck("work");
  await eventuallyEqual(problems, ["acme/r3", "acme/r4", "acme/r5", "acme/r6"]);
  const dan: CodeHostUser = { email: "dan@example.com", logins: { work: "dan" } };
  world.users = [...world.users, dan];
  await eventuallyEqual(() => seen(dan), "visible");
  assert.equal(seen(dan, "git.example.com/acme/r3"), "unknown");
  failingIds.length = 0;
  rights.recheck("work");
  await eventuallyEqual(() => [seen(dan, "git.example.com/acme/r3"), problems()], ["visible", []]);
});

test("a process that does not know the connection does not open what it has closed", async (t) => {
  const dataDir = temporaryFolder();
  const first = open(t, dataDir, only("bob-b"));
  await eventuallyEqual(() => first.seen(bob), "visible");
  await first.close();
  const without = open(t, dataDir, only(), { known: { connections: {}, removals: "none" } });
  assert.equal(without.rights.isActive, true);
  assert.deepEqual([without.seen(ann), without.seen(bob)], ["hidden", "visible"]);
  await without.close();
});

for (const lost of [["codeHostRights.json"], ["mirrors.json"], ["codeHostRights.json", "mirrors.json"]])
  for (const content of [undefined, "{"])
    test(`${lost.join(" and ")}, ${content === undefined ? "lost" : "damaged"}, open nothing where the connection is unknown`, async (t) => {
      const dataDir = temporaryFolder();
      const first = open(t, dataDir, only("bob-b"));
      await eventuallyEqual(() => first.seen(bob), "visible");
      await first.close();
      for (const file of lost.map((name) => join(dataDir, name)))
        if (content === undefined) rmSync(file);
        else writeFileSync(file, content);
      const { rights, seen, mirrored } = open(t, dataDir, only(), {
        known: { connections: {}, removals: "none" },
      });
      assert.equal(rights.isActive, true);
      // Without the state of mirrors, it is not even known that the claim was for their connection.
      const ofAnn = lost.includes("mirrors.json") ? "unknown" : "hidden";
      assert.deepEqual(
        [mirrored(ann), mirrored(bob)],
        [
          ["visible", ofAnn],
          ["visible", "unknown"],
        ],
      );
      assert.deepEqual([seen(ann), seen(bob)], [ofAnn, "unknown"]);
    });
