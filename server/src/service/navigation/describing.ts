/** What stands at a place in code, and what its definition says of it. */
import type { CallContext } from "#contract/service";
import type { CodePlace, Description, NamedPlace, UnparsedReason } from "#contract/symbols";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { SourceText } from "#symbols/symbols";
import type { CodeText } from "./codePlaces";
import type { Definitions } from "./definitions";
import { presentFoundSymbol } from "./presentSymbols";
import { createQuestion, type Question, type QuestionOptions } from "./question";

export interface DescribingOptions extends QuestionOptions {
  readonly engine: Engine;
  readonly definitions: Definitions;
}

/** Definitions that are looked at for the surest one. */
const maxDefinitions = 100;

export class Describing {
  readonly #options: DescribingOptions;

  constructor(options: DescribingOptions) {
    this.#options = options;
  }

  async nameAt(place: CodePlace, context: CallContext): Promise<NamedPlace> {
    return this.#nameIn(await this.#read(place, context), place, context);
  }

  async describe(place: CodePlace, context: CallContext): Promise<Description> {
    const { definitions, repositories } = this.#options;
    const asked = await this.#read(place, context);
    const named = await this.#nameIn(asked, place, context);
    if (named.symbol === "") return named;
    const request = { symbolName: named.symbol, matches: maxDefinitions, askedFrom: place };
    const question = await createQuestion(request, context, this.#options);
    const { definitions: found } = await definitions.find(question, context.signal);
    const [best] = found;
    if (best === undefined) return named;
    const { symbol, certainty = "name" } = best;
    const presented = presentFoundSymbol(symbol, { repositories, context, scopes: question.scopes });
    const text = await this.#textOf(symbol, asked, question, context);
    if (presented === undefined || text === undefined) return named;
    const answer = await this.#options.code.signature(text, symbol.range.start.byteOffset, context.signal);
    if (answer.kind === "unparsed" || answer.signature === undefined) return named;
    const others = found.filter((each) => each.certainty === certainty).length - 1;
    const definition = { ...answer.signature, language: text.language, found: presented, certainty, others };
    return { ...named, definition };
  }

  #read(place: CodePlace, context: CallContext): Promise<CodeText> {
    const { places } = this.#options;
    return places.read(places.find(place, context), context);
  }

  async #nameIn(text: CodeText, place: CodePlace, { signal }: CallContext): Promise<NamedPlace> {
    const nothing = (reason: UnparsedReason) => ({ symbol: "", language: text.language, reason });
    const offset = text.places.offsetOf(place.lineNumber ?? 1, place.column);
    if (offset === undefined) return nothing("noSymbol");
    const found = await this.#options.code.placeAt(text, offset, signal);
    if (found.kind === "unparsed") return nothing(found.reason);
    if (found.place === undefined) return nothing("noSymbol");
    const { name, start, end } = found.place;
    const range = { start: text.places.placeOf(start), end: text.places.placeOf(end) };
    return { symbol: name, range, language: text.language };
  }

  /** The text around a definition; undefined where the index has it no more. */
  async #textOf(
    { document }: FoundSymbol,
    asked: CodeText,
    { unsaved }: Question,
    { signal }: CallContext,
  ): Promise<SourceText | undefined> {
    const { repositoryId, path, blobSha, origin, language } = document;
    if (asked.repository.id === repositoryId && asked.path === path && asked.blobSha === blobSha)
      return asked;
    if (origin === "unsaved") {
      const open = unsaved.find((each) => each.repositoryId === repositoryId && each.path === path);
      return open && { language, content: new TextEncoder().encode(open.text) };
    }
    const request = { repositoryId, path, ...(origin === "commit" ? { blob: blobSha } : {}) };
    const [found] = await this.#options.engine.readDocuments([request], signal);
    return found;
  }
}
