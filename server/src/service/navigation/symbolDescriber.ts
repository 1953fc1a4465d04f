/** Describes the symbol at a location: its name, and the signature and documentation of its definition. */
import type { CallContext } from "#contract/service";
import type { CodeLocation, SymbolAtLocation, SymbolDescription, UnparsedReason } from "#contract/symbols";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { SourceText } from "#symbols/symbols";
import type { CodeText } from "./codeFiles";
import type { Definitions } from "./definitions";
import { createSymbolQuery, type SymbolQuery, type SymbolQueryOptions } from "./symbolQuery";
import { toFoundSymbol } from "./symbolResults";

export interface SymbolDescriberOptions extends SymbolQueryOptions {
  readonly engine: Engine;
  readonly definitions: Definitions;
}

/** Maximum number of definitions to rank. */
const maxDefinitions = 100;

export class SymbolDescriber {
  readonly #options: SymbolDescriberOptions;

  constructor(options: SymbolDescriberOptions) {
    this.#options = options;
  }

  /** Returns the name at a location. Throws what `CodeFiles.find` and `CodeFiles.read` throw. */
  async nameAt(location: CodeLocation, context: CallContext): Promise<SymbolAtLocation> {
    return this.#findName(await this.#read(location, context), location, context);
  }

  /** Returns the name at a location, and its most likely definition if there is one. Throws as `nameAt` does. */
  async describe(location: CodeLocation, context: CallContext): Promise<SymbolDescription> {
    const { definitions, repositories } = this.#options;
    const origin = await this.#read(location, context);
    const symbolAtLocation = await this.#findName(origin, location, context);
    if (symbolAtLocation.symbol === "") return symbolAtLocation;
    const request = { symbolName: symbolAtLocation.symbol, matches: maxDefinitions, askedFrom: location };
    const query = await createSymbolQuery(request, context, this.#options);
    const { definitions: found } = await definitions.find(query, context.signal);
    const [best] = found;
    if (best === undefined) return symbolAtLocation;
    const { symbol, certainty = "name" } = best;
    const contractSymbol = toFoundSymbol(symbol, { repositories, context, scopes: query.scopes });
    const text = await this.#textOf(symbol, origin, query, context);
    if (contractSymbol === undefined || text === undefined) return symbolAtLocation;
    const described = await this.#options.code.signature(text, symbol.range.start.byteOffset, context.signal);
    if (described.kind === "unparsed" || described.signature === undefined) return symbolAtLocation;
    const others = found.filter((each) => each.certainty === certainty).length - 1;
    const definition = {
      ...described.signature,
      language: text.language,
      found: contractSymbol,
      certainty,
      others,
    };
    return { ...symbolAtLocation, definition };
  }

  #read(location: CodeLocation, context: CallContext): Promise<CodeText> {
    const { files } = this.#options;
    return files.read(files.find(location, context), context);
  }

  async #findName(
    text: CodeText,
    location: CodeLocation,
    { signal }: CallContext,
  ): Promise<SymbolAtLocation> {
    const unnamed = (reason: UnparsedReason) => ({ symbol: "", language: text.language, reason });
    const offset = text.positions.offsetOf(location.lineNumber ?? 1, location.column);
    if (offset === undefined) return unnamed("noSymbol");
    const found = await this.#options.code.identifierAt(text, offset, signal);
    if (found.kind === "unparsed") return unnamed(found.reason);
    if (found.identifier === undefined) return unnamed("noSymbol");
    const { name, start, end } = found.identifier;
    const range = { start: text.positions.positionOf(start), end: text.positions.positionOf(end) };
    return { symbol: name, range, language: text.language };
  }

  /** Returns the text that contains a definition; `undefined` if it is no longer in the index. */
  async #textOf(
    { document }: FoundSymbol,
    from: CodeText,
    { unsaved }: SymbolQuery,
    { signal }: CallContext,
  ): Promise<SourceText | undefined> {
    const { repositoryId, path, blobSha, origin, language } = document;
    if (from.repository.id === repositoryId && from.path === path && from.blobSha === blobSha) return from;
    if (origin === "unsaved") {
      const open = unsaved.find((each) => each.repositoryId === repositoryId && each.path === path);
      return open && { language, content: new TextEncoder().encode(open.text) };
    }
    const request = { repositoryId, path, ...(origin === "commit" ? { blob: blobSha } : {}) };
    const [found] = await this.#options.engine.readDocuments([request], signal);
    return found;
  }
}
