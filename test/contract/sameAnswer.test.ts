/** Every row: the same answer whichever way it is asked, and valid against the row's schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod";
import { toErrorObject } from "#contract/error";
import { isServedOverHttp, type OperationName, operation, operationNames } from "#contract/operations";
import type { Page } from "#contract/service";
import { connectRemote, type Remote } from "#remote/remote";
import {
  callerOf,
  engineOf,
  engineResult,
  fileMatch,
  openListener,
  repository,
  type TestListener,
  viewOf,
} from "#test/support/service";

const name = { byteOffset: 0, lineNumber: 1, column: 1 };
const caller = callerOf({
  engine: engineOf(async (_plan, _signal, onFiles) => {
    const files = [
      fileMatch(1, "src/ä b.ts", { origin: "workingTree", explanation: "best" }),
      fileMatch(2, "LICENSE", {
        chunks: [],
        nameRanges: [{ start: name, end: { ...name, byteOffset: 7, column: 8 } }],
      }),
    ];
    onFiles?.(files);
    return engineResult(onFiles === undefined ? files : []);
  }),
  repositories: viewOf(
    [
      repository(1, "github.com/o/r", { displayName: "r", indexedAt: 1, pushedAt: 2, skippedCount: 2 }),
      repository(2, "notes", {
        kind: "folder",
        codeHostType: "genericGitHost",
        state: "failed",
        lastError: "Gone.",
      }),
    ],
    {
      1: [
        { path: "a.bin", reason: "binary", sizeBytes: 9 },
        { path: "b", reason: "unreadable" },
      ],
    },
  ),
});

const requests: Record<OperationName, readonly Record<string, unknown>[]> = {
  search: [
    { query: "found" },
    { query: "found", matches: 0 },
    { query: "serch:x" },
    { query: "lang:nothing" },
  ],
  streamSearch: [{ query: "found" }, { query: " " }],
  repos: [{}, { page: 2, perPage: 1, sort: "pushed", direction: "desc" }, { query: "O/" }, { perPage: 0 }],
  skippedRepos: [{}, { repo: "github.com/o/r", page: 2, perPage: 1 }, { repo: "none" }],
  health: [{}],
  version: [{ unknown: 1 }],
  addPaths: [{ paths: ["/a"] }, { paths: [] }],
  removePaths: [{ paths: ["/a"] }],
  indexing: [{}],
};

let listener: TestListener;
let remote: Remote;
before(async () => {
  listener = await openListener(caller);
  remote = connectRemote(listener.socket);
});
after(async () => {
  await remote.close();
  await listener.close();
});

async function settled(call: Promise<unknown>): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify(await call));
  } catch (error) {
    return toErrorObject(error);
  }
}

async function overHttp(operationName: OperationName, request: Record<string, unknown>): Promise<unknown> {
  const row = operation(operationName);
  if (!isServedOverHttp(row)) return undefined;
  const { method, path } = row.http;
  const query = new URLSearchParams(
    Object.entries(request).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const response =
    method === "GET"
      ? await fetch(`${listener.url}${path}?${query}`)
      : await fetch(`${listener.url}${path}`, {
          method,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request),
        });
  const text = await response.text();
  if (row.event !== undefined && response.ok)
    return JSON.parse(/event: done\ndata: (.*)\n\n$/.exec(text)?.[1] ?? "");
  const answer = JSON.parse(text);
  assert.equal(response.status, answer.statusCode ?? 200);
  return row.paged && response.ok
    ? { items: answer, total: Number(response.headers.get("x-total-count")) }
    : answer;
}

for (const operationName of operationNames) {
  for (const request of requests[operationName]) {
    test(`${operationName} ${JSON.stringify(request)}`, async () => {
      const row = operation(operationName);
      const call = {
        credentials: { kind: "local" } as const,
        signal: new AbortController().signal,
        baseUrl: listener.url,
      };
      const events: unknown[] = [];
      const emit = (event: unknown) => {
        events.push(event);
      };
      const direct = await settled(caller(operationName, request, { ...call, emit }));
      const far = await settled(remote.call(operationName, request, call));
      const http = await overHttp(operationName, request);
      if (row.event === undefined) assert.deepEqual(far, direct);
      if (isServedOverHttp(row)) assert.deepEqual(http, direct);
      if ("statusCode" in (direct as object)) return;
      // An answer may hold more than its schema knows, but nothing of it may be missing or of another type.
      const body = row.paged ? (direct as Page<unknown>).items : direct;
      assert.deepEqual(z.parse(row.response, body), body);
      for (const event of events) assert.deepEqual(z.parse(row.event ?? z.never(), event), event);
    });
  }
}
