/** Finds import statements, to tell which import a name comes from. */
import type { Node, QueryMatch } from "web-tree-sitter";
import { importsIn } from "./imports";

export interface ImportStatement {
  /** UTF-16 indices. */
  readonly start: number;
  readonly end: number;
  /** All words of the statement, among them the imported names. */
  readonly words: ReadonlySet<string>;
  /** Its imports, as in `DocumentSymbols.imports`. */
  readonly imports: readonly string[];
}

/** A longer statement is not only an import. */
const maxStatementLength = 4000;
/** Ancestors of an import that contain other statements. */
const container =
  /program|source|module|unit|file|block|body|suite|declarations|statements|_list$|class|function|method|chunk/;
const word = /[\p{L}\p{N}_$]+/gu;

/** Reads the statements from the matches of the definition query. */
export function importStatementsIn(matches: readonly QueryMatch[]): ImportStatement[] {
  const statements: ImportStatement[] = [];
  for (const { captures } of matches) {
    for (const { name, node } of captures) {
      if (name !== "import" && name !== "import.path") continue;
      const { startIndex: start, endIndex: end, text } = statementAround(node);
      const words = new Set(text.match(word) ?? []);
      statements.push({ start, end, words, imports: importsIn(node.text, name === "import.path") });
    }
  }
  return statements;
}

/** Returns the imports that a name may come from. */
export function importsOf(name: string, statements: readonly ImportStatement[]): string[] {
  if (name === "") return [];
  return statements
    .filter(({ words }) => words.has(name))
    .flatMap(({ imports }) => {
      const ownImports = imports.filter((each) => each.split(/::|[./\\]/).at(-1) === name);
      return ownImports.length > 0 ? ownImports : imports;
    });
}

/** Returns the imports that a name of a package may stand for: those with this alias or last segment, if there are any. */
export function importsOfPackage(name: string, statements: readonly ImportStatement[]): readonly string[] {
  const mentioning = statements.filter(({ words }) => words.has(name));
  const named = mentioning.filter(({ words, imports }) => {
    const [alias] = words;
    const lastSegments = imports.map((each) =>
      each
        .replace(/\/v\d+$/, "")
        .split("/")
        .at(-1),
    );
    return alias === name || lastSegments.includes(name);
  });
  return (named.length > 0 ? named : mentioning).flatMap(({ imports }) => imports);
}

function statementAround(node: Node): Node {
  let statement = node;
  for (;;) {
    const { parent } = statement;
    if (parent === null || parent.parent === null || container.test(parent.type)) return statement;
    if (parent.endIndex - parent.startIndex > maxStatementLength) return statement;
    statement = parent;
  }
}
