/** Everything that is asked of a document's tree, on the thread that parses. */

import type { QueryMatch } from "web-tree-sitter";
import type { Definition, DocumentSymbols } from "#model/symbol";
import { aroundName, withoutBodies } from "./bodies";
import type { ShortText } from "./cuts";
import { Declarations } from "./declarations";
import { definitionsIn } from "./definitions";
import { grammarOf, hasDollars, nameRulesOf, preparationOf } from "./grammars";
import { withoutMacros } from "./macros";
import { namedPlaceAt, occurrenceAt, occurrencesOf, type Reading, wordAt } from "./occurrences";
import { treesOf } from "./pieces";
import { definitionQueries, scopeQueries } from "./queries";
import type { Runtime } from "./runtime";
import { onlyScripts } from "./scripts";
import { signatureOf } from "./signature";
import { decodeSource } from "./sourceText";
import type { NamedPlace, Occurrence, Signature } from "./symbols";

/** A document with its tree, as long as it is looked at. */
interface Parsed extends Reading {
  readonly grammar: string;
}

/** For languages that `grammarOf` knows. Each question throws `TooSlow` where the text takes more time than it may. */
export class DocumentParser {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  symbols(language: string, content: Uint8Array): DocumentSymbols {
    const short = withoutBodies(language, content);
    const found = this.#parsed(language, short?.content ?? content, (parsed) => this.#symbols(parsed));
    if (short === undefined) return found;
    return { ...found, definitions: found.definitions.map((each) => inWhole(each, short)) };
  }

  /** With what the document imports. */
  occurrences(
    language: string,
    content: Uint8Array,
    name: string,
  ): { readonly occurrences: Occurrence[]; readonly imports: readonly string[] } {
    const short = aroundName(language, content, name);
    return this.#parsed(language, short?.content ?? content, (parsed) => {
      const symbols = this.#symbols(parsed);
      const declarations = () => this.#declarations(parsed, symbols);
      const occurrences = occurrencesOf(name, parsed, symbols.definitions, declarations);
      return {
        occurrences: short === undefined ? occurrences : occurrences.map((each) => useInWhole(each, short)),
        imports: symbols.imports,
      };
    });
  }

  placeAt(language: string, content: Uint8Array, offset: number): NamedPlace | undefined {
    const word = wordAt(offset, decodeSource(content), hasDollars(language));
    if (word === "") return undefined;
    const short = aroundName(language, content, word);
    return this.#parsed(language, short?.content ?? content, (parsed) => {
      const found = namedPlaceAt(short?.shortOffset(offset) ?? offset, parsed);
      if (found === undefined) return undefined;
      const place = occurrenceAt(found.spot, found.name, this.#declarations(parsed));
      return { name: found.name, ...(short === undefined ? place : useInWhole(place, short)) };
    });
  }

  signature(language: string, content: Uint8Array, nameStart: number): Signature | undefined {
    return this.#parsed(language, content, (parsed) => {
      const definition = this.#symbols(parsed).definitions.find((each) => each.nameStart === nameStart);
      if (definition === undefined) return undefined;
      return signatureOf(definition, parsed.trees.rootAt(parsed.source.indexAt(nameStart)), parsed.source);
    });
  }

  #symbols(parsed: Parsed): DocumentSymbols {
    const matches = this.#matches("definitions", definitionQueries[parsed.grammar] ?? "", parsed);
    return definitionsIn(matches, parsed.source, parsed.grammar);
  }

  #declarations(parsed: Parsed, { definitions } = this.#symbols(parsed)): Declarations {
    const { grammar, source } = parsed;
    const matches = this.#matches("scopes", scopeQueries[grammar] ?? "", parsed);
    return new Declarations(definitions, matches, source, nameRulesOf(grammar));
  }

  #matches(name: string, query: string, { grammar, trees }: Parsed): QueryMatch[] {
    const budget = this.#runtime.queryBudget();
    return trees.matches((root) => this.#runtime.matches(grammar, name, query, root, budget));
  }

  #parsed<Value>(language: string, content: Uint8Array, read: (parsed: Parsed) => Value): Value {
    const source = decodeSource(content);
    const grammar = grammarOf(language) ?? "";
    const parsed = prepared(language, source.text);
    const budget = this.#runtime.parseBudget();
    const trees = treesOf(parsed, grammar, this.#runtime.parse(grammar, parsed, budget), {
      parse: (ranges) => this.#runtime.parsePart(grammar, parsed, ranges, budget),
      isSpent: budget.isSpent,
    });
    try {
      return read({ grammar, source, trees, parsed, hasDollars: hasDollars(language) });
    } finally {
      trees.delete();
    }
  }
}

function inWhole(definition: Definition, short: ShortText): Definition {
  return {
    ...definition,
    nameStart: short.wholeOffset(definition.nameStart),
    nameEnd: short.wholeOffset(definition.nameEnd),
    start: short.wholeOffset(definition.start),
    end: short.wholeOffset(definition.end),
  };
}

function useInWhole(use: Occurrence, short: ShortText): Occurrence {
  const { start, end, declaredAt } = use;
  return {
    ...use,
    start: short.wholeOffset(start),
    end: short.wholeOffset(end),
    declaredAt: declaredAt < 0 ? declaredAt : short.wholeOffset(declaredAt),
  };
}

/** What the grammar is given: as long as the text, with the same lines. */
function prepared(language: string, text: string): string {
  const preparation = preparationOf(language);
  if (preparation === "macros") return withoutMacros(text);
  return preparation === "scripts" ? onlyScripts(text) : text;
}
