/** The translation of queries into Zoekt's query text, which no text of a user can change the structure of. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { zoektQuery } from "#engine/zoekt/zoektQuery";
import type { Query } from "#query/query";
import { foldingOrbit } from "#query/regexp/re2";
import { literal, regexp } from "#test/support/engines";
import { trees } from "#test/support/randomQueries";
import { temporaryFolder } from "#test/support/repo";
import { parseZoektQuery } from "#test/support/zoektDouble";
import { hasZoekt, type RunningZoekt, serveZoekt, withoutZoekt } from "#test/support/zoektPrograms";

const names = { repositoryName: (id: number) => `host.test/group/repo${id}` };
const translate = (query: Query) => zoektQuery(query, names);
const anything: Query = { kind: "const", value: true };
const not = (child: Query): Query => ({ kind: "not", child });

const table: readonly (readonly [query: Query, text: string | undefined])[] = [
  [literal("foo"), 'branch:"HEAD" ( case:no content:"foo" )'],
  [literal("a.b", { caseSensitive: true, where: "name" }), 'branch:"HEAD" ( case:yes file:"a\\\\.b" )'],
  [literal('" or -(', { where: "both" }), 'branch:"HEAD" ( case:no regex:"\\" or -\\\\(" )'],
  [regexp("fo+|bar"), 'branch:"HEAD" ( case:yes content:"f(?:o)+|bar" )'],
  [regexp("(?i)foo"), 'branch:"HEAD" ( case:no content:"FOO" )'],
  // Matches the empty text, so it filters nothing.
  [regexp("x*"), 'branch:"HEAD"'],
  [literal("k"), 'branch:"HEAD" ( case:no content:"[\\\\x{4b}\\\\x{6b}\\\\x{212a}]" )'],
  [not(literal("a.c", { where: "name" })), 'branch:"HEAD" -( ( case:no file:"a\\\\.c" ) )'],
  [
    not(literal("foo")),
    'branch:"HEAD" ( -( ( case:no content:"foo" ) ) or ( case:yes content:"NOT-INDEXED: " ) )',
  ],
  [{ kind: "language", names: ["C++", "Go"] }, 'branch:"HEAD" ( lang:"C++" or lang:"Go" )'],
  [
    { kind: "and", children: [literal("foo"), { kind: "revision", names: ["next"] }] },
    '( ( case:no content:"foo" ) )',
  ],
  [{ kind: "revision", names: ["next"] }, "( )"],
  [{ kind: "const", value: false }, undefined],
  [{ kind: "repositoryIds", ids: [7] }, 'branch:"HEAD" repo:"\\\\A(?:host\\\\.test/group/repo7)\\\\z"'],
];

for (const [query, text] of table) test(text ?? "nothing", () => assert.equal(translate(query), text));

/** Any text of a user, with many signs that mean something to Zoekt. */
const userText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'"\\()-|*+?.^$[]{} \t\n:,/or', " or ", "case:yes", "type:repo", "r:"),
      fc.string({ unit: "binary" }),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""))
  .filter((text) => text !== "");
const userQuery: fc.Arbitrary<Query> = fc
  .tuple(
    userText,
    fc.boolean(),
    fc.constantFrom("content" as const, "name" as const, "both" as const),
    fc.boolean(),
  )
  .map(([text, caseSensitive, where, isNegated]): Query => {
    const leaf = literal(text, { caseSensitive, where });
    return isNegated ? not(leaf) : leaf;
  });

/** Two queries that differ only in what the user typed have the same structure. */
function structureOf(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '"…"').replace(/case:\w+/g, "case:…");
}

/**
 * Whether the translation matches more, and is not negated: the replacement character also stands for invalid UTF-8, and a
 * class with both cases of a letter has a third character if these take different numbers of bytes.
 */
function matchesMore({ text, caseSensitive }: { readonly text: string; readonly caseSensitive: boolean }) {
  const isMisread = (letter: string) => {
    const cases = foldingOrbit(letter.codePointAt(0) ?? 0).map((each) => String.fromCodePoint(each));
    return (
      letter > "\x7f" &&
      cases.length === 2 &&
      new Set(cases.map((each) => Buffer.byteLength(each))).size === 2
    );
  };
  return Buffer.from(text).includes("\u{fffd}") || (!caseSensitive && [...text].some(isMisread));
}

test("no text of a user changes the structure of the query", () => {
  fc.assert(
    fc.property(userQuery, (query) => {
      const leaf = query.kind === "not" ? query.child : query;
      if (leaf.kind !== "text") return;
      const plain = literal("plain", { where: leaf.where });
      const isVague = leaf.pattern.kind === "literal" && matchesMore(leaf.pattern);
      const expected = query.kind === "not" ? (isVague ? anything : not(plain)) : plain;
      const text = translate(query) ?? "";
      assert.equal(structureOf(text), structureOf(translate(expected) ?? ""));
      parseZoektQuery(text);
    }),
    { numRuns: 500 },
  );
});

test("the double parses every translation", () => {
  fc.assert(
    fc.property(trees(true), (query) => {
      const text = translate(query);
      if (text !== undefined) parseZoektQuery(text);
    }),
    { numRuns: 500 },
  );
});

describe(`parsed by Zoekt${withoutZoekt}`, { skip: !hasZoekt }, () => {
  let zoekt: RunningZoekt;
  before(async () => {
    zoekt = await serveZoekt(temporaryFolder());
  });
  after(() => zoekt.stop());
  const accepts = async (text: string) => {
    const response = await fetch(`${zoekt.url}/api/search`, {
      method: "POST",
      body: JSON.stringify({ Q: text }),
    });
    assert.equal(response.status, 200, `${text}\n${await response.text()}`);
  };

  test("what a user types", () =>
    fc.assert(
      fc.asyncProperty(userQuery, async (query) => accepts(translate(query) ?? "( )")),
      { numRuns: 60 },
    ));

  test("any query", () =>
    fc.assert(
      fc.asyncProperty(trees(true), async (query) => accepts(translate(query) ?? "( )")),
      { numRuns: 60 },
    ));

  test("any expression", () =>
    fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[a-c.|*+?()[\]{}\\^$dwsbBAzQE0-9:,-]{1,15}$/).filter(isExpression),
        async (source) => accepts(translate(regexp(source)) ?? "( )"),
      ),
      { numRuns: 60 },
    ));
});

function isExpression(source: string): boolean {
  try {
    translate(regexp(source));
    return true;
  } catch {
    return false;
  }
}
