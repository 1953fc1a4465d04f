/**
 * Packs definitions into columns for transfer between threads, because cloning objects would take as long as parsing.
 */
import { type Definition, type DocumentSymbols, symbolKinds } from "#model/symbol";
import type { ParsedSymbols } from "#symbols/symbols";

export interface PackedSymbols {
  readonly kind: "packed";
  /** One per line; names contain no newlines. */
  readonly names: string;
  readonly owners: string;
  /** `numbersPerDefinition` numbers for each definition, in the order of `pack`. */
  readonly numbers: Int32Array;
  readonly imports: readonly string[];
}

const numbersPerDefinition = 7;

const kindNumbers = new Map(symbolKinds.map((kind, index) => [kind, index]));

export function pack({ definitions, imports }: DocumentSymbols): PackedSymbols {
  const numbers = new Int32Array(definitions.length * numbersPerDefinition);
  let at = 0;
  for (const { kind, nameStart, nameEnd, start, end, parent, isLocal } of definitions) {
    numbers[at++] = kindNumbers.get(kind) ?? 0;
    numbers[at++] = nameStart;
    numbers[at++] = nameEnd;
    numbers[at++] = start;
    numbers[at++] = end;
    numbers[at++] = parent;
    numbers[at++] = isLocal ? 1 : 0;
  }
  return {
    kind: "packed",
    names: definitions.map(({ name }) => name).join("\n"),
    owners: definitions.map(({ owner }) => owner.replaceAll("\n", " ")).join("\n"),
    numbers,
    imports,
  };
}

export function unpack({
  names,
  owners,
  numbers,
  imports,
}: PackedSymbols): Extract<ParsedSymbols, { readonly kind: "parsed" }> {
  if (numbers.length === 0) return { kind: "parsed", definitions: [], imports };
  const ownerOf = owners.split("\n");
  const number = (index: number, column: number) => numbers[index * numbersPerDefinition + column] ?? 0;
  const definitions = names.split("\n").map(
    (name, index): Definition => ({
      name,
      kind: symbolKinds[number(index, 0)] ?? "variable",
      nameStart: number(index, 1),
      nameEnd: number(index, 2),
      start: number(index, 3),
      end: number(index, 4),
      parent: number(index, 5),
      owner: ownerOf[index] ?? "",
      isLocal: number(index, 6) === 1,
    }),
  );
  return { kind: "parsed", definitions, imports };
}
