/** Which languages are parsed, and by which grammar. */

/** Linguist's name of a language -> its grammar, a file of `server/grammars`. */
const grammars: Readonly<Record<string, string>> = {
  TypeScript: "typescript",
  TSX: "tsx",
  JavaScript: "javascript",
  Python: "python",
  Go: "go",
  Java: "java",
  C: "c",
  "C++": "cpp",
  Rust: "rust",
};

/** The grammar of a language; undefined where there is none, and for `""`. */
export function grammarOf(language: string): string | undefined {
  return Object.hasOwn(grammars, language) ? grammars[language] : undefined;
}

/** Languages whose definitions are found, as Linguist names them. */
export function languagesWithSymbols(): readonly string[] {
  return Object.keys(grammars);
}
