import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLinguistAttributes } from "#languages/attributes";

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

// Exponential work would not come to its end here.
test("takes hostile patterns", { timeout: 20_000 }, () => {
  parseLinguistAttributes(`${"*a".repeat(500)} linguist-vendored\n`.repeat(2000))("a".repeat(1000));
});
