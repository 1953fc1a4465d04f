/** Guesses definitions in languages without a parser: a name after a keyword such as `class` or `def`. */
import type { FoundSymbol } from "#engine/engine";
import { decodeChunks, type FileMatch } from "#model/match";
import { truncatedLines } from "./parsedCode";

/** Keywords that introduce a definition, directly before its name. */
const definingKeyword =
  /\b(?:class|interface|struct|trait|enum|union|record|type|typedef|func|function|def|fn|fun|sub|proc|procedure|module|namespace|package|let|val|var|const|define|macro)[ \t]+\(?$/;
/** Characters before a name that are searched for a keyword. */
const maxKeywordDistance = 100;

/**
 * Returns the likely definitions in a file whose matches are the name as a whole word. Checking the text before each
 * match is faster than compiling a regular expression of all keywords for each shard.
 */
export function guessDefinitions(file: FileMatch, name: string): FoundSymbol[] {
  return decodeChunks(file).flatMap(({ content, contentStart, matchRanges }) => {
    const lines = truncatedLines(content);
    let codePoints: readonly string[] = [];
    let codePointsLine = 0;
    return matchRanges.flatMap((range): FoundSymbol[] => {
      const { lineNumber, column } = range.start;
      const line = lines[lineNumber - contentStart.lineNumber] ?? "";
      if (codePointsLine !== lineNumber) codePoints = [...line];
      codePointsLine = lineNumber;
      const before = codePoints.slice(Math.max(0, column - 1 - maxKeywordDistance), column - 1).join("");
      if (!definingKeyword.test(before)) return [];
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
