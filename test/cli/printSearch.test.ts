import assert from "node:assert/strict";
import { test } from "node:test";
import { sanitize } from "#base/sanitize";
import { formatDuration } from "#cli/format";
import { formatFileName, formatSearchLines, type SearchStyle } from "#cli/printSearch";
import { createPainter } from "#cli/terminal";
import type { Chunk, FileMatch, SearchResult } from "#contract/search";

const piped: SearchStyle = { paint: createPainter(false), isTty: false };
const terminal: SearchStyle = { paint: (style, text) => `<${style} ${text}>`, isTty: true };

/** Builds a chunk from `text` with matches marked as `[[…]]`; its first line has the number `firstLine`. */
function chunk(text: string, firstLine: number): Chunk {
  const matchRanges: Chunk["matchRanges"] = [];
  let content = "";
  let line = firstLine;
  let column = 1;
  let start: Chunk["contentStart"] | undefined;
  for (const part of text.split(/(\[\[|\]\])/)) {
    const here = { byteOffset: Buffer.byteLength(content), lineNumber: line, column };
    if (part === "[[") start = here;
    else if (part === "]]") matchRanges.push({ start: start ?? here, end: here });
    else {
      content += part;
      for (const character of part) {
        column = character === "\n" ? 1 : column + 1;
        if (character === "\n") line++;
      }
    }
  }
  return {
    content,
    matchRanges,
    contentStart: { byteOffset: 0, lineNumber: firstLine, column: 1 },
    symbols: [],
  };
}

function file(path: string, ...chunks: Chunk[]): FileMatch {
  const name = chunk(path, 1);
  return {
    fileName: { text: name.content, matchRanges: name.matchRanges },
    webUrl: "",
    repository: "r",
    repositoryId: 1,
    language: "",
    chunks,
    externalWebUrl: "",
    branches: [],
    content: "",
    origin: "commit",
    commit: "",
    blobSha: "",
  };
}

function lines(style: SearchStyle, ...files: FileMatch[]): string[] {
  return [...formatSearchLines({ files } as unknown as SearchResult, style)];
}

test("each match is printed as a plain line to a pipe", () => {
  assert.deepEqual(lines(piped, file("a.ts", chunk("x [[y]] z\n", 3), chunk("[[y]]", 9)), file("n[[am]]e")), [
    "r/a.ts:3:x y z",
    "r/a.ts:9:y",
    "r/name",
  ]);
});

test("context lines have another separator, and chunks are separated", () => {
  assert.deepEqual(
    lines(
      piped,
      file("a", chunk("before\r\n[[x]]\r\nafter\r\n", 1), chunk("[[x]]\n", 9)),
      file("b", chunk("[[x]]", 1)),
    ),
    ["r/a-1-before", "r/a:2:x", "r/a-3-after", "--", "r/a:9:x", "--", "r/b:1:x"],
  );
});

test("a match that ends with a newline does not hide that its chunk has context", () => {
  const chunks = [chunk("[[a\n]]b\n", 1), chunk("[[a\n]]b\n", 7)];
  assert.deepEqual(lines(piped, file("a.ts", ...chunks)), [
    "r/a.ts:1:a",
    "r/a.ts-2-b",
    "--",
    "r/a.ts:7:a",
    "r/a.ts-8-b",
  ]);
});

test("a match over several lines and a match that ends with a newline are printed", () => {
  assert.deepEqual(lines(piped, file("a", chunk("a[[b\nc\nd]]e\nf", 1))), [
    "r/a:1:ab",
    "r/a:2:c",
    "r/a:3:de",
    "r/a-4-f",
  ]);
  assert.deepEqual(lines(piped, file("a", chunk("a[[b\n]]c", 1))), ["r/a:1:ab", "r/a-2-c"]);
});

test("on a terminal, matches are highlighted by code points", () => {
  assert.deepEqual(lines(terminal, file("a", chunk("\u{1f600}[[ü]]b[[c]]\n", 1))), [
    "<dim r/><path a>:<line 1>:\u{1f600}<match ü>b<match c>",
  ]);
  assert.equal(formatFileName(file("src/[[na]]me"), terminal), "<dim r/><path src/><match na><path me>");
});

test("a very long line is shortened around its first match", () => {
  const [line = ""] = lines(terminal, file("a", chunk(`${"a".repeat(1000)}[[b]]${"c".repeat(1000)}`, 1)));
  assert.equal(line, `<dim r/><path a>:<line 1>:<dim …>${"a".repeat(80)}<match b>${"c".repeat(319)}<dim …>`);
});

test("control characters are replaced", () => {
  assert.equal(sanitize("a\tb\x1b]0;title\x07\r\x7f\x9b1m\u202eabc"), "a\tb␛]0;title␇␍␡\ufffd1m\ufffdabc");
  assert.deepEqual(lines(terminal, file("a\x1b[0m", chunk("\x1b[31m[[x]]", 1))), [
    "<dim r/><path a␛[0m>:<line 1>:␛[31m<match x>",
  ]);
});

test("invisible characters are replaced, but not those within an emoji", () => {
  for (const code of [0x200b, 0x200f, 0x2060, 0x2064, 0xfeff, 0x61c, 0x202d, 0x2067, 0xe0041, 0xe0100]) {
    assert.equal(sanitize(`a${String.fromCodePoint(code)}b`), "a\ufffdb", code.toString(16));
  }
  assert.equal(sanitize("a\u200db"), "a\ufffdb");
  assert.equal(sanitize("a\ufe00\ufe01\ufe02"), "a\ufe00\ufffd\ufffd");
  const plain = "\u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525} \ufffd \u00e9 \u4e2d";
  assert.equal(sanitize(plain), plain);
});

test("each commit is printed as a line", () => {
  const commit = {
    repository: "r",
    repositoryId: 1,
    hash: "0123456789abcdef0123456789abcdef01234567",
    date: "2024-01-02T03:04:05+00:00",
    commitDate: "2024-01-02T03:04:05+00:00",
    message: "Fix \u001b[31mit",
    refs: "",
    body: "At last.\n",
    authorName: "Ann",
    authorEmail: "ann@example.com",
    webUrl: "",
    externalWebUrl: "",
  };
  const found = { files: [], commits: [commit] } as unknown as SearchResult;
  assert.deepEqual([...formatSearchLines(found, piped)], ["r 0123456789ab 2024-01-02 Ann: Fix \u001b[31mit"]);
  assert.deepEqual(
    [...formatSearchLines(found, terminal)],
    [`<dim r 0123456789ab 2024-01-02 Ann:> ${sanitize("Fix \u001b[31mit")}`],
  );
});

test("durations are rounded as a whole", () => {
  assert.deepEqual([1_250, 99_440, 119_700, 125_400].map(formatDuration), [
    "1.3 s",
    "99.4 s",
    "2 min 0 s",
    "2 min 5 s",
  ]);
});
