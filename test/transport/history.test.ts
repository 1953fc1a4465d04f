/** Failing requests about history: HTTP and LSP return the same error object, and no process is left. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import type { ErrorObject } from "#contract/error";
import type { OperationName } from "#contract/operations";
import { type BothWays, openBothWays } from "#test/support/bothWays";
import { eventually } from "#test/support/eventually";
import { hostileHistory, importOn } from "#test/support/history";
import { repo, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const past = hostileHistory().path;
for (const text of ["one\n\ntwo\n\nthree\n", "one\n\nTWO\n\nthree\n"]) {
  importOn(past, "main", { on: "main", message: "Blank lines", files: [["blank lines.txt", text]] });
}
importOn(past, "main", {
  on: "main",
  message: "A large file",
  files: [["huge.txt", `${"0123456789abcdef".repeat(8)}\n`.repeat(600_000)]],
});
const caller = callerOf({
  repositories: viewOf([
    repository(1, "past", { path: past }),
    repository(2, "empty", { path: repo().path, revisions: [] }),
    repository(3, "folder", { path: temporaryFolder(), kind: "folder" }),
    repository(4, "gone", { path: join(temporaryFolder(), "nothing") }),
  ]),
});

let ways: BothWays;
before(async () => {
  ways = await openBothWays(caller);
});
after(() => ways.close());

const unknownHash = "f".repeat(40);
const [a, b] = ["v0.1", "v1.0"];

/** Operation, request, error code, and part of the message. */
const failures: readonly (readonly [
  OperationName,
  Record<string, unknown>,
  ErrorObject["errorCode"],
  string,
])[] = [
  ["commits", {}, "INVALID_QUERY_PARAMS", '"repo"'],
  ["commits", { repo: "" }, "INVALID_QUERY_PARAMS", '"repo"'],
  ["commits", { repo: "nobody/nothing" }, "NOT_FOUND", 'Repository "nobody/nothing" not found.'],
  ["commits", { repo: "gone" }, "NOT_FOUND", "no longer on disk"],
  ["commits", { repo: "folder" }, "INVALID_GIT_REF", "has no history"],
  ["commits", { repo: "past", ref: "nothing" }, "INVALID_GIT_REF", '"nothing"'],
  ["commits", { repo: "past", ref: unknownHash }, "INVALID_GIT_REF", unknownHash],
  ["commits", { repo: "past", ref: "" }, "INVALID_GIT_REF", '""'],
  ["commits", { repo: "past", ref: "--all" }, "INVALID_GIT_REF", "--all"],
  ["commits", { repo: "past", ref: "v0.1..v1.0" }, "INVALID_GIT_REF", "v0.1..v1.0"],
  ["commits", { repo: "past", ref: "a-tree" }, "INVALID_GIT_REF", "a-tree"],
  ["commits", { repo: "past", ref: ":/First" }, "INVALID_GIT_REF", ":/First"],
  ["commits", { repo: "past", ref: "HEAD^{/First}" }, "INVALID_GIT_REF", "HEAD"],
  ["commits", { repo: "past", ref: "main@{1}" }, "INVALID_GIT_REF", "main@"],
  ["commits", { repo: "past", notIn: "nothing" }, "INVALID_GIT_REF", '"nothing"'],
  ["commits", { repo: "past", notIn: unknownHash }, "INVALID_GIT_REF", unknownHash],
  ["commits", { repo: "past", notIn: "" }, "INVALID_GIT_REF", '""'],
  ["commits", { repo: "past", notIn: "--all" }, "INVALID_GIT_REF", "--all"],
  ["commits", { repo: "past", notIn: "v0.1..v1.0" }, "INVALID_GIT_REF", "v0.1..v1.0"],
  ["commits", { repo: "past", notIn: "a-tree" }, "INVALID_GIT_REF", "a-tree"],
  ["commits", { repo: "past", followRenames: "maybe" }, "INVALID_QUERY_PARAMS", '"followRenames"'],
  ["commits", { repo: "past", query: "\\(" }, "INVALID_QUERY_PARAMS", '"query"'],
  ["commits", { repo: "past", path: "nowhere", query: "\\(" }, "INVALID_QUERY_PARAMS", '"query"'],
  ["commits", { repo: "past", query: "[[:nothing:]]" }, "INVALID_QUERY_PARAMS", '"query"'],
  ["commits", { repo: "past", query: "a\\{3,1\\}" }, "INVALID_QUERY_PARAMS", '"query"'],
  ["commits", { repo: "past", query: "\\(.\\{2000\\}\\)\\{500\\}" }, "INVALID_QUERY_PARAMS", "repetitions"],
  ["commits", { repo: "past", query: "x".repeat(1001) }, "INVALID_QUERY_PARAMS", "1000"],
  ["commits", { repo: "past", query: "\u0000" }, "INVALID_QUERY_PARAMS", '"query"'],
  ["commits", { repo: "past", author: "[" }, "INVALID_QUERY_PARAMS", '"author"'],
  ["commits", { repo: "past", author: "a\u0000" }, "INVALID_QUERY_PARAMS", '"author"'],
  ["commits", { repo: "past", since: "not a date" }, "INVALID_QUERY_PARAMS", '"since"'],
  ["commits", { repo: "past", until: "2026-02-30" }, "INVALID_QUERY_PARAMS", '"until"'],
  ["commits", { repo: "past", since: "2026-01-02", until: "2026-01-01" }, "INVALID_QUERY_PARAMS", '"since"'],
  ["commits", { repo: "past", since: "1 day ago", until: "2 days ago" }, "INVALID_QUERY_PARAMS", '"since"'],
  ["commits", { repo: "past", path: "../up" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", path: "//etc/passwd" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", path: "a\u0000" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", path: "a/".repeat(3000) }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", lines: "1-2" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", path: "/", lines: "1-2" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["commits", { repo: "past", path: "README.md", lines: "0" }, "INVALID_QUERY_PARAMS", '"lines"'],
  ["commits", { repo: "past", path: "README.md", lines: "3-2" }, "INVALID_QUERY_PARAMS", '"lines"'],
  ["commits", { repo: "past", path: "README.md", lines: "5,+3" }, "INVALID_QUERY_PARAMS", '"lines"'],
  ["commits", { repo: "past", path: "README.md", lines: "5000" }, "INVALID_QUERY_PARAMS", "1 line"],
  ["commits", { repo: "past", path: "nothing", lines: "1" }, "FILE_NOT_FOUND", "nothing"],
  ["commits", { repo: "past", path: "music", lines: "1" }, "FILE_NOT_FOUND", "music"],
  ["commits", { repo: "past", page: 0 }, "INVALID_QUERY_PARAMS", '"page"'],
  ["commits", { repo: "past", page: "1.5" }, "INVALID_QUERY_PARAMS", '"page"'],
  ["commits", { repo: "past", perPage: 0 }, "INVALID_QUERY_PARAMS", '"perPage"'],
  ["commits", { repo: "past", perPage: 101 }, "INVALID_QUERY_PARAMS", '"perPage"'],
  ["commits", { repo: "past", perPage: "many" }, "INVALID_QUERY_PARAMS", '"perPage"'],
  ["commit", { repo: "past" }, "INVALID_QUERY_PARAMS", '"ref"'],
  ["commit", { ref: "main" }, "INVALID_QUERY_PARAMS", '"repo"'],
  ["commit", { repo: "nobody", ref: "main" }, "NOT_FOUND", "nobody"],
  [
    "commit",
    { repo: "past", ref: "nothing" },
    "NOT_FOUND",
    'Revision "nothing" not found in repository "past".',
  ],
  ["commit", { repo: "past", ref: unknownHash }, "NOT_FOUND", unknownHash],
  ["commit", { repo: "past", ref: "abcdef1" }, "NOT_FOUND", "abcdef1"],
  ["commit", { repo: "past", ref: "a-tree" }, "NOT_FOUND", "a-tree"],
  ["commit", { repo: "past", ref: "-x" }, "INVALID_GIT_REF", "-x"],
  ["commit", { repo: "past", ref: "main...v1.0" }, "INVALID_GIT_REF", "main...v1.0"],
  ["commit", { repo: "empty", ref: "HEAD" }, "INVALID_GIT_REF", "has no commits"],
  ["commit", { repo: "folder", ref: "HEAD" }, "INVALID_GIT_REF", "has no history"],
  ["commit", { repo: "past", ref: "main", containedIn: "maybe" }, "INVALID_QUERY_PARAMS", '"containedIn"'],
  ["authors", {}, "INVALID_QUERY_PARAMS", '"repo"'],
  ["authors", { repo: "nobody" }, "NOT_FOUND", "nobody"],
  ["authors", { repo: "folder" }, "INVALID_GIT_REF", "has no history"],
  ["authors", { repo: "past", ref: "nothing" }, "INVALID_GIT_REF", "nothing"],
  ["authors", { repo: "past", ref: "--output=x" }, "INVALID_GIT_REF", "--output=x"],
  ["authors", { repo: "past", path: "a/../../b" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["authors", { repo: "past", perPage: 1000 }, "INVALID_QUERY_PARAMS", '"perPage"'],
  ["diff", { repo: "past", base: a }, "INVALID_QUERY_PARAMS", '"head"'],
  ["diff", { repo: "past", head: a }, "INVALID_QUERY_PARAMS", '"base"'],
  ["diff", { repo: "nobody", base: a, head: b }, "NOT_FOUND", "nobody"],
  ["diff", { repo: "past", base: "nothing", head: b }, "INVALID_GIT_REF", "nothing"],
  ["diff", { repo: "past", base: a, head: unknownHash }, "INVALID_GIT_REF", unknownHash],
  ["diff", { repo: "past", base: "a..b", head: b }, "INVALID_GIT_REF", "a..b"],
  ["diff", { repo: "past", base: a, head: "-p" }, "INVALID_GIT_REF", "-p"],
  ["diff", { repo: "past", base: a, head: b, path: "../x" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["diff", { repo: "past", base: a, head: "orphan", mergeBase: true }, "INVALID_GIT_REF", "common ancestor"],
  ["diff", { repo: "empty", base: "HEAD", head: "HEAD" }, "INVALID_GIT_REF", "HEAD"],
  ["diff", { repo: "folder", base: "HEAD", head: "HEAD" }, "INVALID_GIT_REF", "has no history"],
  ["diff", { repo: "past", base: "main~1", head: "main" }, "ANSWER_TOO_LARGE", "67108864"],
  ["source", { repo: "past" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["source", { path: "README.md" }, "INVALID_QUERY_PARAMS", '"repo"'],
  ["source", { repo: "nobody", path: "README.md" }, "NOT_FOUND", 'Repository "nobody" not found.'],
  ["source", { repo: "gone", path: "README.md" }, "NOT_FOUND", "no longer on disk"],
  ["source", { repo: "past", path: "nothing" }, "FILE_NOT_FOUND", '"nothing"'],
  ["source", { repo: "past", path: "README.md/" }, "FILE_NOT_FOUND", '"README.md/"'],
  ["source", { repo: "past", path: "README.md/more" }, "FILE_NOT_FOUND", '"README.md/more"'],
  ["source", { repo: "past", path: "./README.md" }, "FILE_NOT_FOUND", "README.md"],
  ["source", { repo: "past", path: "" }, "FILE_NOT_FOUND", "directory"],
  ["source", { repo: "past", path: "/" }, "FILE_NOT_FOUND", "directory"],
  ["source", { repo: "past", path: "music" }, "FILE_NOT_FOUND", "directory"],
  ["source", { repo: "past", path: "music/" }, "FILE_NOT_FOUND", "directory"],
  ["source", { repo: "past", path: "vendor/module" }, "FILE_NOT_FOUND", "submodule"],
  ["source", { repo: "past", path: "vendor/module/x" }, "FILE_NOT_FOUND", "vendor/module/x"],
  ["source", { repo: "past", path: "../up" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["source", { repo: "past", path: "a\u0000" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["source", { repo: "past", path: "README.md", ref: "nothing" }, "INVALID_GIT_REF", '"nothing"'],
  ["source", { repo: "past", path: "README.md", ref: "" }, "INVALID_GIT_REF", '""'],
  ["source", { repo: "past", path: "README.md", ref: unknownHash }, "INVALID_GIT_REF", unknownHash],
  ["source", { repo: "past", path: "README.md", ref: "abcd" }, "INVALID_GIT_REF", "abcd"],
  ["source", { repo: "past", path: "README.md", ref: "-p" }, "INVALID_GIT_REF", "-p"],
  ["source", { repo: "past", path: "README.md", ref: "HEAD:README.md" }, "INVALID_GIT_REF", "HEAD"],
  ["source", { repo: "past", path: "huge.txt" }, "ANSWER_TOO_LARGE", "67108864"],
  ["source", { repo: "empty", path: "README.md" }, "INVALID_GIT_REF", "has no commits"],
  ["source", { repo: "folder", path: "README.md" }, "FILE_NOT_FOUND", "README.md"],
  ["source", { repo: "folder", path: "README.md", ref: "main" }, "INVALID_GIT_REF", "has no history"],
  ["tree", {}, "INVALID_REQUEST_BODY", '"repoName"'],
  ["tree", { repoName: "past", paths: "src" }, "INVALID_REQUEST_BODY", '"paths"'],
  ["tree", { repoName: "past", paths: ["a/../b"] }, "INVALID_REQUEST_BODY", '"path"'],
  ["tree", { repoName: "past", paths: ["a\u0000"] }, "INVALID_REQUEST_BODY", '"path"'],
  ["tree", { repoName: "past", paths: Array(1001).fill("a") }, "INVALID_REQUEST_BODY", '"paths"'],
  ["tree", { repoName: "nobody" }, "NOT_FOUND", "nobody"],
  ["tree", { repoName: "gone" }, "NOT_FOUND", "no longer on disk"],
  ["tree", { repoName: "past", revisionName: "nothing" }, "INVALID_GIT_REF", "nothing"],
  ["tree", { repoName: "past", revisionName: "main:src" }, "INVALID_GIT_REF", "main:src"],
  ["tree", { repoName: "past", revisionName: "--" }, "INVALID_GIT_REF", "--"],
  ["tree", { repoName: "empty", revisionName: "main" }, "INVALID_GIT_REF", "main"],
  ["tree", { repoName: "folder", revisionName: "main" }, "INVALID_GIT_REF", "has no history"],
  ["blame", { repo: "past" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["blame", { path: "README.md" }, "INVALID_QUERY_PARAMS", '"repo"'],
  ["blame", { repo: "nobody", path: "README.md" }, "NOT_FOUND", "nobody"],
  ["blame", { repo: "past", path: "nothing" }, "FILE_NOT_FOUND", "nothing"],
  ["blame", { repo: "past", path: "song.txt" }, "FILE_NOT_FOUND", "song.txt"],
  ["blame", { repo: "past", path: "music" }, "FILE_NOT_FOUND", "directory"],
  ["blame", { repo: "past", path: "vendor/module" }, "FILE_NOT_FOUND", "submodule"],
  ["blame", { repo: "past", path: "../up" }, "INVALID_QUERY_PARAMS", '"path"'],
  ["blame", { repo: "past", path: "README.md", ref: "nothing" }, "INVALID_GIT_REF", "nothing"],
  ["blame", { repo: "past", path: "README.md", ref: "a..b" }, "INVALID_GIT_REF", "a..b"],
  ["blame", { repo: "past", path: "README.md", ignoreRevs: "perhaps" }, "INVALID_QUERY_PARAMS", "ignoreRevs"],
  ["blame", { repo: "empty", path: "README.md" }, "INVALID_GIT_REF", "has no commits"],
  ["blame", { repo: "folder", path: "README.md" }, "INVALID_GIT_REF", "has no history"],
  ["branches", {}, "INVALID_QUERY_PARAMS", '"repo"'],
  ["branches", { repo: "nobody" }, "NOT_FOUND", "nobody"],
  ["branches", { repo: "folder" }, "INVALID_GIT_REF", "has no history"],
  ["branches", { repo: "past", perPage: 101 }, "INVALID_QUERY_PARAMS", '"perPage"'],
];

for (const [name, request, errorCode, word] of failures) {
  test(`${name} ${JSON.stringify(request).slice(0, 80)}: ${errorCode}`, async () => {
    const { status, body } = await ways.overHttp(name, request);
    const { requestId: _, ...error } = body as ErrorObject;
    assert.equal(error.errorCode, errorCode, JSON.stringify(error).slice(0, 300));
    assert.equal(status, error.statusCode);
    assert.ok(error.message.includes(word), error.message);
    assert.deepEqual(await ways.overLsp(name, request), error);
  });
}

/** Returns the command lines of running child processes. */
function children(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
      return parent === String(process.pid) ? [readFileSync(`/proc/${pid}/cmdline`, "latin1")] : [];
    } catch {
      return [];
    }
  });
}

/** Names that git could take for an option or another expression. */
const bait = fc.oneof(
  fc.constantFrom(
    "--upload-pack=touch /tmp/owned",
    "--output=/tmp/owned",
    "-O/tmp/owned",
    "--exec=id",
    "--no-index",
    "-",
    "--",
    "--help",
    "-h",
    "@{-1}",
    "@{upstream}",
    "HEAD@{1 day ago}",
    "HEAD^{/.*}",
    ":/.*",
    ":0:README.md",
    "HEAD:README.md",
    "main..",
    "..main",
    "main...v1.0",
    "^main",
    "main^@",
    "main^!",
    "main^-",
    "main --all",
    "main\n--all",
    "main\u0000",
    "$(id)",
    "`id`",
    "|id",
    "refs/heads/../../config",
    "refs/../HEAD",
    "../../etc/passwd",
    "HEAD.lock",
    "main~999999999999",
    `HEAD${"~1".repeat(2000)}`,
    "a".repeat(5000),
    "\ud800",
    "main\\",
    "*",
    "refs/heads/*",
    ".",
    "/",
    "//",
  ),
  fc.string({ minLength: 1, maxLength: 30 }).map((text) => `-${text}`),
  fc.string({ minLength: 1, maxLength: 30 }).map((text) => `${text}..${text}`),
  fc.string({ maxLength: 60, unit: "binary" }).map((text) => `x\u0001${text}`),
);

test("1,500 hostile requests are refused and leave no process", async () => {
  const requests = fc.sample(
    fc.oneof(
      bait.map((ref) => ["commits", { repo: "past", ref }] as const),
      bait.map((notIn) => ["commits", { repo: "past", notIn }] as const),
      bait.map((ref) => ["commit", { repo: "past", ref }] as const),
      bait.map((ref) => ["authors", { repo: "past", ref }] as const),
      bait.map((base) => ["diff", { repo: "past", base, head: "main" }] as const),
      bait.map((head) => ["diff", { repo: "past", base: "main", head }] as const),
      bait.map((repo) => ["commits", { repo }] as const),
      bait.map((since) => ["commits", { repo: "past", since }] as const),
      bait.map((lines) => ["commits", { repo: "past", path: "README.md", lines }] as const),
      bait.map((text) => ["commits", { repo: "past", path: `../${text}` }] as const),
      bait.map((text) => ["diff", { repo: "past", base: a, head: b, path: `//${text}` }] as const),
      bait.map((text) => ["commits", { repo: "past", query: `[${text.replaceAll("]", "")}` }] as const),
      bait.map((page) => ["authors", { repo: "past", page }] as const),
      bait.map((ref) => ["source", { repo: "past", path: "README.md", ref }] as const),
      bait.map((ref) => ["blame", { repo: "past", path: "README.md", ref }] as const),
      bait.map((revisionName) => ["tree", { repoName: "past", revisionName }] as const),
      bait.map((text) => ["source", { repo: "past", path: `../${text}` }] as const),
      bait.map((text) => ["source", { repo: "past", path: `a${text}` }] as const),
      bait.map((text) => ["blame", { repo: "past", path: `a${text}` }] as const),
      bait.map((text) => ["tree", { repoName: "past", paths: [`../${text}`] }] as const),
    ),
    { numRuns: 1500, seed: 7 },
  );
  const queue = [...requests];
  const work = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [name, request] = next;
      const { status, body } = await ways.overHttp(name, wellFormed(request));
      assert.ok(status >= 400 && status < 500, `${JSON.stringify(next)}: ${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  // The process that reads objects is kept for a while.
  await eventually(() => children().every((command) => command.includes("cat-file")));
});

/** Replaces lone surrogates, which a URL cannot contain. */
function wellFormed(request: object): object {
  return JSON.parse(JSON.stringify(request), (_, value) =>
    typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value,
  );
}

test("odd paths and expressions cause no internal error", async () => {
  for (const [at, text] of fc.sample(fc.tuple(fc.nat(), bait), { numRuns: 200, seed: 3 })) {
    const request = [
      ["commits", { repo: "past", path: `a${text}`.slice(0, 4000) }],
      ["commits", { repo: "past", query: text.slice(0, 900) }],
      ["commits", { repo: "past", author: text.slice(0, 900) }],
      ["authors", { repo: "past", path: `a${text}`.slice(0, 4000) }],
      ["diff", { repo: "past", base: a, head: b, path: `a${text}`.slice(0, 4000) }],
    ] as const;
    const [name, fields] = request[at % request.length] ?? request[0];
    const { status, body } = await ways.overHttp(name, wellFormed(fields));
    assert.ok(status < 500, `${JSON.stringify(fields)}: ${JSON.stringify(body)}`);
  }
});

test("aborting a request kills its git process", async () => {
  const untilRunning = (isRunning: boolean) =>
    eventually(() => children().some((command) => command.includes("diff-tree")) === isRunning);
  const abort = new AbortController();
  // That the diff is too large is cached without `mergeBase`.
  const url = `${ways.url}/api/diff?repo=past&base=main~1&head=main&mergeBase=true`;
  const response = fetch(url, { signal: abort.signal });
  await untilRunning(true);
  abort.abort();
  await assert.rejects(response);
  await untilRunning(false);
});

test("a user's git configuration has no effect", async () => {
  const home = temporaryFolder();
  writeFileSync(
    join(home, ".gitconfig"),
    `[diff]\n\tnoprefix = true\n\trenames = false\n\tcontext = 9\n\talgorithm = patience\n\tsuppressBlankEmpty = true\n\tmnemonicPrefix = true\n\texternal = /bin/false\n\tignoreSubmodules = all\n[log]\n\tdecorate = full\n\tdate = relative\n\tfollow = true\n\texcludeDecoration = refs/tags/*\n\tmailmap = false\n\tshowSignature = true\n[blame]\n\tshowRoot = true\n\tblankBoundary = true\n\tdate = relative\n\tignoreRevsFile = /nowhere\n\tmarkIgnoredLines = true\n[grep]\n\tpatternType = perl\n[i18n]\n\tlogOutputEncoding = ISO-8859-1\n[color]\n\tui = always\n[core]\n\tquotePath = true\n\tpager = /bin/false\n[mailmap]\n\tfile = ${home}/people\n`,
  );
  writeFileSync(join(home, "people"), "Nobody <nobody@example.com> <ann@example.com>\n");
  const ask = async () => {
    // A new service each time, because responses are cached.
    const fresh = callerOf({ repositories: viewOf([repository(1, "past", { path: past })]) });
    const context = { credentials: { kind: "local" } as const, signal: new AbortController().signal };
    return [
      await fresh("commits", { repo: "past", ref: "v2.0", query: "r\\(e\\|o\\)" }, context),
      await fresh("commits", { repo: "past", ref: "v2.0", path: "music/song.txt" }, context),
      await fresh("commit", { repo: "past", ref: "v1.0" }, context),
      await fresh("authors", { repo: "past", ref: "v2.0" }, context),
      await fresh("diff", { repo: "past", base: "v0.1", head: "v2.0" }, context),
      await fresh("diff", { repo: "past", base: "main~2", head: "main~1" }, context),
      await fresh("blame", { repo: "past", path: "music/song.txt", ref: "v2.0" }, context),
    ];
  };
  const before = await ask();
  const { HOME } = process.env;
  process.env["HOME"] = home;
  try {
    assert.deepEqual(await ask(), before);
  } finally {
    process.env["HOME"] = HOME;
  }
});
