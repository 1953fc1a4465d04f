/** Finds the definitions that contain a location. */
import { partitionPoint } from "#base/binarySearch";
import type { Definition, SymbolKind } from "#model/symbol";
import { typeKinds } from "./nesting";

const namespaceKinds: ReadonlySet<SymbolKind> = new Set(["namespace", "module", "package"]);
/** Real code is not nested deeper. */
const maxAround = 100;

interface Enclosing {
  readonly definition: Definition;
  readonly outer: Enclosing | undefined;
  /** The innermost definition, from this one outward, that is not a type or a namespace; if there is none, this one. */
  readonly code: Definition;
}

export class EnclosingDefinitions {
  /** By ascending start, outer before inner. */
  readonly #sorted: readonly Enclosing[];

  constructor(definitions: readonly Definition[]) {
    const sorted: Enclosing[] = [];
    let innermost: Enclosing | undefined;
    for (const definition of definitions.toSorted(
      (left, right) => left.start - right.start || right.end - left.end || left.nameStart - right.nameStart,
    )) {
      // A package clause contains nothing.
      if (definition.kind === "package") continue;
      while (innermost !== undefined && innermost.definition.end <= definition.start)
        innermost = innermost.outer;
      const { kind } = definition;
      const isCode = !typeKinds.has(kind) && !namespaceKinds.has(kind);
      const outer: Enclosing | undefined = innermost;
      const isInCode =
        outer !== undefined && !typeKinds.has(outer.code.kind) && !namespaceKinds.has(outer.code.kind);
      innermost = { definition, outer, code: isCode || !isInCode ? definition : outer.code };
      sorted.push(innermost);
    }
    this.#sorted = sorted;
  }

  /** Returns the definitions that contain a byte offset, innermost first. */
  around(offset: number): Definition[] {
    const found: Definition[] = [];
    for (let each = this.#innermost(offset); each !== undefined; each = each.outer) {
      found.push(each.definition);
      if (found.length === maxAround) break;
    }
    return found;
  }

  /**
   * Returns the innermost definition that contains a byte offset and is not a type or namespace, such as a function; if
   * there is none, the innermost type or namespace.
   */
  at(offset: number): Definition | undefined {
    const innermost = this.#innermost(offset);
    if (innermost === undefined) return undefined;
    const { definition, code, outer } = innermost;
    // The name of a definition is not inside it.
    const isName = definition.nameStart <= offset && offset < definition.nameEnd;
    return isName ? outer?.code : code;
  }

  #innermost(offset: number): Enclosing | undefined {
    const sorted = this.#sorted;
    const isBefore = (at: number) => (sorted[at]?.definition.start ?? 0) <= offset;
    let found = sorted[partitionPoint(0, sorted.length, isBefore) - 1];
    while (found !== undefined && found.definition.end <= offset) found = found.outer;
    return found;
  }
}
