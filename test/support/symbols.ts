/** What parsers answer, as text that a person can judge. */
import { join } from "node:path";
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
