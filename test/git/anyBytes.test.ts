/** Given any output or file of git, each parser returns or throws a documented error, in time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isServiceError } from "#base/error";
import { parseDate } from "#base/parseDate";
import { bytePath } from "#git/bytePath";
import { parseConfig } from "#git/config";
import { AuthorCounter } from "#git/history/authors";
import { parseBlame } from "#git/history/blame";
import { parseChanges, parseCounts, parseDiff } from "#git/history/diff";
import { CommitReader, parseCommits, parseFollowed, parseHashList } from "#git/history/log";
import { hasReasonableSize } from "#git/history/posixRegex";
import { unquotePath } from "#git/history/quotedPath";
import { BatchParser } from "#git/objects/readObjects";
import { parseTree, parseTreeDiffs } from "#git/objects/tree";
import { parseTreeObject } from "#git/objects/treeObject";
import { parseBranches } from "#git/refs/branches";
import { parsePackedRefs, parseRefList } from "#git/refs/refs";
import { parseStaged } from "#git/workTree/indexFile";
import { parseIgnoredCommits } from "#service/history/blame";

const one = "1".repeat(40);
const two = "2".repeat(40);

const raw = (status: string, ...names: string[]) =>
  `:100644 100755 ${one} ${two} ${status}\0${names.map((name) => `${name}\0`).join("")}`;

/** Fragments of valid input, mixed with random bytes. */
const pieces = [
  one,
  `${two}\0`,
  "\0",
  "\n",
  raw("M", "a"),
  raw("R100", "a", "b"),
  ":100644 ",
  "diff --git ",
  "diff --git a b\n",
  "@@ -1,3 +1,4 @@ x\n",
  "@@ -1,999999999999 +1 @@\n",
  "\\ No newline at end of file\n",
  "-",
  "+",
  " ",
  "\nR50\0",
  "\nM\0",
  "Binary files ",
  "1500000000 +0200 Ann <a>\n",
  "99999999999999999999 +9999 ",
  `${one} commit 5\n`,
  `${two} missing\n`,
  `${one} 1 2 3\n`,
  `${one} ${two}\n`,
  "author-time 99999999999999999999\n",
  `previous ${two} a\n`,
  "filename ",
  '"\\',
  `100644 blob ${one}\ta\0`,
  "40000 folder\0",
  `H 100644 ${one} 0\ta\0`,
  `${one} refs/heads/a\n^${two}\n`,
  '[remote "a"]\n\turl = \\',
  "# pack-refs with: fully-peeled\n",
];
const anything = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }),
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => Buffer.concat(parts));

const parsers: Record<string, (output: Buffer) => unknown> = {
  parseCommits,
  parseFollowed,
  AuthorCounter: (output) => {
    const counter = new AuthorCounter();
    counter.push(output);
    return counter.authors;
  },
  parseBlame,
  parseIgnored: (output) => parseIgnoredCommits(output.toString("latin1")),
  parseBranches: (output) => parseBranches(output.toString("utf8")),
  parseRefList: (output) => parseRefList(output.toString("utf8")),
  parsePackedRefs: (output) => parsePackedRefs(output.toString("utf8")),
  parseConfig: (output) => parseConfig(output.toString("utf8")),
  parseTree,
  parseTreeDiffs,
  parseTreeObject: (output) => parseTreeObject(output, "folder"),
  parseStaged,
  BatchParser: (output) => new BatchParser(1000, () => true).push(output),
  unquotePath: (output) => unquotePath(bytePath(output)),
  parseChanges,
  parseDiff,
  parseCounts,
  CommitReader: (output) => new CommitReader().push(output),
  parseHashList: (output) => parseHashList(output).slice(0, 100),
  parseDate: (output) => parseDate(output.toString("utf8")),
  hasReasonableSize: (output) => hasReasonableSize(output.toString("latin1")),
};

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} accepts or rejects any bytes`, async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (output) => {
        try {
          await parse(output);
        } catch (error) {
          assert.ok(isServiceError(error), String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
}

test("parsers are fast on repetitive input", async () => {
  // In processor time, because the machine may be busy.
  const start = process.cpuUsage();
  for (const parse of Object.values(parsers)) {
    for (const piece of [...pieces, "a", "1", " 1 day", "[[:", "\\(", "\\{9\\}", "one week ", "1:"]) {
      try {
        await parse(Buffer.from(piece.repeat(Math.ceil(300_000 / piece.length))));
      } catch (error) {
        assert.ok(isServiceError(error), String(error));
      }
    }
  }
  assert.ok(process.cpuUsage(start).user < 20_000_000);
});
