/** What pages link to: repositories, revisions, history, raw files, other files. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileHistory } from "#test/support/history";
import { entriesOf, getPage, linksOf, linkTo, type Page, plain } from "#test/support/page";
import { repo, runGit } from "#test/support/repo";
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

const past = hostileHistory();
const detached = repo(`
  = main: First
  a.txt
  | one
  = main: Second
  a.txt
  | two
`);
detached.git("checkout", "-q", "--detach", "HEAD~1");
const crowded = repo();
runGit(crowded.path, ["fast-import", "--quiet"], Buffer.from(crowd()));
const many = Array.from({ length: 120 }, (_, at) => repository(10 + at, `many/${1000 + at}`));
const repositories = viewOf([
  repository(1, "github.com/o/past", {
    path: past.path,
    revisions: [],
    formerNames: ["github.com/old team/past", "detached"],
  }),
  repository(2, "detached", { path: detached.path, codeHostType: "genericGitHost", defaultRevision: "HEAD" }),
  repository(3, "empty", { path: repo().path, codeHostType: "genericGitHost", state: "queued" }),
  repository(4, "crowded", { path: crowded.path, codeHostType: "genericGitHost" }),
  repository(5, "<b>&\u202e", { state: "failed", lastError: "<i>out of disk" }),
  ...many,
]);
const engine = engineOf(async () => engineResult([fileMatch(1, "music/song.txt"), fileMatch(1, "a<b>.txt")]));

/** Returns a stream for fast-import: a folder of 2,001 files, and 5,000 branches. */
function crowd(): string {
  const files = Array.from({ length: 2001 }, (_, at) => `M 100644 inline big/${10_000 + at}\ndata 1\nx\n`);
  const branches = Array.from({ length: 4999 }, (_, at) => `reset refs/heads/b${10_000 + at}\nfrom :1\n\n`);
  const commit = "commit refs/heads/main\nmark :1\ncommitter A <a@example.com> 1700000000 +0000\ndata 500\n";
  return `${commit}${"c".repeat(500)}\n${files.join("")}\n${branches.join("")}`;
}

let listener: TestListener;
before(async () => {
  listener = await openListener(callerOf({ repositories, engine }));
});
after(() => listener.close());

const name = "github.com/o/past";

function get(address: string): Promise<Page> {
  return getPage(address.startsWith("http") ? address : `${listener.url}/${address}`);
}

async function follow(page: Page, text: string): Promise<Page> {
  const next = await get(linkTo(page, text));
  assert.equal(next.status, 200, next.text.slice(-300));
  return next;
}

function pathOf(url: string): string {
  return url.slice(`${listener.url}/browse/`.length);
}

test("the repositories are listed by name, in pages, with their state", async () => {
  const page = await get("repositories");
  assert.equal(page.status, 200);
  const entries = entriesOf(page);
  assert.equal(entries.length, 100);
  assert.equal(entries[0], "<b>&\u202e main · 3 files · failed: <i>out of disk");
  assert.equal(
    entries.find((each) => each.startsWith("empty")),
    "empty main · 3 files · queued",
  );
  assert.match(plain(page.text), /125 repositories/);
  assert.equal(entriesOf(await follow(page, "Next")).length, 25);
  assert.match((await follow(page, name)).text, /music\//);
  const found = await get("repositories?filter=0/O");
  assert.deepEqual(entriesOf(found), []);
  assert.match(found.text, /No repository matches/);
  assert.deepEqual(entriesOf(await get("repositories?filter=O%2FPAST")).length, 1);
});

test("pages of a repository that was renamed redirect to its new name, with everything else", async () => {
  for (const rest of ["", "/-/tree/", "@main/-/blob/a%20b.txt?blame=1", "@v1/-/commit/1234"]) {
    const page = await get(`browse/github.com/old%20team/past${rest}`);
    assert.equal(page.status, 301);
    assert.equal(page.headers.get("location"), `${listener.url}/browse/${name}${rest}`);
  }
  const source = await fetch(
    `${listener.url}/api/source?repo=github.com/old%20team/past&path=music/song.txt`,
  );
  assert.equal(((await source.json()) as { readonly repo: string }).repo, name);
  // Another repository has this name now.
  assert.equal((await get("browse/detached/-/tree/")).status, 200);
});

test("raw files are bytes that a browser never runs", async () => {
  const rows = [
    ["%3Cscript%3Ealert(1)%3C/script%3E.html", "text/plain; charset=utf-8"],
    ["latin1.txt", "text/plain; charset=utf-8"],
    ["data.bin", "application/octet-stream"],
    ["empty", "text/plain; charset=utf-8"],
  ] as const;
  for (const [path, type] of rows) {
    const page = await get(`browse/${name}/-/blob/${path}`);
    const response = await fetch(linkTo(page, "Raw"));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), type);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("content-security-policy") ?? "", /default-src 'none'.*sandbox/);
    assert.equal(response.headers.get("cross-origin-resource-policy"), "same-origin");
    const expected = runGit(past.path, ["cat-file", "blob", `main:${decodeURIComponent(path)}`]);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), expected);
  }
  const binary = await fetch(`${listener.url}/browse/${name}/-/raw/data.bin`);
  assert.equal(binary.headers.get("content-disposition"), "attachment; filename*=UTF-8''data.bin");
  assert.equal((await get(`browse/${name}/-/raw/nothing`)).status, 404);
});

