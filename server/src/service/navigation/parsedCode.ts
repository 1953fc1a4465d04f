/** Caches parse results by content, because the same name is often looked up again. */
import { ByteCache } from "#base/byteCache";
import { TextPositions } from "#base/textPositions";
import { EnclosingDefinitions } from "#model/enclosing";
import type { Range } from "#model/match";
import { type Definition, type DocumentSymbols, isOwnerNearer, type SymbolKind } from "#model/symbol";
import { grammarOf } from "#symbols/grammars/grammars";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type {
  CallSite,
  Occurrence,
  ParsedIdentifier,
  ParsedSignature,
  SourceText,
  Unparsed,
  UnparsedReason,
} from "#symbols/symbols";

/** A text and its blob SHA. */
export interface HashedText extends SourceText {
  readonly blobSha: string;
}

/** An occurrence of a name in code. */
export interface CodeOccurrence extends Pick<Occurrence, "role" | "declaredAt" | "isLocal"> {
  /** The definition that contains it; absent at the top level. */
  readonly enclosing: Occurrence["enclosing"];
  readonly range: Range;
  /** The line that contains it, truncated if it is very long. */
  readonly lineContent: string;
}

/** The occurrences of a name in one file. */
export interface FileOccurrences {
  readonly occurrences: readonly CodeOccurrence[];
  /** Imports of the file, as written. */
  readonly imports: readonly string[];
}

/** A definition, with positions. */
export interface CodeDefinition extends Definition {
  readonly container: { readonly name: string; readonly kind: SymbolKind | "" };
  /** The range of the name. */
  readonly range: Range;
  readonly wholeRange: Range;
  /** The line where the name starts, truncated if it is very long. */
  readonly line: string;
}

/** A call in code. */
export interface CodeCall extends CallSite {
  readonly range: Range;
  readonly lineContent: string;
  /** The definition that contains it; absent at the top level. */
  readonly enclosing: CodeDefinition | undefined;
}

/** Calls in one file: all, or those of one name. */
export interface CallsInFile {
  readonly calls: readonly CodeCall[];
  readonly imports: readonly string[];
}

/** All calls in one file, and its definitions. */
export interface FileCalls extends CallsInFile, DocumentSymbols {}

export type CodeSymbols =
  | ({ readonly kind: "parsed" } & DocumentSymbols)
  | { readonly kind: "unparsed"; readonly reason: UnparsedReason };

const maxOccurrenceBytes = 32 * 1024 * 1024;
const maxSymbolBytes = 16 * 1024 * 1024;
const maxFileCallBytes = 16 * 1024 * 1024;
const maxNameCallBytes = 16 * 1024 * 1024;
/** Longer lines are truncated, because they are data rather than code. */
export const maxLineBytes = 4096;

/** Splits a text into lines, truncated to `maxLineBytes` each. */
export function truncatedLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => {
    const bytes = Buffer.from(line.slice(0, maxLineBytes));
    if (line.length <= maxLineBytes && bytes.length <= maxLineBytes) return line;
    let end = Math.min(bytes.length, maxLineBytes);
    // Bytes within a character begin with the bits 10.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    return bytes.toString("utf8", 0, end);
  });
}

export class ParsedCode {
  readonly #parsers: SymbolParsers;
  readonly #occurrences = new ByteCache<FileOccurrences>(maxOccurrenceBytes);
  readonly #symbols = new ByteCache<CodeSymbols>(maxSymbolBytes);
  readonly #calls = new ByteCache<FileCalls>(maxFileCallBytes);
  readonly #callsOfNames = new ByteCache<CallsInFile>(maxNameCallBytes);

  constructor(parsers: SymbolParsers) {
    this.#parsers = parsers;
  }

  /** Starts parser threads in advance. */
  prepare(): void {
    this.#parsers.prepare();
  }

  /** Returns the cached occurrences of a name in a text, or `undefined`. */
  cachedOccurrences(language: string, blobSha: string, name: string): FileOccurrences | undefined {
    return this.#occurrences.get(`${language} ${blobSha} ${name}`);
  }

