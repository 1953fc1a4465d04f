/** Definitions in languages that nobody parses: a name behind a word with which many languages define. */
import type { FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Pattern } from "#query/query";
import { escapeExpression } from "#query/regexp";
import { maxLineBytes } from "./parsedCode";

/** Words with which languages define, as they stand before a name. */
const definingWord =
  /\b(?:class|interface|struct|trait|enum|union|record|type|typedef|func|function|def|fn|fun|sub|proc|procedure|module|namespace|package|let|val|var|const|define|macro)[ \t]+\(?$/;
/** Characters before a name in which such a word is looked for. */
const reach = 100;

/**
 * Where a name may be defined; `definitionsAsText` tells where it is. An expression with all those words would take
 * longer to prepare for each shard than what this finds takes to be looked at.
 */
export function mayDefine(name: string): Pattern {
  const source = `[ \\t(]${escapeExpression(name)}${/\w$/.test(name) ? "\\b" : ""}`;
  return { kind: "regexp", source, caseSensitive: true };
}

/** The definitions of a file that `mayDefine` was found in. */
export function definitionsAsText(file: FileMatch, name: string): FoundSymbol[] {
  const nameBytes = Buffer.byteLength(name);
  const nameLength = [...name].length;
  return file.chunks.flatMap(({ content, contentStart, matchRanges }) => {
    const lines = content.split(/\r?\n/).map((line) => line.slice(0, maxLineBytes));
    let points: readonly string[] = [];
    let pointsOf = 0;
    return matchRanges.flatMap(({ end }): FoundSymbol[] => {
      const start = {
        ...end,
        byteOffset: end.byteOffset - nameBytes,
        column: end.column - nameLength,
      };
      const line = lines[end.lineNumber - contentStart.lineNumber] ?? "";
      if (pointsOf !== end.lineNumber) points = [...line];
      pointsOf = end.lineNumber;
      const before = points.slice(Math.max(0, start.column - 1 - reach), start.column - 1).join("");
      if (!definingWord.test(before)) return [];
      return [
        {
          document: file,
          name,
          kind: "variable",
          isLocal: false,
          parent: { name: "", kind: "" },
          range: { start, end },
          start: start.byteOffset,
          end: end.byteOffset,
          line,
          score: 0,
        },
      ];
    });
  });
}
