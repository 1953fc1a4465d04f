import type { EnclosingDefinitions } from "#model/enclosing";
import type { StoredDefinition, SymbolReader } from "#shard/symbolFile/symbolReader";

/** Finds keys for the definitions of one document that enclose offsets. */
export class SymbolKeys {
  readonly #symbols: SymbolReader;
  readonly #file: string;
  readonly #enclosing: EnclosingDefinitions<StoredDefinition>;
  readonly #keys = new Map<StoredDefinition, string>();

  /** `file` is the start of all keys. */
  constructor(symbols: SymbolReader, document: number, file: string) {
    this.#symbols = symbols;
    this.#file = file;
    this.#enclosing = symbols.enclosingDefinitions(document);
  }

  /** Returns the key of the definition around a byte offset, or undefined. */
  keyAt(offset: number): string | undefined {
    const definition = this.#enclosing.at(offset);
    if (definition === undefined) return undefined;
    const key = this.#keys.get(definition) ?? this.#keyOf(definition);
    this.#keys.set(definition, key);
    return key;
  }

  #keyOf({ number, kind, parent, owner }: StoredDefinition): string {
    const symbols = this.#symbols;
    const names = [symbols.name(number), kind, parent < 0 ? owner : symbols.name(parent)];
    return `${this.#file}\0${names.map((name) => Buffer.from(name).toString("latin1")).join("\0")}`;
  }
}

/** Returns the key of matches in a file that are outside of all definitions. */
export function outsideOf(file: string): string {
  return `${file}\0\0\0`;
}
