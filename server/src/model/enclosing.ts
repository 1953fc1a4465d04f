/** Finds the definition around an offset, by one rule for headings, counts, references and callers. */
import { partitionPoint } from "#base/binarySearch";
import { type Definition, isFunctionKind, typeKinds } from "./symbol";

/** What decides whether a definition encloses an offset. */
export type DefinitionRange = Pick<
  Definition,
  "kind" | "isLocal" | "nameStart" | "nameEnd" | "start" | "end"
>;

interface Enclosing<Item> {
  readonly definition: Item;
  readonly end: number;
  readonly outer: Enclosing<Item> | undefined;
}

/** Real code is not nested deeper. */
const maxAround = 100;

/** Local definitions count if they are functions or types. A package clause contains nothing. */
export function mayEnclose({ kind, isLocal }: Pick<DefinitionRange, "kind" | "isLocal">): boolean {
  return kind !== "package" && (!isLocal || isContainer(kind));
}

export class EnclosingDefinitions<Item extends DefinitionRange> {
  /** Where the innermost definition changes, ascending; the last of equal offsets counts. */
  readonly #offsets: number[] = [];
  readonly #innermost: (Enclosing<Item> | undefined)[] = [];

  constructor(definitions: readonly Item[]) {
    let innermost: Enclosing<Item> | undefined;
    const change = (offset: number, to: Enclosing<Item> | undefined) => {
      innermost = to;
      this.#offsets.push(offset);
      this.#innermost.push(to);
    };
    const leave = (offset: number) => {
      while (innermost !== undefined && innermost.end <= offset) change(innermost.end, innermost.outer);
    };
    const sorted = definitions
      .filter(mayEnclose)
      .sort(
        (left, right) => left.start - right.start || right.end - left.end || left.nameStart - right.nameStart,
      );
    for (const definition of sorted) {
      leave(definition.start);
      const outer: Enclosing<Item> | undefined = innermost;
      const end = Math.min(definition.end, outer?.end ?? Number.POSITIVE_INFINITY);
      change(definition.start, { definition, end, outer });
    }
    leave(Number.POSITIVE_INFINITY);
  }

  /** Returns the innermost definition that contains an offset. The name of a definition is not inside it. */
  at(offset: number): Item | undefined {
    const innermost = this.#innermostAt(offset);
    if (innermost === undefined) return undefined;
    const { definition, outer } = innermost;
    const isName = definition.nameStart <= offset && offset < definition.nameEnd;
    return isName ? outer?.definition : definition;
  }

  /** Returns the definitions that contain an offset, innermost first, also one whose name contains it. */
  around(offset: number): Item[] {
    const found: Item[] = [];
    for (let each = this.#innermostAt(offset); each !== undefined; each = each.outer) {
      found.push(each.definition);
      if (found.length === maxAround) break;
    }
    return found;
  }

  #innermostAt(offset: number): Enclosing<Item> | undefined {
    const isBefore = (at: number) => (this.#offsets[at] ?? 0) <= offset;
    return this.#innermost[partitionPoint(0, this.#offsets.length, isBefore) - 1];
  }
}

function isContainer(kind: Definition["kind"]): boolean {
  return isFunctionKind(kind) || typeKinds.has(kind);
}
