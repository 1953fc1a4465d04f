import assert from "node:assert/strict";
import { test } from "node:test";
import { Limiter } from "#base/limiter";

/** Jobs that run until the test ends them. */
function controlled(limiter: Limiter, log: string[]) {
  const ends = new Map<string, () => void>();
  return {
    start(name: string, signal?: AbortSignal) {
      return limiter.run(async () => {
        log.push(`+${name}`);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        log.push(`-${name}`);
      }, signal);
    },
    async end(name: string) {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("at most the limit runs at once; the others follow in FIFO order", async () => {
  const log: string[] = [];
  const { start, end } = controlled(new Limiter(2), log);
  const all = ["a", "b", "c", "d"].map((name) => start(name));
  for (const name of ["b", "a", "c", "d"]) await end(name);
  await Promise.all(all);
  assert.equal(log.join(" "), "+a +b -b +c -a +d -c -d");
});

test("a caller that cancels while waiting takes no slot", async () => {
  const log: string[] = [];
  const limiter = new Limiter(1);
  const { start, end } = controlled(limiter, log);
  const controller = new AbortController();
  const first = start("a");
  const second = start("b", controller.signal);
  const third = start("c");
  controller.abort();
  await assert.rejects(second, { code: "CANCELLED" });
  await end("a");
  await end("c");
  await Promise.all([first, third]);
  assert.equal(log.join(" "), "+a -a +c -c");
  assert.equal(limiter.running, 0);
});

test("a job that fails releases its slot", async () => {
  const limiter = new Limiter(1);
  await assert.rejects(
    limiter.run(async () => {
      throw new Error("failed");
    }),
    /failed/,
  );
  assert.equal(await limiter.run(async () => 1), 1);
});

test("callers are served round-robin, however many jobs one of them has", async () => {
  const log: string[] = [];
  const limiter = new Limiter(1);
  const work = (name: string, caller: string) =>
    limiter.run(
      async () => {
        log.push(name);
      },
      undefined,
      caller,
    );
  await Promise.all([
    ...["a1", "a2", "a3", "a4"].map((name) => work(name, "a")),
    ...["b1", "b2"].map((name) => work(name, "b")),
    work("c1", "c"),
  ]);
  assert.equal(log.join(" "), "a1 a2 b1 c1 a3 b2 a4");
});

test("a higher limit starts waiting jobs, a lower one applies as slots are released", async () => {
  const log: string[] = [];
  const limiter = new Limiter(1);
  const { start, end } = controlled(limiter, log);
  const all = ["a", "b", "c", "d"].map((name) => start(name));
  limiter.resize(3);
  await end("none");
  assert.equal(log.join(" "), "+a +b +c");
  limiter.resize(1);
  for (const name of ["b", "a"]) await end(name);
  assert.equal(log.join(" "), "+a +b +c -b -a");
  await end("c");
  await end("d");
  await Promise.all(all);
  assert.equal(log.join(" "), "+a +b +c -b -a -c +d -d");
  assert.equal(limiter.running, 0);
});
