import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { foldName } from "#base/foldCase";
import type { Engine, FoundSymbol, SymbolName } from "#engine/engine";
import { openEngine, openIndex } from "#test/support/engines";
import { addSymbols } from "#test/support/testLanguage";

const signal = new AbortController().signal;

/** Few letters, so that most texts occur in some names: as a prefix, a substring, or a subsequence. */
const letters = ["a", "B", "b", "c", "_", "7", "é", "名"];
const nameCount = 2000;

/** Random names, the same in each run. */
const names = Array.from({ length: nameCount }, (_, seed) => {
  let state = seed + 1;
  const length = 2 + (seed % 9);
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[(state >>> 16) % letters.length] ?? "";
  }).join("");
});

let engine: Engine;

before(async () => {
  const documents = Array.from({ length: 6 }, (_, at) => ({
    path: `${at % 2 === 0 ? "source" : "test"}${at}.go`,
    language: "Go",
    category: at % 2 === 0 ? ("source" as const) : ("test" as const),
    content: names
      .filter((_, index) => index % 6 === at)
      .map((name, index) => `${index % 3 === 0 ? "class" : "field"} ${name}\n`)
      .join(""),
  }));
  const directory = await openIndex([
    { id: 1, segments: [documents.slice(0, 3)] },
    { id: 2, segments: [documents.slice(3, 4), { documents: documents.slice(4), overrides: [] }] },
  ]);
  await addSymbols(directory);
  ({ engine } = openEngine(directory, { workerCount: 2 }));
});

after(() => engine.close());

async function found(kind: SymbolName["kind"], text: string, limit: number): Promise<readonly FoundSymbol[]> {
  const name = { kind, text, caseSensitive: false };
  const where = { repositories: "all", revisions: [], unsaved: [], preferred: [] } as const;
  const { symbols } = await engine.findSymbols({ name, withLocals: true, limit, ...where }, signal);
  return symbols;
}

/** Reports whether `text` is a subsequence of the name. */
function containsInOrder(name: string, text: string): boolean {
  let at = 0;
  for (const letter of name) if (letter === [...text][at]) at++;
  return at === [...text].length;
}

const matches: Readonly<Record<SymbolName["kind"], (name: string, text: string) => boolean>> = {
  exact: (name, text) => name === text,
  prefix: (name, text) => name.startsWith(text),
  fuzzy: containsInOrder,
};

const texts = fc
  .array(fc.constantFrom(...letters), { minLength: 3, maxLength: 6 })
  .map((chosen) => chosen.join(""));

test("finds every name that matches, and no other", async () => {
  const kinds = fc.constantFrom("exact", "prefix", "fuzzy");
  await fc.assert(
    fc.asyncProperty(kinds, texts, async (kind, text) => {
      const expected = names.filter((name) => matches[kind](foldName(name), foldName(text)));
      const symbols = await found(kind, text, nameCount);
      assert.deepEqual(symbols.map(({ name }) => name).sort(), expected.sort());
    }),
  );
});

test("a limited result is a prefix of the complete one", async () => {
  const key = ({ document, name, range }: FoundSymbol) =>
    `${document.path} ${name} ${range.start.byteOffset}`;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...letters), fc.integer({ min: 1, max: 30 }), async (text, limit) => {
      const all = await found("prefix", text, nameCount);
      const best = await found("prefix", text, limit);
      assert.deepEqual(best.map(key), all.map(key).slice(0, limit));
    }),
  );
});