test("a file page links its history, its revisions and its permanent address", async () => {
  const page = await get(`browse/${name}/-/blob/music/song.txt?blame=1`);
  const tip = past.git("rev-parse", "main");
  assert.equal(pathOf(linkTo(page, "Permalink")), `${name}@${tip}/-/blob/music/song.txt?blame=1`);
  assert.match(page.text, /data-url="[^"]*\/-\/raw\/music\/song\.txt"/);
  const history = await follow(page, "History");
  const entries = entriesOf(history);
  assert.match(entries[0] ?? "", /^Change one verse after the formatting Zoë Ω · 2020/);
  assert.equal(entries.length, 5);
  assert.match(entries.find((each) => each.includes("Rename the song")) ?? "", /renamed from song\.txt/);
  // The oldest commit knows the file by its former name.
  const oldest = linksOf(history)
    .filter(({ text }) => text.startsWith("View at"))
    .at(-1);
  assert.match(pathOf(oldest?.url ?? ""), /\/-\/blob\/song\.txt$/);
  assert.match((await get(oldest?.url ?? "")).text, /verse 1 of the song/);
});

test("the revision picker keeps the path, and distinguishes a branch from a tag of the same name", async () => {
  const page = await get(`browse/${name}@v2.0/-/blob/music/song.txt`);
  const picker = await follow(page, "v2.0");
  assert.match(entriesOf(picker)[0] ?? "", /^main default/);
  assert.equal(pathOf(linkTo(picker, "v1.0")), `${name}@refs/tags/v1.0/-/blob/music/song.txt`);
  assert.match(picker.text, /<a [^>]*aria-current="true"><bdi>v2\.0</);
  const ambiguous = linksOf(await get(`browse/${name}/-/refs/README.md?filter=AMBIG`)).filter(
    ({ text }) => text === "ambiguous",
  );
  assert.deepEqual(ambiguous.map(({ url }) => pathOf(url)).sort(), [
    `${name}@refs/heads/ambiguous/-/blob/README.md`,
    `${name}@refs/tags/ambiguous/-/blob/README.md`,
  ]);
  for (const { url } of ambiguous) assert.equal((await get(url)).status, 200);
  // The folder did not exist yet.
  const missing = await get(linkTo(picker, "v0.1"));
  assert.equal(missing.status, 404);
  assert.equal((await follow(missing, "Show the files at this revision")).status, 200);
});

test("5,000 branches are listed in pages", async () => {
  const page = await get("browse/crowded/-/refs/big/10000");
  assert.equal(entriesOf(page).length, 100);
  assert.match(plain(page.text), /5,000 branches and tags.*Page 1 of 50/s);
  assert.equal(entriesOf(await get("browse/crowded/-/refs/?filter=b1499")).length, 9);
  assert.equal((await follow(page, "Next")).status, 200);
  assert.match((await get("browse/crowded/-/refs/?page=999999")).text, /Page 999,999 of 50/);
});

