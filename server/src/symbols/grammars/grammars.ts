/** The grammars of languages, and their rules for resolving names. */

/** Maps Linguist's name of a language to its grammar, a file in `server/grammars`. */
const grammars: Readonly<Record<string, string>> = {
  C: "c",
  "C#": "c_sharp",
  "C++": "cpp",
  CSS: "css",
  Cuda: "cpp",
  Dart: "dart",
  Elixir: "elixir",
  Go: "go",
  Haskell: "haskell",
  HCL: "hcl",
  HTML: "html",
  Java: "java",
  JavaScript: "javascript",
  JSON: "json",
  "JSON with Comments": "json",
  Julia: "julia",
  Kotlin: "kotlin",
  Lua: "lua",
  "Objective-C": "objc",
  OCaml: "ocaml",
  PHP: "php",
  PowerShell: "powershell",
  Python: "python",
  R: "r",
  Ruby: "ruby",
  Rust: "rust",
  Scala: "scala",
  Shell: "bash",
  Solidity: "solidity",
  Starlark: "python",
  Svelte: "typescript",
  Swift: "swift",
  TOML: "toml",
  TSX: "tsx",
  TypeScript: "typescript",
  Vue: "typescript",
  YAML: "yaml",
  Zig: "zig",
};

/** Data languages: their definitions are only an outline, not referenced from elsewhere. */
const outlines: ReadonlySet<string> = new Set(["CSS", "HTML", "JSON", "JSON with Comments", "TOML", "YAML"]);

/** Returns what is blanked before parsing: macros, or everything outside of `<script>`. */
export function preprocessingOf(language: string): "macros" | "scripts" | undefined {
  if (language === "Vue" || language === "Svelte") return "scripts";
  return ["c", "cpp", "objc"].includes(grammarOf(language) ?? "") ? "macros" : undefined;
}

/** How names are resolved in a language. */
export interface NameRules {
  /** Whether a local is visible only after its declaration, not in all of its scope. */
  readonly isOrdered: boolean;
  /** Whether a second declaration in a scope shadows the first one. */
  readonly redeclares: boolean;
  /** Whether members can be used without `this` inside their class. */
  readonly membersInScope: boolean;
  /** Whether members of an enumeration can be used unqualified in its enclosing scope. */
  readonly enumsAreOpen: boolean;
  /**
   * The node type of variables with a sigil, which have their own namespace: PHP's `$name` is not the function `name`.
   */
  readonly sigilVariable: string | undefined;
  /** Whether `Name` and `name` are the same variable. */
  readonly ignoresCase: boolean;
  /** The operators of member access. */
  readonly memberOperators: readonly string[];
  /** Whether these operators access members only directly after a module name, and mean something else otherwise. */
  readonly qualifiesModulesOnly: boolean;
  /** Whether `Type.new` calls the constructor of the type. */
  readonly constructsWithNew: boolean;
  /** Whether `$` is part of names. In other languages it is a sigil: in Svelte, `$store` refers to `store`. */
  readonly hasDollars: boolean;
  /** Whether types of variables are read from the definitions of the functions that initialize them. */
  readonly infersTypes: boolean;
}

const plainRules: NameRules = {
  isOrdered: false,
  redeclares: false,
  membersInScope: false,
  enumsAreOpen: false,
  sigilVariable: undefined,
  ignoresCase: false,
  memberOperators: ["."],
  qualifiesModulesOnly: false,
  constructsWithNew: false,
  hasDollars: false,
  infersTypes: false,
};

const nameRules: Readonly<Record<string, Partial<NameRules>>> = {
  bash: { isOrdered: true, memberOperators: [] },
  c: { isOrdered: true, membersInScope: true, enumsAreOpen: true, memberOperators: [".", "->"] },
  cpp: { isOrdered: true, membersInScope: true, enumsAreOpen: true, memberOperators: [".", "->", "::"] },
  c_sharp: { isOrdered: true, membersInScope: true },
  css: { memberOperators: [] },
  dart: { isOrdered: true, membersInScope: true },
  elixir: { isOrdered: true, redeclares: true },
  go: { isOrdered: true, infersTypes: true },
  haskell: { isOrdered: true, qualifiesModulesOnly: true },
  hcl: { memberOperators: [] },
  html: { memberOperators: [] },
  java: { isOrdered: true, membersInScope: true, enumsAreOpen: true, memberOperators: [".", "::"] },
  kotlin: { isOrdered: true, membersInScope: true, memberOperators: [".", "::"] },
  lua: { isOrdered: true, redeclares: true, memberOperators: [".", ":"] },
  objc: { isOrdered: true, enumsAreOpen: true, memberOperators: [".", "->"] },
  ocaml: { isOrdered: true },
  php: { sigilVariable: "variable_name", memberOperators: ["->", "::"] },
  powershell: {
    isOrdered: true,
    ignoresCase: true,
    sigilVariable: "variable",
    memberOperators: [".", "::"],
  },
  r: { isOrdered: true, memberOperators: ["::", "$", "@"] },
  ruby: { isOrdered: true, membersInScope: true, memberOperators: [".", "::"], constructsWithNew: true },
  rust: { isOrdered: true, redeclares: true, memberOperators: [".", "::"] },
  scala: { isOrdered: true, membersInScope: true },
  solidity: { isOrdered: true, membersInScope: true },
  swift: { isOrdered: true, membersInScope: true },
  zig: { isOrdered: true },
};

const languagesWithDollars: ReadonlySet<string> = new Set(["Java", "JavaScript", "TSX", "TypeScript", "Vue"]);

export function nameRulesOf(language: string): NameRules {
  const hasDollars = languagesWithDollars.has(language);
  return { ...plainRules, ...nameRules[grammarOf(language) ?? ""], hasDollars };
}

/** Returns the grammar of a language, if there is one. */
export function grammarOf(language: string): string | undefined {
  return Object.hasOwn(grammars, language) ? grammars[language] : undefined;
}

/** Whether definitions of a language can be referenced from elsewhere. Data languages have only an outline. */
export function definesNames(language: string): boolean {
  return grammarOf(language) !== undefined && !outlines.has(language);
}

/** Returns the parsed languages, by their names in Linguist. */
export function parsedLanguages(): readonly string[] {
  return Object.keys(grammars);
}
