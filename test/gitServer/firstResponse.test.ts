import assert from "node:assert/strict";
import { test } from "node:test";
import { canceled, isServiceError } from "#base/error";
import { firstResponse } from "#gitServer/firstResponse";

/** What a server does: responds, fails, refuses the request, or never responds. */
type Behavior = "ok" | "fails" | "refuses" | "hangs";

class Failure extends Error {}

function ask(behaviors: readonly Behavior[], signal: AbortSignal, canceledServers: number[] = []) {
  const asked: number[] = [];
  const late: number[] = [];
  const result = firstResponse({
    servers: behaviors.map((behavior, at) => ({ behavior, at })),
    stepMs: 20,
    signal,
    send: async ({ behavior, at }, sendSignal) => {
      asked.push(at);
      if (behavior === "ok") return at;
      if (behavior === "fails") throw new Failure(String(at));
      if (behavior === "refuses") throw new Error(String(at));
      return await new Promise<number>((_, reject) => {
        sendSignal.addEventListener("abort", () => {
          canceledServers.push(at);
          reject(canceled());
        });
      });
    },
    isFailure: (error) => error instanceof Failure,
    onLate: ({ at }) => late.push(at),
  });
  return { result, asked, late };
}

const never = () => new AbortController().signal;

test("the first response wins, and servers after it are not asked", async () => {
  const { result, asked } = ask(["fails", "ok", "ok"], never());
  assert.equal(await result, 1);
  assert.deepEqual(asked, [0, 1]);
});

test("a server that hangs is left, and its request canceled", async () => {
  const canceledServers: number[] = [];
  const { result, late } = ask(["hangs", "ok"], never(), canceledServers);
  assert.equal(await result, 1);
  assert.deepEqual(late, [0]);
  assert.deepEqual(canceledServers, [0]);
});

test("an error of the request is final", async () => {
  const { result, asked } = ask(["refuses", "ok"], never());
  await assert.rejects(result, { message: "0" });
  assert.deepEqual(asked, [0]);
});

test("all failures are reported together", async () => {
  const found = await ask(["fails", "fails"], never()).result.catch((error: unknown) => error);
  assert.deepEqual(
    (found as Failure[]).map(({ message }) => message),
    ["0", "1"],
  );
});

test("a canceled request ends at once", async () => {
  const controller = new AbortController();
  const { result } = ask(["hangs"], controller.signal);
  controller.abort();
  await assert.rejects(result, (error) => isServiceError(error, "CANCELLED"));
  await assert.rejects(ask(["ok"], AbortSignal.abort()).result, (error) =>
    isServiceError(error, "CANCELLED"),
  );
});
