import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ResultsInput, readEntries, readHeader, resultsText } from "#client/results/resultsText";
import type { SearchState } from "#client/search/searchState";
import type { FileMatch } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

const state: SearchState = {
  query: "retryWithBackoff lang:go -file:_test",
  caseSensitivity: "smart",
  isRegex: false,
  isWholeWord: false,
  narrowed: [],
};
const commit = "3f2c1ab5d0e7".padEnd(40, "0");

function input(files: readonly FileMatch[], change: Partial<ResultsInput> = {}): ResultsInput {
  const words = {
    scope: "all repositories (214)",
    revision: "HEAD",
    summary: "counts · complete · 2026-08-23 14:02",
  };
  return { state, contextLines: 2, files, ...words, ...change };
}

/** One chunk of `content` from line `first`, with a match on each of `lines`. */
function found(
  repository: string,
  path: string,
  first: number,
  content: string,
  lines: readonly number[],
  change: Partial<FileMatch> = {},
): FileMatch {
  const at = (lineNumber: number, column: number) => ({ byteOffset: 0, lineNumber, column });
  const matchRanges = lines.map((line) => ({ start: at(line, 3), end: at(line, 5) }));
  const chunk = { content, contentStart: at(first, 1), matchRanges, symbols: [] };
  const location = { commit, branches: ["refs/heads/main"], chunks: [chunk] };
  return { ...fileMatch(repository, path), ...location, ...change };
}

function check(name: string, files: readonly FileMatch[], expected: readonly string[]): void {
  test(name, () => {
    const { text, matches } = resultsText(input(files));
    const lines = text.split("\n");
    for (const [line, start, end] of matches.toReversed()) {
      const shown = lines[line] ?? "";
      lines[line] = `${shown.slice(0, start)}<${shown.slice(start, end)}>${shown.slice(end)}`;
    }
    assert.deepEqual(lines.slice(4), [...expected, ""]);
  });
}

test("the header contains the search", () => {
  assert.deepEqual(resultsText(input([])).text.split("\n"), [
    "# Query: retryWithBackoff lang:go -file:_test",
    "# Scope: all repositories (214)   Revision: HEAD   Context: 2",
    "# counts · complete · 2026-08-23 14:02",
    "",
  ]);
});

check(
  "results have a repository, a path and lines",
  [found("orders-api", "http/client.go", 118, "abcdef\n  call(x)\n}\n", [119])],
  [
    "orders-api @ 3f2c1ab5d0 (main)",
    "  http/client.go",
    "    118-  abcdef",
    "    119:    <ca>ll(x)",
    "    120-  }",
  ],
);

check(
  "line numbers of a file are aligned",
  [found("r", "x", 9, "ab\nabcdef\n", [10])],
  ["r @ 3f2c1ab5d0 (main)", "  x", "     9-  ab", "    10:  ab<cd>ef"],
);

check(
  "files are grouped by repository and revision, in whatever order they arrive",
  [
    found("a", "x", 1, "abcd\n", [1]),
    found("b", "y", 1, "abcd\n", [1], { origin: "workingTree" }),
    found("a", "z", 1, "abcd\n", [1], { branches: ["refs/heads/main", "refs/tags/v1"] }),
    found("a", "w", 1, "abcd\n", [1]),
    found("b", "u", 1, "abcd\n", [1], { origin: "unsaved" }),
  ],
  [
    "a @ 3f2c1ab5d0 (main)",
    "  x",
    "    1:  ab<cd>",
    "  w",
    "    1:  ab<cd>",
    "",
    "b @ working tree",
    "  y",
    "    1:  ab<cd>",
    "",
    "a @ 3f2c1ab5d0 (main +1)",
    "  z",
    "    1:  ab<cd>",
    "",
    "b @ unsaved",
    "  u",
    "    1:  ab<cd>",
  ],
);

check(
  "a blank line has no whitespace after its number",
  [found("r", "x", 1, "\nabcd\n", [2])],
  ["r @ 3f2c1ab5d0 (main)", "  x", "    1-", "    2:  ab<cd>"],
);

test("lines that are not adjacent are separated", () => {
  const one = found("r", "x", 1, "abcd\n", [1]);
  const two = found("r", "x", 50, "abcd\n", [50]);
  const { text } = resultsText(input([{ ...one, chunks: [...one.chunks, ...two.chunks] }]));
  assert.deepEqual(text.split("\n").slice(6, 9), ["     1:  abcd", "    ⋯", "    50:  abcd"]);
});

const states: readonly SearchState[] = [
  state,
  { ...state, isRegex: true, isWholeWord: true, caseSensitivity: "sensitive" },
  { ...state, caseSensitivity: "insensitive", narrowed: ["TODO", "# Query: other"] },
  { ...state, query: "Flags: x   Context: 9" },
  { ...state, query: '"a (\n\t# Flags: RegExp\n\n)"', narrowed: ['"b\n c"', "d"] },
];
for (const each of states) {
  test(`${each.query} is parsed again`, () => {
    const { text } = resultsText(input([], { state: each, contextLines: 7 }));
    assert.deepEqual(readHeader(text), { state: each, contextLines: 7 });
    assert.deepEqual(readHeader(text.replaceAll("\n", "\r\n")), { state: each, contextLines: 7 });
  });
}

for (const text of ["", "# Something: else\n", "orders @ 3f2c1ab5d0\n# Query: x\n"]) {
  test(`${JSON.stringify(text)} is no results document`, () => assert.equal(readHeader(text), undefined));
}

/** Text of a repository that looks like other parts of a results document. */
const hostile = [
  "# Query: other",
  "evil @ 0123456789 (main)",
  "  path/of/nobody",
  "    7:  text",
  "a\nb @ 0123456789",
  "a\r\nb",
  "\u2028x\u2029y\u0085z",
  '"quoted"',
  " leading",
  "trailing ",
  "tab\tin",
  "\u202eturned",
  "a @ b",
  "⋯",
  "x".repeat(5000),
];

test("no text from a repository is parsed as a header, a name or a line of another file", () => {
  const any = fc.oneof(
    fc.constantFrom(...hostile),
    fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
  );
  const wellFormed = any.map((text) => text.replace(/\p{Surrogate}/gu, "?"));
  fc.assert(
    fc.property(wellFormed, wellFormed, fc.array(wellFormed, { minLength: 1 }), (repository, path, lines) => {
      const content = lines.map((line) => line.replace(/[\r\n]/g, "")).join("\n");
      const file = found(repository, path, 1, content, [1]);
      const { text } = resultsText(input([file]));
      const entries = readEntries(text);
      assert.deepEqual(readHeader(text), { state, contextLines: 2 });
      assert.deepEqual(
        entries.filter(({ kind }) => kind !== "text").map((each) => ({ ...each, line: 0 })),
        [
          { kind: "repository", line: 0, repository, commit: commit.slice(0, 10), origin: "commit" },
          { kind: "path", line: 0, path },
        ],
      );
      assert.deepEqual(
        entries.flatMap((each) => (each.kind === "text" ? [each.lineNumber] : [])),
        content
          .replace(/\n$/, "")
          .split("\n")
          .map((_, index) => index + 1),
      );
    }),
    { numRuns: 500 },
  );
});

test("entries distinguish committed from unsaved text", () => {
  const { text } = resultsText(input([found("r", "x", 1, "abcd\n", [1], { origin: "unsaved", commit: "" })]));
  assert.deepEqual(readEntries(text)[0], {
    kind: "repository",
    line: 4,
    repository: "r",
    commit: "",
    origin: "unsaved",
  });
});
