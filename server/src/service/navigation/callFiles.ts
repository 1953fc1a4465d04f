/** Reads and parses the files that may contain calls. */
import { setMaxListeners } from "node:events";
import { isServiceError } from "#base/error";
import { TextPositions } from "#base/textPositions";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { definesNames, parsedLanguages } from "#symbols/grammars/grammars";
import type { CallNode } from "./callGraph";
import { type FoundText, type Gaps, readTexts, searchCandidates, wholeWordPattern } from "./candidates";
import { languagesWithoutDefinitions } from "./languageFamilies";
import type { CallsInFile, FileCalls, ParsedCode } from "./parsedCode";
import type { SearchScope, SymbolQuery } from "./symbolQuery";

export interface CallFilesOptions {
  readonly engine: Engine;
  readonly code: ParsedCode;
}

/** A file, and what a parser found in it. */
export interface CallFile {
  readonly text: FoundText;
  readonly parsed: FileCalls;
}

/** Languages whose files contain no calls. */
const withoutCalls: ReadonlySet<string> = new Set([...languagesWithoutDefinitions, ...parsedLanguages()]);
const textsPerCall = 8;

type OnFile = (file: FileMatch, calls: CallsInFile) => Promise<void>;

export class CallFiles {
  readonly #query: SymbolQuery;
  readonly #options: CallFilesOptions;
  readonly #gaps: Gaps;
  readonly #signal: AbortSignal;

  constructor(query: SymbolQuery, options: CallFilesOptions, gaps: Gaps, signal: AbortSignal) {
    this.#query = query;
    this.#options = options;
    this.#gaps = gaps;
    this.#signal = signal;
  }

  /**
   * Parses the files that contain one of the names, those of the origin's repository first, until `enough` fires. Passes
   * at least the calls of these names to `onFile`.
   */
  async readWith(names: readonly string[], enough: AbortSignal, onFile: OnFile): Promise<void> {
    const signal = AbortSignal.any([this.#signal, enough]);
    // Each file that is being parsed adds a listener.
    setMaxListeners(0, signal);
    try {
      for (const scope of this.#query.scopes) await this.#readScope(scope, names, onFile, signal);
    } catch (error) {
      if (!enough.aborted || this.#signal.aborted || !isServiceError(error, "CANCELLED")) throw error;
    }
  }

  async #readScope(
    scope: SearchScope,
    names: readonly string[],
    onFile: OnFile,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine, code } = this.#options;
    const [name, ...others] = names;
    // Of several names, all calls are found: with a result for each set of names, the cache would rarely have the right one.
    const onlyName = others.length === 0 ? name : undefined;
    const cached = ({ origin, language, blobSha }: FileMatch) =>
      origin === "unsaved" ? undefined : code.cachedCalls(onlyName, language, blobSha);
    const candidates = { query: this.#query, scope, pattern: names.map(wholeWordPattern), omitsChunks: true };
    const searched = await searchCandidates(engine, candidates, signal, async (files) => {
      const uncached: FileMatch[] = [];
      for (const file of files) {
        const known = cached(file);
        if (known !== undefined) await onFile(file, known);
        else if (definesNames(file.language)) uncached.push(file);
        else if (!withoutCalls.has(file.language)) this.#gaps.addUnparsed(file);
      }
      const parsing: Promise<void>[] = [];
      for (let at = 0; at < uncached.length && !signal.aborted; at += textsPerCall)
        parsing.push(this.#parse(uncached.slice(at, at + textsPerCall), onlyName, onFile, signal));
      await Promise.all(parsing);
    });
    this.#gaps.add(searched);
  }

  /** Returns the files of these definitions; `undefined` for those that cannot be read or parsed. */
  async of(nodes: readonly CallNode[]): Promise<readonly (CallFile | undefined)[]> {
    const texts = await this.#textsOf(nodes);
    const readable = [...new Set(texts.filter((text) => text !== undefined))];
    const parsed = await this.#options.code.calls(readable, this.#signal);
    const byText = new Map(readable.map((text, index) => [text, parsed[index]]));
    return nodes.map(({ symbol }, index) => {
      const text = texts[index];
      const found = text && byText.get(text);
      if (text !== undefined && found !== undefined) return { text, parsed: found };
      this.#gaps.addUnreadable(symbol.document);
      return undefined;
    });
  }

  /** Reads the texts of definitions whose whole ranges are not known yet. */
  async addWholeRanges(nodes: readonly CallNode[]): Promise<void> {
    const unknown = nodes.filter(({ wholeRange }) => wholeRange === undefined);
    const texts = await this.#textsOf(unknown);
    const positions = new Map<FoundText, TextPositions>();
    for (const [index, node] of unknown.entries()) {
      const text = texts[index];
      if (text === undefined) continue;
      const known = positions.get(text) ?? new TextPositions(text.content);
      positions.set(text, known);
      const { start, end } = node.symbol;
      node.wholeRange = { start: known.positionOf(start), end: known.positionOf(end) };
    }
  }

  async #parse(
    files: readonly FileMatch[],
    name: string | undefined,
    onFile: OnFile,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine, code } = this.#options;
    const texts = await readTexts(engine, files, this.#query, signal);
    const readable = texts.filter((text) => text !== undefined);
    const parsed = await (name === undefined
      ? code.calls(readable, signal)
      : code.callsOf(name, readable, signal));
    for (const [index, file] of files.entries()) {
      const text = texts[index];
      const calls = text && parsed[readable.indexOf(text)];
      if (calls === undefined) this.#gaps.addUnreadable(file);
      else await onFile(file, calls);
    }
  }

  /** Returns the texts of the files of these definitions; the same object for the same file. */
  async #textsOf(nodes: readonly CallNode[]): Promise<readonly (FoundText | undefined)[]> {
    const origin = this.#query.origin?.text;
    const documents = new Map(nodes.map(({ symbol: { document } }) => [keyOfFile(document), document]));
    const isOrigin = ({ repositoryId, path, blobSha }: FoundSymbol["document"]) =>
      origin?.repository.id === repositoryId && origin.path === path && origin.blobSha === blobSha;
    const stored = [...documents.values()].filter((document) => !isOrigin(document));
    const read = await readTexts(this.#options.engine, stored, this.#query, this.#signal);
    const texts = new Map(stored.map((document, index) => [keyOfFile(document), read[index]]));
    return nodes.map(({ symbol: { document } }) =>
      isOrigin(document) ? origin : texts.get(keyOfFile(document)),
    );
  }
}

function keyOfFile({ repositoryId, origin, blobSha, path }: FoundSymbol["document"]): string {
  return `${repositoryId} ${origin} ${blobSha} ${path}`;
}
