/**
 * The query tree, independent of shards and repositories.
 *
 * `and` and `or` apply to documents. A tree is plain data: it is cloned to workers, and `print.ts` prints it.
 * `parser/parse.ts` describes the grammar and the prefixes.
 */

/** What to search for in a text: a literal, or an RE2 expression. */
export type Pattern =
  | { readonly kind: "literal"; readonly text: string; readonly caseSensitive: boolean }
  | { readonly kind: "regexp"; readonly source: string; readonly caseSensitive: boolean };

/** `name` is the path; `both` prefers content if both match. */
export type TextScope = "content" | "name" | "both";

export type Query =
  | { readonly kind: "const"; readonly value: boolean }
  | { readonly kind: "and"; readonly children: readonly Query[] }
  | { readonly kind: "or"; readonly children: readonly Query[] }
  | { readonly kind: "not"; readonly child: Query }
  | { readonly kind: "text"; readonly pattern: Pattern; readonly where: TextScope }
  | { readonly kind: "symbol"; readonly pattern: Pattern }
  /** Names as in Linguist. */
  | { readonly kind: "language"; readonly names: readonly string[] }
  /** A union of short or full ref names, globs, commit SHAs and `HEAD`; `*` is every indexed revision. */
  | { readonly kind: "revision"; readonly names: readonly string[] }
  /**
   * Results of the child are file names (`file`), repositories (`repo`), or symbols only. `commit` occurs only at the
   * root: its child is about commits, and no engine sees it.
   */
  | { readonly kind: "type"; readonly type: "file" | "symbol" | "repo" | "commit"; readonly child: Query }
  // The next two are about commits. Text is searched in messages, authors in `Name <email>`.
  | { readonly kind: "author"; readonly pattern: Pattern }
  /** A commit date as written, inclusive. */
  | { readonly kind: "committed"; readonly bound: "since" | "until"; readonly date: string }
  // The rest is about repositories: the service replaces these nodes before an engine sees the tree.
  | { readonly kind: "repository"; readonly pattern: Pattern }
  | { readonly kind: "repositorySet"; readonly names: readonly string[] }
  | { readonly kind: "context"; readonly name: string }
  | {
      readonly kind: "flag";
      readonly flag: "archived" | "fork" | "dependencies";
      readonly value: "yes" | "no" | "only";
    }
  /** Repositories with any of these topics, in lower case. */
  | { readonly kind: "topic"; readonly names: readonly string[] }
  | { readonly kind: "visibility"; readonly value: "public" | "private" | "any" }
  /** What replaces the nodes about repositories: their ids, ascending. */
  | { readonly kind: "repositoryIds"; readonly ids: readonly number[] };
