import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { findDependencies, type PackageCaches } from "#dependencies/dependencies";
import { printPackageName } from "#query/packageName";
import { projectRoot } from "#test/support/house";
import { jar } from "#test/support/jar";
import { temporaryFolder } from "#test/support/repo";

/** Creates a folder with these files; a value that begins with `->` makes a symbolic link. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(temporaryFolder());
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith("->")) symlinkSync(text.slice(2), join(root, path));
    else writeFileSync(join(root, path), text, path.endsWith(".jar") ? "latin1" : "utf8");
  }
  return root;
}

const noCaches = cachesIn("/nonexistent");

function cachesIn(folder: string): PackageCaches {
  return {
    cargoHome: join(folder, "cargo"),
    goModules: join(folder, "go"),
    mavenRepository: join(folder, "m2"),
    gradleModules: join(folder, "gradle"),
  };
}

const unpackFolder = join(realpathSync(temporaryFolder()), "packages");

/** Returns `name path` lines, with paths relative to the folder; and the problem, if any. */
function found(root: string, caches = noCaches): readonly string[] {
  const { packages, problem } = findDependencies({ root, caches, unpackFolder });
  const lines = packages.map((each) =>
    `${printPackageName(each)} ${relative(root, each.path)} ${(each.entries ?? []).join()}`.trim(),
  );
  return [...lines.sort(), ...(problem === undefined ? [] : [problem])];
}

const manifest = (name: string, version: string) => JSON.stringify({ name, version });

/** Returns the text of a POM file with these elements. */
function pom(name: string, ...elements: readonly string[]): string {
  const own = `<modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>${name}</artifactId><version>1</version>`;
  return `<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">\n${own}\n${elements.join("\n")}\n</project>\n`;
}

function npmLock(packages: Readonly<Record<string, object>>): string {
  return JSON.stringify({ lockfileVersion: 3, packages });
}

test("every installed package of a real project is found at the version of its lock file", () => {
  const root = realpathSync(projectRoot());
  const { packages } = findDependencies({ root, caches: noCaches, unpackFolder });
  const versions = new Map(packages.map(({ name, version, path }) => [`${name}@${version}`, path]));
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; optional?: boolean }>;
  };
  let count = 0;
  for (const [path, { version, optional = false }] of Object.entries(lock.packages)) {
    if (!path.startsWith("node_modules/") || optional) continue;
    const { name } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as { name: string };
    const folder = versions.get(`${name}@${version}`);
    assert.ok(folder !== undefined, path);
    const installed = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.deepEqual([installed.name, installed.version], [name, version]);
    count++;
  }
  assert.ok(count > 300);
});

test("packages are found hoisted, nested, in workspaces and as aliases, at exactly the locked version", () => {
  const root = folderWith({
    "package-lock.json": npmLock({
      "node_modules/a": { version: "1.0.0" },
      "node_modules/b/node_modules/a": { version: "2.0.0" },
      "node_modules/b": { version: "1.0.0" },
      "packages/w/node_modules/@s/c": { version: "1.0.0" },
      "node_modules/alias": { name: "real", version: "1.0.0" },
      "node_modules/outdated": { version: "2.0.0" },
      "node_modules/absent": { version: "1.0.0" },
    }),
    "node_modules/a/package.json": manifest("a", "1.0.0"),
    "node_modules/b/package.json": manifest("b", "1.0.0"),
    "node_modules/b/node_modules/a/package.json": manifest("a", "2.0.0"),
    "packages/w/node_modules/@s/c/package.json": manifest("@s/c", "1.0.0"),
    "node_modules/alias/package.json": manifest("real", "1.0.0"),
    "node_modules/outdated/package.json": manifest("outdated", "1.0.0"),
    "node_modules/unlisted/package.json": manifest("unlisted", "1.0.0"),
    "node_modules/broken/package.json": "{",
  });
  assert.deepEqual(found(root), [
    "npm/@s/c@1.0.0 packages/w/node_modules/@s/c",
    "npm/a@1.0.0 node_modules/a",
    "npm/a@2.0.0 node_modules/b/node_modules/a",
    "npm/b@1.0.0 node_modules/b",
    "npm/real@1.0.0 node_modules/alias",
  ]);
});

test("packages are found in pnpm's store", () => {
  const root = folderWith({
    "pnpm-lock.yaml":
      "lockfileVersion: '9.0'\n\npackages:\n\n  '@s/a@1.0.0':\n    x: y\n\n  b@2.0.0:\n    x: y\n",
    "node_modules/.pnpm/@s+a@1.0.0/node_modules/@s/a/package.json": manifest("@s/a", "1.0.0"),
    "node_modules/.pnpm/b@2.0.0_peer/node_modules/b/package.json": manifest("b", "2.0.0"),
    "node_modules/.pnpm/b@2.0.0_peer/node_modules/@s/a": "->../../../@s+a@1.0.0/node_modules/@s/a",
    "node_modules/b": "->.pnpm/b@2.0.0_peer/node_modules/b",
  });
  assert.deepEqual(found(root), [
    "npm/@s/a@1.0.0 node_modules/.pnpm/@s+a@1.0.0/node_modules/@s/a",
    "npm/b@2.0.0 node_modules/.pnpm/b@2.0.0_peer/node_modules/b",
  ]);
});

