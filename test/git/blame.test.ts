import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BytePath } from "#git/bytePath";
import { parseBlame } from "#git/history/blame";
import { unquotePath } from "#git/history/quotedPath";
import { parseBranches } from "#git/refs/branches";
import { parseIgnoredCommits } from "#service/history/blame";

const one = "1".repeat(40);
const two = "2".repeat(40);

/** The output of git, which prints the fields of a commit only once. */
const printed = [
  `${one} 1 1 2`,
  "author Ann <Author>",
  "author-mail <ann@example.com>",
  "author-time 1500000000",
  "author-tz -0130",
  "committer Bob",
  "summary author-mail <fake@example.com>",
  "boundary",
  'filename "old\\tname\\303\\251"',
  "\tfirst line",
  `${one} 2 2`,
  `\t${two} 1 1 1`,
  `${two} 7 3 1`,
  "author ",
  "author-mail <>",
  "author-time 0",
  "author-tz +0000",
  `summary (${two})`,
  `previous ${one} before name`,
  "filename now name",
  "\t\tauthor Fake",
  `${one} 3 4 1`,
  'filename "old\\tname\\303\\251"',
  "\t",
  "",
].join("\n");

test("adjacent lines are merged, and lines that look like headers stay text", async () => {
  const { lines, commits } = await parseBlame(Buffer.from(printed));
  assert.deepEqual(lines, [
    { hash: one, path: "old\tnameé", startLine: 1, lineCount: 2 },
    { hash: two, path: "now name", startLine: 3, lineCount: 1 },
    { hash: one, path: "old\tnameé", startLine: 4, lineCount: 1 },
  ]);
  assert.deepEqual(
    [...commits.values()],
    [
      {
        hash: one,
        date: "2017-07-14T01:10:00-01:30",
        message: "author-mail <fake@example.com>",
        authorName: "Ann <Author>",
        authorEmail: "ann@example.com",
      },
      {
        hash: two,
        date: "1970-01-01T00:00:00+00:00",
        message: "",
        authorName: "",
        authorEmail: "",
        previous: { hash: one, path: "before name" },
      },
    ],
  );
});

test("no output makes the parsers fail or hang", async () => {
  const pieces = fc.constantFrom(
    ...printed.split("\n"),
    "\t",
    "previous ",
    "filename",
    '"\\',
    "\0\0\0\0\0\0",
    one,
  );
  const text = fc.array(pieces, { maxLength: 30 }).map((all) => Buffer.from(all.join("\n")));
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, fc.uint8Array({ maxLength: 300 })), async (bytes) => {
      const { lines } = await parseBlame(bytes);
      for (const [at, line] of lines.entries()) {
        assert.ok(line.lineCount > 0);
        const before = lines[at - 1];
        assert.ok(before === undefined || before.hash !== line.hash || before.path !== line.path);
      }
      parseBranches(Buffer.from(bytes).toString("utf8"));
      parseIgnoredCommits(Buffer.from(bytes).toString("latin1"));
      unquotePath(Buffer.from(bytes).toString("latin1") as BytePath);
    }),
    { numRuns: 2000 },
  );
});

function checkUnquoted(quoted: string, expected: string): void {
  test(`${quoted} is ${JSON.stringify(expected)}`, () =>
    assert.equal(unquotePath(quoted as BytePath), expected));
}

checkUnquoted("plain name", "plain name");
checkUnquoted('"a\\nb"', "a\nb");
checkUnquoted('"\\"\\\\\\t\\303\\251"', '"\\\t\xc3\xa9');
checkUnquoted('"\\\\303"', "\\303");
checkUnquoted('"', '"');
checkUnquoted('""', "");

test("refs are parsed, and tags are peeled", () => {
  const branch = ["refs/heads/a b", "commit", one, "5 +0000", "", "", ""].join("\0");
  const tag = ["refs/tags/v1", "tag", two, "", "commit", one, "6 +0100"].join("\0");
  assert.deepEqual(parseBranches(`${branch}\n${tag}\nbroken\n`), [
    { name: "refs/heads/a b", type: "commit", hash: one, date: "5 +0000" },
    { name: "refs/tags/v1", type: "commit", hash: one, date: "6 +0100" },
  ]);
});

test("commits to ignore are full hashes, one per line", () => {
  const text = `# comment\n${one}\n  ${two.toUpperCase()}  # why\n1234567\n\n${one} ${two}\r\n${"a".repeat(40)}\r\n`;
  assert.deepEqual(parseIgnoredCommits(text), [one, two, "a".repeat(40)]);
});
