import assert from "node:assert/strict";
import { test } from "node:test";
import type { RepositoryId } from "#model/repository";
import { importedPackages } from "#service/navigation/importedPackages";
import { repository, viewOf } from "#test/support/service";

const entriesOf: Readonly<Record<string, readonly string[]>> = {
  "pypi/pyyaml@6.0": ["yaml", "_yaml"],
  "pypi/six@1.16.0": ["six.py"],
};
const namespacesOf: Readonly<Record<string, readonly string[]>> = {
  "maven/com.google.code.gson:gson@2.13.2": ["com.google.gson", "com.google.gson.stream"],
  "maven/com.squareup.okhttp3:okhttp@4.12.0": ["okhttp3"],
};
const names = [
  "npm/zod@4.6.7",
  "npm/zod@3.0.0",
  "npm/@s/p@1.0.0",
  "npm/@types/node@22.1.0",
  "npm/@types/s__q@1.0.0",
  "go/github.com/a/b@v1.0.0",
  "cargo/serde-json@1.0.0",
  "pypi/pyyaml@6.0",
  "pypi/six@1.16.0",
  "maven/com.google.code.gson:gson@2.13.2",
  "maven/com.squareup.okhttp3:okhttp@4.12.0",
];
const packages = names.map((name, at) => {
  const entries = entriesOf[name];
  const namespaces = namespacesOf[name];
  return repository(10 + at, name, {
    kind: "package",
    ...(entries === undefined ? {} : { entries }),
    ...(namespaces === undefined ? {} : { namespaces }),
  });
});
/** Uses all packages but the second. */
const dependencies = packages.filter(({ name }) => name !== "npm/zod@3.0.0").map(({ id }) => id);
const app = repository(1, "app", { dependencies });
const view = viewOf([app, repository(2, "other", { dependencies: [11 as RepositoryId] }), ...packages]);

const cases: readonly (readonly [language: string, imports: string, expected: string])[] = [
  ["TypeScript", "zod", "npm/zod@4.6.7"],
  ["TypeScript", "zod/v4 ./zod @s/p/x", "npm/zod@4.6.7 npm/@s/p@1.0.0"],
  ["TypeScript", "zodiac @s/other s", ""],
  ["JavaScript", "node:fs @s/q", "npm/@types/node@22.1.0 npm/@types/s__q@1.0.0"],
  ["Go", "github.com/a/b/c fmt", "go/github.com/a/b@v1.0.0"],
  ["Go", "github.com/a/bc zod", ""],
  ["Rust", "serde_json::Value", "cargo/serde-json@1.0.0"],
  ["Rust", "crate::serde_json", ""],
  ["Python", "yaml.loader six", "pypi/pyyaml@6.0 pypi/six@1.16.0"],
  ["Python", ".yaml pyyaml", ""],
  ["Java", "zod", ""],
  ["Java", "com.google.gson.Gson", "maven/com.google.code.gson:gson@2.13.2"],
  ["Java", "com.google.gson.Gson.Builder", "maven/com.google.code.gson:gson@2.13.2"],
  ["Java", "com.google.gson", "maven/com.google.code.gson:gson@2.13.2"],
  ["Java", "com.google.gson.other.Type com.google.gsonic.Type com.google", ""],
  ["Kotlin", "okhttp3.Request", "maven/com.squareup.okhttp3:okhttp@4.12.0"],
];
for (const [language, imports, expected] of cases) {
  test(`packages that ${language} imports with ${imports}`, () => {
    const code = { repository: app, language, imports: imports.split(" ") };
    assert.equal(
      importedPackages(code, view)
        .map(({ name }) => name)
        .join(" "),
      expected,
    );
  });
}

test("a package imports what is installed for the projects that use it", () => {
  const [zod, older] = packages;
  const found = (from: typeof zod) =>
    from && importedPackages({ repository: from, language: "TypeScript", imports: ["@s/p"] }, view);
  assert.deepEqual(
    found(zod)?.map(({ name }) => name),
    ["npm/@s/p@1.0.0"],
  );
  assert.deepEqual(found(older), []);
});
