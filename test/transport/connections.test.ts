import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { cancelled, ServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import type { Engine } from "#engine/engine";
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

const searching = (search: Engine["search"]): Caller =>
  callerOf({ engine: engineOf(search), repositories: viewOf([repository(1, "github.com/o/r")]) });

/** Runs until it is cancelled. */
const endless: Engine["search"] = (_plan, signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(cancelled());
    signal.addEventListener("abort", () => reject(cancelled()), { once: true });
  });

async function using(
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

function codeIn(answer: string): string {
  return `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]} ${/"errorCode":"(\w+)"/.exec(answer)?.[1]}`;
}

describe("what is no request", () => {
  let listener: TestListener;
  before(async () => {
    listener = await openListener(
      searching(async () => engineResult([])),
      { limits: { headersTimeoutMs: 300, requestTimeoutMs: 600, maxHeaderBytes: 8192 } },
    );
  });
  after(() => listener.close());

  const rows: [name: string, bytes: string, expected: string][] = [
    ["garbage", "\x16\x03\x01\x02\x00\x01\r\n\r\n", "400 MALFORMED_REQUEST"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "400 MALFORMED_REQUEST"],
    ["a header that is none", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "400 MALFORMED_REQUEST"],
    [
      "a length that is none",
      "POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "400 MALFORMED_REQUEST",
    ],
    [
      "two framings",
      "POST /api/search HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400 MALFORMED_REQUEST",
    ],
    [
      "large headers",
      `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
      "431 HEADERS_TOO_LARGE",
    ],
    [
      "a long address",
      `GET /api/${"x".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      "431 HEADERS_TOO_LARGE",
    ],
    [
      "a proxy's request",
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
      "a chunk that is none",
      `${post("/api/search").split("Content-Length")[0]}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      "400 MALFORMED_REQUEST",
    ],
  ];
  for (const [name, bytes, expected] of rows) {
    test(name, async () => {
      const answer = await rawRequest(listener.port, bytes);
      assert.equal(codeIn(answer), expected, answer);
      assert.match(answer, /x-content-type-options: nosniff/i);
    });
  }

  test("the answer before the garbage is given", async () => {
    const answer = await rawRequest(
      listener.port,
      `GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\x00\x00`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  });

  test("a body is not asked for where it would be refused", async () => {
    const head = `POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
    const refused = await rawRequest(listener.port, `${head}Content-Length: 9999999\r\n\r\n`, /\}$/);
    assert.equal(codeIn(refused), "413 REQUEST_TOO_LARGE");
    const taken = await rawRequest(
      listener.port,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
      /\}$/,
    );
    assert.match(taken, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test("a connection serves several requests", async () => {
    const one = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const answer = await rawRequest(listener.port, one + one, /"ok"[\s\S]*"ok"/);
    assert.equal(answer.match(/HTTP\/1\.1 200/g)?.length, 2);
  });
});

describe("failures of the service", () => {
  const rows: [name: string, error: Error, expected: string][] = [
    ["a defect", new TypeError("/home/me/secret is undefined"), "500 UNEXPECTED_ERROR"],
    ["an internal code", new ServiceError("SHARD_DAMAGED", "/home/me/secret"), "500 UNEXPECTED_ERROR"],
    ["a foreseen one", new ServiceError("ENGINE_UNAVAILABLE", "Gone."), "503 ENGINE_UNAVAILABLE"],
  ];
  for (const path of ["/api/search", "/api/stream_search"]) {
    for (const [name, error, expected] of rows) {
      test(`${name}, ${path}`, async () => {
        const caller = searching(async () => {
          throw error;
        });
        await using(caller, {}, async ({ port }) => {
          const answer = await rawRequest(port, post(path), /\}$/);
          assert.equal(codeIn(answer), expected);
          assert.doesNotMatch(answer, /secret|at .*\.js/);
        });
      });
    }
  }

  test("an answer that is too large", async () => {
    const huge = fileMatch(1, "a.txt", { content: "\u0001".repeat(12 * 1024 * 1024) });
    await using(
      searching(async () => engineResult([huge])),
      {},
      async ({ port }) => {
        assert.equal(codeIn(await rawRequest(port, post("/api/search"), /\}$/)), "422 ANSWER_TOO_LARGE");
      },
    );
  });

  test("too many calls", async () => {
    const caller = callerOf({ engine: engineOf(endless) }, { maxRunning: 1, maxWaiting: 1 });
    await using(caller, {}, async ({ port }) => {
      const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
      for (const socket of held) socket.on("error", () => {}).write(post("/api/search"));
      let answer = "";
      // The two are admitted as soon as their bytes have come.
      while (!answer.includes("OVERLOADED")) {
        const probe = connect(port, "127.0.0.1");
        probe.write(post("/api/search"));
        answer = await new Promise((resolve) => {
          probe.once("data", (bytes) => resolve(bytes.toString()));
          setTimeout(() => resolve(""), 100);
        });
        probe.destroy();
      }
      assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1/);
      assert.match(
        await rawRequest(port, "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", /\}$/),
        /"ok"/,
      );
      for (const socket of held) socket.destroy();
    });
  });
});

