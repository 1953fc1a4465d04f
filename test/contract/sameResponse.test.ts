/** Every operation: the same response over every transport, valid against its schema. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod";
import { toErrorObject } from "#contract/error";
import { isServedOverHttp, usesQueryString } from "#contract/operation";
import { type OperationName, operation, operationNames } from "#contract/operations";
import type { Page } from "#contract/service";
import { encodeChunks } from "#model/match";
import { connectRemote, type RemoteCaller } from "#remote/remote";
import { hostileHistory } from "#test/support/history";
import { licenseOf, testOrganization } from "#test/support/organization";
import { repo } from "#test/support/repo";
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
const past = hostileHistory();
const organization = testOrganization();
const options = {
  engine: engineOf(async (_plan, _signal, onFiles) => {
    const files = [
      fileMatch(1, "src/ä b.ts", { origin: "workingTree", explanation: "best" }),
      fileMatch(2, "LICENSE", {
        chunks: encodeChunks([]),
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
      repository(3, "history", { path: past.path, revisions: [] }),
      repository(4, "empty", { path: repo().path, revisions: [] }),
    ],
    {
      1: [
        { path: "a.bin", reason: "binary", sizeBytes: 9 },
        { path: "b", reason: "unreadable" },
      ],
    },
  ),
};
const caller = callerOf(options, { organization });

const requests: Record<OperationName, readonly Record<string, unknown>[]> = {
  search: [
    { query: "found" },
    { query: "found", matches: 0 },
    { query: "serch:x" },
    { query: "lang:nothing" },
    { query: "type:commit verse" },
  ],
  count: [
    { query: "found", groupBy: "repo" },
    { query: "found group:folder" },
    { query: "type:commit verse" },
  ],
  streamSearch: [{ query: "found" }, { query: "type:commit verse" }, { query: " " }],
  readQuery: [
    { query: "found -lang:go" },
    { query: "f(", isRegexEnabled: true },
    { query: "serch:x lnag:go org:y" },
    { query: "" },
    {},
  ],
  completeQuery: [
    { query: "-la", offset: 3 },
    { query: "repo:o", offset: 6, limit: 1 },
    { query: "repo:r@", offset: 7 },
    { query: "file:s lang:", offset: 12 },
    { query: "la" },
  ],
  findDefinitions: [
    { symbolName: "verse" },
    { symbolName: "verse", language: "jsx", repoName: "history", revisionName: "v1.0", matches: 1 },
    { symbolName: "verse", askedFrom: { repo: "history", path: "music/song.txt", lineNumber: 1 } },
    { symbolName: "verse", askedFrom: { repo: "history", path: "../up" } },
    { symbolName: "verse", askedFrom: { path: "README.md" } },
    { symbolName: "verse", language: "no such" },
    { symbolName: "verse", revisionName: "--all" },
    { symbolName: "verse", revisionName: "release/*" },
    { symbolName: "verse", repoName: "history", revisionName: "nowhere" },
    { symbolName: "verse", repoName: "none" },
    { symbolName: "" },
    {},
  ],
  findReferences: [{ symbolName: "found" }, { symbolName: "found", matches: 1 }, { symbolName: 1 }],
  streamReferences: [{ symbolName: "found" }, {}],
  callHierarchy: [
    { symbolName: "verse" },
    { symbolName: "verse", direction: "outgoing", depth: 3, matches: 1 },
    { symbolName: "verse", askedFrom: { repo: "history", path: "../up" } },
    { symbolName: "verse", depth: 0 },
    { symbolName: "nowhere" },
    { symbolName: "verse", depth: 4 },
    { symbolName: "verse", direction: "both" },
    {},
  ],
  findSymbols: [
    { query: "ver" },
    { query: "ver", match: "prefix", kinds: ["function", "no such"], language: "Go", limit: 1 },
    { query: "", withoutOpen: true },
    { query: "ver", repoNames: ["none"] },
    {},
  ],
  outline: [
    { place: { repo: "history", path: "README.md" } },
    { place: { repo: "history", path: "README.md", ref: "v1.0" } },
    { place: { repo: "history" } },
    { place: { repo: "history", path: "nothing" } },
    {},
  ],
  symbolAt: [
    { place: { repo: "history", path: "README.md", lineNumber: 1, column: 3 } },
    { place: { repo: "history", path: "README.md", lineNumber: 900 } },
    { place: { repo: "none", path: "README.md" } },
  ],
  describeSymbol: [
    { place: { repo: "history", path: "README.md", lineNumber: 1, column: 3 } },
    { place: { repo: "history", path: "README.md", lineNumber: 0 } },
  ],
  repos: [{}, { page: 2, perPage: 1, sort: "pushed", direction: "desc" }, { query: "O/" }, { perPage: 0 }],
  skippedRepos: [{}, { repo: "github.com/o/r", page: 2, perPage: 1 }, { repo: "none" }],
  unparsedRepos: [{}, { repo: "github.com/o/r", page: 2, perPage: 1 }, { repo: "none" }],
  branches: [
    { repo: "history" },
    { repo: "history", query: "V", page: 2, perPage: 1 },
    { repo: "empty" },
    { repo: "notes" },
    { repo: "none" },
    { repo: "history", page: 0 },
  ],
  tree: [
    { repoName: "history" },
    { repoName: "history", revisionName: "v1.0", paths: ["/deep/er/", "café", "nowhere", "", "README.md"] },
    { repoName: "empty" },
    { repoName: "empty", revisionName: "main" },
    { repoName: "history", revisionName: "a..b" },
    { repoName: "history", paths: ["a/../b"] },
    { repoName: "history", paths: "a" },
    { repoName: "none" },
    {},
  ],
  source: [
    { repo: "history", path: "music/song.txt" },
    { repo: "history", path: "/latin1.txt", ref: "v0.1" },
    { repo: "history", path: "latest", ref: "refs/tags/v1.0" },
    { repo: "history", path: "new\nline.txt", ref: "HEAD~1" },
    { repo: "history", path: "music" },
    { repo: "history", path: "vendor/module" },
    { repo: "history", path: "nothing" },
    { repo: "history", path: "a\u0000b" },
    { repo: "history", path: "README.md", ref: "--all" },
    { repo: "history", path: "README.md", ref: "a-tree" },
    { repo: "history", path: "README.md", ref: "f".repeat(40) },
    { repo: "empty", path: "README.md" },
    { repo: "notes", path: "README.md", ref: "main" },
    { repo: "none", path: "README.md" },
    { path: "README.md" },
  ],
  blame: [
    { repo: "history", path: "music/song.txt" },
    { repo: "history", path: "renamed.txt", ref: "v2.0", ignoreRevs: false, ignoreWhitespace: true },
    { repo: "history", path: "music/song.txt", lines: "2-3", followMoves: true, isPatient: true },
    { repo: "history", path: "music/song.txt", lines: "900" },
    { repo: "history", path: "music/song.txt", lines: "first" },
    { repo: "history", path: "music/song.txt", ignoreRevsFile: "../up" },
    { repo: "history", path: "empty" },
    { repo: "history", path: "music/" },
    { repo: "history", path: "nothing" },
    { repo: "history", path: "README.md", ref: "HEAD:README.md" },
    { repo: "history", path: "README.md", ignoreRevs: "maybe" },
    { repo: "empty", path: "README.md" },
    { repo: "none", path: "README.md" },
    {},
  ],
  locate: [
    { repository: "history", path: "README.md", lines: [1, 2, 9] },
    { repository: "history", path: "nothing" },
    { repository: "history", path: "../up" },
    { repository: "none", path: "README.md" },
    {},
  ],
  examples: [{}],
  commits: [
    { repo: "history", perPage: 2 },
    { repo: "history", path: "music/song.txt", page: 2, perPage: 2 },
    { repo: "history", path: "README.md", lines: "1" },
    { repo: "history", ref: "v1.0", query: "verse", author: "bob", since: "2017-01-01", until: "1 day ago" },
    { repo: "history", query: "\\(" },
    { repo: "history", changedText: "verse", page: 2, perPage: 1 },
    { repo: "history", since: "soon" },
    { repo: "history", ref: "--all" },
    { repo: "history", perPage: 101 },
    { repo: "empty" },
    { repo: "notes" },
    { repo: "none" },
    {},
  ],
  commit: [
    { repo: "history", ref: "v1.0" },
    { repo: "history", ref: "HEAD~2", containedIn: true },
    { repo: "history", ref: "none" },
    { repo: "history", ref: "a..b" },
    { repo: "empty", ref: "HEAD" },
    { repo: "none", ref: "x" },
  ],
  authors: [
    { repo: "history" },
    { repo: "history", path: "music", page: 2, perPage: 1 },
    { repo: "empty" },
    { repo: "none" },
  ],
  diff: [
    { repo: "history", base: "v0.1", head: "v1.0" },
    { repo: "history", base: "v1.0", head: "v2.0", path: "song.txt" },
    { repo: "history", base: "left", head: "right", mergeBase: true },
    { repo: "history", base: "v1.0", head: "orphan", mergeBase: true },
    { repo: "history", base: "a..b", head: "x" },
    {},
  ],
  users: [{}],
  removeUser: [{ userId: "none" }, {}],
  audit: [{ perPage: 1, until: "2020-01-01T00:00:00Z" }, { since: "yesterday" }, { page: 0 }],
  members: [{}],
  addMember: [{ email: "nobody" }, {}],
  addService: [{ service: "Not a name" }, {}],
  setSuspended: [{ userId: "none", isSuspended: true }, {}],
  removeMember: [{ userId: "none" }, {}],
  changeRole: [
    { userId: "none", role: "OWNER" },
    { userId: "none", role: "GOD" },
  ],
  keys: [{}],
  createKey: [{ name: "" }, { name: "late", expiresAt: "2020-01-01T00:00:00Z" }, {}],
  revokeKey: [{ keyId: "none" }, {}],
  // Changes with each call.
  metrics: [],
  signIn: [{}],
  signOut: [{}],
  beginLogin: [{}, { returnTo: 1 }],
  completeLogin: [{ state: "a", transaction: "b" }, {}],
  allowEditor: [{}, { redirectUri: "http://127.0.0.1:1/", state: "s".repeat(16), name: "e" }],
  connectEditor: [{ code: "none", codeVerifier: "v".repeat(43) }, {}],
  currentMember: [{}],
  sessions: [{}],
  revokeSession: [{ sessionId: "none" }, {}],
  license: [{}],
  installLicense: [{ license: "none" }, {}],
  resetClock: [{}],
  backup: [{ file: "here" }, { file: "/nowhere/at/all" }, {}],
  restore: [{ file: "here" }, { file: "/nowhere/at/all", replace: true }, {}],
  health: [{}],
  version: [{ unknown: 1 }],
  addPaths: [{ paths: ["/a"] }, { paths: [] }],
  removePaths: [{ paths: ["/a"] }],
  indexing: [{}],
  removeRepositories: [{ repositories: ["notes"] }, { repositories: [] }],
  reindex: [{ repositories: ["notes"] }, {}],
  pauseIndexing: [{ isPaused: true }, {}],
  clones: [{}],
  siblings: [{}],
  codeHosts: [{}],
  codeHostRepositories: [{ name: "main" }, { name: "main", state: "failing", perPage: 1 }, { state: "odd" }],
  planCodeHost: [{ name: "main" }],
  syncCodeHost: [{ name: "main" }],
  confirmCodeHost: [{ name: "main" }],
  checkCodeHost: [{ name: "main", settings: { type: "gitea" } }, {}],
  addCodeHost: [{ name: "main", settings: {} }],
  removeCodeHost: [{ name: "main" }],
  holdCodeHostTokens: [{ tokens: [{ name: "main", origin: "https://git.example.com", token: "secret" }] }],
  reloadCodeHosts: [{}],
  receiveWebhook: [{ connection: "main", headers: {}, body: "" }, {}],
  instance: [{}],
  startEndpoint: [{}, { port: 4879, allowedOrigins: ["https://example.com"] }, { port: -1 }],
  stopEndpoint: [{}],
};

let listener: TestListener;
let remote: RemoteCaller;
let key: string;
before(async () => {
  await organization.setLicense(licenseOf());
  ({ key } = await organization.member("bob@example.com", "OWNER"));
  listener = await openListener(caller);
  remote = connectRemote(listener.socket);
});
after(async () => {
  await remote.close();
  await listener.close();
});

/** A JSON reviver that removes times, which differ between calls. */
function withoutTimes(name: string, value: unknown): unknown {
  if (name === "lastActivityAt" || name === "lastUsedAt") return null;
  return name === "duration" ? 0 : value;
}

