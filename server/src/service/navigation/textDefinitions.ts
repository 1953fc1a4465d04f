/** Definitions in languages that nobody parses: a name behind a word with which many languages define. */
import type { FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Pattern } from "#query/query";
import { escapeExpression } from "#query/regexp";
import { maxLineBytes } from "./parsedCode";

/** Words with which languages define, as they stand before a name. */
const definingWord =
  "\\b(?:class|interface|struct|trait|enum|union|record|type|typedef|func|function|def|fn|fun|sub|proc|procedure|module|namespace|package|let|val|var|const|define|macro)\\s+\\(?";

/** Ends with the name. */
export function definingText(name: string): Pattern {
  const source = `${definingWord}${escapeExpression(name)}${/\w$/.test(name) ? "\\b" : ""}`;
  return { kind: "regexp", source, caseSensitive: true };
}

/** The definitions of a file that `definingText` was found in. */
export function definitionsAsText(file: FileMatch, name: string): FoundSymbol[] {
  const nameBytes = Buffer.byteLength(name);
  return file.chunks.flatMap(({ content, contentStart, matchRanges }) => {
    const lines = content.split(/\r?\n/);
    return matchRanges.map(({ end }) => {
      const start = {
        ...end,
        byteOffset: end.byteOffset - nameBytes,
        column: end.column - [...name].length,
      };
      return {
        document: file,
        name,
        kind: "variable" as const,
        isLocal: false,
        parent: { name: "", kind: "" as const },
        range: { start, end },
        start: start.byteOffset,
        end: end.byteOffset,
        line: (lines[end.lineNumber - contentStart.lineNumber] ?? "").slice(0, maxLineBytes),
        score: 0,
      };
    });
  });
}
