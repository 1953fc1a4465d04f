import type { TrigramFormula } from "#query/regexp/trigramFormula";

/** Prints a formula in one line: `and` by juxtaposition, `or` with bars, a nested `and` in parentheses. */
export function printFormula(formula: TrigramFormula): string {
  switch (formula.kind) {
    case "and":
      return formula.parts.map(printFormula).join(" ");
    case "or":
      return formula.parts
        .map((part) => (part.kind === "and" ? `(${printFormula(part)})` : printFormula(part)))
        .join("|");
    case "trigram": {
      const { value } = formula;
      return `"${String.fromCharCode(value >> 16, (value >> 8) & 0xff, value & 0xff)}"`;
    }
    default:
      return formula.kind;
  }
}
