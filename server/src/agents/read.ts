import * as z from "zod";
import { isServiceError, ServiceError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import type { OutlineSymbol } from "#contract/symbols";
import { type FileLocation, type FileText, readFile } from "./currentFile";
import { count } from "./fileHeading";
import { listNames } from "./names";
import { outlineLines, requestOutline } from "./outlineLines";
import { filesOf, outlineFields } from "./output";
import { type Line, type Listing, linesInput, pathInput, repoInput, revInput, type Send, tool } from "./tool";

/** Longer files are outlined unless a range or a symbol is given. */
const maxWholeLines = 500;
const maxFiles = 10;

const FileInput = z.object({
  repo: repoInput,
  path: pathInput.min(1),
  rev: revInput,
  lines: linesInput,
  symbol: z.string().min(1).max(1000).optional().describe("Only this definition."),
});

export const read = tool({
  name: "read",
  title: "Read files",
  description: `Numbered lines of files, of line ranges or of single definitions, at any revision. Files of more than ${maxWholeLines} lines are outlined.`,
  input: { files: z.array(FileInput).min(1).max(maxFiles) },
  output: { files: filesOf(outlineFields).optional() },
  async run({ files }, { send }): Promise<Listing> {
    const results: Part[] = [];
    const errors: ServiceError[] = [];
    for (const file of files) {
      try {
        results.push(await readPart(send, file));
      } catch (error) {
        if (!isServiceError(error) || ["CANCELLED", "NOT_AUTHENTICATED"].includes(error.code)) throw error;
        // The error of one file must not hide the others.
        errors.push(error);
        results.push({ summary: `Not read: ${error.message}`, lines: [] });
      }
    }
    const [first] = errors;
    if (first !== undefined && errors.length === files.length) {
      throw new ServiceError(first.code, [...new Set(errors.map(({ message }) => message))].join("\n"));
    }
    return {
      summary: results.map(({ summary }) => summary).join("\n"),
      lines: results.flatMap(({ lines }) => lines),
      notes: [...new Set(results.flatMap(({ notes = [] }) => notes))],
      narrow: "give lines or a symbol",
    };
  },
});

interface Part extends Omit<Listing, "narrow" | "lines"> {
  readonly lines: readonly Line[];
}

async function readPart(send: Send, file: z.output<typeof FileInput>): Promise<Part> {
  const text = await readFile(send, file);
  const location = { ...file, repo: text.repo };
  if (file.symbol !== undefined) return await definitionPart(send, location, text, file.symbol);
  if (file.lines !== undefined) return rangePart(text, ...parseRange(file.lines));
  if (text.lines.length <= maxWholeLines) return rangePart(text, 1, text.lines.length);
  return await outlinePart(send, location, text);
}

function parseRange(range: string): [first: number, last: number] {
  const [first = 1, last = first] = range.split("-").map(Number);
  return [Math.min(first, last), Math.max(first, last)];
}

function rangePart({ heading, item, lines }: FileText, first: number, last: number): Part {
  const summary = `${heading}: ${count(lines.length, "line")}.`;
  const selected = lines.slice(first - 1, last);
  if (selected.length === 0 && lines.length > 0) {
    return { summary, lines: [], notes: [`"lines": the file ends at line ${lines.length}.`] };
  }
  return { summary, lines: numberLines(selected, first, heading, item) };
}

function numberLines(
  lines: readonly string[],
  first: number,
  heading: string,
  file: object,
): readonly Line[] {
  const headings = [heading];
  return lines.map((text, index) => ({
    headings,
    text: `${first + index}:${text}`,
    file,
    item: { line: first + index, text },
  }));
}

async function outlinePart(send: Send, file: FileLocation, text: FileText): Promise<Part> {
  const found = await requestOutline(send, file);
  const { heading, lines } = text;
  if (found.symbols.length === 0) return rangePart(text, 1, lines.length);
  return {
    summary: `${heading}: ${count(lines.length, "line")}, so this is its outline.`,
    lines: outlineLines(found, text),
    notes: ["To read a part, give lines or a symbol."],
  };
}

async function definitionPart(
  send: Send,
  file: FileLocation,
  { heading, item, lines }: FileText,
  symbol: string,
): Promise<Part> {
  const { symbols } = await requestOutline(send, file);
  // `Cart.addItem` names a member of one of several types.
  const name = symbol.split(/\.|::|#/).at(-1) ?? symbol;
  const named = symbols.filter((each) => each.symbol === symbol || each.symbol === name);
  const qualified = named.filter((each) =>
    qualifiedName(symbols, each).endsWith(symbol.replace(/::|#/g, ".")),
  );
  const found = qualified.length > 0 ? qualified : named;
  if (found.length === 0) {
    const names = [...new Set(symbols.map((each) => each.symbol))];
    const near = nearestNames(name.slice(0, 200), names);
    const hint =
      near.length > 0
        ? `Did you mean ${listNames(near)}?`
        : names.length > 0
          ? `It defines ${listNames(names)}.`
          : "Trawl found no definitions in it: give lines.";
    throw new ServiceError(
      "NOT_FOUND",
      `"symbol": ${heading} does not define ${JSON.stringify(symbol)}. ${hint}`,
    );
  }
  return {
    summary: `${heading}: ${count(found.length, "definition")} of ${symbol}.`,
    lines: found.flatMap(({ wholeRange: { start, end } }) =>
      numberLines(lines.slice(start.lineNumber - 1, end.lineNumber), start.lineNumber, heading, item),
    ),
  };
}

function qualifiedName(symbols: readonly OutlineSymbol[], symbol: OutlineSymbol): string {
  const parent = symbols[symbol.parentIndex]?.symbol ?? symbol.owner;
  return parent === "" ? symbol.symbol : `${parent}.${symbol.symbol}`;
}
