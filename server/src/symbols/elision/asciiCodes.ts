/** ASCII codes of punctuation and whitespace. */

export const asciiCode = (character: string): number => character.charCodeAt(0);

export const tab = asciiCode("\t");
export const newline = asciiCode("\n");
export const space = asciiCode(" ");
export const exclamation = asciiCode("!");
export const quote = asciiCode('"');
export const hash = asciiCode("#");
export const dollar = asciiCode("$");
export const apostrophe = asciiCode("'");
export const openingParenthesis = asciiCode("(");
export const closingParenthesis = asciiCode(")");
export const star = asciiCode("*");
export const plus = asciiCode("+");
export const comma = asciiCode(",");
export const minus = asciiCode("-");
export const dot = asciiCode(".");
export const slash = asciiCode("/");
export const semicolon = asciiCode(";");
export const equals = asciiCode("=");
export const greater = asciiCode(">");
export const at = asciiCode("@");
export const openingSquare = asciiCode("[");
export const backslash = asciiCode("\\");
export const closingSquare = asciiCode("]");
export const backtick = asciiCode("`");
export const openingBrace = asciiCode("{");
export const closingBrace = asciiCode("}");
