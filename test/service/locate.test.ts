import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { LocatedFile } from "#contract/editor";
import type { OpenDocument } from "#contract/service";
import { History } from "#service/history/history";
import { repo, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const lines = ["alpha", "beta", "gamma line", "delta", "epsilon"];
const text = `${lines.join("\n")}\n`;
const clone = repo(`
  = main: First
  src/a.txt
  ${lines.map((line) => `| ${line}`).join("\n  ")}
  link -> src/a.txt
`);
const bare = repo("= main: First\n  a.txt\n  | a", { bare: true });
const folder = temporaryFolder();
writeFileSync(join(folder, "plain.txt"), text);
const view = viewOf([
  repository(1, "clone", { path: clone.path }),
  repository(2, "bare", { path: bare.path, kind: "bare" }),
  repository(3, "folder", { path: folder, kind: "folder" }),
  repository(4, "gone", { path: join(folder, "nothing") }),
]);
const history = new History({ repositories: view });
const caller = callerOf({ repositories: view, history });
after(() => history.close());

const sha = (content: string) =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest("hex");
const committed = sha(text);
const file = join(clone.path, "src", "a.txt");

function locate(request: object, unsaved: readonly OpenDocument[] = []): Promise<LocatedFile> {
  const signal = new AbortController().signal;
  return caller("locate", request, { credentials: { kind: "local" }, signal, unsaved });
}

interface Row {
  readonly title: string;
  /** Content on disk; by default as committed. */
  readonly disk?: string;
  /** Content of the unsaved document. */
  readonly dirty?: string;
  readonly blobSha?: string;
  readonly state: LocatedFile["state"];
  /** Current line numbers of lines 1 to 6; the file has five. */
  readonly now: readonly (number | null)[];
}

const none = [null, null, null, null, null, null];
const rows: readonly Row[] = [
  { title: "an untouched file", blobSha: committed, state: "same", now: [1, 2, 3, 4, 5, 6] },
  { title: "no blob SHA", state: "same", now: [1, 2, 3, 4, 5, 6] },
  {
    title: "other line endings",
    disk: text.replaceAll("\n", "\r\n"),
    blobSha: committed,
    state: "same",
    now: [1, 2, 3, 4, 5, 6],
  },
  {
    title: "a line added above",
    disk: `new\n${text}`,
    blobSha: committed,
    state: "changed",
    now: [2, 3, 4, 5, 6, 7],
  },
  {
    title: "an unsaved document instead of the file",
    disk: `new\n${text}`,
    dirty: `one\ntwo\n${text}`,
    blobSha: committed,
    state: "changed",
    now: [3, 4, 5, 6, 7, 8],
  },
  {
    title: "an unsaved document equal to the committed content",
    disk: "else",
    dirty: text,
    blobSha: committed,
    state: "same",
    now: [1, 2, 3, 4, 5, 6],
  },
  {
    title: "a changed and a removed line",
    disk: text.replace("gamma line", "gamma lines").replace("beta\n", ""),
    blobSha: committed,
    state: "changed",
    now: [1, null, 2, 3, 4, 5],
  },
  {
    title: "nothing in common",
    disk: "xyz\n",
    blobSha: committed,
    state: "changed",
    now: [null, null, null, null, null, 2],
  },
  { title: "content that is not in the repository", blobSha: sha("nowhere"), state: "changed", now: none },
  { title: "a blob SHA that is not a hash", blobSha: "--all", state: "changed", now: none },
  {
    title: "the blob SHA of the working tree file",
    disk: "mine\n",
    blobSha: sha("mine\n"),
    state: "same",
    now: [1, 2, null, null, null, null],
  },
];

describe("a file", () => {
  for (const { title, disk = text, dirty, blobSha, state, now } of rows) {
    test(title, async () => {
      writeFileSync(file, disk);
      const unsaved = dirty === undefined ? [] : [{ path: file, text: dirty, version: "1" }];
      const request = { repository: "clone", path: "src/a.txt", lines: [1, 2, 3, 4, 5, 6] };
      const found = await locate({ ...request, ...(blobSha === undefined ? {} : { blobSha }) }, unsaved);
      assert.deepEqual(found, { state, path: file, lines: now });
    });
  }
});

test("an unsaved document is found through a symbolic link to the repository", async () => {
  writeFileSync(file, text);
  const around = join(temporaryFolder(), "around");
  symlinkSync(clone.path, around);
  const unsaved = [{ path: join(around, "src", "a.txt"), text: `one\n${text}`, version: "1" }];
  const found = await locate(
    { repository: "clone", path: "src/a.txt", blobSha: committed, lines: [1] },
    unsaved,
  );
  assert.deepEqual(found, { state: "changed", path: file, lines: [2] });
});

test("the content of a symbolic link is its target path", async () => {
  const request = { repository: "clone", path: "link", lines: [1] };
  assert.equal((await locate({ ...request, blobSha: sha("src/a.txt") })).state, "same");
  rmSync(join(clone.path, "link"));
  symlinkSync("/etc/passwd", join(clone.path, "link"));
  const found = await locate({ ...request, blobSha: sha("src/a.txt") });
  assert.deepEqual(found, { state: "changed", path: join(clone.path, "link"), lines: [null] });
});

test("nothing is read through a linked folder", async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "secret.txt"), text);
  symlinkSync(outside, join(clone.path, "way out"));
  const found = await locate({
    repository: "clone",
    path: "way out/secret.txt",
    blobSha: committed,
    lines: [1],
  });
  assert.deepEqual(found, { state: "gone", path: join(clone.path, "way out", "secret.txt"), lines: [null] });
});

test("folders, missing files, large files and repositories without a working tree are located", async () => {
  const { path } = clone;
  assert.deepEqual(await locate({ repository: "clone", path: "" }), { state: "same", path, lines: [] });
  assert.deepEqual(await locate({ repository: "clone", path: "/src/" }), {
    state: "same",
    path: join(path, "src"),
    lines: [],
  });
  assert.deepEqual(await locate({ repository: "clone", path: "not/there", lines: [4] }), {
    state: "gone",
    path: join(path, "not", "there"),
    lines: [null],
  });
  mkdirSync(join(path, "large"));
  writeFileSync(join(path, "large", "file"), "");
  truncateSync(join(path, "large", "file"), 9 * 1024 * 1024);
  assert.deepEqual(
    await locate({ repository: "clone", path: "large/file", lines: [4], blobSha: committed }),
    {
      state: "changed",
      path: join(path, "large", "file"),
      lines: [null],
    },
  );
  assert.deepEqual(await locate({ repository: "bare", path: "a.txt", lines: [1] }), {
    state: "noClone",
    lines: [null],
  });
  assert.deepEqual(await locate({ repository: "gone", path: "a.txt", lines: [] }), {
    state: "noClone",
    lines: [],
  });
  const plain = { repository: "folder", path: "plain.txt", lines: [2, 9] };
  assert.deepEqual(await locate({ ...plain, blobSha: committed }), {
    state: "same",
    path: join(folder, "plain.txt"),
    lines: [2, null],
  });
  assert.deepEqual((await locate({ ...plain, blobSha: sha("else") })).lines, [null, null]);
});

test("paths outside the repository are refused", async () => {
  for (const path of ["../up", "a/../../b", "a\0b", "//etc/passwd"]) {
    await assert.rejects(locate({ repository: "clone", path }), { code: "INVALID_REQUEST_BODY" });
  }
  await assert.rejects(locate({ repository: "none", path: "a" }), { code: "NOT_FOUND" });
});
