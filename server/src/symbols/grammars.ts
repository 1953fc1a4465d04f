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

/** How names are looked up in a language. */
export interface NameRules {
  /** A local counts from its declaration on, and not in all of its scope. */
  readonly isOrdered: boolean;
  /** A second declaration in a scope is a new variable, and not the same one again. */
  readonly redeclares: boolean;
  /** Members are named without `this` inside their class. */
  readonly membersInScope: boolean;
}

const plainRules: NameRules = { isOrdered: false, redeclares: false, membersInScope: false };

const nameRules: Readonly<Record<string, Partial<NameRules>>> = {
  c: { isOrdered: true, membersInScope: true },
  cpp: { isOrdered: true, membersInScope: true },
  go: { isOrdered: true },
  java: { isOrdered: true, membersInScope: true },
  rust: { isOrdered: true, redeclares: true },
};

export function nameRulesOf(grammar: string): NameRules {
  return { ...plainRules, ...nameRules[grammar] };
}

/** The grammar of a language; undefined where there is none, and for `""`. */
export function grammarOf(language: string): string | undefined {
  return Object.hasOwn(grammars, language) ? grammars[language] : undefined;
}

/** Languages whose definitions are found, as Linguist names them. */
export function languagesWithSymbols(): readonly string[] {
  return Object.keys(grammars);
}
