import type { Kernels } from "#kernels/kernels";
import type { Needle } from "#kernels/needle";

import type { Pattern } from "#query/query";
import { compileExpression, type Expression, escapeExpression, literalTrigrams } from "#query/regexp";
import type { ExpressionSource } from "#query/translate";
import type { TrigramFormula } from "#query/trigramFormula";

/** A pattern made ready for one thread: once a search, used on every shard. */
export type CompiledPattern = LiteralPattern | ExpressionPattern;

export interface LiteralPattern {
  readonly kind: "literal";
  readonly needle: Needle;
  readonly trigrams: TrigramFormula;
  readonly needsWholeDocument: boolean;
  /**
   * Also finds U+212A for `k` and U+017F for `s`: what the kernels do not fold. Only blocks that are marked can hold
   * them.
   */
  readonly special: ExpressionPattern | undefined;
}

export interface ExpressionPattern {
  readonly kind: "expression";
  readonly expression: Expression;
  /** Absent where V8 does not take it. */
  readonly ascii: RegExp | undefined;
  readonly unicode: RegExp | undefined;
  /** For names that stand under one another: no match leaves its line. */
  readonly ofLine: (isAscii: boolean) => RegExp | undefined;
  readonly trigrams: TrigramFormula;
  readonly needsWholeDocument: boolean;
  /** Bytes that every match holds: only lines with them are looked at. */
  readonly required: Needle | undefined;
}

/** A shorter required literal stands in nearly every line and would only cost. */
const minRequiredLength = 3;
const newline = "\n";

/** Throws `FAILED_TO_PARSE_QUERY`. */
export function compilePattern(pattern: Pattern, kernels: Kernels): CompiledPattern {
  if (pattern.kind === "literal") return compileLiteral(pattern.text, pattern.caseSensitive, kernels);
  const expression = compileExpression(pattern.source, pattern.caseSensitive);
  const { literal } = expression;
  if (literal !== undefined && literal.text !== "")
    return compileLiteral(literal.text, literal.caseSensitive, kernels);
  return expressionPattern(expression, kernels);
}

function compileLiteral(text: string, caseSensitive: boolean, kernels: Kernels): CompiledPattern {
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  if (text === "" || !(caseSensitive || isAscii))
    return expressionPattern(quoted(text, caseSensitive), kernels);
  return {
    kind: "literal",
    needle: kernels.prepareNeedle(bytes, caseSensitive),
    trigrams: literalTrigrams(bytes, caseSensitive),
    needsWholeDocument: text.includes(newline),
    special:
      !caseSensitive && /[ks]/i.test(text) ? expressionPattern(quoted(text, false), kernels) : undefined,
  };
}

function expressionPattern(expression: Expression, kernels: Kernels): ExpressionPattern {
  const { required } = expression;
  let line: ReturnType<Expression["ofLine"]> | undefined;
  const isUseful =
    required !== undefined && required.text.length >= minRequiredLength && !required.text.includes(newline);
  return {
    kind: "expression",
    expression,
    ascii: forV8(expression.ascii),
    unicode: forV8(expression.unicode),
    ofLine(isAscii) {
      line ??= expression.ofLine();
      return forV8(isAscii ? line.ascii : line.unicode);
    },
    trigrams: expression.trigrams,
    needsWholeDocument: expression.needsWholeDocument,
    required:
      isUseful && !expression.needsWholeDocument
        ? kernels.prepareNeedle(Buffer.from(required.text), required.caseSensitive)
        : undefined,
  };
}

function forV8({ source, flags }: ExpressionSource): RegExp | undefined {
  try {
    return new RegExp(source, `${flags}g`);
  } catch {
    // Too large, or nested too deep; the linear engine takes it.
    return undefined;
  }
}

function quoted(text: string, caseSensitive: boolean): Expression {
  return compileExpression(escapeExpression(text), caseSensitive);
}

/** May run on any text without a guard: a search of these needs none. */
export function isSafePattern(pattern: CompiledPattern): boolean {
  if (pattern.kind === "expression") return pattern.expression.safe;
  return pattern.special === undefined || pattern.special.expression.safe;
}
