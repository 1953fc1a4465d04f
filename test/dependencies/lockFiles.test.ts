import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseCargoLock } from "#dependencies/cargo";
import { parseGoSum } from "#dependencies/go";
import { parseBuildScript, parseGradleLock, parseVersionCatalog } from "#dependencies/gradle";
import { parseNpmLock } from "#dependencies/npmLock";
import { isSafe, type LockParser, versionKey } from "#dependencies/package";
import { parsePnpmLock } from "#dependencies/pnpmLock";
import { resolvePoms } from "#dependencies/pom";
import { parsePipfileLock, parsePythonLock, parseRequirements } from "#dependencies/python";
import { parseYarnLock } from "#dependencies/yarnLock";

/** Each as its package manager writes it, shortened. */
const cases: readonly (readonly [string, LockParser, string, string])[] = [
  [
    "package-lock.json 1",
    parseNpmLock,
    `{ "lockfileVersion": 1, "dependencies": {
      "a": { "version": "1.0.0", "dependencies": { "b": { "version": "2.0.0" } } },
      "other": { "version": "npm:@s/real@3.0.0" },
      "local": { "version": "file:local" } } }`,
    "a@1.0.0 @s/real@3.0.0 local@file:local b@2.0.0",
  ],
  [
    "package-lock.json 3",
    parseNpmLock,
    `{ "lockfileVersion": 3, "packages": {
      "": { "name": "root", "version": "0.1.0" },
      "packages/own": { "version": "1.0.0" },
      "node_modules/own": { "resolved": "packages/own", "link": true },
      "node_modules/@types/node": { "version": "22.1.0" },
      "node_modules/alias": { "name": "real", "version": "1.2.3" },
      "node_modules/a/node_modules/b": { "version": "2.0.0" } } }`,
    "@types/node@22.1.0 real@1.2.3 b@2.0.0",
  ],
  [
    "pnpm-lock.yaml 9",
    parsePnpmLock,
    `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      react-dom:
        specifier: ^18.0.0
        version: 18.3.1(react@18.3.1)

packages:

  '@types/node@22.1.0':
    resolution: {integrity: sha512-x==}
  react-dom@18.3.1:
    resolution: {integrity: sha512-x==}
    peerDependencies:
      react: ^18.3.1

snapshots:

  react-dom@18.3.1(react@18.3.1):
    dependencies:
      react: 18.3.1
`,
    "@types/node@22.1.0 react-dom@18.3.1 react-dom@18.3.1",
  ],
  [
    "pnpm-lock.yaml 6",
    parsePnpmLock,
    "lockfileVersion: '6.0'\n\npackages:\n\n  /@babel/core@7.24.0:\n    dev: true\n\n  /ts-node@10.9.2(typescript@5.4.5):\n    dev: true\n",
    "@babel/core@7.24.0 ts-node@10.9.2",
  ],
  [
    "pnpm-lock.yaml 5",
    parsePnpmLock,
    "lockfileVersion: 5.4\n\npackages:\n\n  /@babel/core/7.24.0:\n    dev: true\n\n  /ts-node/10.9.2_typescript@5.4.5:\n    dev: true\n",
    "@babel/core@7.24.0 ts-node@10.9.2",
  ],
  [
    "yarn.lock 1",
    parseYarnLock,
    `# yarn lockfile v1


"@babel/core@^7.0.0", "@babel/core@^7.1.0":
  version "7.24.0"
  resolved "https://registry.yarnpkg.com/@babel/core/-/core-7.24.0.tgz#x"
  dependencies:
    debug "^4.1.0"

"alias@npm:@s/real@>= 1.0.0 < 2":
  version "1.2.3"

debug@^4.1.0:
  version "4.3.4"
`,
    "@babel/core@7.24.0 @s/real@1.2.3 debug@4.3.4",
  ],
  [
    "yarn.lock 8",
    parseYarnLock,
    `__metadata:
  version: 8
  cacheKey: 10

"@babel/core@npm:^7.0.0, @babel/core@npm:^7.1.0":
  version: 7.24.0
  resolution: "@babel/core@npm:7.24.0"
  checksum: 10/x
  languageName: node
  linkType: hard

"alias@npm:real@^1.0.0":
  version: 1.2.3
  resolution: "real@npm:1.2.3"

"own@workspace:.":
  version: 0.0.0-use.local
  resolution: "own@workspace:."
`,
    "@babel/core@7.24.0 real@1.2.3 own@0.0.0-use.local",
  ],
  [
    "Cargo.lock",
    parseCargoLock,
    `version = 3

[[package]]
name = "own"
version = "0.1.0"
dependencies = [
 "serde",
]

[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "x"
`,
    "serde@1.0.200",
  ],
  [
    "go.sum",
    parseGoSum,
    `github.com/BurntSushi/toml v1.2.1 h1:x=
github.com/BurntSushi/toml v1.2.1/go.mod h1:x=
golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8/go.mod h1:x=
gopkg.in/yaml.v3 v3.0.1+incompatible h1:x=
`,
    "github.com/BurntSushi/toml@v1.2.1 gopkg.in/yaml.v3@v3.0.1+incompatible",
  ],
  [
    "uv.lock",
    parsePythonLock,
    `version = 1
requires-python = ">=3.12"

[[package]]
name = "own"
version = "0.1.0"
source = { editable = "." }

[package.metadata]
requires-dist = [{ name = "requests" }]

[[package]]
name = "ruamel-yaml"
version = "0.18.6"
source = { registry = "https://pypi.org/simple" }
`,
    "ruamel-yaml@0.18.6",
  ],
  [
    "poetry.lock",
    parsePythonLock,
    `[[package]]
name = "Ruamel.YAML"
version = "0.18.6"
description = "a [[package]]"
files = [
    {file = "x.whl", hash = "sha256:x"},
]

[metadata]
lock-version = "2.0"
`,
    "ruamel-yaml@0.18.6",
  ],
  [
    "Pipfile.lock",
    parsePipfileLock,
    `{ "_meta": {}, "default": { "requests": { "version": "==2.32.0" }, "own": { "path": "." } },
       "develop": { "pytest": { "version": "==8.0.0" } } }`,
    "requests@2.32.0 pytest@8.0.0",
  ],
  [
    "requirements.txt",
    parseRequirements,
    `# comment
requests[socks]==2.32.0 ; python_version > "3.8"
urllib3>=2
certifi==2024.2.2 \\
    --hash=sha256:x
-r other.txt
`,
    "requests@2.32.0 certifi@2024.2.2",
  ],
  [
    "gradle.lockfile",
    parseGradleLock,
    `# This is a Gradle generated file for dependency locking.
com.google.guava:guava:33.0.0-jre=compileClasspath,runtimeClasspath
org.slf4j:slf4j-api:2.0.9=compileClasspath
empty=annotationProcessor
`,
    "com.google.guava:guava@33.0.0-jre org.slf4j:slf4j-api@2.0.9",
  ],
  [
    "libs.versions.toml",
    parseVersionCatalog,
    `[versions]
guava = "33.0.0-jre" # comment
okhttp = { strictly = "4.12.0" }

[libraries]
guava = { module = "com.google.guava:guava", version.ref = "guava" }
okhttp = { group = "com.squareup.okhttp3", name = "okhttp", version = { ref = "okhttp" } }
slf4j = "org.slf4j:slf4j-api:2.0.9"
junit = { module = "junit:junit", version = "4.13.2" }
jsoup = { module = "org.jsoup:jsoup", version = { prefer = "1.18.3" } }
bom = { module = "managed:elsewhere" }

[plugins]
kotlin = { id = "org.jetbrains.kotlin.jvm", version = "2.0.0" }
`,
    "com.google.guava:guava@33.0.0-jre com.squareup.okhttp3:okhttp@4.12.0 org.slf4j:slf4j-api@2.0.9 junit:junit@4.13.2 org.jsoup:jsoup@1.18.3 managed:elsewhere@",
  ],
  [
    "build.gradle.kts",
    parseBuildScript,
    `dependencies {
    implementation("com.google.guava:guava:33.0.0-jre")
    testImplementation 'junit:junit:4.13.2@jar'
    // implementation("off:off:1.0")
    implementation("org.slf4j:slf4j-api:$slf4j")
    implementation(project(":core"))
}
`,
    "com.google.guava:guava@33.0.0-jre junit:junit@4.13.2",
  ],
  [
    "pom.xml",
    parsePom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>com.example</groupId>
  <artifactId>app</artifactId>
  <version>1.0</version>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
`,
    "junit:junit@4.13.2",
  ],
];

function parsePom(text: string) {
  return resolvePoms([text], () => undefined);
}

for (const [name, parse, text, expected] of cases) {
  test(`packages of ${name}`, () => {
    for (const written of [text, text.replaceAll("\n", "\r\n")])
      assert.equal([...parse(written)].map(versionKey).join(" "), expected);
  });
}

/** Parts of lock files, which arbitrary text hardly ever contains. */
const parts = [
  '"',
  "'",
  ":",
  "@",
  "/",
  ",",
  "(",
  "==",
  "=",
  "[[package]]",
  "packages:",
  "name",
  "version",
  "{",
  "<a>",
  "<!--",
];

test("damaged lock files are parsed in linear time, or rejected", () => {
  const line = fc
    .array(fc.oneof(fc.constantFrom(...parts, " ", "  ", "\n", "\n  "), fc.string({ maxLength: 5 })), {
      maxLength: 40,
    })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...cases), line, fc.nat(), ([, parse, text], inserted, at) => {
      const cut = at % text.length;
      for (const damaged of [inserted, text.slice(0, cut) + inserted + text.slice(cut)]) {
        try {
          for (const found of parse(damaged)) assert.equal(typeof versionKey(found), "string");
        } catch (error) {
          assert.ok(error instanceof SyntaxError, String(error));
        }
      }
    }),
  );
  const startedAt = performance.now();
  for (const [, parse] of cases) {
    for (const part of [...parts, " ", "\t", "a"]) {
      for (const before of ["", "packages:\n  ", '"a@npm:', "[[package]]\nname = ", "a=="]) {
        try {
          [...parse(before + part.repeat(200_000))];
        } catch {}
      }
    }
  }
  assert.ok(performance.now() - startedAt < 30_000, "a quadratic expression would take hours");
});

test("names and versions that could lead out of a folder are unsafe", () => {
  const unsafe: [string, string][] = [
    ["..", "1.0.0"],
    ["../a", "1.0.0"],
    ["a/../../b", "1.0.0"],
    ["@s/..", "1.0.0"],
    ["/a", "1.0.0"],
    ["a//b", "1.0.0"],
    ["a\\..\\b", "1.0.0"],
    ["a\0", "1.0.0"],
    ["a\u001b[2J", "1.0.0"],
    ["a", "../1.0.0"],
    ["a", ".."],
    ["a:..", "1.0.0"],
    ["a:", "1.0.0"],
    ["a", "file:../x"],
    ["a", ""],
    ["", "1.0.0"],
    ["a".repeat(400), "1.0.0"],
  ];
  for (const [name, version] of unsafe) assert.equal(isSafe({ name, version }), false, `${name}@${version}`);
  const safe: [string, string][] = [
    ["@types/node", "22.1.0-beta.1+build"],
    ["github.com/BurntSushi/toml", "v1.2.1+incompatible"],
    ["ruamel-yaml", "1!2.0"],
    ["com.google.guava:guava", "33.0.0-jre"],
  ];
  for (const [name, version] of safe) assert.equal(isSafe({ name, version }), true, `${name}@${version}`);
});

const reference = (property: string) => `\${${property}}`;

test("values in pom.xml that multiply their length are not packages", () => {
  const dependency = (artifact: string, version: string) =>
    `<dependency><groupId>g</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  const text = `<project>
  <properties>
    <long>${"1".repeat(1_000_000)}</long>
    <ten>${"1".repeat(10)}</ten>
    <hundred>${reference("ten").repeat(10)}</hundred>
    <thousand>${reference("hundred").repeat(10)}</thousand>
  </properties>
  <dependencies>
    ${dependency("long", reference("long").repeat(50)).repeat(5000)}
    ${dependency("thousand", reference("thousand"))}
    ${dependency("hundred", reference("hundred"))}
  </dependencies>
</project>`;
  const known = [...parsePom(text)].filter(({ version }) => /^\d+$/.test(version));
  assert.deepEqual(known.map(versionKey), [`g:hundred@${"1".repeat(100)}`]);
});
