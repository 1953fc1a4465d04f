/**
 * An RE2 expression, with everything that a search needs. Each part is computed when it is first read, so that callers
 * pay only for what they use.
 *
 * The JavaScript forms run first, because V8 is fast. V8 backtracks, so an expression that is not `isSafe` runs under a
 * time limit, and falls back to `findLinear`, which no text can make slow. An expression that V8 may take long to
 * compile has no JavaScript form, because no time limit stops a compilation.
 */
import { ServiceError } from "#base/error";
import { escapeRegexp } from "#base/escapeRegexp";
import type { Pattern } from "#query/query";
import { isHarmless } from "./backtracking";
import { compilesQuickly, fewCompileSteps } from "./compileCost";
import { expressionTrigrams } from "./expressionTrigrams";
import { type ClassBudget, compileLinear, type LinearFind, parseSyntax, tooLargeMessage } from "./re2";
import { type LiteralText, requiredLiteral, wholeLiteral } from "./requiredLiteral";
import { classSize, dependsOnOtherLines, programSize, type Syntax } from "./syntax";
import { type ExpressionSource, toAsciiExpression, toUnicodeExpression } from "./translate";
import type { TrigramFormula } from "./trigramFormula";
import { withinLine } from "./withinLine";

/** The sources of JavaScript expressions. A form is absent if V8 might take long to compile it. */
export interface Forms {
  /** For ASCII texts without carriage returns. */
  readonly ascii: ExpressionSource | undefined;
  /** For any text. */
  readonly unicode: ExpressionSource | undefined;
}

export interface Expression {
  readonly source: string;
  readonly caseSensitive: boolean;
  /** Whether a match may contain a newline or depend on the ends of the text; otherwise lines can be searched alone. */
  readonly needsWholeDocument: boolean;
  readonly forms: Forms;
  /** Forms for texts of several lines, in which no match may extend beyond its line. */
  readonly formsOfLine: Forms;
  /** The whole expression, if it is a literal. Folded `k` and `s` also stand for U+212A and U+017F. */
  readonly literal: LiteralText | undefined;
  /** A literal that every match contains, probably the rarest. Folding ASCII letters is enough to find it. */
  readonly required: LiteralText | undefined;
  /** True for every block with a match, or for every document with one if `needsWholeDocument`. */
  readonly trigrams: TrigramFormula;
  /** Whether both forms exist, and backtracking cannot take long on a text of up to 64 KiB. */
  readonly isSafe: boolean;
  /** Finds the first match at or after `from`: `[start, end)` in UTF-16 units. Linear in the length of the text. */
  readonly findLinear: LinearFind;
}

/**
 * The maximum number of instructions of the compiled program. The time of the linear engine is proportional to this
 * number times the length of the text, and V8 rejects expressions that are much larger.
 */
const maxProgramSize = 20_000;
/** `\pL` alone has about 1,300; V8 takes a second to compile a hundred of them. */
const maxClassSize = 40_000;
/** The text length up to which `isSafe` applies, in UTF-16 units. */
const maxSafeLength = 64 * 1024;

/** Throws FAILED_TO_PARSE_QUERY with Go's message, or if the expression is too large. */
export function compileExpression(source: string, caseSensitive: boolean): Expression {
  return new ParsedExpression(source, caseSensitive);
}

class ParsedExpression implements Expression {
  readonly source: string;
  readonly caseSensitive: boolean;
  readonly #syntax: Syntax;
  readonly #parts = new Map<string, unknown>();

  /** Throws as `compileExpression` does. */
  constructor(source: string, caseSensitive: boolean) {
    this.source = source;
    this.caseSensitive = caseSensitive;
    this.#syntax = parseExpression(source, caseSensitive);
  }

  get needsWholeDocument(): boolean {
    return this.#part("needsWholeDocument", dependsOnOtherLines);
  }

  get forms(): Forms {
    return this.#part("forms", formsOf);
  }

  get formsOfLine(): Forms {
    return this.#part("formsOfLine", (syntax) => formsOf(withinLine(syntax)));
  }

  get literal(): LiteralText | undefined {
    return this.#part("literal", wholeLiteral);
  }

  get required(): LiteralText | undefined {
    return this.#part("required", requiredLiteral);
  }

  get trigrams(): TrigramFormula {
    return this.#part("trigrams", expressionTrigrams);
  }

  get isSafe(): boolean {
    const { ascii, unicode } = this.forms;
    return ascii !== undefined && unicode !== undefined && this.isHarmless(maxSafeLength);
  }

