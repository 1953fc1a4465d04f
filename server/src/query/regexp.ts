/**
 * An RE2 expression, with everything that a search needs of it.
 *
 * The JavaScript expressions run first, because V8 is fast; V8 backtracks, so where an expression is not `safe` they run
 * under a time limit, and what does not end in time goes to `findLinear`, which no text can make slow.
 */
import { ServiceError } from "#base/error";
import { isHarmless } from "./backtracking";
import { expressionTrigrams } from "./expressionTrigrams";
import { compileLinear, type LinearFind, parseSyntax } from "./re2";
import { type LiteralText, requiredLiteral, wholeLiteral } from "./requiredLiteral";
import { classSize, looksBeyondLine, programSize, type Syntax } from "./syntax";
import { type ExpressionSource, toAsciiExpression, toUnicodeExpression } from "./translate";
import type { TrigramFormula } from "./trigramFormula";
import { withinLine } from "./withinLine";

export interface Expression {
  readonly source: string;
  readonly caseSensitive: boolean;
  /** A match may hold or look at a newline, or asks for the ends of the text; else one line at a time is enough. */
  readonly needsWholeDocument: boolean;
  /** For texts of ASCII without carriage return. */
  readonly ascii: ExpressionSource;
  /** For any text. */
  readonly unicode: ExpressionSource;
  /** Both for texts of one line that stand under one another: no match leaves its line. */
  readonly ofLine: () => { readonly ascii: ExpressionSource; readonly unicode: ExpressionSource };
  /** The whole expression, where it is nothing but this text; folded `k` and `s` also stand for U+212A and U+017F. */
  readonly literal?: LiteralText;
  /** Text that stands in every match, the rarest-looking there is; folding ASCII letters is enough to find it. */
  readonly required?: LiteralText;
  /** What the trigrams of every block with a match fulfil; of every document, where that is needed as a whole. */
  readonly trigrams: TrigramFormula;
  /** Backtracking cannot take long on a text of up to 64 KiB. */
  readonly safe: boolean;
  /** The first match at or after `from`, as `[start, end)` in UTF-16 units; takes time linear in the text's length. */
  readonly findLinear: LinearFind;
}

/**
 * Instructions of the compiled program. The linear engine's time is this times the text's length, and V8 refuses
 * expressions that are much larger.
 */
const maxProgramSize = 20_000;
/** `\\pL` alone has some 1 300; V8 takes a second to compile a hundred of it. */
const maxClassSize = 40_000;

/** Throws FAILED_TO_PARSE_QUERY with Go's text, or where the expression is too large. */
export function compileExpression(source: string, caseSensitive: boolean): Expression {
  const syntax = parseExpression(source, caseSensitive);
  const literal = wholeLiteral(syntax);
  const required = requiredLiteral(syntax);
  let linear: LinearFind | undefined;
  return {
    source,
    caseSensitive,
    needsWholeDocument: looksBeyondLine(syntax),
    ascii: toAsciiExpression(syntax),
    unicode: toUnicodeExpression(syntax),
    ofLine() {
      const line = withinLine(syntax);
      return { ascii: toAsciiExpression(line), unicode: toUnicodeExpression(line) };
    },
    ...(literal === undefined ? {} : { literal }),
    ...(required === undefined ? {} : { required }),
    trigrams: expressionTrigrams(syntax),
    safe: isHarmless(syntax),
    findLinear(text, from) {
      linear ??= compileLinear(source, caseSensitive);
      return linear(text, from);
    },
  };
}

/** Throws as `compileExpression` does. */
export function checkExpression(source: string): void {
  parseExpression(source, true);
}

/** The formula of plain text, given as UTF-8. */
export function literalTrigrams(utf8: Uint8Array, caseSensitive: boolean): TrigramFormula {
  const codePoints = Array.from(new TextDecoder().decode(utf8), (character) => character.codePointAt(0) ?? 0);
  return expressionTrigrams({ kind: "literal", codePoints, fold: !caseSensitive });
}

/** An expression that matches exactly this text. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function parseExpression(source: string, caseSensitive: boolean): Syntax {
  const syntax = parseSyntax(source, caseSensitive);
  if (programSize(syntax) > maxProgramSize || classSize(syntax) > maxClassSize) {
    throw new ServiceError("FAILED_TO_PARSE_QUERY", "error parsing regexp: expression too large");
  }
  return syntax;
}
