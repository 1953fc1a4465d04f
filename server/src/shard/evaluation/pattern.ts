import type { Kernels } from "#kernels/kernels";
import type { Needle } from "#kernels/needle";
import type { Pattern } from "#query/query";
import { compileExpression, type Expression, escapeExpression, literalTrigrams } from "#query/regexp/regexp";
import type { ExpressionSource } from "#query/regexp/translate";
import type { TrigramFormula } from "#query/regexp/trigramFormula";

/** A pattern compiled for one thread: once per search, for all its shards. */
export type CompiledPattern = LiteralPattern | ExpressionPattern;

export interface LiteralPattern {
  readonly kind: "literal";
  readonly needle: Needle;
  readonly trigrams: TrigramFormula;
  readonly needsWholeDocument: boolean;
  /**
   * Also matches U+212A for `k` and U+017F for `s`, which the kernels do not fold. Needed in flagged blocks only, and
   * compiled on first use.
   */
  readonly special: ExpressionPattern | undefined;
  /** Whether the pattern can run on any text without a time limit. */
  readonly isSafe: boolean;
}

export interface ExpressionPattern {
  readonly kind: "expression";
  readonly expression: Expression;
  /** For ASCII text without carriage returns. Absent if V8 cannot compile it. */
  readonly ascii: RegExp | undefined;
  /** For any text. Absent if V8 cannot compile it. */
  readonly unicode: RegExp | undefined;
  /** A form for text with one name per line: matches never span lines. */
  readonly lineForm: (isAscii: boolean) => RegExp | undefined;
  readonly trigrams: TrigramFormula;
  readonly needsWholeDocument: boolean;
  /** Whether the pattern can run on any text without a time limit. */
  readonly isSafe: boolean;
  /** Bytes that every match contains: only lines with them can match. */
  readonly required: Needle | undefined;
  /** The word, if the pattern is one between word boundaries. Valid in text without folding specials. */
  readonly word: Needle | undefined;
}

/** A shorter required literal occurs in nearly every line, so searching for it does not pay off. */
const minRequiredLength = 3;
const newline = "\n";
/** A literal up to this length is always safe. Checking would compile an expression, which is slow on a new thread. */
const maxSafeLiteralLength = 100;
/** In a word, no match is hidden by an overlapping occurrence that is not between boundaries. */
const wholeWord = /^\\b(\w+)\\b$/;

/** Prints the pattern in one line, as `printQuery` does: `"text"` or `/expression/`, with a `c` if case matters. */
export function printPattern(pattern: CompiledPattern): string {
  if (pattern.kind === "literal") {
    const { bytes, caseSensitive } = pattern.needle;
    return JSON.stringify(Buffer.from(bytes).toString()) + (caseSensitive ? "c" : "");
  }
  const { source, caseSensitive } = pattern.expression;
  return `/${source}/${caseSensitive ? "c" : ""}`;
}

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
  const hasSpecials = !caseSensitive && /[ks]/i.test(text);
  let special: ExpressionPattern | undefined;
  const specialPattern = () => {
    if (hasSpecials) special ??= expressionPattern(quoted(text, false), kernels);
    return special;
  };
  let trigrams: TrigramFormula | undefined;
  return {
    kind: "literal",
    needle: kernels.prepareNeedle(bytes, caseSensitive),
    // Computed on first use: documents in memory have no trigrams.
    get trigrams() {
      trigrams ??= literalTrigrams(bytes, caseSensitive);
      return trigrams;
    },
    needsWholeDocument: text.includes(newline),
    get special() {
      return specialPattern();
    },
    get isSafe() {
      return text.length <= maxSafeLiteralLength || (specialPattern()?.isSafe ?? true);
    },
  };
}

function expressionPattern(expression: Expression, kernels: Kernels): ExpressionPattern {
  const { required, forms } = expression;
  const isUseful =
    required !== undefined && required.text.length >= minRequiredLength && !required.text.includes(newline);
  const [, word] = wholeWord.exec(expression.source) ?? [];
  return {
    kind: "expression",
    expression,
    ascii: forV8(forms.ascii),
    unicode: forV8(forms.unicode),
    lineForm: (isAscii) => forV8(isAscii ? expression.formsOfLine.ascii : expression.formsOfLine.unicode),
    get trigrams() {
      return expression.trigrams;
    },
    needsWholeDocument: expression.needsWholeDocument,
    get isSafe() {
      return expression.isSafe;
    },
    required:
      isUseful && !expression.needsWholeDocument
        ? kernels.prepareNeedle(Buffer.from(required.text), required.caseSensitive)
        : undefined,
    word: word === undefined ? undefined : kernels.prepareNeedle(Buffer.from(word), expression.caseSensitive),
  };
}

function forV8(form: ExpressionSource | undefined): RegExp | undefined {
  if (form === undefined) return undefined;
  try {
    return new RegExp(form.source, `${form.flags}g`);
  } catch {
    // The expression is too large or nested too deeply; the linear engine can run it.
    return undefined;
  }
}

function quoted(text: string, caseSensitive: boolean): Expression {
  return compileExpression(escapeExpression(text), caseSensitive);
}
