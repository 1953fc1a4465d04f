import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeChunks, type FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { guessDefinitions } from "#service/navigation/textDefinitions";

/** Returns a match in a file, with a range for each occurrence of `name` in `text`. */
function fileWith(text: string, name: string): FileMatch {
  const positionAt = (at: number) => {
    const before = text.slice(0, at).split("\n");
    return {
      byteOffset: Buffer.byteLength(text.slice(0, at)),
      lineNumber: before.length,
      column: 1 + [...(before.at(-1) ?? "")].length,
    };
  };
  const matchRanges = [...text.matchAll(new RegExp(name, "g"))].map(({ index }) => ({
    start: positionAt(index),
    end: positionAt(index + name.length),
  }));
  const contentStart = { byteOffset: 0, lineNumber: 1, column: 1 };
  return {
    repositoryId: 1 as RepositoryId,
    path: "a.pl",
    language: "Perl",
    branches: [],
    origin: "commit",
    commit: "",
    blobSha: "",
    nameRanges: [],
    chunks: encodeChunks([{ content: text, contentStart, matchRanges, symbols: [] }]),
    rangeCount: matchRanges.length,
    content: "",
    score: 0,
    matchCount: matchRanges.length,
  };
}

const lines: Readonly<Record<string, boolean>> = {
  "sub retry {": true,
  "  my $x; sub\tretry": true,
  "(define (retry n)": true,
  "class    retry": true,
  "👍 fn retry": true,
  retry: false,
  "retry sub": false,
  "subs retry": false,
  "sub (retry": true,
  "sub retries, retry": false,
  "return retry": false,
  "$sub{retry}": false,
  [`${" ".repeat(5000)}sub retry`]: false,
};

for (const [line, isDefinition] of Object.entries(lines)) {
  test(`${isDefinition ? "a definition" : "no definition"}: ${line.trim()}`, () => {
    const text = `first\n${line}\nlast\n`;
    const found = guessDefinitions(fileWith(text, "retry"), "retry");
    const offset = Buffer.byteLength(text.slice(0, text.lastIndexOf("retry")));
    assert.deepEqual(
      found.map(({ name, start, end, line: lineContent, range }) => [
        name,
        start,
        end,
        lineContent,
        range.start.lineNumber,
      ]),
      isDefinition ? [["retry", offset, offset + 5, line, 2]] : [],
    );
  });
}
