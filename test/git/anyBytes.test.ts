/** Whatever git prints, and whatever its files hold: no parser fails in another way than it says, and none hangs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isServiceError } from "#base/error";
import { parseDate } from "#base/writtenDate";
import { AuthorCounter } from "#git/authors";
import { isOfReasonableSize } from "#git/basicExpression";
import { parseBlame } from "#git/blame";
import { parseBranches } from "#git/branches";
import { bytePath } from "#git/bytePath";
import { parseConfig } from "#git/config";
import { parseChanges, parseCounts, parseDiff } from "#git/diff";
import { parseStaged } from "#git/indexFile";
import { CommitReader, parseCommits, parseFollowed, plainList } from "#git/log";
import { BatchParser } from "#git/objects";
import { unquoted } from "#git/quoting";
import { parsePackedRefs, parseRefList } from "#git/refs";
import { parseTree, parseTreeDiffs } from "#git/tree";
import { parseTreeObject } from "#git/treeFiles";
import { parseIgnored } from "#service/blame";

const one = "1".repeat(40);
const two = "2".repeat(40);

const raw = (status: string, ...names: string[]) =>
  `:100644 100755 ${one} ${two} ${status}\0${names.map((name) => `${name}\0`).join("")}`;

/** Bytes that begin like the real thing, with stretches of it between others. */
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
  parseIgnored: (output) => parseIgnored(output.toString("latin1")),
  parseBranches: (output) => parseBranches(output.toString("utf8")),
  parseRefList: (output) => parseRefList(output.toString("utf8")),
  parsePackedRefs: (output) => parsePackedRefs(output.toString("utf8")),
  parseConfig: (output) => parseConfig(output.toString("utf8")),
  parseTree,
  parseTreeDiffs,
  parseTreeObject: (output) => parseTreeObject(output, "folder"),
  parseStaged,
  BatchParser: (output) => new BatchParser(1000, () => true).push(output),
  unquoted: (output) => unquoted(bytePath(output)),
  parseChanges,
  parseDiff,
  parseCounts,
  CommitReader: (output) => new CommitReader().push(output),
  plainList: (output) => plainList(output).slice(0, 100),
  parseDate: (output) => parseDate(output.toString("utf8")),
  isOfReasonableSize: (output) => isOfReasonableSize(output.toString("latin1")),
};

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} takes any bytes`, async () => {
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

test("no parser takes long", async () => {
  const startedAt = performance.now();
  for (const parse of Object.values(parsers)) {
    for (const piece of [...pieces, "a", "1", " 1 day", "[[:", "\\(", "\\{9\\}", "one week ", "1:"]) {
      try {
        await parse(Buffer.from(piece.repeat(Math.ceil(300_000 / piece.length))));
      } catch (error) {
        assert.ok(isServiceError(error), String(error));
      }
    }
  }
  assert.ok(performance.now() - startedAt < 20_000);
});
