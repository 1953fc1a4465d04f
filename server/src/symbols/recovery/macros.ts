/**
 * Blanks macros that a grammar of C or C++ cannot know: `class API_EXPORT Foo {`, `static int __init f(void)`,
 * `void WINAPI g(void)`. Parsed as names, they would turn classes into functions and functions into errors.
 *
 * They are replaced with as many spaces, so that offsets do not change. A macro is recognized by its form and by the
 * adjacent tokens. A declaration never loses its only type or name.
 */

interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isWord: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const noRange: Range = { start: 0, end: 0 };

/** Returns the same string if there is nothing to blank. */
export function blankMacros(source: string): string {
  const text = withPlainParameters(source);
  const parts: string[] = [];
  let from = 0;
  let lastBlanked = noRange;
  candidate.lastIndex = 0;
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    const start = match.index;
    if (start < from || !mayBeMacro(text, start, candidate.lastIndex) || known.test(match[0])) continue;
    if (isInDirective(text, start)) continue;
    const tokens = tokensAround(text, start, candidate.lastIndex, lastBlanked);
    const after = wordAt + 1 + argumentCount(tokens, wordAt + 1);
    if (!isMacro(tokens, wordAt, after) || isInStatement(tokens[wordAt - 1], text, start)) continue;
    const end = tokens[after - 1]?.end ?? candidate.lastIndex;
    const blanked = text.slice(start, end);
    // Keep anything that begins or ends a comment or a string.
    if (/\/[/*]|\*\/|["'#]/.test(blanked)) continue;
    parts.push(text.slice(from, start), blanked.replace(/[^\r\n]/g, " "));
    from = end;
    const isNext = text.slice(lastBlanked.end, start).trim() === "";
    lastBlanked = { start: isNext ? lastBlanked.start : start, end };
  }
  if (from === 0) return text;
  parts.push(text.slice(from));
  return parts.join("");
}

/** Turns `int f OF((int a));`, which K&R compilers read as `int f();`, into `int f    (int a) ;`. */
function withPlainParameters(text: string): string {
  const parts: string[] = [];
  let from = 0;
  doubled.lastIndex = 0;
  for (let match = doubled.exec(text); match !== null; match = doubled.exec(text)) {
    const start = match.index;
    const inner = doubled.lastIndex - 1;
    if (start < from || isInDirective(text, start)) continue;
    const tokens = tokensAround(text, start, inner - 1, noRange);
    const before = tokens[wordAt - 1];
    const isDeclared =
      before?.text === ")"
        ? !isInStatement(before, text, start)
        : before?.isWord === true && !statements.has(before.text) && isTypeEnd(tokens, wordAt - 2);
    const end = closingParentheses.exec(text.slice(inner, inner + maxLookBehind));
    if (!isDeclared || end === null) continue;
    const close = inner + end[0].length - 1;
    parts.push(text.slice(from, start), " ".repeat(inner - start), text.slice(inner, close), " ");
    from = close + 1;
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/**
 * The start of a macro whose argument is a parenthesized parameter list; and the rest, from the inner parenthesis on.
 */
const doubled = /\b(?:OF|PROTO\w*|PARAMS|ARGS|__P|_?P_?|_)[ \t]*\(\(/g;
const closingParentheses = /^\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*\))*\))*\)\s*\)(?=\s*[;,{])/;

/** Capitals with an underscore, words with typical endings of macros, and annotations of compiler headers and Linux. */
const candidate =
  /\b(?:_*[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]*(?:API|CALL|CALLBACK|DECL|DECLSPEC|ENTRY|EXPORT|EXTERN|IMPORT|INLINE)|__+[a-z]\w*|asmlinkage|noinline\w*|notrace|noinstr|fastcall)\b/g;
/** The candidates that are neither types nor constants. */
const annotation = /^__+[a-z]\w*$|^(?:asmlinkage|noinline\w*|notrace|noinstr|fastcall)$/;
/** Words that the grammar knows, and types. */
const known =
  /^__(?:attribute|attribute__|asm__|asm|volatile__|inline|inline__|const__|restrict|restrict__|extension__|typeof__|typeof|alignof__|declspec|based|cdecl|clrcall|stdcall|fastcall|thiscall|vectorcall|unaligned|try|except|finally|leave|func__|thread|builtin_\w+|[usi]\d+|[bl]e\d+|u?int\d*\w*|\w*_t|\w+128|sum16|wsum|poll_t|kernel_\w+|compat_\w+)$/;
const typeHeads: ReadonlySet<string> = new Set(["class", "struct", "union", "enum"]);
const qualifiers: ReadonlySet<string> = new Set(
  "static inline extern virtual const constexpr typedef friend explicit volatile register mutable __inline __inline__ __always_inline".split(
    " ",
  ),
);
const access: ReadonlySet<string> = new Set(["public", "private", "protected"]);
const afterParameters: ReadonlySet<string> = new Set(["const", "noexcept", "override", "final"]);
const statements: ReadonlySet<string> = new Set(
  "return else do case goto throw new delete sizeof typeof if while for switch break continue default using namespace operator define public private protected template typename co_return co_await co_yield not and or".split(
    " ",
  ),
);
/** No type precedes these. */
const heads: ReadonlySet<string> = new Set(["namespace", "using", "template", "extern", "static_assert"]);

/** A quick check of the adjacent characters: most capitals are constants in expressions or in directives. */
function mayBeMacro(text: string, start: number, end: number): boolean {
  let next = end;
  while (isWhitespace(text.charCodeAt(next))) next++;
  const after = text[next] ?? "";
  if (!/[\w(*&;{}=,)/~#]/.test(after)) return false;
  let last = start - 1;
  while (isWhitespace(text.charCodeAt(last))) last--;
  const before = last < 0 ? ";" : (text[last] ?? "");
  // At the beginning of a line, a comment may precede it.
  if (text.slice(last, start).includes("\n") && /[\w(/}~#]/.test(after)) return true;
  if (/\w/.test(before)) return true;
  return /[;{}=,)]/.test(after) ? /[)\]}]/.test(before) : /[;{}:>*&(\]/]/.test(before);
}

/** Whether an index is in a preprocessor directive, or in a continued line. */
function isInDirective(text: string, offset: number): boolean {
  const near = text.slice(Math.max(0, offset - maxLookBehind), offset);
  const lineStart = near.lastIndexOf("\n") + 1;
  return (
    /^\s*#/.test(near.slice(lineStart)) || /\\\r?\n$/.test(near.slice(Math.max(0, lineStart - 3), lineStart))
  );
}

/** Whether the parenthesis before an index ends a cast or a condition, not parameters. */
function isInStatement(before: Token | undefined, text: string, offset: number): boolean {
  if (before?.text !== ")") return false;
  const near = text.slice(Math.max(0, offset - 200), offset);
  const statement = near.slice(Math.max(...[";", "{", "}"].map((end) => near.lastIndexOf(end))) + 1);
  return /=|^\s*(?:else|if|for|while|switch|return|case)\b/.test(statement);
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Whether the tokens from `index` to `after` can only be a macro in a declaration. */
function isMacro(tokens: readonly Token[], index: number, after: number): boolean {
  const word = tokens[index]?.text ?? "";
  const before = tokens[index - 1];
  const next = tokens[after];
  if (next === undefined) return false;
  if (before !== undefined && typeHeads.has(before.text))
    return next.isWord && /^[{:;<]$|^final$|FINAL$/.test(tokens[after + 1]?.text ?? "");
  // `class A B_FINAL : C {`, and Qt macros at the beginning of a class.
  if (word.endsWith("FINAL") && /^[{:]$/.test(next.text)) return true;
  if (access.has(next.text)) return isDeclarationStart(tokens, index - 1);
  if (before !== undefined && statements.has(before.text)) return false;
  if (heads.has(next.text) || typeHeads.has(next.text)) return !annotation.test(word);
  if (/^[}#]$/.test(next.text)) return before !== undefined && /^[;}]$/.test(before.text);
  const isMark = annotation.test(word) || /(?:CALL|CALLBACK|ENTRY|API)$/.test(word);
  if (before?.text === "(") return isMark && next.text === "*" && isFunctionPointer(tokens, after);
  if (next.isWord && !statements.has(next.text)) return isBeforeName(tokens, index, after, isMark);
  if (annotation.test(word) && next.text === "*") return isTypeEnd(tokens, index - 1);
  return isAfterName(tokens, index, after, word);
}

/** `void WINAPI f(`, `API void f(`, `static int __init f(`: a type and a name remain without it. */
function isBeforeName(tokens: readonly Token[], index: number, after: number, isMark: boolean): boolean {
  if (isTypeEnd(tokens, index - 1))
    return (
      isMark ||
      /^[*&]$/.test(tokens[index - 1]?.text ?? "") ||
      /^(?:\(|::)$/.test(tokens[after + 1]?.text ?? "")
    );
  if (!isDeclarationStart(tokens, index - 1)) return false;
  // The first word is the type itself, unless another one follows.
  const second = tokens[after + 1];
  return second !== undefined && (second.isWord || /^[*&]$|^::$/.test(second.text));
}

/** `int x __initdata = 1;`, `) NOEXCEPT {`, `} __packed;`. */
function isAfterName(tokens: readonly Token[], index: number, after: number, word: string): boolean {
  const before = tokens[index - 1];
  const next = tokens[after]?.text ?? "";
  if (before === undefined || !/^[;{=,)[]$/.test(next)) return false;
  if (before.text === "}") return annotation.test(word) && (next === ";" || next === "=");
  if (afterParameters.has(before.text)) return next === ";" || next === "{" || next === "=";
  if (before.text === ")") return next === ";" || next === "{" || (annotation.test(word) && next !== "[");
  if (before.text === "]") return next !== "[";
  // `unsigned long __f(void) {`
  if (next === "{" && after > index + 1) return false;
  // After a type and a name, this would be a second name.
  return before.isWord && !qualifiers.has(before.text) && next !== "[" && isTypeEnd(tokens, index - 2);
}

/** Whether a type can end with this token. */
function isTypeEnd(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined || token === noToken) return false;
  if (token.isWord)
    return !qualifiers.has(token.text) && !statements.has(token.text) && !typeHeads.has(token.text);
  return /^[*&>]$/.test(token.text);
}

/** Whether a declaration can begin after this token. */
function isDeclarationStart(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return (
    token === undefined || token === noToken || /^[;{}:>]$/.test(token.text) || qualifiers.has(token.text)
  );
}

function isFunctionPointer(tokens: readonly Token[], star: number): boolean {
  return (
    tokens[star + 1]?.isWord === true && tokens[star + 2]?.text === ")" && tokens[star + 3]?.text === "("
  );
}

/** Returns the number of tokens of the arguments, including parentheses; 0 if there are none or too many. */
function argumentCount(tokens: readonly Token[], start: number): number {
  if (tokens[start]?.text !== "(") return 0;
  let depth = 0;
  for (let index = start; index < Math.min(tokens.length, start + 24); index++) {
    const { text } = tokens[index] ?? { text: "" };
    if (text === "(") depth++;
    else if (text === ")" && --depth === 0) return index + 1 - start;
    else if (/^[;{}]$/.test(text)) return 0;
  }
  return 0;
}

/** The index of the word itself in `tokensAround`, after two others, which may be empty. */
const wordAt = 2;
/** The arguments of the macro, and four more tokens. */
const tokensAfter = 28;
const noToken: Token = { start: -1, end: -1, text: "", isWord: false };

function tokensAround(text: string, start: number, end: number, lastBlanked: Range): Token[] {
  const second = tokenBefore(text, start, lastBlanked);
  const first = second === noToken ? noToken : tokenBefore(text, second.start, lastBlanked);
  const tokens = [first, second, { start, end, text: text.slice(start, end), isWord: true }];
  token.lastIndex = end;
  while (tokens.length < wordAt + tokensAfter) {
    const match = token.exec(text);
    if (match === null) break;
    const [, found] = match;
    if (found === undefined) continue;
    const isWord = /^[A-Za-z_]/.test(found);
    tokens.push({ start: token.lastIndex - found.length, end: token.lastIndex, text: found, isWord });
    // The head of a declaration ends here, which keeps most windows short.
    if (/^[;{}]$/.test(found)) break;
  }
  return tokens;
}

/** Bounds the search for the start of a comment or a line, which would otherwise make the scan quadratic. */
const maxLookBehind = 1000;

/** Returns the token before `offset`, skipping comments and the last blanked range; `noToken` after a directive. */
function tokenBefore(text: string, offset: number, lastBlanked: Range): Token {
  let end = offset;
  for (let comments = 0; comments < 8; comments++) {
    while (end > 0 && isWhitespace(text.charCodeAt(end - 1))) end--;
    if (end === lastBlanked.end && end > lastBlanked.start) {
      end = lastBlanked.start;
      continue;
    }
    const near = text.slice(Math.max(0, end - maxLookBehind), end);
    const line = near.slice(near.lastIndexOf("\n") + 1);
    if (/^\s*#/.test(line)) return noToken;
    const lineComment = line.indexOf("//");
    if (lineComment >= 0) end -= line.length - lineComment;
    else if (near.endsWith("*/") && near.includes("/*")) end -= near.length - near.lastIndexOf("/*");
    else break;
  }
  if (end === 0) return noToken;
  let start = end - 1;
  if (!/\w/.test(text[start] ?? "")) return { start, end, text: text.slice(start, end), isWord: false };
  while (start > 0 && end - start < 200 && /\w/.test(text[start - 1] ?? "")) start--;
  const word = text.slice(start, end);
  return { start, end, text: word, isWord: /^[A-Za-z_]/.test(word) };
}

/** Only the capture group is a token; the rest is skipped. */
const token =
  /\s+|\/\/[^\n]{0,1000}|\/\*(?:[^*]|\*(?!\/)){0,1000}(?:\*\/)?|"(?:\\[\s\S]|[^"\\\n]){0,1000}"?|(::|[A-Za-z_]\w*|\d[\w.']*|[^\s\w])/gy;
