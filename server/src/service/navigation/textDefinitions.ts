/** Definitions in languages that nobody parses: a name behind a word with which many languages define. */
import type { FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { maxLineBytes } from "./parsedCode";

/** Words with which languages define, as they stand before a name. */
const definingWord =
  /\b(?:class|interface|struct|trait|enum|union|record|type|typedef|func|function|def|fn|fun|sub|proc|procedure|module|namespace|package|let|val|var|const|define|macro)[ \t]+\(?$/;
/** Characters before a name in which such a word is looked for. */
const reach = 100;

/**
 * The definitions of a file in which the name was found as a word. An expression of the words that define would take
 * longer to prepare for each shard than it takes to look at what stands before the name wherever that is.
 */
export function definitionsAsText(file: FileMatch, name: string): FoundSymbol[] {
  return file.chunks.flatMap(({ content, contentStart, matchRanges }) => {
    const lines = content.split(/\r?\n/).map((line) => line.slice(0, maxLineBytes));
    let points: readonly string[] = [];
    let pointsOf = 0;
    return matchRanges.flatMap((range): FoundSymbol[] => {
      const { lineNumber, column } = range.start;
      const line = lines[lineNumber - contentStart.lineNumber] ?? "";
      if (pointsOf !== lineNumber) points = [...line];
      pointsOf = lineNumber;
      const before = points.slice(Math.max(0, column - 1 - reach), column - 1).join("");
      if (!definingWord.test(before)) return [];
      return [
        {
          document: file,
          name,
          kind: "variable",
          isLocal: false,
          parent: { name: "", kind: "" },
          range,
          start: range.start.byteOffset,
          end: range.end.byteOffset,
          line,
          score: 0,
        },
      ];
    });
  });
}
