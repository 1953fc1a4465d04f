import assert from "node:assert/strict";
import { test } from "node:test";
import { fileQuery } from "#client/navigation/fileQuery";
import {
  type ReferenceRow,
  ReferenceRows,
  referenceCountOf,
  repositoryCountOf,
} from "#client/navigation/referenceRows";
import type { Certainty, SymbolFile } from "#contract/symbols";

/** `at` lists lines with their certainty. */
function file(repositoryId: number, fileName: string, at: Readonly<Record<number, Certainty>>): SymbolFile {
  return {
    fileName,
    repository: `r${repositoryId}`,
    repositoryId,
    webUrl: "",
    language: "Go",
    matches: Object.entries(at).map(([line, certainty]) => {
      const start = { byteOffset: Number(line) * 10, lineNumber: Number(line), column: 1 };
      return { lineContent: "x", certainty, range: { start, end: { ...start, column: 2 } } };
    }),
  };
}

function lines(rows: readonly ReferenceRow[]): string[] {
  return rows.flatMap((row) => {
    if (row.kind === "group") {
      const counts = `${referenceCountOf(row)} in ${repositoryCountOf(row)}`;
      return [`${row.certainty}: ${counts}`, ...lines(row.files).map((line) => `  ${line}`)];
    }
    if (row.kind === "file")
      return [`${row.file.fileName}: ${row.references.map(({ match }) => match.range.start.lineNumber)}`];
    return [];
  });
}

test("references are grouped by certainty, in whatever order they are found", () => {
  const rows = new ReferenceRows();
  rows.add([
    file(2, "other.go", { 3: "name" }),
    file(1, "own.go", { 1: "exact", 7: "repository", 9: "exact" }),
  ]);
  rows.add([file(3, "user.go", { 4: "import" }), file(4, "far.go", { 5: "name", 6: "name" })]);
  assert.deepEqual(lines(rows.groups), [
    "exact: 2 in 1",
    "  own.go: 1,9",
    "repository: 1 in 1",
    "  own.go: 7",
    "import: 1 in 1",
    "  user.go: 4",
    "name: 3 in 2",
    "  other.go: 3",
    "  far.go: 5,6",
  ]);
  assert.equal(rows.referenceCount, 7);
  assert.equal(rows.references.length, 7);
});

test("input for a file becomes words of its path, and a line", () => {
  const rows: readonly (readonly [text: string, query: string, line?: number])[] = [
    ["retry.ts", 'type:file case:no "retry.ts"'],
    ["src retry", 'type:file case:no "src" "retry"'],
    ["src/retry.ts:12", 'type:file case:no "src/retry.ts"', 12],
    ["src/retry.ts:12:5", 'type:file case:no "src/retry.ts"', 12],
    ["retry.ts#L7", 'type:file case:no "retry.ts"', 7],
    ["retry.ts:", 'type:file case:no "retry.ts"'],
    ["src\\retry.ts", 'type:file case:no "src/retry.ts"'],
    ['a"b', 'type:file case:no "a\\"b"'],
    ["lang:go or x", 'type:file case:no "lang:go" "or" "x"'],
    ["notes:today", 'type:file case:no "notes:today"'],
  ];
  for (const [text, query, line] of rows) {
    assert.deepEqual(fileQuery(text), line === undefined ? { query } : { query, lineNumber: line }, text);
  }
});
