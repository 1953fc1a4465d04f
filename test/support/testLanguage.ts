/** Symbols of a language made up for tests, and companions written as values. */
import { join } from "node:path";
import { makeSymbols } from "#indexing/symbolTask";
import type { Definition, DocumentSymbols, SymbolKind } from "#model/symbol";
import type { ShardDirectory } from "#shard/directory";
import type { SymbolParsers } from "#symbols/parsers";
import type { ParsedSymbols } from "#symbols/symbols";

const definition = /^( *)(import|local )?(?:(def|class|const|field) )?(\S+)/gm;
const kinds: Readonly<Record<string, SymbolKind>> = {
  def: "function",
  class: "class",
  const: "constant",
  field: "field",
};

/** `class A`, and indented by two `def b`, belongs to it; `local def c`; `import d`. Other lines define nothing. */
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

/** Parsers of that language, in whichever language a document is said to be; `crash` in a text is what it says. */
export function testParsers(onText: (text: string) => void = () => {}): SymbolParsers {
  const never = () => Promise.reject(new Error("Not asked for in tests"));
  return {
    size: 1,
    async symbols(texts) {
      return texts.map(({ content }): ParsedSymbols => {
        const text = Buffer.from(content).toString();
        onText(text);
        if (text.includes("crash")) return { kind: "unparsed", reason: "crashed" };
        return { kind: "parsed", ...parseTestLanguage(text) };
      });
    },
    occurrences: never,
    placeAt: never,
    signature: never,
    prepare: () => undefined,
    resize: () => undefined,
    close: async () => undefined,
  };
}

/** Gives every shard of the directory a companion, as the run of an index does. */
export async function addSymbols(directory: ShardDirectory, parsers = testParsers()): Promise<void> {
  const files = new Set(
    [...directory.manifests().values()].flatMap(({ segments }) => segments.map((each) => each.file)),
  );
  for (const file of files) {
    if (directory.symbols.isComplete(file)) continue;
    const answer = await makeSymbols(
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
