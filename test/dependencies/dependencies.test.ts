import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { findDependencies } from "#dependencies/dependencies";
import { printPackageName } from "#query/packageName";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

/** Creates a folder with these files; a value that begins with `->` makes a symbolic link. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(temporaryFolder());
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith("->")) symlinkSync(text.slice(2), join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return root;
}

const noCaches = { cargoHome: "/nonexistent/cargo", goModules: "/nonexistent/go" };

/** Returns `name path` lines, with paths relative to the folder; and the problem, if any. */
function found(root: string, caches = noCaches): readonly string[] {
  const { packages, problem } = findDependencies({ root, caches });
  const lines = packages.map((each) =>
    `${printPackageName(each)} ${relative(root, each.path)} ${(each.entries ?? []).join()}`.trim(),
  );
  return [...lines.sort(), ...(problem === undefined ? [] : [problem])];
}

const manifest = (name: string, version: string) => JSON.stringify({ name, version });

function npmLock(packages: Readonly<Record<string, object>>): string {
  return JSON.stringify({ lockfileVersion: 3, packages });
}

test("every installed package of a real project is found at the version of its lock file", () => {
  const root = realpathSync(projectRoot());
  const { packages } = findDependencies({ root, caches: noCaches });
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
  const caches = { cargoHome: join(root, "cargo"), goModules: join(root, "go") };
  assert.deepEqual(found(root, caches), [
    "cargo/serde@1.0.200 cargo/registry/src/index.crates.io-x/serde-1.0.200",
    "go/github.com/BurntSushi/toml@v1.2.1 go/github.com/!burnt!sushi/toml@v1.2.1",
    "go/gopkg.in/yaml.v3@v3.0.1 service/vendor/gopkg.in/yaml.v3",
  ]);
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
  assert.deepEqual(found(root), [
    "npm/a@1.0.0 node_modules/a",
    "package-lock.json is damaged or larger than 64 MiB.",
  ]);
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
  const { packages, problem } = findDependencies({ root, caches: noCaches });
  assert.equal(packages.length, 5000);
  assert.equal(problem, "The lock files name more than 5000 packages.");
});
