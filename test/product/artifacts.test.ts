/** What users see of the artifacts that a project for the JVM uses: their sources are in archives. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { RepositoryItem } from "#contract/repositories";
import type { SymbolResult } from "#contract/symbols";
import { eventually } from "#test/support/eventually";
import { jar } from "#test/support/jar";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const folder = temporaryFolder();
const gradleHome = temporaryFolder();
repo(
  `= main: One
gradle.lockfile
| com.example:shapes:1.0=runtimeClasspath
| com.example:other:2.0=runtimeClasspath
src/main/java/app/App.java
| package app;
|
| import com.example.shapes.Shape;
|
| class App { Shape mine; }
src/main/kotlin/app/Tool.kt
| package app
|
| import com.example.shapes.Shape
|
| val tool: Shape? = null
`,
  { path: join(folder, "app") },
);

let served: Served;

before(async () => {
  const cached = (artifact: string, version: string, files: Readonly<Record<string, string>>) => {
    const path = join(gradleHome, "caches/modules-2/files-2.1/com.example", artifact, version, "1f");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `${artifact}-${version}-sources.jar`), jar(files));
  };
  cached("shapes", "1.0", {
    "com/example/shapes/Shape.java": "package com.example.shapes;\n\npublic class Shape {}\n",
  });
  cached("other", "2.0", { "com/example/other/Shape.java": "package com.example.other;\nclass Shape {}\n" });
  served = await serve(join(temporaryFolder(), "data"), [folder], { env: { GRADLE_USER_HOME: gradleHome } });
  await served.ready();
  await eventually(async () => {
    const packages = await get<RepositoryItem[]>("repos?dependencies=only");
    return (
      packages.length === 2 && packages.every(({ state, symbolsReady }) => state === "ready" && symbolsReady)
    );
  });
});
after(() => served.kill());

async function get<Result>(path: string): Promise<Result> {
  return (await (await fetch(`${served.url}/api/${path}`)).json()) as Result;
}

test("artifacts are searched by name, and their files are read like others", async () => {
  const { files } = await served.search("repo:maven/com.example:shapes class Shape");
  const found = files.map(({ repository, fileName }) => `${repository} ${fileName.text}`);
  assert.deepEqual(found, ["maven/com.example:shapes@1.0 com/example/shapes/Shape.java"]);
  const { files: all } = await served.search("repo:maven/ class Shape");
  assert.equal(all.length, 2);
  const repository = encodeURIComponent("maven/com.example:shapes@1.0");
  const { source } = await get<{ source: string }>(
    `source?repo=${repository}&path=com/example/shapes/Shape.java`,
  );
  assert.equal(source, "package com.example.shapes;\n\npublic class Shape {}\n");
});

const origins = [
  { path: "src/main/java/app/App.java", lineNumber: 5, column: 13 },
  { path: "src/main/kotlin/app/Tool.kt", lineNumber: 5, column: 11 },
];
for (const origin of origins) {
  test(`a definition resolves into the artifact that ${origin.path} imports, and into no other`, async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ symbolName: "Shape", askedFrom: { repo: "app", ...origin } });
    const response = await fetch(`${served.url}/api/find_definitions`, { method: "POST", headers, body });
    const { files } = (await response.json()) as SymbolResult;
    assert.deepEqual(
      files.map(({ repository, fileName, matches }) => [repository, fileName, matches[0]?.certainty]),
      [["maven/com.example:shapes@1.0", "com/example/shapes/Shape.java", "import"]],
    );
  });
}