  /** Returns results in the order of the texts; `undefined` for those that cannot be parsed. Rejects with CANCELLED. */
  async occurrences(
    texts: readonly HashedText[],
    name: string,
    signal: AbortSignal,
  ): Promise<readonly (FileOccurrences | undefined)[]> {
    const cached = texts.map(({ language, blobSha }) => this.cachedOccurrences(language, blobSha, name));
    const parse = (unknown: readonly HashedText[]) => this.#parsers.occurrences(unknown, name, signal);
    return await fillIn(texts, cached, parse, (text, { occurrences, imports }) => {
      const found = { occurrences: toCodeOccurrences(text.content, occurrences), imports };
      const characters = found.occurrences.reduce((sum, { lineContent }) => sum + lineContent.length, 0);
      const bytes = 200 + occurrences.length * 300 + characters * 2 + imports.length * 100;
      this.#occurrences.set(`${text.language} ${text.blobSha} ${name}`, found, bytes);
      return found;
    });
  }

  /** Returns the cached calls in a text, at least those of the name if there is one, or `undefined`. */
  cachedCalls(name: string | undefined, language: string, blobSha: string): CallsInFile | undefined {
    const key = `${language} ${blobSha}`;
    return (
      this.#calls.get(key) ?? (name === undefined ? undefined : this.#callsOfNames.get(`${key} ${name}`))
    );
  }

  /**
   * Finds the calls of a name, and may return others of the same text. Returns results in the order of the texts;
   * `undefined` for those that cannot be parsed. Rejects with CANCELLED.
   */
  async callsOf(
    name: string,
    texts: readonly HashedText[],
    signal: AbortSignal,
  ): Promise<readonly (CallsInFile | undefined)[]> {
    const cached = texts.map(({ language, blobSha }) => this.cachedCalls(name, language, blobSha));
    const parse = (unknown: readonly HashedText[]) => this.#parsers.calls(unknown, name, signal);
    return await fillIn(texts, cached, parse, (text, parsed) => {
      const found = { imports: parsed.imports, calls: toCodeCalls(text.content, parsed) };
      this.#callsOfNames.set(`${text.language} ${text.blobSha} ${name}`, found, bytesOf(found));
      return found;
    });
  }