async function settled(call: Promise<unknown>): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify(await call), withoutTimes);
  } catch (error) {
    return toErrorObject(error);
  }
}

async function overHttp(operationName: OperationName, request: Record<string, unknown>): Promise<unknown> {
  const definition = operation(operationName);
  if (!isServedOverHttp(definition)) return undefined;
  const { method, path } = definition.http;
  const query = new URLSearchParams(
    Object.entries(request).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const response = usesQueryString(definition)
    ? await fetch(`${listener.url}${path}?${query}`, { method, headers: { "x-service-api-key": key } })
    : await fetch(`${listener.url}${path.replace("{name}", String(request["name"]))}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify(request),
      });
  const text = await response.text();
  if (definition.event !== undefined && response.ok)
    return JSON.parse(/event: done\ndata: (.*)\n\n$/.exec(text)?.[1] ?? "", withoutTimes);
  const content = JSON.parse(text, withoutTimes);
  assert.equal(response.status, content.statusCode ?? 200);
  if (!response.ok) {
    const { requestId, ...failure } = content;
    assert.equal(requestId, response.headers.get("x-request-id"));
    return failure;
  }
  return definition.isPaged && response.ok
    ? { items: content, total: Number(response.headers.get("x-total-count")) }
    : content;
}

/** Removes paths on this computer, which only local callers receive. */
function withoutLocalPaths(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response), (name, value) => (name === "localPath" ? undefined : value));
}

for (const operationName of operationNames) {
  for (const request of requests[operationName]) {
    test(`${operationName} ${JSON.stringify(request)}`, async () => {
      const definition = operation(operationName);
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
      const forwarded = await settled(remote.call(operationName, request, call));
      const http = await overHttp(operationName, request);
      if (definition.event === undefined) assert.deepEqual(forwarded, direct);
      if (isServedOverHttp(definition)) assert.deepEqual(http, withoutLocalPaths(direct));
      if ("statusCode" in (direct as object)) return;
      // Parsing must not drop or change anything.
      const body = definition.isPaged ? (direct as Page<unknown>).items : direct;
      assert.deepEqual(z.parse(definition.response, body), body);
      for (const event of events) assert.deepEqual(z.parse(definition.event ?? z.never(), event), event);
    });
  }
}
