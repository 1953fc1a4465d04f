/** Parsers of git's output about history, on literal bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDate } from "#base/parseDate";
import { AuthorCounter } from "#git/history/authors";
import { parseDiff } from "#git/history/diff";
import { CommitReader, parseCommits, parseFollowed, parseHashList } from "#git/history/log";
import { hasReasonableSize } from "#git/history/posixRegex";

const one = "1".repeat(40);
const two = "2".repeat(40);

test("commits are parsed, except a truncated one", () => {
  const fields = [one, `${two} ${one}`, "2020-01-01T00:00:00Z", "2020-01-02T00:00:00+02:00", "Ann", "a@b"];
  const rest = ["Bob", "b@c", "HEAD -> main", "Subject", "Body\n\ncommit 1\n"];
  const output = Buffer.from(`${[...fields, ...rest].join("\0")}\0${two}\0\0`);
  assert.deepEqual(parseCommits(output), [
    {
      hash: one,
      parents: [two, one],
      date: "2020-01-01T00:00:00+00:00",
      commitDate: "2020-01-02T00:00:00+02:00",
      authorName: "Ann",
      authorEmail: "a@b",
      committerName: "Bob",
      committerEmail: "b@c",
      refs: "HEAD -> main",
      subject: "Subject",
      body: "Body\n\ncommit 1\n",
    },
  ]);
  assert.deepEqual(parseCommits(Buffer.from("")), []);
});

test("commits are parsed however they are split into chunks", () => {
  const commit = (subject: string) =>
    `${[one, "", "d", "d", "n", "e", "c", "e", "", subject, "b\n"].join("\0")}\0`;
  const output = Buffer.from(`${commit("é")}${commit("")}${commit("third")}${one}\0cut`);
  for (let step = 1; step <= output.length; step++) {
    const reader = new CommitReader();
    const subjects: string[] = [];
    for (let at = 0; at < output.length; at += step) {
      subjects.push(...reader.push(output.subarray(at, at + step)).map(({ subject }) => subject));
    }
    assert.deepEqual(subjects, ["é", "", "third"], `in chunks of ${step}`);
  }
});

test("hash lists are parsed and sliced", () => {
  const list = parseHashList(Buffer.from(`${one}\n${two}\n`));
  assert.equal(list.total, 2);
  assert.deepEqual(list.slice(1, 5), [{ hash: two }]);
  assert.deepEqual(list.slice(0, 1), [{ hash: one }]);
  assert.deepEqual(list.slice(2, 1), []);
  assert.equal(parseHashList(Buffer.from("")).total, 0);
});

test("commits that follow a file have its path at that time", () => {
  const names = `${one}\0\nR099\0old\0new\nline\0${two}\0${two}\0\nM\0a\0D\0b\0${one}\0\nA\0${two}\0`;
  assert.deepEqual(parseFollowed(Buffer.from(names)), [
    { hash: one, path: "new\nline", oldPath: "old" },
    { hash: two },
    { hash: two, path: "a" },
    { hash: one, path: two },
  ]);
});

test("authors are counted however their lines are split into chunks", () => {
  const output = Buffer.from(
    [
      "1500000000 +0200 Ann <a@b>",
      "1500000001 -0730 Zoë <z@z>",
      "1400000000 +0000 Ann <a@b>",
      "1600000000 +0545 Ann <a@b>",
      " <only@mail>",
      "-1 +0000 A\t<b> <c@d>",
      " 5 +0000 Digits <>",
      "nonsense",
      "1500000000 +0200 cut",
    ].join("\n"),
  );
  for (let step = 1; step <= output.length; step++) {
    const counter = new AuthorCounter();
    for (let at = 0; at < output.length; at += step) counter.push(output.subarray(at, at + step));
    assert.deepEqual(
      counter.authors.map((each) => Object.values(each).join("|")),
      [
        "Ann|a@b|3|2020-09-13T18:11:40+05:45",
        "5 +0000 Digits||1|",
        "|only@mail|1|",
        "A\t<b>|c@d|1|1969-12-31T23:59:59+00:00",
        "Zoë|z@z|1|2017-07-13T19:10:01-07:30",
      ],
    );
  }
});

const raw = (status: string, ...names: string[]) =>
  `:100644 100755 ${one} ${two} ${status}\0${names.map((name) => `${name}\0`).join("")}`;

test("diffs are parsed", async () => {
  const patch = [
    'diff --git "a/a\\nb" "b/a\\nb"',
    "old mode 100644",
    "new mode 100755",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1 @@ f() {\r",
    "--- not a header",
    " @@ -1 +1 @@",
    "\\ No newline at end of file",
    "@@ -9 +8,0 @@",
    "-diff --git a/x b/x",
    "diff --git a/y b/z",
    "similarity index 100%",
    "diff --git a/t b/t",
    "Binary files a/t and /dev/null differ",
    "diff --git a/t b/t",
    "",
  ].join("\n");
  const output = Buffer.from(`${raw("M", "a\nb")}${raw("R100", "y", "z")}${raw("T", "t")}\0${patch}`);
  const modes = { oldMode: "100644", newMode: "100755" };
  assert.deepEqual(await parseDiff(output), [
    {
      oldPath: "a\nb",
      newPath: "a\nb",
      ...modes,
      isBinary: false,
      hunks: [
        {
          oldRange: { start: 1, lines: 2 },
          newRange: { start: 1, lines: 1 },
          body: "--- not a header\n @@ -1 +1 @@\n\\ No newline at end of file",
          heading: "f() {",
        },
        {
          oldRange: { start: 9, lines: 1 },
          newRange: { start: 8, lines: 0 },
          body: "-diff --git a/x b/x",
          heading: "",
        },
      ],
    },
    { oldPath: "y", newPath: "z", ...modes, isBinary: false, hunks: [] },
    { oldPath: "t", oldMode: "100644", isBinary: true, hunks: [] },
    { newPath: "t", newMode: "100755", isBinary: false, hunks: [] },
  ]);
});

test("parsing a large diff yields to the event loop", async () => {
  const count = 600_000;
  const line = `+${"0123456789abcdef".repeat(5)}é\n`;
  const patch = `diff --git a/a b/a\n@@ -0,0 +1,${count} @@\n${line.repeat(count)}`;
  const output = Buffer.from(`${raw("M", "a")}\0${patch}`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const [file] = await parseDiff(output);
  clearInterval(timer);
  assert.equal(file?.hunks[0]?.body, line.repeat(count).slice(0, -1));
  assert.ok(turns >= 2, `${turns}`);
});

test("an endless name or message is rejected in linear time", () => {
  const piece = Buffer.alloc(4096, "a");
  const counter = new AuthorCounter();
  const reader = new CommitReader();
  const endless: (() => unknown)[] = [() => counter.push(piece), () => reader.push(piece)];
  for (const push of endless) {
    assert.throws(
      () => {
        for (let pushed = 0; pushed < 100_000_000; pushed += piece.length) push();
      },
      { code: "ANSWER_TOO_LARGE" },
    );
  }
});

test("more authors than fit into a response are rejected", () => {
  const counter = new AuthorCounter();
  const lines = (from: number) =>
    Array.from({ length: 1000 }, (_, at) => `1500000000 +0000 ${"a".repeat(900)}${from + at} <a@b>\n`);
  for (let from = 0; from < 50_000; from += 1000) counter.push(Buffer.from(lines(from).join("")));
  // Counting the same authors again needs no more memory.
  for (let from = 0; from < 50_000; from += 1000) counter.push(Buffer.from(lines(from).join("")));
  assert.equal(counter.authors.length, 50_000);
  assert.throws(
    () => {
      for (let from = 50_000; from < 80_000; from += 1000) counter.push(Buffer.from(lines(from).join("")));
    },
    { code: "ANSWER_TOO_LARGE" },
  );
});

test("more hunks than fit into a response are rejected while parsing", async () => {
  const patch = `diff --git a/a b/a\n${"@@ -1 +1 @@\n-a\n+b\n".repeat(600_000)}`;
  const output = Buffer.from(`${raw("M", "a")}\0${patch}`);
  await assert.rejects(parseDiff(output), { code: "ANSWER_TOO_LARGE" });
  assert.equal((await parseDiff(output, () => false)).length, 0);
});

const damaged: Record<string, string> = {
  "a truncated name": raw("M", "a").slice(0, -1),
  "a missing name": raw("R1", "a"),
  "no patch": raw("M", "a"),
  "one file too many": `\0diff --git a b\n`,
  "no file": `${raw("M", "a")}\0--- a\n`,
  "a short hunk": `${raw("M", "a")}\0diff --git a b\n@@ -1 +1,3 @@\n-a\n+b\n`,
  "a long hunk": `${raw("M", "a")}\0diff --git a b\n@@ -1 +1,3 @@\n-a\n-b\n`,
  "a hunk without a header": `${raw("M", "a")}\0diff --git a b\n@@ what @@\n`,
};

for (const [name, output] of Object.entries(damaged)) {
  test(`a diff with ${name} is rejected`, async () => {
    await assert.rejects(parseDiff(Buffer.from(output)), { code: "UNEXPECTED_ERROR" });
  });
}

const dates: Record<string, string> = {
  "2024-02-29": "words 2024-02-29 00:00:00",
  "2024-02": "words 2024-02-01 00:00:00",
  "2024": "words 2024-01-01 00:00:00",
  "2024-02-03T04:05": "words 2024-02-03 04:05:00",
  " 2024-02-03  04:05:06 ": "words 2024-02-03 04:05:06",
  "2024-02-03T04:05:06Z": "1706933106",
  "2024-02-03t04:05:06.789z": "1706933106",
  "2024-02-03T04:05:06+02:30": "1706924106",
  "2024-02-03 04:05:06 -0700": "1706958306",
  "2024-02-03T04:05:06+02": "1706925906",
  "2024-02-03T04:05:06 02:30": "1706924106",
  "1960-01-01T00:00:00Z": "0",
  "1960-01-01": "0",
  "@1700000000 +0200": "1700000000",
  "1700000000": "1700000000",
  "2 weeks ago": "words 2 weeks ago",
  "2.weeks.ago": "words 2 weeks ago",
  "One year two months ago": "words one year two months ago",
  yesterday: "words yesterday",
  "yesterday at 5pm": "words yesterday at 5pm",
  today: "words midnight",
  "today 10:00": "words 10:00",
  "10:00 today": "words 10:00",
  "last friday": "words last friday",
  "Mar 5, 2024": "words mar 5, 2024 00:00:00",
  "5 March 2024 noon": "words 5 march 2024 noon",
  "Thu, 7 Apr 2005 22:13:13 +0200": "words thu, 7 apr 2005 22:13:13 +0200",
  "Thu Apr 7 22:13:13 2005 +0200": "words thu apr 7 22:13:13 2005 +0200",
  never: "words never",
  "2023-02-29": "none",
  "2024-13-01": "none",
  "2024-01-01T24:00": "none",
  "20 bananas ago": "none",
  soon: "none",
  "5": "none",
  "": "none",
  monday: "none",
  "2024-01-01T00:00:00Z; rm": "none",
  "--all": "none",
};

for (const [text, expected] of Object.entries(dates)) {
  test(`date ${JSON.stringify(text)}`, () => {
    const date = parseDate(text);
    const shown =
      date === undefined ? "none" : date.kind === "time" ? `${date.seconds}` : `words ${date.text}`;
    assert.equal(shown, expected);
  });
}

const expressions: Record<string, boolean> = {
  "": true,
  "fix(es)\\{1,3\\}": true,
  "a\\{1000\\}": true,
  "a\\{9999\\}": false,
  "\\(a\\{255\\}\\)\\{255\\}": false,
  "\\(.\\{1,2000\\}\\)\\{1,500\\}": false,
  "\\(a\\{40\\}b\\)\\{40\\}": true,
  "[a\\{9999\\}]": true,
  "[]a\\{9999\\}]": true,
  "[[:alpha:]\\{9999\\}]": true,
  "[[:alpha:]]\\{9999\\}": false,
  "\\\\{9999\\}": true,
  [`${"\\(".repeat(12)}a${"\\)\\+".repeat(12)}`]: false,
  [`${"a\\+".repeat(50)}`]: true,
  "\\(a\\{1,\\}\\)\\{1999,\\}": false,
};

for (const [expression, isReasonable] of Object.entries(expressions)) {
  test(`${expression} is ${isReasonable ? "of reasonable size" : "too large"}`, () => {
    assert.equal(hasReasonableSize(expression), isReasonable);
  });
}
