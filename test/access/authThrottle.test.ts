import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthThrottle } from "#access/authThrottle";
import { type OffsetClock, offsetClock, testOrganization } from "#test/support/organization";
import { callerOf, openListener } from "#test/support/service";

const { signal } = new AbortController();

test("the first refusals are not delayed, and further delays grow up to a limit", async () => {
  const clock = offsetClock();
  const refusals = new AuthThrottle(clock);
  for (let time = 0; time < 5; time++) await refusals.delayRefusal("a", signal);
  assert.deepEqual(clock.waits, []);
  for (let time = 0; time < 12; time++) {
    await refusals.delayRefusal("a", signal);
    clock.addedMs += clock.waits.at(-1) ?? 0;
  }
  const [first = 0, second = 0] = clock.waits;
  assert(first >= 50 && second > first, clock.waits.join());
  assert(Math.max(...clock.waits) <= 5000 && (clock.waits.at(-1) ?? 0) > 4000, clock.waits.join());
});

test("other addresses are not delayed, and refusals expire", async () => {
  const clock = offsetClock();
  const refusals = new AuthThrottle(clock);
  for (let time = 0; time < 8; time++) await refusals.delayRefusal("a", signal);
  const before = clock.waits.length;
  await refusals.delayRefusal("b", signal);
  assert.equal(clock.waits.length, before);
  clock.addedMs += 60 * 60 * 1000;
  await refusals.delayRefusal("a", signal);
  assert.equal(clock.waits.length, before);
});

for (const [name, wrongMs] of [
  ["an hour fast", 60 * 60 * 1000],
  ["years fast", 5 * 365 * 24 * 60 * 60 * 1000],
  ["years slow", -5 * 365 * 24 * 60 * 60 * 1000],
] as const) {
  test(`a clock that is ${name} for a while changes neither delays nor when refusals expire`, async () => {
    const delays = async (jump: (clock: OffsetClock) => void) => {
      const clock = offsetClock();
      const refusals = new AuthThrottle(clock);
      const refuse = async (times: number) => {
        for (let time = 0; time < times; time++) {
          await refusals.delayRefusal("a", signal);
          clock.addedMs += clock.waits.at(-1) ?? 0;
        }
      };
      jump(clock);
      await refuse(8);
      clock.wrongMs = 0;
      await refuse(8);
      jump(clock);
      await refuse(2);
      clock.addedMs += 60 * 60 * 1000;
      await refuse(6);
      return clock.waits.map((delay) => Math.round(delay / 10));
    };
    const right = await delays(() => undefined);
    assert.deepEqual(
      await delays((clock) => {
        clock.wrongMs = wrongMs;
      }),
      right,
    );
    assert.equal(right.length, 3 + 8 + 2 + 1);
  });
}

test("concurrent attempts are delayed too, and too many of them are refused", async () => {
  const clock = { ...offsetClock(), after: () => () => {} };
  const refusals = new AuthThrottle(clock);
  for (let time = 0; time < 5; time++) await refusals.delayRefusal("a", signal);
  const disconnected = new AbortController();
  const waiting = Array.from({ length: 16 }, () => refusals.delayRefusal("a", disconnected.signal));
  await assert.rejects(refusals.delayRefusal("a", signal), { code: "OVERLOADED" });
  disconnected.abort();
  for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, "rejected");
  const controller = new AbortController();
  const next = refusals.delayRefusal("a", controller.signal);
  controller.abort();
  await assert.rejects(next, { code: "CANCELLED" });
});

test("with too many addresses, the oldest are evicted first", async () => {
  const clock = offsetClock();
  const refusals = new AuthThrottle(clock);
  for (let time = 0; time < 7; time++) await refusals.delayRefusal("a", signal);
  for (let each = 0; each < 10_000; each++) await refusals.delayRefusal(`address ${each}`, signal);
  const before = clock.waits.length;
  await refusals.delayRefusal("a", signal);
  assert.equal(clock.waits.length, before);
});

test("over HTTP, wrong keys are delayed; valid keys from the same address and missing keys are not", async () => {
  const clock = offsetClock();
  const organization = testOrganization({ clock });
  const listener = await openListener(callerOf({}, { organization }), { anonymous: "off" });
  const { key } = await organization.member("bob@example.com");
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`${listener.url}/api/repos`, { headers })).status;
  for (let time = 0; time < 20; time++) assert.equal(await ask({}), 401);
  assert.deepEqual(clock.waits, []);
  for (let time = 0; time < 8; time++) assert.equal(await ask({ "x-service-api-key": `wrong ${time}` }), 401);
  const slowed = clock.waits.length;
  assert.equal(slowed, 3);
  assert.equal(await ask({ authorization: `Bearer ${key}` }), 200);
  assert.equal(clock.waits.length, slowed);
  await listener.close();
});
