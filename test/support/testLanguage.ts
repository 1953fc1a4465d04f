/** A made-up language for tests, with its parser and symbol files. */
import { join } from "node:path";
import { buildSymbols } from "#indexing/symbolTask";
import type { Definition, DocumentSymbols, SymbolKind } from "#model/symbol";
import type { ShardDirectory } from "#shard/directory/directory";
import { pack } from "#symbols/parsing/packed";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { ParsedSymbols, SourceText } from "#symbols/symbols";

const definition = /^( *)(import|local )?(?:(def|class|const|field) )?(\S+)/gm;
const kinds: Readonly<Record<string, SymbolKind>> = {
  def: "function",
  class: "class",
  const: "constant",
  field: "field",
};

/** Parses `class A`, its members `  def b` (indented by two), `local def c` and `import d`. Other lines define nothing. */
export function parseTestLanguage(text: string): DocumentSymbols {
  const definitions: Definition[] = [];
  const imports: string[] = [];
  const around: number[] = [];
  for (const match of text.matchAll(definition)) {
    const [whole, indentation = "", mark, word = "", name = ""] = match;
    if (mark === "import")
      imports.push(
        text
          .slice(match.index + whole.length)
          .split("\n", 1)[0]
          ?.trim() ?? "",
      );
    const kind = kinds[word];
    if (kind === undefined) continue;
    const depth = indentation.length / 2;
    const nameStart = Buffer.byteLength(text.slice(0, match.index + whole.length - name.length));
    const nameEnd = nameStart + Buffer.byteLength(name);
    around.length = depth;
    const parent = around.at(-1) ?? -1;
    around.push(definitions.length);
    const isLocal = mark !== undefined;
    const start = Buffer.byteLength(text.slice(0, match.index));
    definitions.push({ name, kind, nameStart, nameEnd, start, end: nameEnd, parent, owner: "", isLocal });
  }
  return { definitions, imports };
}

/** Parsers that treat every document as that language; a text that contains `crash` crashes them. */
export function testParsers(onText: (text: string) => void = () => {}): SymbolParsers {
  const never = () => Promise.reject(new Error("Not used in tests"));
  const parse = ({ content }: SourceText): ParsedSymbols => {
    const text = Buffer.from(content).toString();
    onText(text);
    if (text.includes("crash")) return { kind: "unparsed", reason: "crashed" };
    return { kind: "parsed", ...parseTestLanguage(text) };
  };
  return {
    size: 1,
    symbols: async (texts) => texts.map(parse),
    packedSymbols: async (texts) =>
      texts.map(parse).map((each) => (each.kind === "parsed" ? pack(each) : each)),
    occurrences: never,
    calls: never,
    identifierAt: never,
    signature: never,
    prepare: () => undefined,
    resize: () => undefined,
    close: async () => undefined,
  };
}

/** Writes a symbol file for every shard of the directory, as indexing does. */
export async function addSymbols(directory: ShardDirectory, parsers = testParsers()): Promise<void> {
  const files = new Set(
    [...directory.manifests().values()].flatMap(({ segments }) => segments.map((each) => each.file)),
  );
  for (const file of files) {
    if (directory.symbols.isComplete(file)) continue;
    const answer = await buildSymbols(
      {
        target: { kind: "disk", shardPath: join(directory.folder, file), draftPath: directory.newDraft() },
        known: [],
        parserCount: 1,
        budgetMs: Number.POSITIVE_INFINITY,
      },
      parsers,
      new AbortController().signal,
    );
    if (answer.kind !== "symbolDraft") throw new Error(answer.kind);
    await directory.publishSymbols(file, answer.draft);
  }
}
