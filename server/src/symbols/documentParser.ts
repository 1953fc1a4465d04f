/** Everything that is asked of a document's tree, on the thread that parses. */

import type { Tree } from "web-tree-sitter";
import type { DocumentSymbols } from "#model/symbol";
import { definitionsIn } from "./definitions";
import { nameRulesOf } from "./grammars";
import { namedPlaceAt, occurrenceAt, occurrencesOf } from "./occurrences";
import { definitionQueries, scopeQueries } from "./queries";
import { Declarations } from "./resolve";
import type { Runtime } from "./runtime";
import { signatureOf } from "./signature";
import { type DecodedText, decodeSource } from "./sourceText";
import type { NamedPlace, Occurrence, Signature } from "./symbols";

/** A document with its tree, as long as it is looked at. */
interface Parsed {
  readonly grammar: string;
  readonly source: DecodedText;
  readonly tree: Tree;
}

/** Each question throws `TooSlow` where the text takes more time than it may. */
export class DocumentParser {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  symbols(grammar: string, content: Uint8Array): DocumentSymbols {
    return this.#parsed(grammar, content, (parsed) => this.#symbols(parsed));
  }

  occurrences(grammar: string, content: Uint8Array, name: string): Occurrence[] {
    return this.#parsed(grammar, content, (parsed) =>
      occurrencesOf(name, parsed.tree, parsed.source, this.#declarations(parsed)),
    );
  }

  placeAt(grammar: string, content: Uint8Array, offset: number): NamedPlace | undefined {
    return this.#parsed(grammar, content, (parsed) => {
      const found = namedPlaceAt(offset, parsed.tree, parsed.source);
      if (found === undefined) return undefined;
      return { name: found.name, ...occurrenceAt(found.spot, found.name, this.#declarations(parsed)) };
    });
  }

  signature(grammar: string, content: Uint8Array, nameStart: number): Signature | undefined {
    return this.#parsed(grammar, content, (parsed) => {
      const definition = this.#symbols(parsed).definitions.find((each) => each.nameStart === nameStart);
      return definition && signatureOf(definition, parsed.tree, parsed.source);
    });
  }

  #symbols({ grammar, source, tree }: Parsed): DocumentSymbols {
    const query = definitionQueries[grammar] ?? "";
    const matches = this.#runtime.matches(grammar, "definitions", query, tree.rootNode);
    return definitionsIn(matches, source);
  }

  #declarations(parsed: Parsed): Declarations {
    const { grammar, source, tree } = parsed;
    const query = scopeQueries[grammar] ?? "";
    const matches = this.#runtime.matches(grammar, "scopes", query, tree.rootNode);
    return new Declarations(this.#symbols(parsed).definitions, matches, source, nameRulesOf(grammar));
  }

  #parsed<Value>(grammar: string, content: Uint8Array, read: (parsed: Parsed) => Value): Value {
    const source = decodeSource(content);
    const tree = this.#runtime.parse(grammar, source.text);
    try {
      return read({ grammar, source, tree });
    } finally {
      tree.delete();
    }
  }
}
