/** Prints parser results as readable text. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { DocumentSymbols } from "#model/symbol";
import { Runtime } from "#symbols/grammars/runtime";
import { DocumentParser } from "#symbols/parsing/documentParser";
import { projectRoot } from "#test/support/house";

/** Unpacked by the build. */
export const grammarFolder = join(projectRoot(), "dist/grammars");

export const symbolWorker = join(projectRoot(), "dist/server/symbolWorker.js");

let runtime: Promise<Runtime> | undefined;

/** Parses on this thread, which can have only one runtime. */
export async function documentParser(): Promise<DocumentParser> {
  runtime ??= Runtime.start(grammarFolder);
  return new DocumentParser(await runtime);
}

/** Formats each definition as `line kind name in parent of owner local`. */
export function definitionRows(content: Uint8Array, { definitions }: DocumentSymbols): string[] {
  return definitions.map(({ kind, name, nameStart, parent, owner, isLocal }) => {
    const around = parent < 0 ? "" : ` in ${definitions[parent]?.name}`;
    const belongs = owner === "" ? "" : ` of ${owner}`;
    return `${lineOf(content, nameStart)} ${kind} ${name}${around}${belongs}${isLocal ? " local" : ""}`;
  });
}

/** A line of marks below a line of source; see `checkOccurrences`. */
const markLine = /^(?:\s*[\^>-](?:[A-Za-z]\d?|\?))+\s*$/;

const marks = { definition: "^", local: "-", reference: ">" } as const;

/**
 * Tests how every occurrence of `name` in code resolves. A line of marks follows each line with occurrences, with each
 * mark at the column where an occurrence begins:
 *
 *     ^A   defines A (`^a` if inside a function)
 *     -a   declares the local variable or parameter a
 *     >A   refers to the definition marked A, >? to nothing in this file
 *
 * Letters are in the order of first use, lowercase for local definitions. An occurrence without a mark is in a comment or
 * a string.
 */
export function checkOccurrences(language: string, marked: string): void {
  test(`${language}: resolves each occurrence of a name`, async () => {
    const parser = await documentParser();
    const lines = marked
      .slice(1)
      .split("\n")
      .filter((line) => !markLine.test(line));
    const content = new TextEncoder().encode(lines.join("\n"));
    const labels = new Labels();
    const markLines = new Map<number, string>();
    for (const occurrence of parser.occurrences(language, content, "name").occurrences) {
      const { start, end, role, declaredAt, isLocal } = occurrence;
      assert.equal(end - start, "name".length);
      const row = lineOf(content, start) - 1;
      const lineStart = Buffer.from(content).lastIndexOf(0x0a, start - 1) + 1;
      const column = Buffer.from(content.subarray(start === 0 ? 0 : lineStart, start)).toString().length;
      const mark = `${marks[role]}${declaredAt < 0 ? "?" : labels.of(declaredAt, isLocal)}`;
      markLines.set(row, `${(markLines.get(row) ?? "").padEnd(column)}${mark}`);
    }
    const found = lines.flatMap((line, row) => [line, markLines.get(row) ?? []].flat());
    assert.equal(`\n${found.join("\n")}`, marked);
  });
}

/** Labels declarations in order: a, b, c, and so on if they are local, else A, B, C. */
class Labels {
  readonly #labels = new Map<number, string>();
  readonly #counts = { a: 0, A: 0 };

  of(declaredAt: number, isLocal: boolean): string {
    const known = this.#labels.get(declaredAt);
    if (known !== undefined) return known;
    const first = isLocal ? "a" : "A";
    const count = this.#counts[first]++;
    const letter = String.fromCharCode(first.charCodeAt(0) + (count % 26));
    const label = count < 26 ? letter : `${letter}${Math.floor(count / 26)}`;
    this.#labels.set(declaredAt, label);
    return label;
  }
}

/** 1-based. */
function lineOf(content: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at++) if (content[at] === 0x0a) line++;
  return line;
}
