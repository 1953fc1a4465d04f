/** What parsers answer, as text that a person can judge. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { DocumentSymbols } from "#model/symbol";
import { DocumentParser } from "#symbols/documentParser";
import { Runtime } from "#symbols/runtime";
import { projectRoot } from "#test/support/house";

/** Unpacked by the build. */
export const grammarFolder = join(projectRoot(), "dist/grammars");

export const symbolWorker = join(projectRoot(), "dist/server/symbolWorker.js");

let runtime: Promise<Runtime> | undefined;

/** On this thread: there can be one runtime. */
export async function documentParser(): Promise<DocumentParser> {
  runtime ??= Runtime.start(grammarFolder);
  return new DocumentParser(await runtime);
}

/** A row a definition: `line kind name in parent of owner local`. */
export function definitionRows(content: Uint8Array, { definitions }: DocumentSymbols): string[] {
  return definitions.map(({ kind, name, nameStart, parent, owner, isLocal }) => {
    const around = parent < 0 ? "" : ` in ${definitions[parent]?.name}`;
    const belongs = owner === "" ? "" : ` of ${owner}`;
    return `${lineOf(content, nameStart)} ${kind} ${name}${around}${belongs}${isLocal ? " local" : ""}`;
  });
}

/**
 * A test of every place of `name` that is code. A row is a place, `line:column role of line:column local`: where it
 * stands, what it is, and where what it means is declared. What is in no row stands in a comment or a string.
 */
export function checkOccurrences(language: string, source: string, rows: string): void {
  test(`${language}: what a name means where it stands`, async () => {
    const parser = await documentParser();
    const content = new TextEncoder().encode(source.slice(1));
    const found = parser
      .occurrences(language, content, "name")
      .occurrences.map(({ start, end, role, declaredAt, isLocal }) => {
        assert.equal(end - start, "name".length);
        const declared = declaredAt < 0 ? "" : ` of ${placeOf(content, declaredAt)}`;
        return `${placeOf(content, start)} ${role}${declared}${isLocal ? " local" : ""}`;
      });
    assert.deepEqual(found, rows.trim().split("\n"));
  });
}

/** From 1. */
function lineOf(content: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at++) if (content[at] === 0x0a) line++;
  return line;
}

/** `line:column`, both from 1, columns in bytes. */
export function placeOf(content: Uint8Array, offset: number): string {
  const before = Buffer.from(content).lastIndexOf(0x0a, offset - 1);
  return `${lineOf(content, offset)}:${offset - (offset === 0 ? -1 : before)}`;
}
