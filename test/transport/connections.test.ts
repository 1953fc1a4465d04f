import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { canceled, ServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import type { Engine } from "#engine/engine";
import { eventually } from "#test/support/eventually";
import {
  callerOf,
  engineOf,
  engineResult,
  fileMatch,
  openListener,
  rawRequest,
  repository,
  type TestListener,
  viewOf,
} from "#test/support/service";

const body = '{"query":"found"}';
const post = (path: string, text = body, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`;

const callerWith = (search: Engine["search"]): Caller =>
  callerOf({ engine: engineOf(search), repositories: viewOf([repository(1, "github.com/o/r")]) });

/** A search that runs until it is canceled. */
const endless: Engine["search"] = (_plan, signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(canceled());
    signal.addEventListener("abort", () => reject(canceled()), { once: true });
  });

async function withListener(
  caller: Caller,
  options: Parameters<typeof openListener>[1],
  use: (listener: TestListener) => Promise<void>,
): Promise<void> {
  const listener = await openListener(caller, options);
  try {
    await use(listener);
  } finally {
    await listener.close();
  }
}

const heartbeat = /\n:\n\n/;

/** Opens a connection, sends `bytes`, and collects what is received. */
function openConnection(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let received = "";
  socket
    .on("error", () => {})
    .on("data", (part) => {
      received += part;
    })
    .write(bytes);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return { socket, received: () => received, closed };
}

function codeOf(response: string): string {
  return `${/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]} ${/"errorCode":"(\w+)"/.exec(response)?.[1]}`;
}

describe("malformed requests", () => {
  let listener: TestListener;
  before(async () => {
    listener = await openListener(
      callerWith(async () => engineResult([])),
      { limits: { headersTimeoutMs: 300, requestTimeoutMs: 600, maxHeaderBytes: 8192 } },
    );
  });
  after(() => listener.close());

  const rows: [name: string, bytes: string, expected: string][] = [
    ["garbage", "\x16\x03\x01\x02\x00\x01\r\n\r\n", "400 MALFORMED_REQUEST"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "400 MALFORMED_REQUEST"],
    ["a malformed header", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "400 MALFORMED_REQUEST"],
    [
      "a malformed length",
      "POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "400 MALFORMED_REQUEST",
    ],
    [
      "both Content-Length and Transfer-Encoding",
      "POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400 MALFORMED_REQUEST",
    ],
    [
      "headers over the limit",
      `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
      "431 HEADERS_TOO_LARGE",
    ],
    [
      "a URL over the limit",
      `GET /api/${"x".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      "431 HEADERS_TOO_LARGE",
    ],
    [
      "a request to a proxy",
      "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
      "405 METHOD_NOT_ALLOWED",
    ],
    [
      "an unknown expectation",
      "GET /api/health HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n",
      "400 MALFORMED_REQUEST",
    ],
    ["headers that never end", "GET /api/health HTTP/1.1\r\nHost: localhost\r\n", "400 MALFORMED_REQUEST"],
    ["a body that never ends", post("/api/search").replace(body, "{"), "400 MALFORMED_REQUEST"],
    [
      "a malformed chunk",
      `${post("/api/search").split("Content-Length")[0]}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      "400 MALFORMED_REQUEST",
    ],
  ];
  for (const [name, bytes, expected] of rows) {
    test(name, async () => {
      const response = await rawRequest(listener.port, bytes);
      assert.equal(codeOf(response), expected, response);
      assert.match(response, /x-content-type-options: nosniff/i);
    });
  }

  test("a request before garbage gets its response", async () => {
    const response = await rawRequest(
      listener.port,
      `GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\x00\x00`,
    );
    assert.match(response, /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  });

  test("with Expect: 100-continue, a body that is too large is refused before it is sent", async () => {
    const head = `POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
    const refused = await rawRequest(listener.port, `${head}Content-Length: 9999999\r\n\r\n`, /\}$/);
    assert.equal(codeOf(refused), "413 REQUEST_TOO_LARGE");
    const accepted = await rawRequest(
      listener.port,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
      /\}$/,
    );
    assert.match(accepted, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test("a connection serves several requests", async () => {
    const one = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const response = await rawRequest(listener.port, one + one, /"ok"[\s\S]*"ok"/);
    assert.equal(response.match(/HTTP\/1\.1 200/g)?.length, 2);
  });
});

describe("errors of the service", () => {
  const rows: [name: string, error: Error, expected: string][] = [
    ["an unexpected error", new TypeError("/home/me/secret is undefined"), "500 UNEXPECTED_ERROR"],
    ["an internal error code", new ServiceError("SHARD_DAMAGED", "/home/me/secret"), "500 UNEXPECTED_ERROR"],
    ["a public error code", new ServiceError("ENGINE_UNAVAILABLE", "Gone."), "503 ENGINE_UNAVAILABLE"],
  ];
  for (const path of ["/api/search", "/api/stream_search"]) {
    for (const [name, error, expected] of rows) {
      test(`${name}, ${path}`, async () => {
        const caller = callerWith(async () => {
          throw error;
        });
        await withListener(caller, {}, async ({ port }) => {
          const response = await rawRequest(port, post(path), /\}$/);
          assert.equal(codeOf(response), expected);
          assert.doesNotMatch(response, /secret|at .*\.js/);
        });
      });
    }
  }

  test("a response over the limit is refused", async () => {
    const huge = fileMatch(1, "a.txt", { content: "\u0001".repeat(12 * 1024 * 1024) });
    await withListener(
      callerWith(async () => engineResult([huge])),
      {},
      async ({ port }) => {
        assert.equal(codeOf(await rawRequest(port, post("/api/search"), /\}$/)), "422 ANSWER_TOO_LARGE");
      },
    );
  });

  test("requests over the limit are refused, but health still responds", async () => {
    let runningCount = 0;
    const search: Engine["search"] = (plan, signal) => {
      runningCount++;
      return endless(plan, signal);
    };
    const caller = callerOf({ engine: engineOf(search) }, { maxRunning: 1, maxWaiting: 1 });
    await withListener(caller, {}, async ({ port }) => {
      const open = () => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {}).write(post("/api/search"));
        return socket;
      };
      const running = open();
      await eventually(() => runningCount === 1);
      // One of these two waits, and the other is refused.
      const others = [open(), open()];
      const response = await Promise.race(
        others.map(
          (socket) => new Promise((resolve) => socket.once("data", (bytes) => resolve(bytes.toString()))),
        ),
      );
      assert.match(String(response), /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*OVERLOADED/);
      assert.match(
        await rawRequest(port, "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", /\}$/),
        /"ok"/,
      );
      for (const socket of [running, ...others]) socket.destroy();
    });
  });
});

describe("connections that end", () => {
  for (const path of ["/api/search", "/api/stream_search"]) {
    test(`a disconnect cancels the search, ${path}`, async () => {
      let stopped: (() => void) | undefined;
      const end = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      let started: (() => void) | undefined;
      const begin = new Promise<void>((resolve) => {
        started = resolve;
      });
      const caller = callerWith((plan, signal) => {
        started?.();
        signal.addEventListener("abort", () => stopped?.());
        return endless(plan, signal);
      });
      await withListener(caller, {}, async ({ port }) => {
        const socket = connect(port, "127.0.0.1");
        socket.write(post(path));
        await begin;
        socket.destroy();
        await end;
      });
    });
  }

  test("connections over the limit are closed", async () => {
    await withListener(callerOf(), { limits: { maxConnections: 2 } }, async ({ port }) => {
      const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
      await Promise.all(held.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
      const health = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      assert.equal(await rawRequest(port, health), "");
      for (const socket of held) socket.destroy();
      let response = "";
      while (!response.includes('"ok"')) response = await rawRequest(port, health);
    });
  });

  test("a listener closes quickly with requests running and connections open", async () => {
    let runningCount = 0;
    const caller = callerWith((plan, signal) => {
      runningCount++;
      return endless(plan, signal);
    });
    const listener = await openListener(caller, { limits: { heartbeatMs: 10 } });
    const [whole, stream, idle, silent] = [
      openConnection(listener.port, post("/api/search")),
      openConnection(listener.port, post("/api/stream_search")),
      openConnection(listener.port, "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      openConnection(listener.port, ""),
    ];
    await eventually(
      () =>
        runningCount === 2 &&
        heartbeat.test(stream.received()) &&
        idle.received() !== "" &&
        !silent.socket.connecting,
    );
    const start = Date.now();
    await listener.close();
    assert.ok(Date.now() - start < 3000);
    await Promise.all([whole, stream, idle, silent].map(({ closed }) => closed));
    assert.equal(codeOf(whole.received()), "503 ENGINE_UNAVAILABLE");
    assert.match(
      stream.received(),
      /event: error\ndata: \{"statusCode":503,"errorCode":"ENGINE_UNAVAILABLE"/,
    );
  });
});

describe("streams", () => {
  /** Returns names and data of the events in a response. */
  function eventsOf(response: string): [string, Record<string, unknown>][] {
    return [...response.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name = "", data = ""]) => [
      name,
      JSON.parse(data),
    ]);
  }

  test("files are sent as they are found, with heartbeats between them", async () => {
    let connection: ReturnType<typeof openConnection> | undefined;
    const caller = callerWith(async (_plan, _signal, onFiles) => {
      onFiles?.([fileMatch(1, "a.ts")]);
      await eventually(() => heartbeat.test(connection?.received() ?? ""));
      onFiles?.([fileMatch(1, "b.ts"), fileMatch(1, "c.ts")]);
      return engineResult([], { stats: { ...engineResult([]).stats, actualMatchCount: 3 } });
    });
    await withListener(caller, { limits: { heartbeatMs: 10 } }, async ({ port }) => {
      connection = openConnection(port, post("/api/stream_search", body, "Connection: close\r\n"));
      await connection.closed;
      const received = connection.received();
      assert.match(received, /^HTTP\/1\.1 200 [\s\S]*content-type: text\/event-stream/i);
      const events = eventsOf(received.replace(/\r\n[0-9a-f]+\r\n/g, ""));
      assert.deepEqual(
        events.map(([name]) => name),
        ["files", "progress", "files", "progress", "done"],
      );
      const [first, , second, progress, done] = events.map(([, data]) => data);
      assert.match(JSON.stringify(first?.["repositoryInfo"]), /^\[\{"id":1,/);
      assert.deepEqual(second?.["repositoryInfo"], []);
      assert.deepEqual(progress, { fileCount: 3, matchCount: 3 });
      assert.equal(done?.["isSearchExhaustive"], true);
      assert.equal(done?.["files"], undefined);
    });
  });

  test("a client that stops reading is disconnected", async () => {
    const text = "x".repeat(1024 * 1024);
    let cut: ((value: unknown) => void) | undefined;
    const wasCut = new Promise((resolve) => {
      cut = resolve;
    });
    const caller = callerWith(async (_plan, signal, onFiles) => {
      signal.addEventListener("abort", cut ?? (() => {}));
      for (let each = 0; each < 32; each++) onFiles?.([fileMatch(1, "a.ts", { content: text })]);
      return engineResult([]);
    });
    await withListener(caller, { limits: { stallMs: 300 } }, async ({ port }) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.pause();
      socket.write(post("/api/stream_search"));
      await wasCut;
      socket.destroy();
    });
  });
});

const largeContent = "x".repeat(24 * 1024 * 1024);
/** At most 4 MiB; in JSON, each of these characters takes six bytes. */
const largeSource = "\u0001".repeat(4 * 1024 * 1024);
const mcpRequest = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "resources/read",
  params: { uri: "trawl://r@main/a" },
});
const slowRequests: readonly (readonly [path: string, request: string, caller: Caller])[] = [
  [
    "/api/search",
    body,
    callerWith(async () => engineResult([fileMatch(1, "a.ts", { content: largeContent })])),
  ],
  [
    "/mcp",
    mcpRequest,
    (async (name) => (name === "source" ? { source: largeSource } : { version: "1" })) as Caller,
  ],
];
for (const [path, request, caller] of slowRequests) {
  test(`clients that read slowly from ${path} are disconnected, the oldest first, when their responses take too much memory`, async () => {
    const limits = { maxUnreadBytes: 40 * 1024 * 1024, readingMs: 0 };
    await withListener(caller, { limits }, async ({ port }) => {
      /** Reads a few bytes at a time, so that the connection never looks idle. */
      const readSlowly = async () => {
        const headers = "Connection: close\r\nAccept: application/json, text/event-stream\r\n";
        const connection = openConnection(port, post(path, request, headers));
        await eventually(() => connection.received() !== "");
        connection.socket.pause();
        const trickle = setInterval(() => connection.socket.read(100), 10);
        void connection.closed.then(() => clearInterval(trickle));
        return connection;
      };
      const first = await readSlowly();
      const second = await readSlowly();
      // What the system has buffered can still be read.
      first.socket.resume();
      await first.closed;
      assert.ok(first.received().length < largeContent.length);
      second.socket.resume();
      await second.closed;
      assert.ok(second.received().length > largeContent.length);
    });
  });
}

describe("the local socket", () => {
  const options = {
    engine: engineOf(async (plan) =>
      engineResult(plan.unsaved.map(({ path, text }) => fileMatch(1, path, { content: text }))),
    ),
    repositories: viewOf([repository(1, "github.com/o/r")]),
  };
  let listener: TestListener;
  before(async () => {
    listener = await openListener(callerOf(options), { anonymous: "off" });
  });
  after(() => listener.close());

  const envelope = (name: string, content: unknown) =>
    post(`/call/${name}`, JSON.stringify(content), "Connection: close\r\n");

  test("only the owner can access it", () => {
    assert.equal(statSync(listener.socket).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(listener.socket)).mode & 0o077, 0);
  });

  test("a search includes unsaved documents", async () => {
    const text = "x".repeat(2 * 1024 * 1024);
    const unsaved = [{ path: "/src/github.com/o/r/src/a.ts", text, version: "1" }];
    const response = await rawRequest(
      listener.socket,
      envelope("search", { request: { query: "x" }, unsaved }),
    );
    assert.match(response, /^HTTP\/1\.1 200 /);
    assert.match(response, /"text":"src\/a\.ts"/);
    assert.match(response, new RegExp(`"webUrl":"${listener.url}/browse/`));
  });

  test("every operation is served, whatever the host", async () => {
    const rows: [name: string, content: unknown, expected: RegExp][] = [
      ["repos", { request: {} }, /\{"items":\[\{"repoId":1[\s\S]*"total":1\}/],
      ["addPaths", { request: { paths: ["/a"] } }, /\{"repositories":\[\]\}/],
      [
        "indexing",
        { request: {}, events: true },
        /event: event\ndata: \{.*"ready":1\}\n\n[\s\S]*event: done\ndata: \{"total":2/,
      ],
      ["search", { request: { query: "" } }, /FAILED_TO_PARSE_QUERY/],
      ["search", { unsaved: 1 }, /"errorCode":"INVALID_REQUEST_BODY"/],
      ["nothing", { request: {} }, /"errorCode":"NOT_FOUND"/],
    ];
    for (const [name, content, expected] of rows) {
      assert.match(await rawRequest(listener.socket, envelope(name, content)), expected);
    }
    const health = await rawRequest(
      listener.socket,
      "GET /api/health HTTP/1.1\r\nHost: what\r\nConnection: close\r\n\r\n",
    );
    assert.match(health, /"status":"ok"/);
  });

  test("invalid credentials are refused here too", async () => {
    const text = JSON.stringify({ request: {} });
    const response = await rawRequest(
      listener.socket,
      post("/call/repos", text, "Authorization: Bearer x\r\nConnection: close\r\n"),
    );
    assert.equal(codeOf(response), "401 NOT_AUTHENTICATED");
  });
});

describe("ports", () => {
  const caller = callerOf();
  test("a configured port that is in use is an error", async () => {
    await withListener(caller, {}, async ({ port }) => {
      await assert.rejects(openListener(caller, { tcp: { host: "127.0.0.1", port } }), {
        code: "USAGE",
        message: `Cannot listen on 127.0.0.1, port ${port}: the port is in use.`,
      });
    });
  });

  test("without a configured port, the next free port is used", async () => {
    const taken = createServer();
    const wasFree = await new Promise<boolean>((resolve) => {
      taken.once("error", () => resolve(false));
      taken.listen(4878, "127.0.0.1", () => resolve(true));
    });
    try {
      await withListener(caller, { tcp: { host: "127.0.0.1" } }, async ({ port }) => assert.ok(port > 4878));
    } finally {
      if (wasFree) taken.close();
    }
  });

  for (const host of ["nowhere.invalid", "192.0.2.1"]) {
    test(`an address of another computer is refused: ${host}`, async () => {
      await assert.rejects(openListener(caller, { tcp: { host, port: 0 } }), { code: "USAGE" });
    });
  }

  test("an IPv6 address works", async (context) => {
    let listener: TestListener;
    try {
      listener = await openListener(caller, { tcp: { host: "::1", port: 0 } });
    } catch {
      context.diagnostic("This machine has no IPv6.");
      return;
    }
    assert.match(listener.url, /^http:\/\/\[::1\]:\d+$/);
    const status = await new Promise((resolve, reject) => {
      httpRequest(`${listener.url}/api/health`, ({ statusCode }) => resolve(statusCode))
        .on("error", reject)
        .end();
    });
    await listener.close();
    assert.equal(status, 200);
  });
});
