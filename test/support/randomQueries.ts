/** Random queries, and what brute force finds for them. */
import fc from "fast-check";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Query } from "#query/query";
import { type BruteDocument, bruteQuery } from "./bruteForce";

const words = [
  "foo",
  "Foo",
  "bar",
  "s",
  "k",
  "K",
  "\u212a",
  "\u017f",
  "é",
  "É",
  "ß",
  "ẞ",
  "👍",
  " ",
  " ",
  "\n",
  "\n",
  "\r\n",
  "_",
  ".",
];
export const wordText = (maxLength: number) =>
  fc.array(fc.constantFrom(...words), { maxLength }).map((parts) => parts.join(""));
const sources = fc.constantFrom(
  "fo+",
  "^",
  "$",
  "^$",
  "\\b",
  "\\bfoo\\b",
  "\\bs\\b",
  "\\bk_\\b",
  "s",
  "(?i)k",
  "[a-s]+",
  "x*",
  "foo|bar",
  ".",
  "(?s).",
  "\\s+",
  "o\\n",
  "\\Af",
  "\\n\\z",
  "é+",
  "[ßẞ]",
  "oß|oẞ",
  "\\W",
  "[^a-z]",
  "f.*r",
  "(?:foo|Foo)+?",
  "\\.",
  "k$",
);
const patterns = fc.oneof(
  fc.record({
    kind: fc.constant("literal" as const),
    text: wordText(4).filter((text) => text !== ""),
    caseSensitive: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("regexp" as const), source: sources, caseSensitive: fc.boolean() }),
);
const texts: fc.Arbitrary<Query> = fc.record({
  kind: fc.constant("text" as const),
  pattern: patterns,
  where: fc.constantFrom("content" as const, "name" as const, "both" as const),
});

/** Query trees, simplified like those that the service passes. */
export function trees(withRevisions: boolean): fc.Arbitrary<Query> {
  const { tree } = fc.letrec<{ tree: Query; leaf: Query }>((tie) => ({
    leaf: fc.oneof(
      { weight: 6, arbitrary: texts },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("language" as const), names: fc.subarray(["C", "Go"]) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("repositoryIds" as const), ids: fc.subarray([1, 2, 3]) }),
      },
      ...(withRevisions
        ? [
            {
              weight: 2,
              arbitrary: fc.record({
                kind: fc.constant("revision" as const),
                names: fc.subarray(["main", "next", "old", "*", "gone"], { minLength: 1 }),
              }),
            },
          ]
        : []),
    ),
    tree: combined(tie("leaf"), tie("tree"), ["file"]),
  }));
  return tree.map(simplifyQuery);
}

/** Returns leaves, combinations of `tree`, and restrictions of it to a type of result. */
export function combined(
  leaf: fc.Arbitrary<Query>,
  tree: fc.Arbitrary<Query>,
  types: readonly Extract<Query, { readonly kind: "type" }>["type"][],
): fc.Arbitrary<Query> {
  return fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      children: fc.array(tree, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), child: tree }),
    fc.record({ kind: fc.constant("type" as const), type: fc.constantFrom(...types), child: tree }),
  );
}

function mentionsRevision(query: Query): boolean {
  if (query.kind === "revision") return true;
  if (query.kind === "not" || query.kind === "type") return mentionsRevision(query.child);
  return "children" in query && query.children.some(mentionsRevision);
}

/** Computes the expected ranges document by document. Without a revision in the query, only `main` is searched. */
export function expectedLines(documents: readonly BruteDocument[], query: Query): string[] {
  const brute = bruteQuery(query);
  const coversAllRevisions = mentionsRevision(query);
  return documents
    .filter(({ refs }) => coversAllRevisions || refs?.includes("main"))
    .flatMap((document) => {
      const hit = brute(document);
      const where = hit?.where === "name" ? "name " : "";
      return (hit?.ranges ?? []).map(
        ([start, end]) => `${document.repositoryId} ${document.path} ${where}${start}+${end - start}`,
      );
    })
    .sort();
}
