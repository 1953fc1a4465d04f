import assert from "node:assert/strict";
import { test } from "node:test";
import type { Access } from "#access/access";
import { canceled, isServiceError, ServiceError } from "#base/error";
import type { Caller, Service } from "#contract/service";
import type { Engine } from "#engine/engine";
import { noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { MemoryLimit } from "#platform/memoryLimit";
import { createDispatch, type DispatchOptions } from "#service/dispatch";
import { Metrics } from "#service/metrics";
import { testOrganization } from "#test/support/organization";
import { engineOf, serviceOf } from "#test/support/service";

const none = { kind: "none" } as const;
const { access, audit, member } = testOrganization();

const limits = { timeLimitMs: 10_000, gitTimeLimitMs: () => 10_000 };

function dispatchOf({
  service,
  ...options
}: { readonly service: Service } & Partial<DispatchOptions>): Caller {
  const services = () => service;
  const caller = createDispatch({ ...limits, access, audit, metrics: new Metrics(), services, ...options });
  return (name, request, call) => caller(name, request, { ...call, anonymous: "on" });
}

test("default values are added, and unknown fields and nulls are removed", async () => {
  let seen: unknown;
  const service = {
    ...serviceOf(),
    repos: async (request: unknown) => {
      seen = request;
      return { items: [], total: 0 };
    },
  };
  const call = dispatchOf({ service });
  const { signal } = new AbortController();
  const defaults = { page: 1, perPage: 50, sort: "name", direction: "asc", dependencies: "no" };
  await call("repos", { page: null, perPage: 7, else: {}, query: null }, { credentials: none, signal });
  assert.deepEqual(seen, { ...defaults, perPage: 7 });
  await call("repos", undefined, { credentials: none, signal });
  assert.deepEqual(seen, defaults);
});

test("running and waiting requests are limited, and further requests are refused", async () => {
  const running: (() => void)[] = [];
  const service = {
    ...serviceOf(),
    repos: () =>
      new Promise<{ items: []; total: number }>((resolve) => {
        running.push(() => resolve({ items: [], total: 0 }));
      }),
  };
  const call = dispatchOf({ service, maxRunning: 2, maxWaiting: 1 });
  const ask = (signal = new AbortController().signal) => call("repos", {}, { credentials: none, signal });
  const first = [ask(), ask()];
  const disconnected = new AbortController();
  const waiting = ask(disconnected.signal);
  await assert.rejects(ask(), (error) => isServiceError(error, "OVERLOADED"));
  assert.equal(running.length, 2);
  assert.deepEqual(await call("health", {}, { credentials: none, signal: disconnected.signal }), {
    status: "ok",
  });
  disconnected.abort();
  await assert.rejects(waiting, (error) => isServiceError(error, "CANCELLED"));
  const next = ask();
  for (const end of running) end();
  await Promise.all(first);
  while (running.length < 3) await new Promise((resolve) => setImmediate(resolve));
  running[2]?.();
  await next;
});

test("a request of a disconnected caller is canceled", async () => {
  const call = dispatchOf({ service: serviceOf() });
  const signal = AbortSignal.abort(canceled());
  await assert.rejects(call("repos", {}, { credentials: none, signal }), (error) =>
    isServiceError(error, "CANCELLED"),
  );
});

test("git requests do not block other requests, and callers are served round-robin", async () => {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const service = {
    ...serviceOf(),
    tree: ({ repoName }: { repoName: string }) => {
      order.push(repoName);
      return new Promise<never>((_, reject) => ends.push(() => reject(canceled())));
    },
  };
  const call = dispatchOf({ service, maxRunning: 1 });
  const { signal } = new AbortController();
  const ask = (repoName: string, client: string) =>
    call("tree", { repoName }, { credentials: none, signal, client }).catch(() => undefined);
  const responses = [ask("a1", "a"), ask("a2", "a"), ask("a3", "a"), ask("b1", "b")];
  assert.deepEqual(await call("repos", {}, { credentials: none, signal }), { items: [], total: 0 });
  for (let done = 0; done < responses.length; done++) {
    while (ends.length === done) await new Promise((resolve) => setImmediate(resolve));
    ends[done]?.();
  }
  await Promise.all(responses);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3"]);
});

test("a search reports how long it has waited for a slot", async () => {
  const ends: (() => void)[] = [];
  const engine = engineOf(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { files: [], stats: { ...noStats, wait: 1 }, isExhaustive: true };
  });
  const call = dispatchOf({ service: serviceOf({ engine }), maxRunning: 1 });
  const { signal } = new AbortController();
  const search = () => call("search", { query: "a" }, { credentials: none, signal });
  const responses = [search(), search()];
  // Once the first one runs, the second one is queued.
  while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const began = performance.now();
  while (performance.now() - began < 5) await new Promise((resolve) => setImmediate(resolve));
  for (let done = 0; done < responses.length; done++) {
    while (ends.length === done) await new Promise((resolve) => setImmediate(resolve));
    ends[done]?.();
  }
  const [first, second] = (await Promise.all(responses)).map(({ stats }) => stats.wait);
  assert.equal(first, 1);
  assert.ok(second !== undefined && second >= 4e6, `${second} ns`);
});

