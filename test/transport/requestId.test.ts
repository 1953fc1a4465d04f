/** The id that connects a response with the log lines of its request, in every process that handles it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import { createLog, type Log } from "#platform/log";
import { connectRemote } from "#remote/remote";
import { callerOf, openListener, rawRequest, repository, viewOf } from "#test/support/service";

const caller = callerOf({ repositories: viewOf([repository(1, "github.com/o/r")]) });
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

interface Line {
  readonly message: string;
  readonly requestId?: string;
}

function recordingLog(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  return { log: createLog("warn", (line) => lines.push(JSON.parse(line))), lines };
}

test("a well-formed id is kept, and others are replaced", async (t) => {
  const { url, port, close } = await openListener(caller);
  t.after(close);
  const idFor = async (headers: Record<string, string>, path = "/api/version") =>
    (await fetch(url + path, { headers })).headers.get("x-request-id") ?? "";
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  for (const path of ["/api/version", "/livez", "/", "/nowhere"]) {
    assert.equal(await idFor({ "x-request-id": "web/7f:1=a" }, path), "web/7f:1=a", path);
  }
  assert.equal(await idFor({ traceparent }), trace);
  assert.equal(await idFor({ traceparent, "x-request-id": "mine" }), "mine");
  assert.equal(await idFor({ traceparent, "x-request-id": 'a "quoted" id' }), trace);
  for (const headers of [
    {},
    { "x-request-id": "x".repeat(129) },
    { "x-request-id": "two words" },
    { traceparent: traceparent.replace(trace, "0".repeat(32)) },
    { traceparent: `ff-${trace}-00f067aa0ba902b7-01` },
  ]) {
    assert.match(await idFor(headers), uuid);
  }
  assert.notEqual(await idFor({}), await idFor({}));
  const refused = await rawRequest(
    port,
    "GET *?a HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: raw\r\n\r\n",
    /\}$/,
  );
  assert.match(refused, /^HTTP\/1\.1 4.*x-request-id: raw\r\n.*"requestId":"raw"/is);
});

test("an error names the id of its request", async (t) => {
  const { url, close } = await openListener(caller);
  t.after(close);
  const response = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": "mine" },
    body: JSON.stringify({ query: "lang:" }),
  });
  assert.equal(response.status, 400);
  assert.equal(response.headers.get("x-request-id"), "mine");
  assert.equal(((await response.json()) as Line).requestId, "mine");
});

test("a forwarded request has the same id in the logs of both processes", async (t) => {
  const broken: Caller = async () => {
    throw new TypeError("broken");
  };
  const [leaderLog, followerLog] = [recordingLog(), recordingLog()];
  const leader = await openListener(broken, { log: leaderLog.log });
  t.after(leader.close);
  const remote = connectRemote(leader.socket);
  t.after(() => remote.close());
  const follower = await openListener(remote.call, { log: followerLog.log });
  t.after(follower.close);

  const headers = { "x-request-id": "from-proxy" };
  const response = await fetch(`${follower.url}/api/repos`, { headers });
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("x-request-id"), "from-proxy");
  for (const { lines } of [leaderLog, followerLog]) {
    assert.deepEqual(
      lines.map(({ message, requestId }) => [message, requestId]),
      [["A call failed.", "from-proxy"]],
    );
  }
});

test("what a tool logs for an agent has the id of the request", async (t) => {
  const broken: Caller = async (name, request, call) => {
    if (name !== "repos") return await caller(name, request, call);
    throw new TypeError("broken");
  };
  const { log, lines } = recordingLog();
  const { url, close } = await openListener(broken, { log });
  t.after(close);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-request-id": "agent-1",
  };
  const params = { name: "repos", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body });
  const text = await response.text();
  assert.equal(response.headers.get("x-request-id"), "agent-1");
  assert.ok(lines.length > 0, text);
  for (const { message, requestId } of lines) assert.equal(requestId, "agent-1", message);
});

test("a probe logs the id of its request", async (t) => {
  const { log, lines } = recordingLog();
  const fails: Caller = async () => {
    throw new ServiceError("ENGINE_UNAVAILABLE", "Cannot connect.");
  };
  const { url, close } = await openListener(fails, { log });
  t.after(close);
  await fetch(`${url}/readyz`, { headers: { "x-request-id": "probe" } });
  assert.deepEqual(
    lines.map(({ requestId }) => requestId),
    ["probe"],
  );
});
