/** Commits that add or remove a text, compared with `git log -S`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseOf } from "#contract/service";
import { hostileHistory, shallowClone } from "#test/support/history";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, viewOf } from "#test/support/service";

const hostile = hostileHistory().path;
const shallow = temporaryFolder();
shallowClone(hostile, shallow, 4);
const texts = repo(`
  = main: Write
  one.txt
  | verse
  | -S--all
  | a "quoted" 'line' $(date) \\n %s *
  windows.txt [crlf]
  | first
  | second
  data.bin [hex]
  | 00 6e 65 65 64 6c 65 00 ff fe
  latin1.txt [hex]
  | 63 61 66 e9 0a
  = side from :1: Add on the side
  side.txt
  | sideways
  = main: Move
  - one.txt
  moved/[one]*.txt
  | verse
  | -S--all
  | a "quoted" 'line' $(date) \\n %s *
  = main: Twice
  moved/[one]*.txt
  | verse
  | -S--all
  | verse
  = main: Reorder
  moved/[one]*.txt
  | -S--all
  | verse
  | verse
  = main merge side: Merge
  side.txt
  | sideways and evil
  = main: Remove
  - moved/[one]*.txt
  - data.bin
  windows.txt
  | first
  | second
`).path;

const histories = { hostile, shallow, texts };
const view = viewOf(
  Object.entries(histories).map(([name, path], at) =>
    repository(at + 1, name, { path, gitDir: `${path}/.git`, defaultRevision: "refs/heads/main" }),
  ),
);
const call = callerOf({ repositories: view }, { timeLimitMs: 60_000 });

function ask(request: Record<string, unknown>): Promise<ResponseOf<"commits">> {
  const signal = new AbortController().signal;
  return call("commits", { perPage: 100, ...request }, { credentials: { kind: "local" }, signal });
}

function gitLog(path: string, args: readonly string[]): string[] {
  return runGit(path, ["log", "--format=%H", ...args])
    .toString()
    .split("\n")
    .slice(0, -1);
}

/** Checks the commits of a request, and that there are any. */
async function check(name: keyof typeof histories, request: object, args: readonly string[]): Promise<void> {
  const { items, total, incomplete } = await ask({ repo: name, ...request });
  const expected = gitLog(histories[name], args);
  assert.deepEqual([items.map(({ hash }) => hash), total], [expected.slice(0, 100), expected.length]);
  assert.equal(incomplete, undefined);
  assert.ok(total > 0);
}

const found: readonly (readonly [keyof typeof histories, string])[] = [
  ["texts", "verse"],
  ["texts", "verse\n-S"],
  ["texts", "-S--all"],
  ["texts", "--all"],
  ["texts", `"quoted" 'line' $(date) \\n %s *`],
  ["texts", "second"],
  ["texts", "first\r\nsecond\r\n"],
  ["texts", "needle"],
  ["texts", "sideways"],
  ["hostile", "verse"],
  ["hostile", "\n"],
  ["hostile", " "],
  ["shallow", "verse"],
];
for (const [name, changedText] of found) {
  test(`${name}: ${JSON.stringify(changedText)}`, () => check(name, { changedText }, [`-S${changedText}`]));
}

for (const changedText of [
  "VERSE",
  "vers.",
  "nowhere",
  "caf\ufffd",
  "a".repeat(1000),
  "and evil",
  "\ud800",
]) {
  test(`not found: ${JSON.stringify(changedText.slice(0, 20))}`, async () => {
    assert.deepEqual(await ask({ repo: "texts", changedText }), { items: [], total: 0 });
  });
}

