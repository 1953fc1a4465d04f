/** Prints the definitions of a file as their first lines. */
import type { FileOutline, OutlineSymbol } from "#contract/symbols";
import type { FileLocation, FileText } from "./currentFile";
import type { Line, Send } from "./tool";

const reasons: Readonly<Record<NonNullable<FileOutline["reason"]>, string>> = {
  noGrammar: "Trawl has no parser for this language: read the file, or use grep.",
  tooLarge: "The file is too large to be parsed: use grep, or read a range of lines.",
  tooSlow: "The file takes too long to parse: use grep, or read a range of lines.",
  crashed: "The file cannot be parsed: use grep, or read a range of lines.",
  noSymbol: "The file defines nothing.",
};

export function requestOutline(send: Send, { repo, path, rev }: FileLocation): Promise<FileOutline> {
  return send("outline", { place: { repo, path, ...(rev === undefined ? {} : { ref: rev }) } });
}

/** Says why there is no outline. */
export function describeReason({ reason = "noSymbol" }: FileOutline): string {
  return reasons[reason];
}

/** `12-40:  addItem(...)`: the lines of each definition, and its first line, indented by its nesting. */
export function outlineLines(
  { symbols }: FileOutline,
  { heading, item: file, lines }: FileText,
): readonly Line[] {
  const depths: number[] = [];
  return symbols.map((symbol) => {
    const { parentIndex, kind, range, wholeRange } = symbol;
    const depth = parentIndex < 0 ? 0 : (depths[parentIndex] ?? 0) + 1;
    depths.push(depth);
    const first = (lines[range.start.lineNumber - 1] ?? "").trim();
    const signature = first === "" ? `${kind} ${qualifiedName(symbol)}` : first.slice(0, 200);
    return {
      headings: [heading],
      text: `${lineRange(wholeRange)}:${"  ".repeat(depth)} ${signature}`,
      file,
      item: {
        line: wholeRange.start.lineNumber,
        endLine: wholeRange.end.lineNumber,
        text: signature,
        name: symbol.symbol,
        kind,
        depth,
      },
    };
  });
}

function qualifiedName({ owner, symbol }: OutlineSymbol): string {
  return owner === "" ? symbol : `${owner}.${symbol}`;
}

function lineRange({ start, end }: OutlineSymbol["wholeRange"]): string {
  return start.lineNumber === end.lineNumber
    ? `${start.lineNumber}`
    : `${start.lineNumber}-${end.lineNumber}`;
}