  get findLinear(): LinearFind {
    return this.#part("findLinear", () => compileLinear(this.source, this.caseSensitive));
  }

  isHarmless(maxLength: number): boolean {
    return this.#part(`harmless ${maxLength}`, (syntax) => isHarmless(syntax, maxLength));
  }

  /** A form for any text. Absent unless V8 compiles it almost instantly. */
  get cheapForm(): ExpressionSource | undefined {
    return this.#part("cheapForm", (syntax) =>
      compilesQuickly(syntax, "unicode", fewCompileSteps) ? toUnicodeExpression(syntax) : undefined,
    );
  }

  get programSize(): number {
    return this.#part("programSize", programSize);
  }

  #part<Value>(name: string, compute: (syntax: Syntax) => Value): Value {
    if (!this.#parts.has(name)) this.#parts.set(name, compute(this.#syntax));
    return this.#parts.get(name) as Value;
  }
}

function formsOf(syntax: Syntax): Forms {
  return {
    ascii: compilesQuickly(syntax, "ascii") ? toAsciiExpression(syntax) : undefined,
    unicode: compilesQuickly(syntax, "unicode") ? toUnicodeExpression(syntax) : undefined,
  };
}

/** Searches short texts on a thread that must stay responsive. */
export interface TextFinder {
  /** Callers must truncate longer texts, because searching them would block the thread. */
  readonly maxLength: number;
  readonly hasMatch: (text: string) => boolean;
}

/** The limit of instructions times characters for the linear engine and one text: tens of milliseconds. */
const maxLinearWork = 1_000_000;
/** The linear engine compiles a program of this size in a few milliseconds. */
const maxFinderProgram = 2000;

/**
 * Compiles a finder for texts of up to `maxLength` characters, or fewer if the expression is slow. `hasMatch` does not
 * compile anything.
 *
 * Throws as `compileExpression` does, and for an expression that is too large to run on such a thread.
 */
export function textFinder(source: string, caseSensitive: boolean, maxLength: number): TextFinder {
  const expression = new ParsedExpression(source, caseSensitive);
  const form = expression.isHarmless(maxLength) ? expression.cheapForm : undefined;
  if (form !== undefined) {
    const script = new RegExp(form.source, form.flags);
    // V8 compiles on the first run, separately for one-byte and two-byte strings, and optimizes on the second run.
    for (const text of ["", "", "\u{100}", "\u{100}"]) script.test(text);
    return { maxLength, hasMatch: (text) => script.test(text) };
  }
  if (expression.programSize > maxFinderProgram)
    throw new ServiceError("FAILED_TO_PARSE_QUERY", tooLargeMessage);
  const { findLinear } = expression;
  return {
    maxLength: Math.min(maxLength, Math.floor(maxLinearWork / expression.programSize)),
    hasMatch: (text) => findLinear(text, 0) !== undefined,
  };
}

/**
 * Checks the syntax and size of an expression. Throws as `compileExpression` does. The expressions of a query share a
 * budget, because many small ones take as long to parse as a large one.
 */
export function checkExpression(source: string, budget?: ClassBudget): void {
  parseExpression(source, true, budget);
}

const utf8Decoder = new TextDecoder();

/** Returns the trigram formula of a UTF-8 literal. */
export function literalTrigrams(utf8: Uint8Array, caseSensitive: boolean): TrigramFormula {
  const codePoints = Array.from(utf8Decoder.decode(utf8), (character) => character.codePointAt(0) ?? 0);
  return expressionTrigrams({ kind: "literal", codePoints, fold: !caseSensitive });
}

/** Returns an expression that matches exactly this text. */
export const escapeExpression = escapeRegexp;

/** Returns the pattern that matches exactly this text. A line break also matches one with a carriage return. */
export function literalPattern(text: string, caseSensitive: boolean): Pattern {
  if (!text.includes("\n")) return { kind: "literal", text, caseSensitive };
  const source = text.split(/\r?\n/).map(escapeExpression).join("\\r?\\n");
  return { kind: "regexp", source, caseSensitive };
}

/** Returns the source of an expression that matches what the pattern matches. */
export function patternSource(pattern: Pattern): string {
  return pattern.kind === "regexp" ? pattern.source : escapeExpression(pattern.text);
}

function parseExpression(source: string, caseSensitive: boolean, budget?: ClassBudget): Syntax {
  const syntax = parseSyntax(source, caseSensitive, budget);
  if (programSize(syntax) > maxProgramSize || classSize(syntax) > maxClassSize) {
    throw new ServiceError("FAILED_TO_PARSE_QUERY", tooLargeMessage);
  }
  return syntax;
}