test("distributions are found in virtual environments, with what belongs to each", () => {
  const root = folderWith({
    "requirements.txt": "PyYAML==6.0.1\nsix==1.16.0\nabsent==1\n",
    ".venv/lib/python3.12/site-packages/yaml/__init__.py": "",
    ".venv/lib/python3.12/site-packages/PyYAML-6.0.1.dist-info/RECORD":
      "../../../bin/x,,\n_yaml/__init__.py,sha256=x,1\nyaml/__init__.py,,\nPyYAML-6.0.1.dist-info/RECORD,,\n",
    ".venv/lib/python3.12/site-packages/six.py": "",
    ".venv/lib/python3.12/site-packages/six-1.16.0.dist-info/RECORD":
      "__pycache__/six.cpython-312.pyc,,\nsix.py,,\n",
    ".venv/lib/python3.12/site-packages/pip-24.0.dist-info/RECORD": "pip/__init__.py,,\n",
  });
  assert.deepEqual(found(root), [
    "pypi/pyyaml@6.0.1 .venv/lib/python3.12/site-packages _yaml,yaml,PyYAML-6.0.1.dist-info",
    "pypi/six@1.16.0 .venv/lib/python3.12/site-packages six.py",
  ]);
});

test("crates and modules are found in the caches of Cargo and Go, and modules in vendor", () => {
  const root = folderWith({
    "Cargo.lock":
      '[[package]]\nname = "serde"\nversion = "1.0.200"\nsource = "registry+https://example.com"\n',
    "cargo/registry/src/index.crates.io-x/serde-1.0.200/Cargo.toml": "",
    "cargo/registry/src/index.crates.io-x/serde-1.0.201/Cargo.toml": "",
    "service/go.sum": "github.com/BurntSushi/toml v1.2.1 h1:x=\ngopkg.in/yaml.v3 v3.0.1 h1:x=\n",
    "service/vendor/gopkg.in/yaml.v3/yaml.go": "",
    "go/github.com/!burnt!sushi/toml@v1.2.1/go.mod": "",
  });
  assert.deepEqual(found(root, cachesIn(root)), [
    "cargo/serde@1.0.200 cargo/registry/src/index.crates.io-x/serde-1.0.200",
    "go/github.com/BurntSushi/toml@v1.2.1 go/github.com/!burnt!sushi/toml@v1.2.1",
    "go/gopkg.in/yaml.v3@v3.0.1 service/vendor/gopkg.in/yaml.v3",
  ]);
});

const sources = jar({ "com/example/A.java": "package com.example;\nclass A {}\n" }).toString("latin1");

test("artifacts are found in the local repository of Maven and in Gradle's cache, and are unpacked", () => {
  const root = folderWith({
    "pom.xml": pom(
      "app",
      "<dependencies><dependency><groupId>com.example</groupId><artifactId>a</artifactId><version>1.0</version></dependency></dependencies>",
    ),
    "service/gradle.lockfile": "com.example:b:2.0=runtimeClasspath\ncom.example:absent:1.0=x\n",
    "gradle/libs.versions.toml": '[libraries]\nc = "com.example:c:3.0-SNAPSHOT"\nd = "com.example:d:4.0"\n',
    "m2/com/example/a/1.0/a-1.0.jar": "",
    "m2/com/example/a/1.0/a-1.0-sources.jar": sources,
    "m2/com/example/c/3.0-SNAPSHOT/c-3.0-SNAPSHOT-sources.jar": sources,
    "m2/com/example/d/4.0/d-4.0-sources.jar": "not a jar",
    "gradle/com.example/b/2.0/1f/b-2.0.jar": "",
    "gradle/com.example/b/2.0/2e/b-2.0-sources.jar": sources,
  });
  const { packages, problem } = findDependencies({ root, caches: cachesIn(root), unpackFolder });
  const byName = [...packages].sort((one, other) => (one.name < other.name ? -1 : 1));
  assert.deepEqual(byName, [
    {
      ecosystem: "maven",
      name: "com.example:a",
      version: "1.0",
      path: join(unpackFolder, "com.example+a@1.0", "files"),
      namespaces: ["com.example"],
    },
    {
      ecosystem: "maven",
      name: "com.example:b",
      version: "2.0",
      path: join(unpackFolder, "com.example+b@2.0", "files"),
      namespaces: ["com.example"],
    },
  ]);
  assert.equal(problem, "Cannot read the sources of com.example:d@4.0: it is not a ZIP archive.");
  for (const { path } of packages)
    assert.equal(
      readFileSync(join(path, "com/example/A.java"), "utf8"),
      "package com.example;\nclass A {}\n",
    );
});

