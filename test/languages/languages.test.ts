import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { categorize, testPathExpression } from "#languages/categorize";
import { languageNames, nearestLanguages, resolveLanguage } from "#languages/languages";
import { compileLinear } from "#query/regexp/re2";

const names: Record<string, string | undefined> = {
  TypeScript: "TypeScript",
  typescript: "TypeScript",
  js: "JavaScript",
  "c++": "C++",
  CPP: "C++",
  "c#": "C#",
  "jupyter notebook": "Jupyter Notebook",
  "jupyter-notebook": "Jupyter Notebook",
  " go ": "Go",
  golang: "Go",
  kt: "Kotlin",
  ".rs": "Rust",
  constructor: undefined,
  "": undefined,
  nonsense: undefined,
};

for (const [text, name] of Object.entries(names)) {
  test(`resolves ${text}`, () => assert.equal(resolveLanguage(text), name));
}

test("suggests similar names", () => {
  assert.equal(nearestLanguages("typscript")[0], "TypeScript");
  assert.equal(nearestLanguages("golnag")[0], "Go");
  assert.deepEqual(nearestLanguages("nothing like it"), []);
  assert.ok(languageNames().includes("Rust"));
});

test("the tables are up to date with linguist-languages", async () => {
  const root = process.cwd();
  const script = pathToFileURL(join(root, "scripts/languageData.mjs")).href;
  const { languageData } = (await import(script)) as { languageData: () => Promise<string> };
  const written = readFileSync(join(root, "server/src/languages/generated/languages.json"), "utf8");
  assert.ok((await languageData()) === written, "run: node scripts/languageData.mjs");
});

const categories: Record<string, string> = {
  "src/main.ts": "source",
  "src/latest.ts": "source",
  "src/contest.java": "source",
  "src/Contest.java": "source",
  "src/testing.go": "source",
  "src/document.ts": "source",
  "src/main_test.go": "test",
  "src/a.spec.ts": "test",
  "src/FooTest.java": "test",
  "test/a.ts": "test",
  "tests/README.md": "test",
  "src/__tests__/a.js": "test",
  "test_a.py": "test",
  README: "documentation",
  "README.md": "documentation",
  "docs/a.js": "documentation",
  "a/LICENSE.txt": "documentation",
  "CMakeLists.txt": "source",
  "requirements.txt": "source",
  "package-lock.json": "generated",
  "yarn.lock": "generated",
  "api/a.pb.go": "generated",
  "dist/a.js": "generated",
  "a.min.js": "generated",
  "node_modules/a/test/b.js": "vendored",
  "Third_Party/a.c": "vendored",
  "js/jquery-3.1.0.js": "vendored",
};

for (const [path, category] of Object.entries(categories)) {
  test(`category of ${path}`, () => assert.equal(categorize(path), category));
}

test("the expression for paths of tests matches those that are categorized as tests", () => {
  const find = compileLinear(testPathExpression, true);
  const paths = [
    ...Object.keys(categories).filter((path) => !path.startsWith("node_modules/")),
    ...[
      "Test/a.ts",
      "a/E2E/b.ts",
      "conftest.py",
      "a/conftest.py",
      "conftest.pyc",
      "a/test.d/b.ts",
      "a/test_x/b.ts",
    ],
    ...["src/test-a.b.js", "a_test/b.ts", "a.test/b.ts", "x/aTest.kt", "atest.kt"],
    ...["src/test/java/Retry.java", "Shop.Tests/CartTests.cs", "contest/a.ts", "src/protest.go", "Latest.cs"],
  ];
  for (const path of paths) {
    assert.equal(find(path, 0) !== undefined, categorize(path) === "test", path);
  }
});