test("a request that is queued at its deadline ends at once and takes no slot", async () => {
  let started = 0;
  const release: (() => void)[] = [];
  const engine: Engine = {
    ...engineOf(async ({ limits }) => {
      assert.ok(limits.deadline <= monotonicNow());
      return { files: [], stats: { ...noStats, flushReason: "TIME_LIMIT" }, isExhaustive: false };
    }),
    findSymbols: () => new Promise(() => {}),
  };
  const service = {
    ...serviceOf({ engine }),
    repos: () =>
      new Promise<{ items: []; total: number }>((resolve) => {
        started++;
        release.push(() => resolve({ items: [], total: 0 }));
      }),
  };
  const call = dispatchOf({ service, maxRunning: 1 });
  const { signal } = new AbortController();
  const first = call("repos", {}, { credentials: none, signal });
  while (started === 0) await new Promise((resolve) => setImmediate(resolve));
  // Simulates a request from another process, in which it waited almost until its deadline.
  const late = { credentials: none, signal, arrivedAt: performance.now() - 9900 };
  await assert.rejects(call("repos", {}, late), {
    code: "TIMED_OUT",
    message: "The request took longer than 10 s.",
  });
  const { files, stats, isSearchExhaustive } = await call("search", { query: "a" }, late);
  assert.deepEqual([files, stats.flushReason, isSearchExhaustive], [[], "TIME_LIMIT", false]);
  const definitions = await call("findDefinitions", { symbolName: "a" }, late);
  assert.deepEqual([definitions.files, definitions.stats.isExhaustive], [[], false]);
  const symbols = await call("findSymbols", { query: "a" }, late);
  assert.deepEqual([symbols.symbols, symbols.isExhaustive], [[], false]);
  await assert.rejects(call("search", { query: "type:nothing" }, late), { code: "FAILED_TO_PARSE_QUERY" });
  release[0]?.();
  await first;
  assert.equal(started, 1);
  const next = call("repos", {}, { credentials: none, signal });
  while (started === 1) await new Promise((resolve) => setImmediate(resolve));
  release[1]?.();
  await next;
});

test("a request that is queued at its deadline does not wait until it is recorded", async () => {
  let started = 0;
  let release = () => {};
  const service = {
    ...serviceOf(),
    repos: () =>
      new Promise<{ items: []; total: number }>((resolve) => {
        started++;
        release = () => resolve({ items: [], total: 0 });
      }),
  };
  const stuck = {
    ...audit,
    recordCall: ({ tag }: { tag: string }) =>
      tag === "Search & Navigation" ? new Promise<never>(() => {}) : Promise.resolve(),
  };
  const call = dispatchOf({ service, audit: stuck, maxRunning: 1 });
  const { signal } = new AbortController();
  const first = call("repos", {}, { credentials: none, signal });
  while (started === 0) await new Promise((resolve) => setImmediate(resolve));
  const late = { credentials: none, signal, arrivedAt: performance.now() - 9900 };
  await assert.rejects(call("search", { query: "a" }, late), { code: "TIMED_OUT" });
  release();
  await first;
});

test("a refusal that is delayed past the deadline remains a refusal", async () => {
  const refused = new ServiceError("NOT_AUTHENTICATED", "The API key is not valid.");
  const delaying: Access = {
    admit: (_operation, { checkSignal }) =>
      new Promise((_, reject) => checkSignal?.addEventListener("abort", () => reject(refused))),
  };
  const call = dispatchOf({ service: serviceOf(), access: delaying, timeLimitMs: 20 });
  const { signal } = new AbortController();
  await assert.rejects(call("repos", {}, { credentials: none, signal }), refused);
});

