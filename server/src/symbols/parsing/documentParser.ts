/** Parses one document and answers one request about it. Runs on a parser thread. */

import type { QueryMatch } from "web-tree-sitter";
import { EnclosingDefinitions } from "#model/enclosing";
import type { Definition, DocumentSymbols } from "#model/symbol";
import { definitionsIn } from "#symbols/definitions/definitions";
import { importStatementsIn } from "#symbols/definitions/importStatements";
import { signatureOf } from "#symbols/definitions/signature";
import type { ElidedText } from "#symbols/elision/cuts";
import { elideAroundName, elideBodies } from "#symbols/elision/elision";
import { grammarOf, nameRulesOf, preprocessingOf } from "#symbols/grammars/grammars";
import { callQueries, definitionQueries, scopeQueries } from "#symbols/grammars/queries";
import type { Runtime } from "#symbols/grammars/runtime";
import { blankMacros } from "#symbols/recovery/macros";
import { recoverTrees } from "#symbols/recovery/recovery";
import { callsIn } from "#symbols/scopes/calls";
import { Declarations } from "#symbols/scopes/declarations";
import {
  findIdentifier,
  occurrenceAt,
  occurrencesOf,
  type ParsedText,
  wordAt,
} from "#symbols/scopes/occurrences";
import { decodeSource } from "#symbols/sourceText";
import type { CallSite, Identifier, Occurrence, Signature } from "#symbols/symbols";
import { blankMarkup } from "./scripts";

/** A parsed document. Its trees are deleted after the request. */
interface Parsed extends ParsedText {
  readonly grammar: string;
}

/** Parses documents in languages that have a grammar. Each method throws `BudgetSpent` if the text takes too long. */
export class DocumentParser {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  symbols(language: string, content: Uint8Array): DocumentSymbols {
    const elided = elideBodies(language, content);
    const found = this.#parsed(language, elided?.content ?? content, (parsed) => this.#symbols(parsed));
    if (elided === undefined) return found;
    return { ...found, definitions: found.definitions.map((each) => definitionInOriginal(each, elided)) };
  }

  /** Includes the imports of the document if there are any occurrences. */
  occurrences(
    language: string,
    content: Uint8Array,
    name: string,
  ): { readonly occurrences: Occurrence[]; readonly imports: readonly string[] } {
    const elided = elideAroundName(language, content, name);
    if (elided?.hasName === false) return { occurrences: [], imports: [] };
    return this.#parsed(language, elided?.content ?? content, (parsed) => {
      let known: DocumentSymbols | undefined;
      const symbols = () => {
        known ??= this.#symbols(parsed);
        return known;
      };
      const found = occurrencesOf(name, parsed, {
        definitions: () => symbols().definitions,
        declarations: () => this.#declarations(parsed, symbols()),
      });
      if (found.length === 0) return { occurrences: [], imports: [] };
      const { definitions, imports } = symbols();
      const enclosing = new EnclosingDefinitions(definitions);
      const occurrences = found.map((each) => withEnclosing(each, enclosing));
      return {
        occurrences:
          elided === undefined ? occurrences : occurrences.map((each) => occurrenceInOriginal(each, elided)),
        imports,
      };
    });
  }

  /** Includes the definitions and imports of the document. With a name, only the calls of that name. */
  calls(
    language: string,
    content: Uint8Array,
    name?: string,
  ): DocumentSymbols & { readonly calls: readonly CallSite[] } {
    return this.#parsed(language, content, (parsed) => {
      const { grammar, source } = parsed;
      const matches = this.#matches("definitions", definitionQueries[grammar] ?? "", parsed);
      const symbols = definitionsIn(matches, source, grammar);
      const callees = this.#matches("calls", callQueries[grammar] ?? "", parsed);
      const calls = callsIn(callees, this.#declarations(parsed, symbols), importStatementsIn(matches));
      return { ...symbols, calls: name === undefined ? calls : calls.filter((call) => call.name === name) };
    });
  }

  identifierAt(language: string, content: Uint8Array, offset: number): Identifier | undefined {
    const word = wordAt(offset, decodeSource(content), nameRulesOf(language).hasDollars);
    if (word === "") return undefined;
    const elided = elideAroundName(language, content, word);
    if (elided?.hasName === false) return undefined;
    return this.#parsed(language, elided?.content ?? content, (parsed) => {
      const at = elided === undefined ? offset : elided.toElided(offset);
      const found = at === undefined ? undefined : findIdentifier(at, parsed);
      if (found === undefined) return undefined;
      const occurrence = occurrenceAt(found.candidate, found.name, this.#declarations(parsed));
      return {
        name: found.name,
        ...(elided === undefined ? occurrence : occurrenceInOriginal(occurrence, elided)),
      };
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
    const { grammar, source, rules } = parsed;
    const matches = this.#matches("scopes", scopeQueries[grammar] ?? "", parsed);
    return new Declarations(definitions, matches, source, rules);
  }

  #matches(name: string, query: string, { grammar, trees }: Parsed): QueryMatch[] {
    const budget = this.#runtime.queryBudget();
    return trees.matches((root) => this.#runtime.matches(grammar, name, query, root, budget));
  }

  #parsed<Value>(language: string, content: Uint8Array, read: (parsed: Parsed) => Value): Value {
    const source = decodeSource(content);
    const grammar = grammarOf(language) ?? "";
    const parsed = preprocessed(language, source.text);
    const budget = this.#runtime.parseBudget();
    const trees = recoverTrees(parsed, grammar, this.#runtime.parse(grammar, parsed, budget), {
      parse: (ranges) => this.#runtime.parsePart(grammar, parsed, ranges, budget),
      isSpent: budget.isSpent,
    });
    try {
      return read({ grammar, source, trees, parsed, rules: nameRulesOf(language) });
    } finally {
      trees.delete();
    }
  }
}

function withEnclosing(occurrence: Occurrence, definitions: EnclosingDefinitions<Definition>): Occurrence {
  const enclosing = definitions.at(occurrence.start);
  if (enclosing === undefined) return occurrence;
  const { start, end, role, declaredAt, isLocal } = occurrence;
  const { name, kind } = enclosing;
  return { start, end, role, declaredAt, isLocal, enclosing: { name, kind } };
}

function definitionInOriginal(definition: Definition, elided: ElidedText): Definition {
  return {
    ...definition,
    nameStart: elided.toOriginal(definition.nameStart),
    nameEnd: elided.toOriginal(definition.nameEnd),
    start: elided.toOriginal(definition.start),
    end: elided.toOriginal(definition.end),
  };
}

function occurrenceInOriginal(occurrence: Occurrence, elided: ElidedText): Occurrence {
  const { start, end, declaredAt } = occurrence;
  return {
    ...occurrence,
    start: elided.toOriginal(start),
    end: elided.toOriginal(end),
    declaredAt: declaredAt < 0 ? declaredAt : elided.toOriginal(declaredAt),
  };
}

/** Returns the text for the grammar, of the same length and with the same lines. */
function preprocessed(language: string, text: string): string {
  const preprocessing = preprocessingOf(language);
  if (preprocessing === "macros") return blankMacros(text);
  return preprocessing === "scripts" ? blankMarkup(text) : text;
}
