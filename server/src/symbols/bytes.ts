/** Signs of programs as bytes. */

export const code = (sign: string): number => sign.charCodeAt(0);

export const tab = code("\t");
export const newline = code("\n");
export const blank = code(" ");
export const exclamation = code("!");
export const quote = code('"');
export const hash = code("#");
export const dollar = code("$");
export const apostrophe = code("'");
export const openingParenthesis = code("(");
export const closingParenthesis = code(")");
export const star = code("*");
export const plus = code("+");
export const comma = code(",");
export const minus = code("-");
export const dot = code(".");
export const slash = code("/");
export const semicolon = code(";");
export const equals = code("=");
export const greater = code(">");
export const at = code("@");
export const openingSquare = code("[");
export const backslash = code("\\");
export const closingSquare = code("]");
export const backtick = code("`");
export const openingBrace = code("{");
export const closingBrace = code("}");
