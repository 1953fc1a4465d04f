import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusals } from "#access/refusals";
import { movedClock, testOrganisation } from "#test/support/organisation";
import { callerOf, openListener } from "#test/support/service";

const { signal } = new AbortController();

test("the first mistakes cost nothing, and then each costs more, up to a limit", async () => {
  const clock = movedClock();
  const refusals = new Refusals(clock);
  for (let time = 0; time < 5; time++) await refusals.wait("a", signal);
  assert.deepEqual(clock.waits, []);
  for (let time = 0; time < 12; time++) {
    await refusals.wait("a", signal);
    clock.addedMs += clock.waits.at(-1) ?? 0;
  }
  const [first = 0, second = 0] = clock.waits;
  assert(first >= 50 && second > first, clock.waits.join());
  assert(Math.max(...clock.waits) <= 5000 && (clock.waits.at(-1) ?? 0) > 4000, clock.waits.join());
});

test("another address is not slowed down, and time makes good again", async () => {
  const clock = movedClock();
  const refusals = new Refusals(clock);
  for (let time = 0; time < 8; time++) await refusals.wait("a", signal);
  const before = clock.waits.length;
  await refusals.wait("b", signal);
  assert.equal(clock.waits.length, before);
  clock.addedMs += 60 * 60 * 1000;
  await refusals.wait("a", signal);
  assert.equal(clock.waits.length, before);
});

test("asking many times at once brings nobody further, and too many are sent away", async () => {
  const clock = { ...movedClock(), after: () => () => {} };
  const refusals = new Refusals(clock);
  for (let time = 0; time < 5; time++) await refusals.wait("a", signal);
  const gone = new AbortController();
  const waiting = Array.from({ length: 16 }, () => refusals.wait("a", gone.signal));
  await assert.rejects(refusals.wait("a", signal), { code: "OVERLOADED" });
  gone.abort();
  for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, "rejected");
  const controller = new AbortController();
  const next = refusals.wait("a", controller.signal);
  controller.abort();
  await assert.rejects(next, { code: "CANCELLED" });
});

test("addresses that were never seen again are forgotten one by one", async () => {
  const clock = movedClock();
  const refusals = new Refusals(clock);
  for (let time = 0; time < 7; time++) await refusals.wait("a", signal);
  for (let each = 0; each < 10_000; each++) await refusals.wait(`address ${each}`, signal);
  const before = clock.waits.length;
  await refusals.wait("a", signal);
  assert.equal(clock.waits.length, before);
});

test("over HTTP wrong keys wait, a right one of the same address does not, and neither does who shows nothing", async () => {
  const clock = movedClock();
  const organisation = testOrganisation({ clock });
  const listener = await openListener(callerOf({}, { organisation }), { anonymous: "off" });
  const { key } = await organisation.member("bob@example.com");
  const ask = async (shown: Readonly<Record<string, string>>) =>
    (await fetch(`${listener.url}/api/repos`, { headers: shown })).status;
  for (let time = 0; time < 20; time++) assert.equal(await ask({}), 401);
  assert.deepEqual(clock.waits, []);
  for (let time = 0; time < 8; time++) assert.equal(await ask({ "x-service-api-key": `wrong ${time}` }), 401);
  const slowed = clock.waits.length;
  assert.equal(slowed, 3);
  assert.equal(await ask({ authorization: `Bearer ${key}` }), 200);
  assert.equal(clock.waits.length, slowed);
  await listener.close();
});
