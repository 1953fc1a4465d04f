import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type LinguistAttributes, linguistAttributes, parseLinguistAttributes } from "#languages/attributes";
import { traitsOf } from "#languages/traits";
import { runGit, temporaryFolder } from "#test/support/repo";

const attributes = `
# comments linguist-generated
*.foo linguist-language=Python
*.tpl  linguist-language=jupyter-notebook text
/gen/** linguist-generated
gen/keep.c -linguist-generated
third/*.c linguist-vendored=true
docs/** linguist-documentation=false
"a b/*.c" linguist-language=C++
*.x linguist-language=nonsense
!*.y linguist-generated
folder/ linguist-generated
*.bin binary
`;

const cases: Record<string, object> = {
  "a.foo": { language: "Python" },
  "deep/down/a.foo": { language: "Python" },
  "a.tpl": { language: "Jupyter Notebook" },
  "gen/a/b.c": { isGenerated: true },
  "gen/keep.c": { isGenerated: false },
  "x/gen/a.c": {},
  "third/a.c": { isVendored: true },
  "third/b/a.c": {},
  "docs/a": { isDocumentation: false },
  "a b/x.c": { language: "C++" },
  "a.x": {},
  "a.y": {},
  "folder/a": {},
  "a.bin": {},
};

const attributesOf = parseLinguistAttributes(attributes);
for (const [path, expected] of Object.entries(cases)) {
  test(`attributes of ${path}`, () => assert.deepEqual(attributesOf(path), expected));
}

const traits: readonly (readonly [path: string, attributes: LinguistAttributes, expected: string])[] = [
  ["a.ts", {}, "TypeScript source"],
  ["a.ts", { language: "XML" }, "XML source"],
  ["vendor/a.c", {}, "C vendored"],
  ["vendor/a.c", { isVendored: false }, "C source"],
  ["vendor/test/a.c", { isVendored: false }, "C test"],
  ["test/a.c", { isVendored: true }, "C vendored"],
  ["a.min.js", { isGenerated: false }, "JavaScript source"],
  ["a.js", { isGenerated: true }, "JavaScript generated"],
  ["docs/a.js", { isDocumentation: false }, "JavaScript source"],
  ["test/a.js", { isDocumentation: true }, "JavaScript documentation"],
  ["vendor/a.js", { isVendored: undefined }, "JavaScript vendored"],
];
for (const [path, given, expected] of traits) {
  test(`${path} with ${JSON.stringify(given)}`, () => {
    const { language, category } = traitsOf(path, given, Buffer.from("text"));
    assert.equal(`${language} ${category}`, expected);
  });
}

const names = ["a", "b", "ab", "a.c", "b.c"];
const parts = [...names, "*", "*.c", "?", "**", "a*", "*b", "[ab]", "[!a]", "*.*", "\\a"];
const pattern = fc
  .tuple(fc.constantFrom("", "/"), fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 }))
  .map(([start, words]) => start + words.join("/"));
const attributeLine = fc
  .tuple(
    pattern,
    fc.constantFrom("linguist-vendored", "-linguist-vendored", "!linguist-vendored", "linguist-language=C++"),
  )
  .map((words) => words.join(" "));
const file = fc.array(attributeLine, { maxLength: 4 }).map((lines) => lines.join("\n"));
const folders = ["", "a", "a/b"];
const paths = names.flatMap((one) => [one, ...names.flatMap((two) => [`${one}/${two}`, `a/${one}/${two}`])]);

test("any patterns in nested files apply as in git", () => {
  const root = temporaryFolder();
  runGit(root, ["init", "-q"]);
  mkdirSync(join(root, "a/b"), { recursive: true });
  fc.assert(
    fc.property(fc.tuple(file, file, file), (texts) => {
      const files = folders.map((folder, at) => ({ folder, text: texts[at] ?? "" }));
      for (const { folder, text } of files) writeFileSync(join(root, folder, ".gitattributes"), text);
      const input = Buffer.from(paths.join("\0"));
      const output = runGit(
        root,
        ["check-attr", "-z", "--stdin", "linguist-vendored", "linguist-language"],
        input,
      );
      const words = output.toString("utf8").split("\0");
      const ours = linguistAttributes(files);
      for (let at = 0; at + 2 < words.length; at += 6) {
        const [path = "", , vendored, , , language] = words.slice(at, at + 6);
        const { isVendored, language: ourLanguage } = ours(path);
        const ourVendored = isVendored === undefined ? "unspecified" : isVendored ? "set" : "unset";
        assert.deepEqual([path, ourVendored, ourLanguage ?? "unspecified"], [path, vendored, language]);
      }
    }),
    { numRuns: 200 },
  );
});

// An exponential matcher would time out here.
test("matches hostile patterns in time", { timeout: 20_000 }, () => {
  parseLinguistAttributes(`${"*a".repeat(500)} linguist-vendored\n`.repeat(2000))("a".repeat(1000));
});
