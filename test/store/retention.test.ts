import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { NewAuditRecord } from "#model/audit";
import { silentLog } from "#platform/log";
import { withRetention } from "#store/retention";
import { manualClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { eventually, eventuallyEqual } from "#test/support/eventually";
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

/** A clock that runs each timer when it is moved past its time. */
function steppedClock(start: number) {
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const clock = {
    ...manualClock(start),
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

test("records older than the retention period are removed every hour until the store is closed", async () => {
  const clock = steppedClock(Date.UTC(2026, 0, 1));
  const file = join(temporaryFolder(), "trawl.db");
  const inner = await openTestStore({ source: () => embeddedFile(file), isShared: false }, clock);
  const store = withRetention(inner, { days: 30, clock, log: silentLog });
  const total = async () => (await store.auditLog.page({ page: 1, perPage: 1 })).total;
  await store.auditLog.append(searched);
  await clock.move(29 * day);
  await store.auditLog.append(searched);
  assert.equal(await total(), 2);
  await clock.move(day + hour);
  await eventuallyEqual(total, 1);
  await eventually(() => clock.waiting > 0);
  await clock.move(29 * day);
  await eventuallyEqual(total, 0);
  await store.close();
  assert.equal(clock.waiting, 0);
});
