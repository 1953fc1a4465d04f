/** What parsers found in contents, kept by content: whoever looks at a name looks at it again. */
import { ByteCache } from "#base/byteCache";
import { TextPlaces } from "#base/textPlaces";
import type { Range } from "#model/match";
import type { DocumentSymbols } from "#model/symbol";
import { grammarOf } from "#symbols/grammars";
import type { SymbolParsers } from "#symbols/parsers";
import type { Occurrence, ParsedPlace, ParsedSignature, SourceText, UnparsedReason } from "#symbols/symbols";

/** A text, and git's name for it. */
export interface KeptText extends SourceText {
  readonly blobSha: string;
}

/** A place of a name in code. */
export interface CodeUse extends Pick<Occurrence, "role" | "declaredAt" | "isLocal"> {
  readonly range: Range;
  /** Its line, cut where it is very long. */
  readonly lineContent: string;
}

/** The places of a name in one file. */
export interface FileUses {
  readonly uses: readonly CodeUse[];
  /** What the file imports, as written. */
  readonly imports: readonly string[];
}

export type CodeSymbols =
  | ({ readonly kind: "parsed" } & DocumentSymbols)
  | { readonly kind: "unparsed"; readonly reason: UnparsedReason };

const maxUseBytes = 32 * 1024 * 1024;
const maxSymbolBytes = 16 * 1024 * 1024;
/** Longer lines are data; nobody reads them in a list. */
export const maxLineBytes = 4096;

export class ParsedCode {
  readonly #parsers: SymbolParsers;
  readonly #uses = new ByteCache<FileUses>(maxUseBytes);
  readonly #symbols = new ByteCache<CodeSymbols>(maxSymbolBytes);

  constructor(parsers: SymbolParsers) {
    this.#parsers = parsers;
  }

  /** Something will have to be parsed: threads that have ended start again meanwhile. */
  prepare(): void {
    this.#parsers.prepare();
  }

  /** Of a content that was looked through before. */
  knownUses(language: string, blobSha: string, name: string): FileUses | undefined {
    return this.#uses.get(`${language} ${blobSha} ${name}`);
  }

  /** In the order of the texts; undefined where nothing could parse one. Rejects with CANCELLED. */
  async uses(
    texts: readonly KeptText[],
    name: string,
    signal: AbortSignal,
  ): Promise<readonly (FileUses | undefined)[]> {
    const kept = texts.map(({ language, blobSha }) => this.knownUses(language, blobSha, name));
    const unknown = texts.filter((_, index) => kept[index] === undefined);
    const answers = unknown.length === 0 ? [] : await this.#parsers.occurrences(unknown, name, signal);
    return texts.map((text, index) => {
      if (kept[index] !== undefined) return kept[index];
      const answer = answers[unknown.indexOf(text)];
      if (answer?.kind !== "parsed") return undefined;
      const found = { uses: usesIn(text.content, answer.occurrences), imports: answer.imports };
      const characters = found.uses.reduce((sum, { lineContent }) => sum + lineContent.length, 0);
      const bytes = 200 + found.uses.length * 300 + characters * 2 + found.imports.length * 100;
      this.#uses.set(`${text.language} ${text.blobSha} ${name}`, found, bytes);
      return found;
    });
  }

  /** Definitions and imports. Rejects with CANCELLED. */
  async symbols(text: KeptText, signal: AbortSignal): Promise<CodeSymbols> {
    if (grammarOf(text.language) === undefined) return { kind: "unparsed", reason: "noGrammar" };
    const key = `${text.language} ${text.blobSha}`;
    const known = this.#symbols.get(key);
    if (known !== undefined) return known;
    const [answer] = await this.#parsers.symbols([text], signal);
    if (answer === undefined) return { kind: "unparsed", reason: "crashed" };
    if (answer.kind === "parsed") {
      this.#symbols.set(key, answer, 200 + answer.definitions.length * 200 + answer.imports.length * 100);
    }
    return answer;
  }

  placeAt(text: SourceText, offset: number, signal: AbortSignal): Promise<ParsedPlace> {
    return this.#parsers.placeAt(text, offset, signal);
  }

  signature(text: SourceText, nameStart: number, signal: AbortSignal): Promise<ParsedSignature> {
    return this.#parsers.signature(text, nameStart, signal);
  }
}

function usesIn(content: Uint8Array, occurrences: readonly Occurrence[]): CodeUse[] {
  const places = new TextPlaces(content);
  return occurrences.map(({ start, end, role, declaredAt, isLocal }) => {
    const range = { start: places.placeOf(start), end: places.placeOf(end) };
    const lineContent = places.line(range.start.lineNumber, maxLineBytes);
    return { range, lineContent, role, declaredAt, isLocal };
  });
}