  /** Returns results in the order of the texts; `undefined` for those that cannot be parsed. Rejects with CANCELLED. */
  async calls(
    texts: readonly HashedText[],
    signal: AbortSignal,
  ): Promise<readonly (FileCalls | undefined)[]> {
    const cached = texts.map(({ language, blobSha }) => this.#calls.get(`${language} ${blobSha}`));
    const parse = (unknown: readonly HashedText[]) => this.#parsers.calls(unknown, undefined, signal);
    return await fillIn(texts, cached, parse, (text, parsed) => {
      const { definitions, imports } = parsed;
      const found = { definitions, imports, calls: toCodeCalls(text.content, parsed) };
      const bytes = bytesOf(found) + definitions.length * 200;
      this.#calls.set(`${text.language} ${text.blobSha}`, found, bytes);
      return found;
    });
  }

  /** Returns the definitions and imports of a text. Rejects with CANCELLED. */
  async symbols(text: HashedText, signal: AbortSignal): Promise<CodeSymbols> {
    if (grammarOf(text.language) === undefined) return { kind: "unparsed", reason: "noGrammar" };
    const key = `${text.language} ${text.blobSha}`;
    const known = this.#symbols.get(key);
    if (known !== undefined) return known;
    const [result] = await this.#parsers.symbols([text], signal);
    if (result === undefined) return { kind: "unparsed", reason: "crashed" };
    if (result.kind === "parsed") {
      this.#symbols.set(key, result, 200 + result.definitions.length * 200 + result.imports.length * 100);
    }
    return result;
  }

  /** Returns the identifier at a byte offset. Rejects with CANCELLED. */
  identifierAt(text: SourceText, offset: number, signal: AbortSignal): Promise<ParsedIdentifier> {
    return this.#parsers.identifierAt(text, offset, signal);
  }

  /** Returns the signature of the definition whose name begins at byte offset `nameStart`. Rejects with CANCELLED. */
  signature(text: SourceText, nameStart: number, signal: AbortSignal): Promise<ParsedSignature> {
    return this.#parsers.signature(text, nameStart, signal);
  }
}

/**
 * Returns what is cached, and for the other texts what `read` returns of the parse result, in the order of the texts;
 * `undefined` for those that cannot be parsed.
 */
async function fillIn<Parsed extends { readonly kind: "parsed" }, Found>(
  texts: readonly HashedText[],
  cached: readonly (Found | undefined)[],
  parse: (unknown: readonly HashedText[]) => Promise<readonly (Parsed | Unparsed)[]>,
  read: (text: HashedText, parsed: Parsed) => Found,
): Promise<readonly (Found | undefined)[]> {
  const unknown = texts.filter((_, index) => cached[index] === undefined);
  const results = unknown.length === 0 ? [] : await parse(unknown);
  return texts.map((text, index) => {
    const result = results[unknown.indexOf(text)];
    return cached[index] ?? (result?.kind === "parsed" ? read(text, result) : undefined);
  });
}

/** Estimates the memory of calls. */
function bytesOf({ calls, imports }: CallsInFile): number {
  let lineCharacters = 0;
  for (const [at, { range, lineContent }] of calls.entries()) {
    const isShared = calls[at - 1]?.range.start.lineNumber === range.start.lineNumber;
    if (!isShared) lineCharacters += lineContent.length;
  }
  return 200 + imports.length * 100 + calls.length * 800 + lineCharacters * 2;
}

function toCodeOccurrences(content: Uint8Array, occurrences: readonly Occurrence[]): CodeOccurrence[] {
  const positions = new TextPositions(content);
  return occurrences.map(({ start, end, role, declaredAt, isLocal, enclosing }) => {
    const range = { start: positions.positionOf(start), end: positions.positionOf(end) };
    const lineContent = positions.line(range.start.lineNumber, maxLineBytes);
    return { range, lineContent, role, declaredAt, isLocal, enclosing };
  });
}

function toCodeCalls(
  content: Uint8Array,
  { calls, definitions }: DocumentSymbols & { readonly calls: readonly CallSite[] },
): CodeCall[] {
  const positions = new TextPositions(content);
  const enclosing = new EnclosingDefinitions(definitions);
  const known = new Map<Definition, CodeDefinition>();
  const withPositions = (definition: Definition): CodeDefinition => {
    const found = known.get(definition) ?? toCodeDefinition(definition, definitions, positions);
    known.set(definition, found);
    return found;
  };
  // A minified file has many calls in one long line; they share its string.
  let lineNumber = 0;
  let lineContent = "";
  return calls.map(({ name, start, end, declaredAt, receiver, typeWords, value, imports }) => {
    const around = enclosing.at(start);
    const range = { start: positions.positionOf(start), end: positions.positionOf(end) };
    if (range.start.lineNumber !== lineNumber) {
      lineNumber = range.start.lineNumber;
      lineContent = positions.line(lineNumber, maxLineBytes);
    }
    return {
      name,
      start,
      end,
      declaredAt,
      ...(receiver === undefined ? {} : { receiver }),
      typeWords,
      ...(value === undefined ? {} : { value }),
      imports,
      range,
      lineContent,
      enclosing: around && withPositions(around),
    };
  });
}

/** Adds positions to a definition; `all` are the definitions of its document. */
export function toCodeDefinition(
  definition: Definition,
  all: readonly Definition[],
  positions: TextPositions,
): CodeDefinition {
  const { nameStart, nameEnd, start, end, owner } = definition;
  const parent = all[definition.parent];
  const range = { start: positions.positionOf(nameStart), end: positions.positionOf(nameEnd) };
  return {
    ...definition,
    container:
      parent === undefined || isOwnerNearer(owner, parent.kind)
        ? { name: owner, kind: "" }
        : { name: parent.name, kind: parent.kind },
    range,
    wholeRange: { start: positions.positionOf(start), end: positions.positionOf(end) },
    line: positions.line(range.start.lineNumber, maxLineBytes),
  };
}