describe("connections that end", () => {
  for (const path of ["/api/search", "/api/stream_search"]) {
    test(`cancel their work, ${path}`, async () => {
      let stopped: (() => void) | undefined;
      const end = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      let started: (() => void) | undefined;
      const begin = new Promise<void>((resolve) => {
        started = resolve;
      });
      const caller = searching((plan, signal) => {
        started?.();
        signal.addEventListener("abort", () => stopped?.());
        return endless(plan, signal);
      });
      await using(caller, {}, async ({ port }) => {
        const socket = connect(port, "127.0.0.1");
        socket.write(post(path));
        await begin;
        socket.destroy();
        await end;
      });
    });
  }

  test("connections are bounded", async () => {
    await using(callerOf(), { limits: { maxConnections: 2 } }, async ({ port }) => {
      const held = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
      await Promise.all(held.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
      const health = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      assert.equal(await rawRequest(port, health), "");
      for (const socket of held) socket.destroy();
      let answer = "";
      while (!answer.includes('"ok"')) answer = await rawRequest(port, health);
    });
  });

  test("closing is quick, whatever runs", async () => {
    const listener = await openListener(searching(endless), { limits: { heartbeatMs: 10 } });
    const answers = [
      rawRequest(listener.port, post("/api/search")),
      rawRequest(listener.port, post("/api/stream_search")),
    ];
    const idle = rawRequest(listener.port, "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const silent = rawRequest(listener.port, "");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const start = Date.now();
    await listener.close();
    assert.ok(Date.now() - start < 3000);
    const [whole = "", stream = ""] = await Promise.all(answers);
    assert.equal(codeIn(whole), "503 ENGINE_UNAVAILABLE");
    assert.match(stream, /event: error\ndata: \{"statusCode":503,"errorCode":"ENGINE_UNAVAILABLE"/);
    await Promise.all([idle, silent]);
  });
});

describe("streams", () => {
  /** Names and data of the events of an answer. */
  function eventsOf(answer: string): [string, Record<string, unknown>][] {
    return [...answer.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name = "", data = ""]) => [
      name,
      JSON.parse(data),
    ]);
  }

  test("files as they are found, then the end", async () => {
    const caller = searching(async (_plan, _signal, onFiles) => {
      onFiles?.([fileMatch(1, "a.ts")]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      onFiles?.([fileMatch(1, "b.ts"), fileMatch(1, "c.ts")]);
      return engineResult([], { stats: { ...engineResult([]).stats, actualMatchCount: 3 } });
    });
    await using(caller, { limits: { heartbeatMs: 10 } }, async ({ port }) => {
      const answer = await rawRequest(port, post("/api/stream_search"), /0\r\n\r\n$/);
      assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*content-type: text\/event-stream/i);
      const events = eventsOf(answer.replace(/\r\n[0-9a-f]+\r\n/g, ""));
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
      assert.match(answer, /\n:\n\n/);
    });
  });

  test("a reader that takes nothing holds back the sender, and is cut off", async () => {
    const text = "x".repeat(1024 * 1024);
    let cut: ((value: unknown) => void) | undefined;
    const wasCut = new Promise((resolve) => {
      cut = resolve;
    });
    const caller = searching(async (_plan, signal, onFiles) => {
      signal.addEventListener("abort", cut ?? (() => {}));
      for (let each = 0; each < 32; each++) onFiles?.([fileMatch(1, "a.ts", { content: text })]);
      return engineResult([]);
    });
    await using(caller, { limits: { stallMs: 300 } }, async ({ port }) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.pause();
      socket.write(post("/api/stream_search"));
      await wasCut;
      socket.destroy();
    });
  });
});

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

  test("is the owner's alone", () => {
    assert.equal(statSync(listener.socket).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(listener.socket)).mode & 0o077, 0);
  });

  test("takes what the editor has not saved", async () => {
    const text = "x".repeat(2 * 1024 * 1024);
    const unsaved = [{ path: "/src/github.com/o/r/src/a.ts", text, version: "1" }];
    const answer = await rawRequest(
      listener.socket,
      envelope("search", { request: { query: "x" }, unsaved }),
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /"text":"src\/a\.ts"/);
    assert.match(answer, new RegExp(`"webUrl":"${listener.url}/browse/`));
  });

  test("serves every row, whatever the host", async () => {
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

  test("a credential counts here too", async () => {
    const text = JSON.stringify({ request: {} });
    const answer = await rawRequest(
      listener.socket,
      post("/call/repos", text, "Authorization: Bearer x\r\nConnection: close\r\n"),
    );
    assert.equal(codeIn(answer), "401 NOT_AUTHENTICATED");
  });
});

describe("ports", () => {
  const caller = callerOf();
  test("a port that is given and taken is an error", async () => {
    await using(caller, {}, async ({ port }) => {
      await assert.rejects(openListener(caller, { tcp: { host: "127.0.0.1", port } }), {
        code: "USAGE",
        message: `Cannot listen on 127.0.0.1, port ${port}: the port is in use.`,
      });
    });
  });

  test("without one the next free port is taken", async () => {
    const taken = createServer();
    const wasFree = await new Promise<boolean>((resolve) => {
      taken.once("error", () => resolve(false));
      taken.listen(4878, "127.0.0.1", () => resolve(true));
    });
    try {
      await using(caller, { tcp: { host: "127.0.0.1" } }, async ({ port }) => assert.ok(port > 4878));
    } finally {
      if (wasFree) taken.close();
    }
  });

  for (const host of ["nowhere.invalid", "192.0.2.1"]) {
    test(`no address of ours: ${host}`, async () => {
      await assert.rejects(openListener(caller, { tcp: { host, port: 0 } }), { code: "USAGE" });
    });
  }

  test("an address of version 6", async (context) => {
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
