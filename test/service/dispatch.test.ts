import assert from "node:assert/strict";
import { test } from "node:test";
import { cancelled, isServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import { createDispatch, type DispatchOptions } from "#service/dispatch";
import { testOrganisation } from "#test/support/organisation";
import { serviceOf } from "#test/support/service";

const none = { kind: "none" } as const;
const { access, audit } = testOrganisation();

function dispatchOf(options: Omit<DispatchOptions, "access" | "audit">): Caller {
  const caller = createDispatch({ ...options, access, audit });
  return (name, request, call) => caller(name, request, { ...call, anonymous: "on" });
}

test("defaults are filled in, unknown fields and nulls are dropped", async () => {
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
  await call("repos", { page: null, perPage: 7, else: {}, query: null }, { credentials: none, signal });
  assert.deepEqual(seen, { page: 1, perPage: 7, sort: "name", direction: "asc" });
  await call("repos", undefined, { credentials: none, signal });
  assert.deepEqual(seen, { page: 1, perPage: 50, sort: "name", direction: "asc" });
});

test("calls run so many at once, so many wait, and the rest is refused", async () => {
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
  const gone = new AbortController();
  const waiting = ask(gone.signal);
  await assert.rejects(ask(), (error) => isServiceError(error, "OVERLOADED"));
  assert.equal(running.length, 2);
  assert.deepEqual(await call("health", {}, { credentials: none, signal: gone.signal }), { status: "ok" });
  gone.abort();
  await assert.rejects(waiting, (error) => isServiceError(error, "CANCELLED"));
  const next = ask();
  for (const end of running) end();
  await Promise.all(first);
  while (running.length < 3) await new Promise((resolve) => setImmediate(resolve));
  running[2]?.();
  await next;
});

test("a caller that has gone is not served", async () => {
  const call = dispatchOf({ service: serviceOf() });
  const signal = AbortSignal.abort(cancelled());
  await assert.rejects(call("repos", {}, { credentials: none, signal }), (error) =>
    isServiceError(error, "CANCELLED"),
  );
});

test("what waits for git keeps nobody from searching, and callers take turns", async () => {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const service = {
    ...serviceOf(),
    tree: ({ repoName }: { repoName: string }) => {
      order.push(repoName);
      return new Promise<never>((_, reject) => ends.push(() => reject(cancelled())));
    },
  };
  const call = dispatchOf({ service, maxRunning: 1 });
  const { signal } = new AbortController();
  const ask = (repoName: string, client: string) =>
    call("tree", { repoName }, { credentials: none, signal, client }).catch(() => undefined);
  const asked = [ask("a1", "a"), ask("a2", "a"), ask("a3", "a"), ask("b1", "b")];
  assert.deepEqual(await call("repos", {}, { credentials: none, signal }), { items: [], total: 0 });
  for (let done = 0; done < asked.length; done++) {
    while (ends.length === done) await new Promise((resolve) => setImmediate(resolve));
    ends[done]?.();
  }
  await Promise.all(asked);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3"]);
});
