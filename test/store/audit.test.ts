import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AuditRecord, NewAuditRecord } from "#model/audit";
import type { AuditPageRequest, Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { onEachDatabase, openTestStore } from "#test/support/stores";

const searched: NewAuditRecord = {
  action: "user.performed_code_search",
  actorId: "m1",
  actorType: "user",
  targetId: "1",
  targetType: "org",
  metadata: { source: "rest" },
};

const start = Date.UTC(2026, 0, 1);
const day = 86_400_000;

/** Computes a page by filtering and sorting all records. */
function expectedPage(records: readonly AuditRecord[], request: AuditPageRequest) {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, page, perPage } = request;
  const found = records
    .filter(({ timestamp }) => since <= timestamp && timestamp <= until)
    .sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? 1 : -1));
  return { items: found.slice((page - 1) * perPage, page * perPage), total: found.length };
}

async function recordAt(store: Store, clock: { time: number }, times: readonly number[]) {
  const pending = times.map((time) => {
    clock.time = time;
    return store.auditLog.append({ ...searched, targetId: `at ${time}` });
  });
  return await Promise.all(pending);
}

onEachDatabase((empty) => {
  test("a record is read back unchanged", async () => {
    const clock = manualClock(start);
    const store = await openTestStore(await empty(), clock);
    const record = await store.auditLog.append(searched);
    const { id, ...rest } = record;
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.deepEqual(rest, { ...searched, timestamp: start, serviceVersion: "1.2.3", orgId: 1 });
    const bare = await store.auditLog.append({ ...searched, metadata: null });
    const { items } = await store.auditLog.page({ page: 1, perPage: 10 });
    assert.deepEqual(items, [bare, record]);
    await store.close();
  });

  test("NUL, quotes, lone surrogates and very long names are stored or replaced", async () => {
    const store = await openTestStore(await empty(), manualClock(start));
    const targets = ["a\0b", "it's; drop table member --", "naïve 🎣 \u202e", "\ud800", "x".repeat(100_000)];
    const metadata = { path: "a\0b", nested: { lone: "\udfff" } };
    for (const targetId of targets) await store.auditLog.append({ ...searched, targetId, metadata });
    const { items } = await store.auditLog.page({ page: 1, perPage: 10 });
    assert.deepEqual(items.map(({ targetId }) => targetId).reverse(), [
      "a\ufffdb",
      targets[1],
      targets[2],
      "\ufffd",
      "x".repeat(4096),
    ]);
    assert.deepEqual(items[0]?.metadata, metadata);
    await store.close();
  });

  test("a thousand concurrent records are all stored, in the order of their calls", async () => {
    const store = await openTestStore(await empty(), manualClock(start));
    const records = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => store.auditLog.append({ ...searched, targetId: `${at}` })),
    );
    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, at) => store.auditLog.page({ page: at + 1, perPage: 100 })),
    );
    assert.deepEqual(
      pages.flatMap(({ items }) => items.map(({ targetId }) => targetId)),
      records.map(({ targetId }) => targetId).reverse(),
    );
    assert.deepEqual([...new Set(pages.map(({ total }) => total))], [1000]);
    await store.close();
  });

  describe("a page of a time range", () => {
    test("equals filtering all records", async () => {
      const clock = manualClock(start);
      const log = await openTestStore(await empty(), clock);
      // Bursts, quiet months, and the edges of the spans that share a count.
      const times = fc.sample(
        fc.oneof(
          fc.integer({ min: start, max: start + 400 * day }),
          fc.integer({ min: start, max: start + 100_000 }),
          fc.nat(400 * 1318).map((span) => Math.ceil(start / 2 ** 16) * 2 ** 16 + span * 2 ** 16),
          fc.nat(400 * 20).map((span) => Math.ceil(start / 2 ** 22) * 2 ** 22 + span * 2 ** 22 - 1),
        ),
        { numRuns: 1500, seed: 11 },
      );
      const records = await recordAt(log, clock, times);
      const time = fc.oneof(
        fc.integer({ min: start - day, max: start + 401 * day }),
        fc.constantFrom(...times),
        fc.constantFrom(...times).map((each) => each + 1),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.record(
            {
              since: time,
              until: time,
              page: fc.integer({ min: 1, max: 40 }),
              perPage: fc.integer({ min: 1, max: 100 }),
            },
            { requiredKeys: ["page", "perPage"] },
          ),
          async (request) => {
            assert.deepEqual(await log.auditLog.page(request), expectedPage(records, request));
          },
        ),
        { numRuns: 150, seed: 12 },
      );
      await log.close();
    });

    const edges: Readonly<Record<string, AuditPageRequest>> = {
      "an empty log": { page: 1, perPage: 50 },
      "the highest page number": { page: Number.MAX_SAFE_INTEGER, perPage: 100 },
      "an end before the start": { since: start, until: start - 1, page: 1, perPage: 50 },
      "the widest range": { since: -8.64e15, until: 8.64e15, page: 1, perPage: 50 },
    };
    for (const [name, request] of Object.entries(edges)) {
      test(name, async () => {
        const store = await openTestStore(await empty(), manualClock(start));
        assert.deepEqual(await store.auditLog.page(request), { items: [], total: 0 });
        const record = await store.auditLog.append(searched);
        assert.deepEqual(await store.auditLog.page(request), expectedPage([record], request));
        await store.close();
      });
    }
  });

  test("old records are removed, and the counts include only the others", async () => {
    const clock = manualClock(start);
    const store = await openTestStore(await empty(), clock);
    const times = Array.from({ length: 2000 }, (_, at) => start + at * 3_600_000);
    const records = await recordAt(store, clock, times);
    const border = start + 1234 * 3_600_000;
    assert.equal(await store.auditLog.removeBefore(border), 1234);
    assert.equal(await store.auditLog.removeBefore(border), 0);
    const left = records.filter(({ timestamp }) => timestamp >= border);
    for (const request of [
      { page: 1, perPage: 100 },
      { page: 8, perPage: 100 },
      { page: 3, perPage: 7, since: start, until: border + 20 * 3_600_000 },
      { page: 1, perPage: 10, until: border - 1 },
    ]) {
      assert.deepEqual(await store.auditLog.page(request), expectedPage(left, request));
    }
    await store.close();
  });

  test("a canceled removal keeps what it has removed", async () => {
    const clock = manualClock(start);
    const store = await openTestStore(await empty(), clock);
    await recordAt(
      store,
      clock,
      Array.from({ length: 1200 }, (_, at) => start + at),
    );
    const controller = new AbortController();
    const removing = store.auditLog.removeBefore(start + day, controller.signal);
    controller.abort();
    await assert.rejects(removing, { code: "CANCELLED" });
    const { total } = await store.auditLog.page({ page: 1, perPage: 1 });
    assert.ok(total < 1200 && total > 0, `${total}`);
    assert.equal(await store.auditLog.removeBefore(start + day), total);
    await store.close();
  });
});
