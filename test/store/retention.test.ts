import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { NewAuditRecord } from "#model/audit";
import { silentLog } from "#platform/log";
import { withRetention } from "#store/retention";
import { setClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { temporaryFolder } from "#test/support/repo";
import { openTestStore } from "#test/support/stores";

const day = 86_400_000;
const hour = 3_600_000;

const searched: NewAuditRecord = {
  action: "user.performed_code_search",
  actorId: "m1",
  actorType: "user",
  targetId: "1",
  targetType: "org",
  metadata: null,
};

/** A clock whose calls happen when it is moved past them. */
function movedClock(start: number) {
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const clock = {
    ...setClock(start),
    after(delayMs: number, call: () => void) {
      const entry = { at: clock.time + delayMs, call };
      calls.add(entry);
      return () => calls.delete(entry);
    },
    async move(ms: number) {
      clock.time += ms;
      for (const entry of [...calls]) {
        if (entry.at > clock.time) continue;
        calls.delete(entry);
        entry.call();
      }
    },
    get waiting() {
      return calls.size;
    },
  };
  return clock;
}

test("records older than was chosen are forgotten, every hour, until the store is closed", async () => {
  const clock = movedClock(Date.UTC(2026, 0, 1));
  const file = join(temporaryFolder(), "trawl.db");
  const inner = await openTestStore({ source: () => embeddedFile(file), isShared: false }, clock);
  const store = withRetention(inner, { days: 30, clock, log: silentLog });
  const total = async () => (await store.auditLog.page({ page: 1, perPage: 1 })).total;
  const totalBecomes = async (wanted: number) => {
    const until = Date.now() + 20_000;
    while ((await total()) !== wanted) assert.ok(Date.now() < until, `${await total()} records`);
  };
  await store.auditLog.append(searched);
  await clock.move(29 * day);
  await store.auditLog.append(searched);
  assert.equal(await total(), 2);
  await clock.move(day + hour);
  await totalBecomes(1);
  while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.move(29 * day);
  await totalBecomes(0);
  await store.close();
  assert.equal(clock.waiting, 0);
});
