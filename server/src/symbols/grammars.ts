/** Which languages are parsed, and by which grammar. */

/** Linguist's name of a language -> its grammar, a file of `server/grammars`. */
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

/** Languages of data: what they define is an outline, and no name that is used elsewhere. */
const outlines: ReadonlySet<string> = new Set(["CSS", "HTML", "JSON", "JSON with Comments", "TOML", "YAML"]);

/** What is taken out of a text before it is parsed: macros, or everything that is not in a script. */
export function preparationOf(language: string): "macros" | "scripts" | undefined {
  if (language === "Vue" || language === "Svelte") return "scripts";
  return ["c", "cpp", "objc"].includes(grammarOf(language) ?? "") ? "macros" : undefined;
}

/** How names are looked up in a language. */
export interface NameRules {
  /** A local counts from its declaration on, and not in all of its scope. */
  readonly isOrdered: boolean;
  /** A second declaration in a scope is a new variable, and not the same one again. */
  readonly redeclares: boolean;
  /** Members are named without `this` inside their class. */
  readonly membersInScope: boolean;
  /** What stands between a value, a type or a module and the name of a member of it. */
  readonly memberSigns: readonly string[];
  /** These are signs only between the name of a module and a name right behind: others have another meaning. */
  readonly modulesAlone: boolean;
}

const plainRules: NameRules = {
  isOrdered: false,
  redeclares: false,
  membersInScope: false,
  memberSigns: ["."],
  modulesAlone: false,
};

const nameRules: Readonly<Record<string, Partial<NameRules>>> = {
  bash: { memberSigns: [] },
  c: { isOrdered: true, membersInScope: true, memberSigns: [".", "->"] },
  cpp: { isOrdered: true, membersInScope: true, memberSigns: [".", "->", "::"] },
  css: { memberSigns: [] },
  go: { isOrdered: true },
  haskell: { modulesAlone: true },
  hcl: { memberSigns: [] },
  html: { memberSigns: [] },
  java: { isOrdered: true, membersInScope: true, memberSigns: [".", "::"] },
  rust: { isOrdered: true, redeclares: true, memberSigns: [".", "::"] },
  c_sharp: { isOrdered: true, membersInScope: true },
  kotlin: { isOrdered: true, membersInScope: true, memberSigns: [".", "::"] },
  lua: { memberSigns: [".", ":"] },
  objc: { isOrdered: true, memberSigns: [".", "->"] },
  php: { memberSigns: ["->", "::"] },
  powershell: { memberSigns: [".", "::"] },
  r: { memberSigns: ["::", "$", "@"] },
  ruby: { memberSigns: [".", "::"] },
  scala: { isOrdered: true, membersInScope: true },
};

export function nameRulesOf(grammar: string): NameRules {
  return { ...plainRules, ...nameRules[grammar] };
}

/** Whether `$` is a letter of names; a sign before them in others, as in Svelte: `$store` is a use of `store`. */
export function hasDollars(language: string): boolean {
  return ["Java", "JavaScript", "TSX", "TypeScript", "Vue"].includes(language);
}

/** The grammar of a language; undefined where there is none, and for `""`. */
export function grammarOf(language: string): string | undefined {
  return Object.hasOwn(grammars, language) ? grammars[language] : undefined;
}

/** Whether what a language defines is looked up from elsewhere; data has an outline alone. */
export function definesNames(language: string): boolean {
  return grammarOf(language) !== undefined && !outlines.has(language);
}

/** Languages that are parsed, as Linguist names them. */
export function parsedLanguages(): readonly string[] {
  return Object.keys(grammars);
}
