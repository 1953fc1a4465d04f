/** A connection to 10,000 repositories: what its listings cost, and what failures of the host do to them. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Catalog } from "#catalog/catalog";
import { openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import { readSecret } from "#hosts/secret";
import { selectRepositories } from "#hosts/selection";
import { readWebhook } from "#hosts/webhook";
import { systemClock } from "#platform/clock";
import { createLog } from "#platform/log";
import { CodeHosts } from "#sync/codeHosts";
import { dialectOf } from "#test/hosts/dialects";
import { type Answer, FakeHost, jumpingClock, manyRepositories } from "#test/hosts/fakeHost";
import { Random } from "#test/support/corpus";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

/** The last page is not full: a full one is always fetched again, because another one may follow. */
const count = 10_001;
/** Of most of a response, nothing is kept. Together, the pages have more bytes than may be cached. */
const paddingBytes = 700_000;

const failures: readonly Answer[] = [
  { status: 429, headers: { "retry-after": "30" }, body: { message: "Too many requests" } },
  {
    status: 403,
    headers: { "retry-after": "60" },
    body: { message: "You have exceeded a secondary rate limit." },
  },
  { status: 500, body: { message: "Server Error" } },
  { status: 502, headers: { "content-type": "text/html" }, body: "<html>" },
  { status: 503, body: { message: "Unavailable" } },
];

async function open(t: TestContext) {
  const fake = await new FakeHost(dialectOf("github"), manyRepositories(count)).start();
  t.after(() => fake.close());
  fake.hasEtags = true;
  fake.paddingBytes = paddingBytes;
  const data = temporaryFolder();
  const log = createLog("error", (line) => assert.fail(line));
  const catalog = Catalog.open(data, { log, known: [] });
  const { main } = parseConnections({ main: { ...fake.dialect.settings(fake.url), allowHttp: true } });
  assert.ok(main);
  const codeHosts = new CodeHosts({
    dataDir: data,
    removals: "all",
    connections: { main },
    helperFolder: projectRoot(),
    openHost: (name) => openHost(name, main, { clock: jumpingClock() }),
    selectRepositories: (_, repositories) => selectRepositories(main, repositories),
    readSecret,
    readWebhook,
    catalog,
    clock: systemClock,
    log,
    isIndexCurrent: async () => true,
    index() {},
    onRemoved: async () => undefined,
  });
  // Nothing is cloned.
  codeHosts.setPaused(true);
  t.after(async () => {
    await codeHosts.close();
    catalog.close();
  });
  const prefix = `${new URL(fake.url).host}/`;
  return {
    fake,
    async list() {
      const requestsBefore = fake.statuses.length;
      const listing = await codeHosts.sync("main");
      assert.ok("plan" in listing, JSON.stringify(listing));
      return { listing, statuses: fake.statuses.slice(requestsBefore) };
    },
    names: () =>
      catalog
        .all()
        .map(({ name }) => name.replace(prefix, ""))
        .sort(),
  };
}

function pathsOf({ repositories }: FakeHost): readonly string[] {
  return repositories.map(({ path }) => path).sort();
}

/** Returns the bytes in use after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test("10,000 repositories are listed in few requests and constant memory, and survive a failing host", async (t) => {
  const { fake, list, names } = await open(t);
  const first = await list();
  assert.ok(first.statuses.length <= (2 * count) / 100, `${first.statuses.length} requests`);
  assert.equal(first.listing.plan.added.length, count);
  assert.deepEqual(names(), pathsOf(fake));

  const costs: number[] = [];
  const heaps: number[] = [];
  for (let round = 0; round < 4; round++) {
    const { listing, statuses } = await list();
    assert.equal(listing.plan.kept.length, count);
    costs.push(statuses.filter((status) => status !== 304).length);
    // The first round may still allocate what later ones use again.
    if (round > 0) heaps.push(heapBytes());
  }
  const megabytes = heaps.map((bytes) => Math.round(bytes / 1e6));
  t.diagnostic(`${first.statuses.length} requests, then ${costs}; after each, ${megabytes} MB are in use.`);
  // That for the rate limit, which GitHub does not count.
  assert.ok(Math.max(...costs) <= 0.01 * first.statuses.length, `${costs} requests`);
  assert.ok(Math.max(...heaps) < 1.05 * Math.min(...heaps), `${heaps} bytes`);

  const random = new Random(15);
  let failed = 0;
  fake.intercept = () => {
    if (!random.chance(0.1)) return undefined;
    failed++;
    return random.pick(failures);
  };
  for (let round = 1; round <= 3; round++) {
    for (const each of fake.repositories.slice(round * 100, round * 100 + 50)) each.path += "-renamed";
    fake.repositories.push({ id: count + round, path: `acme/new-${round}` });
    const { listing } = await list();
    assert.deepEqual([listing.plan.removed, listing.plan.unconfirmedIds], [[], undefined]);
    assert.deepEqual(names(), pathsOf(fake));
  }
  assert.ok(failed > 15, `${failed} requests failed`);
});