test("large folders are listed in pages, each with the parent folder", async () => {
  const page = await get("browse/crowded/-/tree/big");
  assert.equal(entriesOf(page).length, 2001);
  assert.equal(entriesOf(page)[0], "..");
  const subject = "c".repeat(300);
  for (const each of [page, await get("browse/crowded/-/commits/")]) {
    assert.ok(each.text.includes(subject));
    assert.ok(!each.text.includes(`${subject}c`), "a long subject is cut");
  }
  assert.deepEqual(entriesOf(await follow(page, "Next")), ["..", "12000"]);
  assert.equal(pathOf(linkTo(page, "..")), "crowded/-/tree/");
  assert.equal(
    pathOf(linkTo(await get(`browse/${name}@v1.0/-/tree/deep/er/`), "..")),
    `${name}@v1.0/-/tree/deep`,
  );
  assert.ok(!entriesOf(await get(`browse/${name}`)).includes(".."));
});

test("repositories without commits and with a detached HEAD have pages", async () => {
  for (const view of ["tree", "refs", "commits", "find"]) {
    assert.equal((await get(`browse/empty/-/${view}/`)).status, 200, view);
  }
  assert.match((await get("browse/empty")).text, /no files here yet/);
  const first = detached.git("rev-parse", "HEAD");
  const page = await get("browse/detached/-/blob/a.txt");
  assert.match(page.text, />one</);
  assert.equal(pathOf(linkTo(page, "Permalink")), `detached@${first}/-/blob/a.txt`);
  const picker = await follow(page, "HEAD");
  assert.match(entriesOf(picker)[0] ?? "", /^HEAD default/);
  assert.match((await follow(picker, "main")).text, />two</);
});

test("each heading of a diff links the file and counts its lines", async () => {
  const page = await get(`browse/${name}/-/commit/v2.0`);
  const commit = past.git("rev-parse", "v2.0");
  assert.match(plain(page.text), /2 files changed \+32 −1/);
  const headings = [...page.text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, text = ""]) => plain(text));
  assert.deepEqual(headings, ["copy of song.txt (added) +30 −0", "feature.txt → renamed.txt +2 −1"]);
  assert.match(page.text, /aria-label="2 lines added, 1 line removed"/);
  assert.equal(pathOf(linkTo(page, "renamed.txt")), `${name}@${commit}/-/blob/renamed.txt`);
  const deletion = await get(`browse/${name}/-/commit/v2.0~1`);
  const parent = past.git("rev-parse", "v2.0~2");
  assert.equal(pathOf(linkTo(deletion, "left.txt")), `${name}@${parent}/-/blob/left.txt`);
  const root = await get(`browse/${name}/-/commit/v0.1`);
  assert.match(plain(root.text), /README\.md \(added\) \+1 −0.*\+# Title/s);
  assert.ok(!linksOf(root).some(({ text }) => text === "vendor/module"));
});

test("the search for a file links its results at the revision", async () => {
  const page = await get(`browse/${name}@v2.0/-/find/?filter=song`);
  assert.deepEqual(entriesOf(page), ["music/song.txt", "a<b>.txt"]);
  assert.equal(pathOf(linkTo(page, "music/song.txt")), `${name}@v2.0/-/blob/music/song.txt`);
  assert.match(page.text, /<input [^>]*value="song"/);
  assert.equal((await get("browse/nothing/-/find/?filter=x")).status, 404);
  // A search at a revision that is not indexed would index it.
  const empty = await get(`browse/${name}@v0.1/-/find/`);
  assert.deepEqual(entriesOf(empty), []);
  assert.match(empty.text, /Type letters of the path/);
});

test("a path that no file can have is not rendered", async () => {
  const page = await get(`browse/${name}/-/refs/${"a/".repeat(3000)}`);
  assert.equal(page.status, 404);
  const short = await get(`browse/${name}/-/blob/nothing`);
  assert.equal(short.status, 404);
  assert.ok(page.text.length < short.text.length + 1000);
});

test("a page beyond the last one links the last one", async () => {
  const page = await get(`browse/${name}/-/commits/?page=99`);
  assert.match(plain(page.text), /Page 99 of 1/);
  assert.doesNotMatch(page.text, /There are no commits/);
  assert.equal((await follow(page, "Previous")).status, 200);
});