test("versions of pom.xml come from properties, parents and bills of materials", () => {
  const dependency = (name: string, version = "", more = "") =>
    `<dependency><groupId>g</groupId><artifactId>${name}</artifactId>${version && `<version>${version}</version>`}${more}</dependency>`;
  const dependencies = (...all: string[]) => `<dependencies>${all.join("")}</dependencies>`;
  const managed = (...all: string[]) =>
    `<dependencyManagement>${dependencies(...all)}</dependencyManagement>`;
  const bom = "<type>pom</type><scope>import</scope>";
  const parent = (name: string) =>
    `<parent><groupId>g</groupId><artifactId>${name}</artifactId><version>1</version></parent>`;
  const property = (name: string) => `\${${name}}`;
  const names = [
    "literal",
    "property",
    "inherited",
    "managed",
    "imported",
    "overridden",
    "own",
    "range",
    "unknown",
  ];
  const root = folderWith({
    "pom.xml": pom(
      "root",
      parent("platform"),
      "<properties><it.version>2</it.version><indirect>" +
        property("it.version") +
        "</indirect></properties>",
      managed(dependency("managed", "3"), dependency("bom", "1", bom), dependency("overridden", "4")),
    ),
    "module/pom.xml": pom(
      "module",
      parent("root"),
      "<!-- <dependencies> --><properties><platform.version>6</platform.version></properties>",
      dependencies(
        dependency("literal", " 1 "),
        dependency("property", property("indirect")),
        dependency("inherited"),
        dependency("managed"),
        dependency("imported"),
        dependency("overridden"),
        dependency("own", property("project.version")),
        dependency("range", "[1,2)"),
        dependency("unknown"),
        dependency("../../up", "1"),
      ),
    ),
    "broken/pom.xml": "<project><dependencies>",
    "m2/g/platform/1/platform-1.pom": pom(
      "platform",
      managed(dependency("inherited", property("platform.version"))),
    ),
    "m2/g/bom/1/bom-1.pom": pom(
      "bom",
      "<properties><it.version>5</it.version></properties>",
      managed(
        dependency("imported", property("it.version")),
        dependency("overridden", "5"),
        dependency("bom", "1", bom),
      ),
    ),
    ...Object.fromEntries(
      names.flatMap((name) =>
        [1, 2, 3, 4, 5, 6].map((version) => [
          `m2/g/${name}/${version}/${name}-${version}-sources.jar`,
          sources,
        ]),
      ),
    ),
  });
  assert.deepEqual(
    findDependencies({ root, caches: cachesIn(root), unpackFolder }).packages.map(
      ({ name, version }) => `${name}@${version}`,
    ),
    [
      "g:literal@1",
      "g:property@2",
      "g:inherited@6",
      "g:managed@3",
      "g:imported@5",
      "g:overridden@4",
      "g:own@1",
    ],
  );
});

test("names and symbolic links do not lead out of the project", () => {
  const outside = folderWith({
    "a/package.json": manifest("a", "1.0.0"),
    "python3.12/site-packages/six-1.16.0.dist-info/RECORD": "six.py,,\n",
    "b/package.json": manifest("../../b", "1.0.0"),
  });
  const root = folderWith({
    "package-lock.json": npmLock({
      "node_modules/a": { version: "1.0.0" },
      "node_modules/../../b": { name: "../../b", version: "1.0.0" },
      "node_modules/c": { name: "c", version: "1.0.0" },
    }),
    "yarn.lock": `->${join(outside, "a", "package.json")}`,
    "node_modules/a": `->${join(outside, "a")}`,
    "node_modules/b/package.json": manifest("../../b", "1.0.0"),
    "packages/w/node_modules": `->${outside}`,
    "node_modules/c/package.json": `->${join(outside, "a", "package.json")}`,
    "requirements.txt": "six==1.16.0\n",
    ".venv/lib": `->${outside}`,
    "go.sum": "../../x v1.0.0 h1:x=\nx/y v1.0.0 h1:x=\n",
    "vendor/x": `->${outside}`,
  });
  mkdirSync(join(outside, "y"));
  assert.deepEqual(found(root), []);
});

test("lock files that cannot be read, and those of other repositories, do not hide others", () => {
  const root = folderWith({
    "package-lock.json": '{ "packages": ',
    "yarn.lock": 'a@1:\n  version "1.0.0"\n',
    "node_modules/a/package.json": manifest("a", "1.0.0"),
    "submodule/.git": "gitdir: ../.git/modules/submodule",
    "submodule/yarn.lock": 'b@1:\n  version "1.0.0"\n',
    "submodule/node_modules/b/package.json": manifest("b", "1.0.0"),
  });
  assert.deepEqual(found(root), ["npm/a@1.0.0 node_modules/a", "package-lock.json is damaged or too large."]);
});

test("a project with too many packages says so", () => {
  const names = Array.from({ length: 5001 }, (_, at) => `p${at}`);
  const root = folderWith({
    "package-lock.json": npmLock(
      Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: "1.0.0" }])),
    ),
    ...Object.fromEntries(
      names.map((name) => [`node_modules/${name}/package.json`, manifest(name, "1.0.0")]),
    ),
  });
  const { packages, problem } = findDependencies({ root, caches: noCaches, unpackFolder });
  assert.equal(packages.length, 5000);
  assert.equal(problem, "The lock files name more than 5000 packages.");
});
