import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { canceled, isServiceError, ServiceError } from "#base/error";
import type { Call, Caller } from "#contract/service";
import { silentLog } from "#platform/log";
import { connectRemote } from "#remote/remote";
import { temporaryFolder } from "#test/support/repo";
import { listen } from "#transport/http/listener";

interface Received {
  readonly name: string;
  readonly request: unknown;
  readonly call: Call;
}

let received: Received | undefined;
let respond: (call: Call) => unknown = () => ({ status: "ok" });

const caller = (async (name: string, request: unknown, call: Call) => {
  received = { name, request, call };
  return respond(call);
}) as Caller;

const socket = join(temporaryFolder(), "s");
const listening = listen({ socket, caller, log: silentLog });
const remote = connectRemote(socket);
before(async () => {
  await listening;
});
after(async () => {
  await remote.close();
  await (await listening).close();
});

const never = new AbortController().signal;

test("only the user can access the socket", () => {
  assert.equal(statSync(socket).mode & 0o777, 0o600);
});

test("a call arrives with its request, credentials, unsaved documents and folders", async () => {
  respond = () => ({ status: "ok" });
  const unsaved = [{ path: "/a/ü\n.ts", text: "line\u2028\n\ud83d\ude00", version: "1" }];
  const request = { query: "x\ny", page: 1 };
  const response = await remote.call("health", request, {
    credentials: { kind: "none" },
    signal: never,
    baseUrl: "http://h",
    unsaved,
    folders: ["/a"],
  });
  assert.deepEqual(response, { status: "ok" });
  assert(received);
  assert.equal(received.name, "health");
  assert.deepEqual(received.request, request);
  const { credentials, baseUrl, folders, emit } = received.call;
  assert.deepEqual(
    { credentials, baseUrl, unsaved: received.call.unsaved, folders, emit },
    { credentials: { kind: "none" }, baseUrl: "http://h", unsaved, folders: ["/a"], emit: undefined },
  );
});

test("the time that a call has already waited is passed on", async () => {
  respond = () => ({ status: "ok" });
  const arrivedAt = performance.now() - 5000;
  await remote.call("health", {}, { credentials: { kind: "local" }, signal: never, arrivedAt });
  const { arrivedAt: seen = Number.NaN } = received?.call ?? {};
  assert.ok(performance.now() - seen >= 5000, `${performance.now() - seen} ms`);
  await remote.call("health", {}, { credentials: { kind: "local" }, signal: never });
  assert.ok((received?.call.arrivedAt ?? 0) > seen);
});

test("events arrive in order and before the response", async () => {
  respond = async ({ emit }) => {
    for (let count = 0; count < 1000; count++) {
      await emit?.({ repositories: [], total: count, ready: 0 } as never);
    }
    return { total: 1000, ready: 0, failed: [] };
  };
  const totals: number[] = [];
  const response = await remote.call(
    "indexing",
    {},
    {
      credentials: { kind: "local" },
      signal: never,
      emit: (event) => {
        totals.push(event.total);
      },
    },
  );
  assert.equal(response.total, 1000);
  assert.deepEqual(
    totals,
    Array.from({ length: 1000 }, (_, count) => count),
  );
});

test("a response of many megabytes arrives complete", async () => {
  const text = "ä".repeat(8 * 1024 * 1024);
  respond = () => ({ status: text });
  const response = await remote.call("health", {}, { credentials: { kind: "local" }, signal: never });
  assert.equal(response.status, text);
});

const errors: readonly (readonly [thrown: Error, code: string, message: RegExp])[] = [
  [new ServiceError("FAILED_TO_PARSE_QUERY", "at 3"), "FAILED_TO_PARSE_QUERY", /^at 3$/],
  [new ServiceError("NOT_FOUND", 'Repository "x" not found.'), "NOT_FOUND", /"x"/],
  [new TypeError("secret"), "UNEXPECTED_ERROR", /^An internal error occurred/],
];
for (const [thrown, code, message] of errors) {
  test(`an error with the code ${code} is passed on`, async () => {
    respond = () => {
      throw thrown;
    };
    await assert.rejects(
      remote.call("health", {}, { credentials: { kind: "local" }, signal: never }),
      (error) => isServiceError(error) && error.code === code && message.test(error.message),
    );
  });
}

test("canceling a call aborts it in the leader", async () => {
  const controller = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    respond = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          resolve();
          reject(canceled());
        });
        controller.abort();
      });
  });
  await assert.rejects(
    remote.call("health", {}, { credentials: { kind: "local" }, signal: controller.signal }),
    (error) => isServiceError(error, "CANCELLED"),
  );
  await stopped;
});

test("an unknown operation is reported by name", async () => {
  await assert.rejects(
    remote.call("nonsense" as "health", {}, { credentials: { kind: "local" }, signal: never }),
    (error) => isServiceError(error, "NOT_FOUND") && /nonsense/.test(error.message),
  );
});

test("calls to a leader that has ended fail with the reason", async () => {
  const path = join(temporaryFolder(), "s");
  const leader = await listen({ socket: path, caller, log: silentLog });
  const follower = connectRemote(path);
  respond = () => {
    void leader.close();
    return new Promise(() => undefined);
  };
  const leaderHasEnded = (error: unknown) =>
    isServiceError(error, "ENGINE_UNAVAILABLE") && /has exited/.test(error.message);
  await assert.rejects(
    follower.call("health", {}, { credentials: { kind: "local" }, signal: never }),
    leaderHasEnded,
  );
  await assert.rejects(
    follower.call("health", {}, { credentials: { kind: "local" }, signal: never }),
    leaderHasEnded,
  );
  await follower.close();
});
