/** Line counts of diffs must match their hunks; other tests compare the hunks with git's. */
import assert from "node:assert/strict";
import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Limiter } from "#base/limiter";
import type { GitRequest } from "#git/gitRequest";
import { type ChangedFile, diffCommits, parseCounts } from "#git/history/diff";
import { gitRepositoryOf, repo } from "#test/support/repo";

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function requestFor(path: string): GitRequest {
  return {
    gitRepository: gitRepositoryOf({ path }),
    signal: new AbortController().signal,
    client: "",
    timeLimitMs: 10_000,
    limiter: new Limiter(4),
  };
}

/** Replaces the hunks of a file with their line counts. */
function withCounts({ hunks, ...file }: ChangedFile): ChangedFile {
  const lines = hunks.flatMap(({ body }) => body.split("\n"));
  const marked = (marker: string) => lines.filter((line) => line.startsWith(marker)).length;
  const counts = { addedLines: marked("+"), removedLines: marked("-") };
  return { ...file, hunks: [], ...(file.isBinary ? {} : counts) };
}

test("counts match the hunks for every kind of change", async () => {
  const made = repo(`
    = main: One
    kept.txt
    | a
    | b
    | c
    gone.txt
    | gone
    old name.txt
    | one
    | two
    | three
    | four
    größe.md
    | 1
    logo.bin [hex]
    | 00 01 02 00
    moved.bin [hex]
    | 00 ff 02 00
    run.sh
    | #!/bin/sh
  `);
  const git = (...args: string[]) => made.git(...args);
  made.write("kept.txt", "a\n-- minus\n++ plus\nc\nd");
  made.write("größe.md", "2\n");
  made.write("tab\tname.txt", "new\n");
  made.write("logo.bin", "\0\u0001\n");
  git("rm", "-q", "gone.txt");
  git("mv", "old name.txt", "new name.txt");
  git("mv", "moved.bin", "moved there.bin");
  git("add", "-A");
  git("update-index", "--chmod=+x", "run.sh");
  git("commit", "-qm", "Two");
  const request = requestFor(made.path);
  const [base, head] = [made.git("rev-parse", "HEAD~1").trim(), made.git("rev-parse", "HEAD").trim()];
  for (const [from, to] of [
    [base, head],
    [head, base],
    [emptyTree, head],
  ] as const) {
    const hunks = await diffCommits(request, from, to);
    assert.deepEqual(await diffCommits(request, from, to, { detail: "counts" }), hunks.map(withCounts));
    for (const path of ["new name.txt", "größe.md", "nowhere"]) {
      const one = await diffCommits(request, from, to, { path });
      assert.deepEqual(
        await diffCommits(request, from, to, { path, detail: "counts" }),
        one.map(withCounts),
        path,
      );
    }
  }
});

test("a file that became a link is deleted and added, without counts", async () => {
  const made = repo(`
    = main: One
    file.txt
    | text
  `);
  unlinkSync(join(made.path, "file.txt"));
  symlinkSync("elsewhere", join(made.path, "file.txt"));
  made.git("commit", "-qam", "Two");
  const request = requestFor(made.path);
  const commits = ["HEAD~1", "HEAD"].map((name) => made.git("rev-parse", name).trim());
  const found = await diffCommits(request, commits[0] ?? "", commits[1] ?? "", { detail: "counts" });
  assert.deepEqual(found, [
    { oldPath: "file.txt", oldMode: "100644", isBinary: false, hunks: [] },
    { newPath: "file.txt", newMode: "120000", isBinary: false, hunks: [] },
  ]);
});

test("any bytes result in a diff or a documented error", () => {
  const record = ":100644 100644 1111 2222 M\0a\0";
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("\0", "\t", "-", "1", "a", "\n") }), (text) => {
      try {
        const files = parseCounts(Buffer.from(`${record}${text}`));
        assert.equal(files.length, 1);
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, "UNEXPECTED_ERROR");
      }
    }),
  );
});
