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
  /** By their starts; an outer one before an inner one. */
  readonly #bodies: readonly Body[];
  readonly #open: Body[] = [];
  readonly #parts = new Map<number, readonly [name: string, kind: string, parent: string]>();
  #next = 0;

  constructor(symbols: SymbolReader, document: number) {
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

  /** Returns the definition around a byte offset, or undefined. Offsets must be ascending. */
  at(offset: number): readonly [name: string, kind: string, parent: string] | undefined {
    for (; this.#next < this.#bodies.length; this.#next++) {
      const body = this.#bodies[this.#next];
      if (body === undefined || body.start > offset) break;
      this.#open.push(body);
    }
    while ((this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#open.pop();
    const body = this.#open.at(-1);
    return body === undefined ? undefined : this.#partsOf(body);
  }

  #partsOf({ definition, parent, owner }: Body): readonly [string, string, string] {
    const symbols = this.#symbols;
    const known = this.#parts.get(definition);
    if (known !== undefined) return known;
    const parts = [
      symbols.name(definition),
      symbols.kind(definition),
      parent < 0 ? owner : symbols.name(parent),
    ] as const;
    this.#parts.set(definition, parts);
    return parts;
  }
}
