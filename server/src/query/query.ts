/**
 * A query as a tree: what a person asks, without any knowledge of shards or repositories.
 *
 * `and` and `or` work on documents. A tree is plain data: it is cloned to workers and printed by `print.ts`.
 * Grammar and prefixes: `parse.ts`.
 */

/** What to look for in a text: bytes as they stand, or an RE2 expression. */
export type Pattern =
  | { readonly kind: "literal"; readonly text: string; readonly caseSensitive: boolean }
  | { readonly kind: "regexp"; readonly source: string; readonly caseSensitive: boolean };

/** `name` is the path; `both` prefers content where both match. */
export type Where = "content" | "name" | "both";

export type Query =
  | { readonly kind: "const"; readonly value: boolean }
  | { readonly kind: "and"; readonly children: readonly Query[] }
  | { readonly kind: "or"; readonly children: readonly Query[] }
  | { readonly kind: "not"; readonly child: Query }
  | { readonly kind: "text"; readonly pattern: Pattern; readonly where: Where }
  | { readonly kind: "symbol"; readonly pattern: Pattern }
  /** Linguist's names. */
  | { readonly kind: "language"; readonly names: readonly string[] }
  /** Short or full ref names, globs, commit SHAs, `HEAD`; `*` is every indexed one. A union. */
  | { readonly kind: "revision"; readonly names: readonly string[] }
  /**
   * Everything below gives names of files (`file`), of repositories (`repo`), or symbols only. `commit` stands at the
   * root alone: its child is about commits, and no engine sees it.
   */
  | { readonly kind: "type"; readonly type: "file" | "symbol" | "repo" | "commit"; readonly child: Query }
  // The next two are about commits. Texts are looked for in messages, authors in `Name <e-mail>`.
  | { readonly kind: "author"; readonly pattern: Pattern }
  /** A commit date as it was written, itself included. */
  | { readonly kind: "committed"; readonly bound: "since" | "until"; readonly date: string }
  // The rest is about repositories: the service answers it from the catalogue before an engine sees the tree.
  | { readonly kind: "repository"; readonly pattern: Pattern }
  | { readonly kind: "repositorySet"; readonly names: readonly string[] }
  | { readonly kind: "context"; readonly name: string }
  | { readonly kind: "flag"; readonly flag: "archived" | "fork"; readonly value: "yes" | "no" | "only" }
  | { readonly kind: "visibility"; readonly value: "public" | "private" | "any" }
  /** What the kinds about repositories become: ids, ascending. */
  | { readonly kind: "repositoryIds"; readonly ids: readonly number[] };