test("other filters apply too, and each page continues the list", async () => {
  await check("hostile", { changedText: "verse", path: "music" }, ["-Sverse", "--", "music"]);
  await check("hostile", { changedText: "e", ref: "v1.0", notIn: "v0.1" }, ["-Se", "v0.1..v1.0"]);
  await check("hostile", { changedText: "e", until: "2017-07-14T05:00:00Z" }, [
    "-Se",
    "--until=2017-07-14T05:00:00Z",
  ]);
  // With `git log -i`, the text would be found in any case.
  const byAnn = new Set(gitLog(hostile, ["-i", "--author=ANN"]));
  const expected = gitLog(hostile, ["-Sverse"]).filter((hash) => byAnn.has(hash));
  const request = { repo: "hostile", changedText: "verse", author: "ANN" };
  const pages = [await ask({ ...request, perPage: 1 }), await ask({ ...request, page: 2 })];
  assert.deepEqual(
    pages.map(({ items }) => items.map(({ hash }) => hash)),
    [expected.slice(0, 1), expected.slice(100)],
  );
  assert.deepEqual(
    pages.map(({ total }) => total),
    [expected.length, expected.length],
  );
  assert.deepEqual(await ask({ ...request, changedText: "" }), await ask({ repo: "hostile", author: "ANN" }));
});

test("the text of one file is followed across its renames", async () => {
  const path = "music/song.txt";
  const occurrences = (commit: string, name = "") =>
    runGit(hostile, ["cat-file", "blob", `${commit}:${name}`])
      .toString()
      .split("verse").length - 1;
  const { items } = await ask({ repo: "hostile", path });
  const expected = items.filter(({ hash, path: name, oldPath = name }) => {
    const isFirst = runGit(hostile, ["log", "-1", "--format=%P", hash]).toString().trim() === "";
    return occurrences(hash, name) !== (isFirst ? 0 : occurrences(`${hash}^`, oldPath));
  });
  assert.ok(expected.length > 0 && expected.length < items.length);
  assert.deepEqual((await ask({ repo: "hostile", path, changedText: "verse" })).items, expected);
});

test("a file that has a former name of another one does not count as that one", async () => {
  const { path } = repo(`
    = main: Write
    old.txt
    | one
    | two
    | three
    = main: Rename
    - old.txt
    new.txt
    | one
    | two
    | three
    = main: Reuse the name
    old.txt
    | needle
    new.txt
    | one
    | two
    | three
    | four
    = main: Add
    new.txt
    | one
    | two
    | needle
  `);
  const reused = callerOf({ repositories: viewOf([repository(1, "reused", { path })]) });
  const signal = new AbortController().signal;
  const request = { repo: "reused", path: "new.txt", changedText: "needle" };
  const { items } = await reused("commits", request, { credentials: { kind: "local" }, signal });
  assert.deepEqual(
    items.map(({ message }) => message),
    ["Add"],
  );
});

test("texts and paths that git cannot search for are refused", async () => {
  for (const request of [
    { changedText: "a\0b" },
    { changedText: "a".repeat(10_000) },
    { changedText: "a", path: "latin1-\ufffd.txt" },
  ]) {
    const error = { code: "INVALID_QUERY_PARAMS", message: /"changedText"/ };
    await assert.rejects(ask({ repo: "hostile", ...request }), error);
  }
});

test("no program that the repository names converts files", async () => {
  const { path, git, write } = repo("= main: First\na.txt\n| needle\n.gitattributes\n| *.txt diff=evil\n");
  write("evil.sh", "#!/bin/sh\necho needle > evil-was-here\n");
  git("config", "diff.evil.textconv", `sh ${path}/evil.sh`);
  git("config", "diff.evil.command", `sh ${path}/evil.sh`);
  const evil = callerOf({ repositories: viewOf([repository(1, "evil", { path })]) });
  const signal = new AbortController().signal;
  const request = { repo: "evil", changedText: "needle" };
  const { total } = await evil("commits", request, { credentials: { kind: "local" }, signal });
  assert.equal(total, 1);
  assert.equal(git("status", "--short"), "?? evil.sh");
});

test("over HTTP, the text is a parameter, and a complete response has no header that says otherwise", async () => {
  const listener = await openListener(call);
  try {
    const url = `${listener.url}/api/commits?repo=texts&changedText=${encodeURIComponent("-S--all")}`;
    const response = await fetch(url);
    const items = (await response.json()) as readonly { readonly hash: string }[];
    assert.deepEqual(
      items.map(({ hash }) => hash),
      gitLog(texts, ["-S-S--all"]),
    );
    assert.equal(response.headers.get("x-incomplete"), null);
    assert.notEqual(response.headers.get("etag"), null);
  } finally {
    await listener.close();
  }
});
