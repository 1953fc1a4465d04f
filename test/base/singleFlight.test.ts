import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleFlight } from "#base/singleFlight";

const { signal } = new AbortController();

test("work of one key is done once while it is under way, and anew afterwards", async () => {
  const flights = new SingleFlight();
  let count = 0;
  const work = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return ++count;
  };
  const ask = (key: string) => flights.run(key, work, signal);
  assert.deepEqual(await Promise.all([ask("a"), ask("a"), ask("b")]), [1, 1, 2]);
  assert.equal(await ask("a"), 3);
});

test("all are told of a failure, and the next one tries again", async () => {
  const flights = new SingleFlight();
  let fails = true;
  const work = async () => {
    if (fails) throw new Error("no");
    return "yes";
  };
  const asked = [flights.run("a", work, signal), flights.run("a", work, signal)];
  for (const each of await Promise.allSettled(asked)) assert.equal(each.status, "rejected");
  fails = false;
  assert.equal(await flights.run("a", work, signal), "yes");
});

test("work is given up with its last caller", async () => {
  const flights = new SingleFlight();
  const given: AbortSignal[] = [];
  const work = (shared: AbortSignal) => {
    given.push(shared);
    return new Promise<never>((_, reject) =>
      shared.addEventListener("abort", () => reject(new Error("ended"))),
    );
  };
  const [one, other] = [new AbortController(), new AbortController()];
  const asked = [one, other].map((each) => flights.run("a", work, each.signal));
  one.abort();
  assert.equal(given[0]?.aborted, false);
  other.abort();
  assert.equal(given[0]?.aborted, true);
  for (const each of asked) await assert.rejects(each, { code: "CANCELLED" });
  flights.run("a", work, signal).catch(() => undefined);
  assert.deepEqual(
    given.map(({ aborted }) => aborted),
    [true, false],
  );
  assert.throws(() => flights.run("a", work, one.signal), { code: "CANCELLED" });
});
