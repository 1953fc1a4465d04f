/** The order of fuzzy matches for typed letters. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Engine } from "#engine/engine";
import { openEngine, openIndex } from "#test/support/engines";
import { addSymbols } from "#test/support/testLanguage";

const signal = new AbortController().signal;

/** Maps typed letters to names in the expected order. */
const rows: Readonly<Record<string, readonly string[]>> = {
  nfs: ["NFS", "nfsd", "NewFlagSet", "NoFairShare", "NewFlagSetError", "xNfs", "CallClientReconfScript"],
  chm: ["chmod", "ConcurrentHashMap", "ConcurrentHashMapTest", "ConcurrentHeapOfMaps", "archMode"],
  cmc: ["createMessageConnection", "cManyMoreClosed", "acmcount"],
  addcmd: ["addcmds", "AddCommand", "AddConfigMakesProjectDirty", "ACL_DENIED_CMD"],
  createslce: ["createSlice", "createSelectorFunctionCreated"],
  createSlice: ["createSlice", "createslice", "CreateSliceOptions"],
  conmap: ["ConMap", "ConcurrentHashMap", "fal_ConMap", "falconmap", "CommonMap"],
  jp: ["jpeg", "JSONPath", "JsonParser", "JsonParserBase"],
  hm: ["HashMap", "HashMapEntry", "HashTreeMap"],
  yz: ["Yes2Zoo"],
};

let engine: Engine;

before(async () => {
  const names = [...new Set(Object.values(rows).flat())];
  // How well a name matches outweighs its kind and its category.
  const documents = ["source", "test", "vendored"].map((category, part) => ({
    path: `${category}.go`,
    language: "Go",
    category: category as "source" | "test" | "vendored",
    content: names
      .filter((_, at) => at % 3 === part)
      .map((name, at) => `${at % 2 === 0 ? "field" : "class"} ${name}\n`)
      .join(""),
  }));
  const directory = await openIndex([
    { id: 1, segments: [documents.slice(0, 2)] },
    { id: 2, segments: [documents.slice(2)] },
  ]);
  await addSymbols(directory);
  ({ engine } = openEngine(directory, { workerCount: 2 }));
});

after(() => engine.close());

for (const [text, expected] of Object.entries(rows)) {
  test(`${text} finds ${expected[0]} first`, async () => {
    const name = { kind: "fuzzy", text, caseSensitive: false } as const;
    const where = { repositories: "all", revisions: [], unsaved: [], preferred: [] } as const;
    const { symbols } = await engine.findSymbols({ name, withLocals: true, limit: 100, ...where }, signal);
    const found = symbols.map((symbol) => symbol.name);
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(
      found.filter((each) => expected.includes(each)),
      expected,
    );
  });
}
