import assert from "node:assert/strict";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cancelled, isServiceError, ServiceError } from "#base/error";
import type { Call, Caller } from "#contract/service";
import { silentLog } from "#platform/log";
import { connectRemote } from "#remote/remote";
import { listen } from "#transport/http/listener";

interface Received {
  readonly name: string;
  readonly request: unknown;
  readonly call: Call;
}

let received: Received | undefined;
let behaviour: (call: Call) => unknown = () => ({ status: "ok" });

const caller = (async (name: string, request: unknown, call: Call) => {
  received = { name, request, call };
  return behaviour(call);
}) as Caller;

const socket = join(mkdtempSync(join(tmpdir(), "trawl-remote-")), "s");
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

test("the socket is the person's alone", () => {
  assert.equal(statSync(socket).mode & 0o777, 0o600);
});

test("a call arrives with everything that it carries, what the caller has shown included", async () => {
  behaviour = () => ({ status: "ok" });
  const unsaved = [{ path: "/a/ü\n.ts", text: "line\u2028\n\ud83d\ude00", version: "1" }];
  const request = { query: "x\ny", page: 1 };
  const answer = await remote.call("health", request, {
    credentials: { kind: "none" },
    signal: never,
    baseUrl: "http://h",
    unsaved,
    folders: ["/a"],
  });
  assert.deepEqual(answer, { status: "ok" });
  assert(received);
  assert.equal(received.name, "health");
  assert.deepEqual(received.request, request);
  const { credentials, baseUrl, folders, emit } = received.call;
  assert.deepEqual(
    { credentials, baseUrl, unsaved: received.call.unsaved, folders, emit },
    { credentials: { kind: "none" }, baseUrl: "http://h", unsaved, folders: ["/a"], emit: undefined },
  );
});

test("events come before the answer, in order", async () => {
  behaviour = async ({ emit }) => {
    for (let count = 0; count < 1000; count++) {
      await emit?.({ repositories: [], total: count, ready: 0 } as never);
    }
    return { total: 1000, ready: 0, failed: [] };
  };
  const totals: number[] = [];
  const answer = await remote.call(
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
  assert.equal(answer.total, 1000);
  assert.deepEqual(
    totals,
    Array.from({ length: 1000 }, (_, count) => count),
  );
});

test("an answer of many megabytes comes whole", async () => {
  const text = "ä".repeat(8 * 1024 * 1024);
  behaviour = () => ({ status: text });
  const answer = await remote.call("health", {}, { credentials: { kind: "local" }, signal: never });
  assert.equal(answer.status, text);
});

const errors: readonly (readonly [thrown: Error, code: string, message: RegExp])[] = [
  [new ServiceError("FAILED_TO_PARSE_QUERY", "at 3"), "FAILED_TO_PARSE_QUERY", /^at 3$/],
  [new ServiceError("NOT_FOUND", 'Repository "x" not found.'), "NOT_FOUND", /"x"/],
  [new TypeError("secret"), "UNEXPECTED_ERROR", /^Something went wrong inside/],
];
for (const [thrown, code, message] of errors) {
  test(`${code} comes back as itself`, async () => {
    behaviour = () => {
      throw thrown;
    };
    await assert.rejects(
      remote.call("health", {}, { credentials: { kind: "local" }, signal: never }),
      (error) => isServiceError(error) && error.code === code && message.test(error.message),
    );
  });
}

test("giving up ends the call at the other end", async () => {
  const controller = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    behaviour = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          resolve();
          reject(cancelled());
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

test("an unknown row is named", async () => {
  await assert.rejects(
    remote.call("nonsense" as "health", {}, { credentials: { kind: "local" }, signal: never }),
    (error) => isServiceError(error, "NOT_FOUND") && /nonsense/.test(error.message),
  );
});

test("a leader that has gone is said to have gone", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "trawl-remote-")), "s");
  const mortal = await listen({ socket: path, caller, log: silentLog });
  const follower = connectRemote(path);
  behaviour = () => {
    void mortal.close();
    return new Promise(() => undefined);
  };
  const isGone = (error: unknown) =>
    isServiceError(error, "ENGINE_UNAVAILABLE") && /has gone/.test(error.message);
  await assert.rejects(
    follower.call("health", {}, { credentials: { kind: "local" }, signal: never }),
    isGone,
  );
  await assert.rejects(
    follower.call("health", {}, { credentials: { kind: "local" }, signal: never }),
    isGone,
  );
  await follower.close();
});
