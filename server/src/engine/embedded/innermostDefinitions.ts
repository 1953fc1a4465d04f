import type { SymbolReader } from "#shard/symbolFile/symbolReader";

interface Body {
  readonly definition: number;
  readonly start: number;
  readonly end: number;
  readonly parent: number;
  readonly owner: string;
}

/** Finds the innermost definitions of one document that enclose positions. Skips definitions that are local. */
export class InnermostDefinitions {
  readonly #symbols: SymbolReader;
  readonly #file: string;
  /** By their starts; an outer one before an inner one. */
  readonly #bodies: readonly Body[];
  readonly #open: Body[] = [];
  readonly #keys = new Map<number, string>();
  #next = 0;

  /** `file` is the start of all keys. */
  constructor(symbols: SymbolReader, document: number, file: string) {
    this.#file = file;
    this.#symbols = symbols;
    const first = symbols.definitionStarts[document] ?? 0;
    const stop = symbols.definitionStarts[document + 1] ?? first;
    const bodyOf = symbols.bodyReader(document);
    const bodies: Body[] = [];
    for (let definition = first; definition < stop; definition++) {
      const { start, end, parent, owner } = bodyOf(definition);
      if (!symbols.isLocal(definition)) bodies.push({ definition, start, end, parent, owner });
    }
    this.#bodies = bodies.sort((one, other) => one.start - other.start || other.end - one.end);
  }

  /** Returns the key of the definition around a byte offset, or undefined. Offsets must be ascending. */
  keyAt(offset: number): string | undefined {
    for (; this.#next < this.#bodies.length; this.#next++) {
      const body = this.#bodies[this.#next];
      if (body === undefined || body.start > offset) break;
      this.#open.push(body);
    }
    while ((this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#open.pop();
    const body = this.#open.at(-1);
    return body === undefined ? undefined : this.#keyOf(body);
  }

  #keyOf({ definition, parent, owner }: Body): string {
    const known = this.#keys.get(definition);
    if (known !== undefined) return known;
    const symbols = this.#symbols;
    const outer = parent < 0 ? owner : symbols.name(parent);
    const names = [symbols.name(definition), symbols.kind(definition), outer];
    const key = `${this.#file}\0${names.map((name) => Buffer.from(name).toString("latin1")).join("\0")}`;
    this.#keys.set(definition, key);
    return key;
  }
}

/** Returns the key of matches in a file that are outside of all definitions. */
export function outsideOf(file: string): string {
  return `${file}\0\0\0`;
}
