import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleFlight } from "#base/singleFlight";

const { signal } = new AbortController();

test("work with the same key is shared while it is under way, and runs again afterwards", async () => {
  const flights = new SingleFlight();
  let count = 0;
  const work = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return ++count;
  };
  const call = (key: string) => flights.run(key, work, signal);
  assert.deepEqual(await Promise.all([call("a"), call("a"), call("b")]), [1, 1, 2]);
  assert.equal(await call("a"), 3);
});

test("a failure rejects all callers, and the next call tries again", async () => {
  const flights = new SingleFlight();
  let fails = true;
  const work = async () => {
    if (fails) throw new Error("no");
    return "yes";
  };
  const calls = [flights.run("a", work, signal), flights.run("a", work, signal)];
  for (const each of await Promise.allSettled(calls)) assert.equal(each.status, "rejected");
  fails = false;
  assert.equal(await flights.run("a", work, signal), "yes");
});

test("work is canceled with its last caller", async () => {
  const flights = new SingleFlight();
  const signals: AbortSignal[] = [];
  const work = (shared: AbortSignal) => {
    signals.push(shared);
    return new Promise<never>((_, reject) =>
      shared.addEventListener("abort", () => reject(new Error("ended"))),
    );
  };
  const [one, other] = [new AbortController(), new AbortController()];
  const calls = [one, other].map((each) => flights.run("a", work, each.signal));
  one.abort();
  assert.equal(signals[0]?.aborted, false);
  other.abort();
  assert.equal(signals[0]?.aborted, true);
  for (const each of calls) await assert.rejects(each, { code: "CANCELLED" });
  flights.run("a", work, signal).catch(() => undefined);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  assert.throws(() => flights.run("a", work, one.signal), { code: "CANCELLED" });
});