test("branches wait in the queue of git, and searches do not", async () => {
  let end = () => {};
  const service = {
    ...serviceOf(),
    branches: () =>
      new Promise<never>((_, reject) => {
        end = () => reject(canceled());
      }),
  };
  const call = dispatchOf({ service, maxRunning: 1, gitTimeLimitMs: () => 50 });
  const { signal } = new AbortController();
  const ask = () => call("branches", { repo: "a" }, { credentials: none, signal });
  await assert.rejects(ask(), { code: "TIMED_OUT", message: "The request took longer than 0.05 s." });
  await call("repos", {}, { credentials: none, signal });
  end();
});

test("a handler that runs past its deadline keeps its slot, but its caller does not wait", async () => {
  const fired: boolean[] = [];
  let end = () => {};
  const service = {
    ...serviceOf(),
    tree: (_request: unknown, context: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        context.signal.addEventListener("abort", () => fired.push(true));
        end = () => reject(canceled());
      }),
  };
  const call = dispatchOf({ service, maxRunning: 1, gitTimeLimitMs: () => 50 });
  const { signal } = new AbortController();
  const ask = () => call("tree", { repoName: "a" }, { credentials: none, signal });
  await assert.rejects(ask(), { code: "TIMED_OUT", message: "The request took longer than 0.05 s." });
  assert.deepEqual(fired, [true]);
  const queued = ask();
  await assert.rejects(queued, { code: "TIMED_OUT" });
  assert.deepEqual(fired, [true]);
  end();
  const controller = new AbortController();
  const aborted = call("tree", { repoName: "a" }, { credentials: none, signal: controller.signal });
  controller.abort();
  await assert.rejects(aborted, { code: "CANCELLED" });
});

test("sign-ins take slots and end at their deadline, but calls of the local user always run", async () => {
  let end = () => {};
  const service = {
    ...serviceOf(),
    signIn: () =>
      new Promise<never>((_, reject) => {
        end = () => reject(canceled());
      }),
  };
  const call = dispatchOf({ service, maxRunning: 1, maxWaiting: 0, timeLimitMs: 500 });
  const { key } = await member("ada@x.org");
  const { signal } = new AbortController();
  const signIn = () => call("signIn", {}, { credentials: { kind: "apiKey", token: key }, signal });
  const first = assert.rejects(signIn(), {
    code: "TIMED_OUT",
    message: "The request took longer than 0.5 s.",
  });
  await assert.rejects(signIn(), { code: "OVERLOADED" });
  assert.equal((await call("instance", {}, { credentials: { kind: "local" }, signal })).version, "1.2.3");
  await first;
  end();
});

test("above the memory limit, one large search runs at a time instead of two", async () => {
  const runningAtOnce = async (bytes: number) => {
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const service = {
      ...serviceOf(),
      search: () =>
        new Promise<never>((_, reject) => {
          most = Math.max(most, ++running);
          ends.push(() => {
            running--;
            reject(canceled());
          });
        }),
    };
    const call = dispatchOf({ service, memoryLimit: new MemoryLimit(1000, () => bytes) });
    const { signal } = new AbortController();
    const responses = Array.from({ length: 4 }, () =>
      call("search", { query: "a", matches: 100_000 }, { credentials: none, signal }).catch(() => undefined),
    );
    for (let ended = 0; ended < 4; ended++) {
      while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
    }
    await Promise.all(responses);
    return most;
  };
  assert.deepEqual([await runningAtOnce(1000), await runningAtOnce(1001)], [2, 1]);
});

test("counts whose groups may be many have the queue of large searches", async () => {
  let started = 0;
  const service = {
    ...serviceOf(),
    count: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      started++;
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(canceled())));
    },
  };
  const call = dispatchOf({ service });
  const controller = new AbortController();
  const ask = (request: object) =>
    call("count", request, { credentials: none, signal: controller.signal }).catch(() => undefined);
  const slow = [
    { query: "a", groupBy: "text" },
    { query: "a group:author" },
    { query: "a", groupBy: "symbol" },
  ];
  const quick = [{ query: "a", groupBy: "repo" }, { query: "a" }];
  const responses = [...slow, ...quick].map(ask);
  while (started < 4) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(started, 4);
  controller.abort();
  await Promise.all(responses);
});
